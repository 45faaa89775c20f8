"""The racing world as a Gymnasium environment: one car, one track, one step per tick."""

from collections.abc import Mapping
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from hotlap.errors import ActionError, ConfigError
from hotlap.racer.cars import CLASSIC
from hotlap.racer.config import RacerConfig
from hotlap.racer.world import (
    ACTION_HIGH,
    ACTION_LOW,
    ACTION_SHAPE_MESSAGE,
    ACTION_VALUE_MESSAGE,
    CarChoice,
    RacerWorld,
    TrackChoice,
    checked_layout,
    load_cars,
    observation_bounds,
)
from hotlap.single_env import Observation, SingleEnv, StepResult


class RacerEnv(SingleEnv):
    """A car on a closed track that is paid for the distance it gains along the lap.

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

    Terminated after 180 ticks in a row slower than 2 u/s, truncated after 3,000 steps. The walls, the grass and the end
    of a lap end nothing, and the car drives on if stepped after the end.

    ## Info

    Each step says `progress`, `speed`, `wall`, `offTrack`, `backward`, `stillness` (the parts of the reward), `tick`,
    `rawSpeed` (in u/s), `lap`, `checkpoint`, `stepCount`, `wallContact` and `stillnessCounter`; a tick that finishes a
    lap adds `lapTicks` and `lapClean`. A reset says `tick`, `speed` (in u/s), `lap`, `checkpoint` and `stepCount`.

    With `bridge_url` the same world runs in a bridge server and this class only talks to it.
    """

    world_name = "racer"
    world: RacerWorld
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}  # noqa: RUF012 - as Env declares it

    def __init__(
        self,
        track: TrackChoice = "track-01",
        config: RacerConfig | Mapping[str, Any] | str | Path | None = None,
        observation: str | None = None,
        action_delay: int | str = 0,
        start: str = "grid",
        render_mode: str | None = None,
        bridge_url: str | None = None,
        car: CarChoice = CLASSIC,
        assists: str = "off",
    ) -> None:
        if render_mode is not None and bridge_url is not None:
            raise ConfigError(
                "render_mode needs the world in this process: leave out bridge_url, or watch in the browser."
            )
        super().__init__(render_mode)
        layout = checked_layout(observation, load_cars(car))
        low, high = observation_bounds(layout)
        self.observation_space = gym.spaces.Box(low, high, dtype=np.float32)
        self.action_space = gym.spaces.Box(ACTION_LOW, ACTION_HIGH, dtype=np.float32)
        rules: dict[str, Any] = {"track": track, "config": config, "observation": layout}
        rules.update(action_delay=action_delay, start=start)
        if car != CLASSIC:
            rules.update(car=car, assists=assists)
        self._remote = _remote_racer(bridge_url, rules) if bridge_url is not None else None
        if self._remote is None:
            self.world = RacerWorld(1, **rules, threads=1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; options may name start, gate, track and action_delay for this one."""
        if self._closed:
            self._refuse()
        super().reset(seed=seed)
        if self._remote is not None:
            first: tuple[Observation, dict[str, Any]] = self._remote.reset(seed, options)
        else:
            self.world.begin(0, self.np_random, options)
            info = {key: column.item() for key, column in self.world.reset_views.items()}
            first = self.world.out.observation.astype(np.float32), info
        self._running = True
        return first

    def step(self, action: Any) -> StepResult:
        """One tick. A wrong action raises and nothing moves."""
        if not self._running:
            self._refuse()
        steer, throttle, brake = checked_action(action)
        if self._remote is not None:
            remote: StepResult = self._remote.step([steer, throttle, brake])
            return remote
        world = self.world
        actions, out = world.batch.actions, world.out
        actions.steer[0], actions.throttle[0], actions.brake[0] = steer, throttle, brake
        world.batch.step()
        info = {key: column.item() for key, column in world.step_views.items()}
        if out.lap_complete[0]:
            info.update(world.extra_info(0))
        observation = out.observation.astype(np.float32)
        return observation, out.reward.item(), world.terminated.item(), world.truncated.item(), info

    def close(self) -> None:
        """Let go of everything; a second time does nothing."""
        if not self._closed and self._remote is not None:
            self._remote.close()
        super().close()


def checked_action(action: Any) -> tuple[float, float, float]:
    """Steer, throttle and brake as Python floats in the precision given, not yet clamped."""
    if isinstance(action, np.ndarray):
        action = action.tolist() if action.shape == (3,) else None
    elif hasattr(action, "__array__"):
        return checked_action(np.asarray(action))
    if not isinstance(action, list | tuple) or len(action) != 3:
        raise ActionError(ACTION_SHAPE_MESSAGE)
    steer, throttle, brake = action
    if type(steer) is type(throttle) is type(brake) is float and isfinite(steer + throttle + brake):
        return steer, throttle, brake
    return _finite(steer), _finite(throttle), _finite(brake)


def _finite(value: Any) -> float:
    if type(value) is not float:
        value = _as_float(value)
    if not isfinite(value):
        raise ActionError(ACTION_VALUE_MESSAGE)
    return float(value)


def _as_float(value: Any) -> float:
    """A number of another kind as a float; truth values, text and everything else are no numbers here."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ActionError(ACTION_VALUE_MESSAGE)
    try:
        return float(value)
    except OverflowError as error:
        raise ActionError(ACTION_VALUE_MESSAGE) from error


def _remote_racer(bridge_url: str, rules: dict[str, Any]) -> Any:
    """The same world behind a socket: an object with `reset(seed, options)`, `step(action)` and `close()`.

    Loaded by name and only when asked for, since the bridge is built on top of the worlds.
    """
    return import_module("hotlap.bridge.remote").RemoteRacer(bridge_url, **rules)
