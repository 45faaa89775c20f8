"""The highway world as a Gymnasium environment: one ego, one road, one step per decision."""

import math
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from hotlap.errors import ActionError
from hotlap.highway.config import HighwayConfig
from hotlap.highway.world import (
    ACTION_HIGH,
    ACTION_LOW,
    ACTION_SHAPE_MESSAGE,
    ACTION_VALUE_MESSAGE,
    CHOICE_MESSAGE,
    CHOICES,
    HighwayWorld,
    observation_bounds,
)
from hotlap.single_env import Observation, SingleEnv, StepResult
from hotlap.worlds import as_array


class HighwayEnv(SingleEnv):
    """A car in traffic that is paid for carrying out missions.

    ## Action

    `Box([0, 0, -1], [1, 1, 1], (3,), float32)`: throttle, brake, lane request; a request beyond ±1/3 asks for a change
    to the left (-) or right (+). With `discrete=True`, `Discrete(5)`: faster, slower, keep, left, right. A decision
    lasts 0.2 s. A change takes about 3 s; asking for the other side turns back until it is half done.

    ## Observation

    34 named numbers, `hotlap.highway.sensors.FIELDS`, listed with their scales in docs/highway.md.

    ## Reward

    For the speed the mission asks for (what the lane's limit and the vehicle ahead leave of it), less for lanes off,
    short gaps, roughness, speeding; for missions that are done. `config` (a mapping with "road", "weights", "episode")
    changes weights, lanes and limits; what it leaves out keeps its default.

    ## Episode

    Terminated by a collision, truncated after 900 decisions (180 s). `vehicles` is how many are around, 0 to 40, or a
    pair to draw from for each episode; `missions` is "mixed" or one mode; `supervisor` switches the rules that make any
    action safe. `reset(options=…)` takes `lane`, `speed_mps`, `vehicles`, `missions` and `mission` for one episode.
    """

    world_name = "highway"
    world: HighwayWorld
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 5}  # noqa: RUF012 - Gymnasium's own way

    def __init__(
        self,
        config: HighwayConfig | Mapping[str, Any] | None = None,
        vehicles: int | tuple[int, int] = 20,
        missions: str = "mixed",
        supervisor: bool = True,
        discrete: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        self.world = HighwayWorld(1, config, vehicles, missions, supervisor, discrete, threads=1)
        self.observation_space = gym.spaces.Box(*observation_bounds(), dtype=np.float32)
        self.action_space: gym.spaces.Space[Any] = (
            gym.spaces.Discrete(len(CHOICES)) if discrete else gym.spaces.Box(ACTION_LOW, ACTION_HIGH, dtype=np.float32)
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        if self._closed:
            self._refuse()
        super().reset(seed=seed)
        self.world.begin(0, self.np_random, options)
        self._running = True
        return self._seen(), {key: column.item() for key, column in self.world.reset_views.items()}

    def step(self, action: Any) -> StepResult:
        """One decision. A wrong action raises and nothing moves."""
        if not self._running:
            self._refuse()
        world = self.world
        throttle, brake, lane = checked_choice(action) if world.discrete else checked_action(action)
        actions = world.batch.actions
        actions.throttle[0], actions.brake[0], actions.lane[0] = throttle, brake, lane
        world.batch.step()
        info = {key: column.item() for key, column in world.step_views.items()}
        info.update(world.extra_info(0))
        return self._seen(), world.reward.item(), world.terminated.item(), world.truncated.item(), info

    def _seen(self) -> Observation:
        return self.world.out.observation.astype(np.float32)


def checked_action(action: Any) -> list[float]:
    """Throttle, brake and lane request as floats, not yet clamped."""
    if not isinstance(action, np.ndarray | list | tuple) and not hasattr(action, "__array__"):
        raise ActionError(ACTION_SHAPE_MESSAGE)
    values = as_array(action, ACTION_SHAPE_MESSAGE)
    if values.shape != (3,):
        raise ActionError(ACTION_SHAPE_MESSAGE)
    if values.dtype.kind not in "fiu":
        raise ActionError(ACTION_VALUE_MESSAGE)
    numbers: list[float] = values.astype(np.float64).tolist()
    if not all(map(math.isfinite, numbers)):
        raise ActionError(ACTION_VALUE_MESSAGE)
    return numbers


def checked_choice(action: Any) -> list[float]:
    """What one of the five choices means."""
    value = as_array(action, CHOICE_MESSAGE)
    if value.dtype.kind not in "iu" or value.ndim != 0 or not 0 <= value < len(CHOICES):
        raise ActionError(CHOICE_MESSAGE)
    numbers: list[float] = CHOICES[int(value)].tolist()
    return numbers
