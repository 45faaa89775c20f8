"""Races as a Gymnasium environment: one learner among opponents."""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from hotlap.actions import Action, checked_action
from hotlap.errors import ConfigError
from hotlap.race.config import RaceConfig
from hotlap.race.world import RaceWorld
from hotlap.racer.options import TrackChoice
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.world import ACTION_SHAPE_MESSAGE
from hotlap.single_env import SingleEnv, StepResult


class RaceEnv(SingleEnv):
    """A car among others on a closed track. It sees three cars ahead and three behind, and can touch and pass them.

    ## Action

    As in `hotlap/Racer-v0`: steer (positive is right), throttle, brake.

    ## Observation

    First the observation of the car alone (`observation="classic"` or "full", "grip" or "grip-car" for cars with grip).
    Then six numbers for each of the three nearest cars ahead, and for each of the three nearest behind, along the lap:

    | number | what | divided by |
    |---|---|---|
    | 0 | distance along the lap, negative behind | 120 u |
    | 1 | sideways distance, positive to the left | 20 u, with grip 10 m |
    | 2 | closing speed, positive when the gap shrinks | 80 u/s, with grip 50 m/s |
    | 3 | sideways speed of the other car, relative to one's own | 80 u/s, with grip 50 m/s |
    | 4 | heading of the other car, relative to one's own | pi |
    | 5 | 1 when alongside | |

    Where there is no car within 120 u, the distance reads 120 u (1 ahead, -1 behind) and the others read 0.

    ## Opponents

    `opponents` are the drivers of the other seats, in turn: "line-50" to "line-100" follow the shortest line (of a
    car with grip the fastest) at that share of its pace, a .onnx file is a policy trained in races or alone, an object
    with `name` and `act` drives as it likes. One that raises or answers with NaN is parked, and the race continues.

    ## Reward

    The reward of `hotlap/Racer-v0`, 0.05 for each place gained, -0.1 for a contact of one's own fault and -0.002 for a
    tick of contact. `config` has the weights of the racer and `race` with placeBonus, faultPenalty, contactPenalty and
    riskPenalty.

    ## Start and end

    `start` is "standing" or "rolling" from the grid, or "spread" anywhere along the lap; `slot` is the learner's, from
    0 (pole), "last" or "drawn". Terminated when the learner has driven its `laps` or was put back three times without
    getting anywhere; truncated after 18,000 steps. `reset(options=…)` takes `slot` and `track` for one race.

    ## Info

    The keys of `hotlap/Racer-v0`, and `place`, `gapAhead`, `gapBehind` (in u, and as …Seconds), `contactWith`,
    `impulse`, `fault`, `overtakes`, `overtaken`, `contacts`, `faults`, `putBack`, `raceDistance`; the step that ends a
    race adds `results`.
    """

    world_name = "race"
    world: RaceWorld
    metadata: dict[str, Any] = {"render_modes": [], "render_fps": TICKS_PER_SECOND}  # noqa: RUF012 - as Env declares it

    def __init__(
        self,
        track: TrackChoice = "track-01",
        config: RaceConfig | Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        **others: Any,
    ) -> None:
        """Beside these, options are those of `RaceOptions`."""
        super().__init__(render_mode, others)
        if render_mode is not None:
            raise ConfigError("races are not drawn: leave out render_mode.")
        if others.get("learners", 1) != 1:
            raise ConfigError("one car learns here: leave out learners, or use hotlap.parallel_env.")
        self.world = RaceWorld(1, track, config, threads=1, **others)
        self.observation_space = gym.spaces.Box(*self.world.observation_bounds, dtype=np.float32)
        self.action_space = gym.spaces.Box(*self.world.action_bounds, dtype=np.float32)

    def checked_action(self, action: Any) -> Action:
        """Steer, throttle and brake."""
        return checked_action(action, ACTION_SHAPE_MESSAGE)

    def step(self, action: Any) -> StepResult:
        """One tick. A wrong action raises and nothing moves."""
        if not self._running:
            self._refuse()
        world = self.world
        world.advance(np.array([self.checked_action(action)]))
        info = {key: column.item() for key, column in world.step_views.items()}
        info.update(world.extra_info(0))
        if world.terminated[0] or world.truncated[0]:
            info["results"] = world.results()
        return self._seen(), world.reward.item(), world.terminated.item(), world.truncated.item(), info
