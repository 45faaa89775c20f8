"""The racing world as a Gymnasium environment: one car, one track, one step per tick."""

from importlib import import_module
from typing import Any

import gymnasium as gym
import numpy as np

from hotlap.actions import Action, checked_action
from hotlap.errors import ConfigError, EnvironmentStateError
from hotlap.racer.options import ConfigChoice, RacerOptions, TrackChoice, checked_layout, load_cars, observation_bounds
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.world import ACTION_HIGH, ACTION_LOW, ACTION_SHAPE_MESSAGE, RacerWorld
from hotlap.single_env import RENDER_MODES, Observation, SingleEnv, Snapshot, StepResult


class RacerEnv(SingleEnv):
    """A car on a closed track, rewarded for the distance it gains along the lap.

    ## Action

    `Box([-1, 0, 0], [1, 1, 1], (3,), float32)`: steer (positive is right), throttle, brake. Values beyond the bounds
    are clamped; lists, float32 and float64 arrays are taken in the precision they come in. The car smooths its inputs.

    ## Observation

    `observation="classic"`, 14 numbers, `Box` float32 in [0, 1], and in [-1, 1] for numbers 10 and 11:

    | number | what | divided by |
    |---|---|---|
    | 0 to 8 | distance to the wall from the right side (0) over straight ahead (4) to the left side (8) | 200 u |
    | 9 | speed | 160 u/s |
    | 10 | yaw rate, clipped, counter-clockwise positive | 5 rad/s |
    | 11 | smoothed steer | |
    | 12 | distance along the lap | lap length |
    | 13 | distance from the centre line, unsigned, at most 1 | 80 u |

    `observation="full"` has no absolute place on the lap, for drivers that must cope with any track; its 59 numbers are
    listed in docs/racer.md.

    ## Car

    `car="classic"` is the car of the rules above. "gt", "formula", "street" or the path of a car file is a car with
    tyres, in metres and seconds (docs/cars.md); with several, each episode draws one. Its driver sees
    `observation="grip"`, or "grip-car" with the numbers of the car; `assists` is "off", "on", "traction-control" or
    "anti-lock".

    ## Reward

    Distance gained along the lap as a share of its length (one lap is about +1), -0.002 for a tick within two units
    of a wall, -0.001 for a tick off the road, -0.001 for a tick slower than 2 u/s. `config` (a dict, a path to a file
    like `ai-config.json`, or nothing) changes the weights and the limits below; what it leaves out keeps its default.

    ## Start

    `start="grid"` is the start line at rest, `"gate"` one of the 30 gates at rest, `"random"` anywhere across a gate's
    road, turned a little, at rest or at any speed. With several tracks, each episode draws one. `action_delay` is 0 or
    1 ticks between an action and its effect, or "random": drawn for each episode. `reset(options=…)` takes `start`,
    `gate`, `track` (its number in the set) and `action_delay` for one episode.

    ## End

    Terminated after 180 ticks in a row slower than 2 u/s, truncated after 3,000 steps. Walls, grass and
    finished laps do not end an episode, and a car that is stepped after the end keeps driving.

    ## Info

    Each step says `progress`, `speed`, `wall`, `offTrack`, `backward`, `stillness` (the parts of the reward), `tick`,
    `rawSpeed` (in u/s), `lap`, `checkpoint`, `stepCount`, `wallContact` and `stillnessCounter`; a tick that finishes a
    lap adds `lapTicks` and `lapClean`. A reset says `tick`, `speed` (in u/s), `lap`, `checkpoint` and `stepCount`.

    With `bridge_url` the same world runs in a bridge server and this class only talks to it.
    """

    world_name = "racer"
    own_options = ("render_mode", "bridge_url")
    world: RacerWorld
    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": TICKS_PER_SECOND}  # noqa: RUF012 - as Env declares it

    def __init__(
        self,
        track: TrackChoice = "track-01",
        config: ConfigChoice = None,
        *,
        render_mode: str | None = None,
        bridge_url: str | None = None,
        **options: Any,
    ) -> None:
        """Beside the track and the config, options are those of `hotlap.racer.options.RacerOptions`."""
        if render_mode is not None and bridge_url is not None:
            raise ConfigError(
                "render_mode needs the world in this process: leave out bridge_url, or watch in the browser."
            )
        super().__init__(render_mode, options)
        given = RacerOptions(track, config, **options)
        low, high = observation_bounds(checked_layout(given.observation, load_cars(given.car)))
        self.observation_space = gym.spaces.Box(low, high, dtype=np.float32)
        self.action_space = gym.spaces.Box(ACTION_LOW, ACTION_HIGH, dtype=np.float32)
        self._remote = _remote_racer(bridge_url, given) if bridge_url is not None else None
        if self._remote is None:
            self.world = RacerWorld(1, **vars(given), threads=1)

    def checked_action(self, action: Any) -> Action:
        """Steer, throttle and brake."""
        return checked_action(action, ACTION_SHAPE_MESSAGE)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; options may name start, gate, track and action_delay for this one."""
        if self._remote is None or self._closed:
            return super().reset(seed=seed, options=options)
        gym.Env.reset(self, seed=seed)
        first: tuple[Observation, dict[str, Any]] = self._remote.reset(seed, options)
        self._running = True
        return first

    def step(self, action: Any) -> StepResult:
        """One tick. A wrong action raises and nothing moves."""
        if self._remote is None or not self._running:
            return super().step(action)
        remote: StepResult = self._remote.step(list(self.checked_action(action)))
        return remote

    def snapshot(self) -> Snapshot:
        """This moment of the episode, to come back to; it can be pickled."""
        self._check_here()
        return super().snapshot()

    def restore(self, snapshot: Snapshot) -> Observation:
        """Go back to a moment of this environment or of one made with the same options; what the driver sees there."""
        self._check_here()
        return super().restore(snapshot)

    def __getstate__(self) -> dict[str, Any]:
        self._check_here()
        return super().__getstate__()

    def _check_here(self) -> None:
        if self._remote is not None:
            raise EnvironmentStateError(
                "the car is in a bridge server, which keeps it: copies and snapshots need the world in this process. "
                "Leave out bridge_url."
            )

    def close(self) -> None:
        """Let go of everything; a second time does nothing."""
        if not self._closed and self._remote is not None:
            self._remote.close()
        super().close()


def _remote_racer(bridge_url: str, options: RacerOptions) -> Any:
    """The same world behind a socket: an object with `reset(seed, options)`, `step(action)` and `close()`.

    Loaded by name and only when asked for, since the bridge is built on top of the worlds.
    """
    return import_module("hotlap.bridge.remote").RemoteRacer(bridge_url, options)
