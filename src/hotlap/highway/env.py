"""The highway world as a Gymnasium environment: one ego, one road, one step per decision."""

from typing import Any

import gymnasium as gym
import numpy as np

from hotlap.actions import Action, checked_action, checked_choices
from hotlap.errors import ActionError, ConfigError
from hotlap.highway.options import ConfigChoice, VehicleChoice, observation_bounds
from hotlap.highway.pedals import BRAKING, two_pedals
from hotlap.highway.world import (
    ACTION_HIGH,
    ACTION_LOW,
    ACTION_SHAPE_MESSAGE,
    CHOICE_MESSAGE,
    CHOICES,
    HighwayWorld,
)
from hotlap.single_env import RENDER_MODES, SingleEnv

ONE_PEDAL_MESSAGE = "an action with one pedal is two numbers: the pedal and the lane request"


class HighwayEnv(SingleEnv):
    """A car in traffic, rewarded for carrying out missions.

    ## Action

    `Box([0, 0, -1], [1, 1, 1], (3,), float32)`: throttle, brake, lane request; a request beyond ±1/3 asks for a change
    to the left (-) or right (+). With `discrete=True`, `Discrete(5)`: faster, slower, keep, left, right. A decision
    lasts 0.2 s. With `pedals="one"`, `Box([-BRAKING, -1], [1, 1], (2,), float32)`: a pedal that is throttle above 0 and
    brake below, and the lane request; PPO and SAC learn with it. A change takes about 3 s; asking for the other side
    turns back until it is half done.

    ## Observation

    36 named numbers, `hotlap.highway.sensors.FIELDS`, listed with their scales in docs/highway.md.

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
    own_options = ("render_mode", "pedals")
    world: HighwayWorld
    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 5}  # noqa: RUF012 - Gymnasium's own way

    def __init__(
        self,
        config: ConfigChoice = None,
        vehicles: VehicleChoice = 20,
        *,
        render_mode: str | None = None,
        pedals: str = "two",
        **options: Any,
    ) -> None:
        """Beside config, vehicles and pedals, options are those of `hotlap.highway.options.HighwayOptions`."""
        super().__init__(render_mode, options)
        self.world = HighwayWorld(1, config, vehicles, threads=1, **options)
        self.observation_space = gym.spaces.Box(*observation_bounds(), dtype=np.float32)
        self._one_pedal = checked_pedals(pedals, discrete=self.world.discrete) == "one"
        self.action_space = self._actions()

    def _actions(self) -> gym.spaces.Space[Any]:
        if self.world.discrete:
            return gym.spaces.Discrete(len(CHOICES))
        if self._one_pedal:
            return gym.spaces.Box(np.array([-BRAKING, -1.0], np.float32), np.ones(2, np.float32))
        return gym.spaces.Box(ACTION_LOW, ACTION_HIGH, dtype=np.float32)

    def checked_action(self, action: Any) -> Action:
        """Throttle, brake and lane request."""
        if self._one_pedal:
            return two_pedals(*checked_pedal(action))
        if not self.world.discrete:
            return checked_action(action, ACTION_SHAPE_MESSAGE)
        throttle, brake, lane = CHOICES[checked_choices(action, (), len(CHOICES), CHOICE_MESSAGE)].tolist()
        return throttle, brake, lane


def checked_pedals(pedals: str, *, discrete: bool) -> str:
    """One pedal or two; a choice of five has none."""
    if pedals not in ("one", "two") or (discrete and pedals == "one"):
        raise ConfigError(f'pedals must be "one" or "two", and "two" with discrete=True, not {pedals!r}.')
    return pedals


def checked_pedal(action: Any) -> tuple[float, float]:
    """The pedal and the lane request, not yet clamped."""
    given = action.tolist() if hasattr(action, "tolist") else action
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ActionError(ONE_PEDAL_MESSAGE)
    pedal, lane, _ = checked_action([*given, 0.0], ONE_PEDAL_MESSAGE)
    return pedal, lane
