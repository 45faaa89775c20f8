"""Any world as a Gymnasium VectorEnv: one array of cars, infos as columns, the same results as single environments."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hotlap.errors import ConfigError, EnvironmentStateError
from hotlap.vector.spaces import action_space
from hotlap.worlds import CLOSED_MESSAGE, NOT_RESET_MESSAGE, Array, World

Seeds = int | Sequence[int | None] | None
StepResult = tuple[Array, Array, Array, Array, dict[str, Any]]


class WorldVectorEnv(VectorEnv[Array, Array, Array]):
    """Cars in one world, each with its own generator and its own episodes; what it hands out is never overwritten.

    Car `i` does what a single environment with the i-th seed does, bit for bit. Infos are columns, one array per key,
    and `_key` says for which cars a key holds, as Gymnasium's own vector environments do it. When a car's episode ends,

    - `NEXT_STEP` begins its next one in the following step, which ignores the car's action and pays nothing;
    - `SAME_STEP` begins at once, and the last observation and info are in `final_obs` and `final_info`;
    - `DISABLED` leaves it to `reset(options={"reset_mask": …})`, and until then the car drives on.
    """

    def __init__(self, world: World, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP) -> None:
        self.world = world
        self.num_envs = world.count
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = spaces.Box(*world.observation_bounds, dtype=np.float32)
        self.single_action_space = action_space(world)
        self.observation_space = batch_space(self.single_observation_space, world.count)
        self.action_space = batch_space(self.single_action_space, world.count)
        self._generators: list[np.random.Generator | None] = [None] * world.count
        self._ended = np.zeros(world.count, np.bool_)
        self._running = False

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode for every car, or for those of `options["reset_mask"]`; other options are the world's.

        A seed `s` gives car `i` the seed `s + i`; a list gives each car its own, and None leaves its generator alone.
        """
        if self.closed:
            raise EnvironmentStateError(CLOSED_MESSAGE)
        cars, rest = self._cars_to_reset(options)
        for car, own_seed in enumerate(self._own_seeds(seed)):
            if cars[car]:
                self._begin(car, own_seed, rest)
        self._ended[cars] = False
        self._running = self._running or bool(cars.all())
        infos: dict[str, Any] = {}
        for key, column in self.world.reset_columns().items():
            _put_column(infos, key, column, cars)
        return self.world.observation.astype(np.float32), infos

    def step(self, actions: Array) -> StepResult:
        """One tick of every car. A wrong action raises and nothing moves."""
        if self.closed or not self._running:
            raise EnvironmentStateError(CLOSED_MESSAGE if self.closed else NOT_RESET_MESSAGE)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            return self._step_and_begin_ended(actions)
        return self._step_and_begin_done(actions)

    def _step_and_begin_ended(self, actions: Array) -> StepResult:
        """One tick, in which the cars whose episodes ended the tick before begin anew instead of driving."""
        begin = self._ended
        self.world.advance(_without_rows(actions, begin) if begin.any() else actions)
        infos = self._step_infos(~begin)
        self._begin_again(begin, infos)
        reward, terminated, truncated = self._outcome()
        reward[begin], terminated[begin], truncated[begin] = 0.0, False, False
        self._ended = terminated | truncated
        return self.world.observation.astype(np.float32), reward, terminated, truncated, infos

    def _step_and_begin_done(self, actions: Array) -> StepResult:
        """One tick, at whose end the cars that are done begin anew, unless that is disabled."""
        self.world.advance(actions)
        reward, terminated, truncated = self._outcome()
        done = terminated | truncated
        if self.autoreset_mode is AutoresetMode.DISABLED or not done.any():
            everyone = np.ones(self.num_envs, np.bool_)
            return self.world.observation.astype(np.float32), reward, terminated, truncated, self._step_infos(everyone)
        final = {"final_obs": self._final_observations(done), "final_info": self._step_infos(done)}
        infos = self._step_infos(~done)
        self._begin_again(done, infos)
        for key, values in final.items():
            infos[key], infos[f"_{key}"] = values, done.copy()
        return self.world.observation.astype(np.float32), reward, terminated, truncated, infos

    def _outcome(self) -> tuple[Array, Array, Array]:
        return self.world.reward.copy(), self.world.terminated.copy(), self.world.truncated.copy()

    def _step_infos(self, cars: Array) -> dict[str, Any]:
        """The step's infos of some cars: a column and a mask for each key, and more where a lap ended or the like."""
        infos: dict[str, Any] = {}
        for key, column in self.world.step_columns().items():
            _put_column(infos, key, column, cars)
        for car in np.flatnonzero(self.world.noteworthy() & cars):
            self._add_info(infos, self.world.extra_info(int(car)), int(car))
        return infos

    def _begin_again(self, cars: Array, infos: dict[str, Any]) -> None:
        """Begin an episode for some cars and put what a reset says into their places of the infos."""
        if not cars.any():
            return
        for car in np.flatnonzero(cars):
            self._begin(int(car))
        for key, column in self.world.reset_columns().items():
            if key in infos:
                infos[key][cars], infos[f"_{key}"][cars] = column[cars], True
            else:
                _put_column(infos, key, column, cars)

    def _begin(self, car: int, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        generator = self._generators[car]
        if generator is None or seed is not None:
            generator = self._generators[car] = np_random(seed)[0]
        self.world.begin(car, generator, options)

    def _final_observations(self, done: Array) -> Array:
        """The last observations of the cars that are done, None for the others."""
        observations = np.full(self.num_envs, None, dtype=object)
        for car in np.flatnonzero(done):
            observations[car] = self.world.observation[car].astype(np.float32)
        return observations

    def _own_seeds(self, seed: Seeds) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + car for car in range(self.num_envs)]
        if not isinstance(seed, list | tuple | np.ndarray) or len(seed) != self.num_envs:
            raise ConfigError(f"seeds must be one number or a list of {self.num_envs}, one per car, not {seed!r}.")
        return seed

    def _cars_to_reset(self, options: Mapping[str, Any] | None) -> tuple[Array, Mapping[str, Any] | None]:
        if not isinstance(options, Mapping):
            return np.ones(self.num_envs, np.bool_), options
        rest = dict(options)
        mask = rest.pop("reset_mask", None)
        if mask is None:
            return np.ones(self.num_envs, np.bool_), rest
        if (
            not isinstance(mask, np.ndarray)
            or mask.shape != (self.num_envs,)
            or mask.dtype != np.bool_
            or not mask.any()
        ):
            raise ConfigError(
                f"reset_mask must be an array of {self.num_envs} truth values with a true one, not {mask!r}."
            )
        return mask, rest


def _put_column(infos: dict[str, Any], key: str, column: Array, cars: Array) -> None:
    """A new column that holds for some cars, zero elsewhere; whole numbers as wide as Gymnasium makes them."""
    column[~cars] = 0
    infos[key] = column.astype(np.int64) if column.dtype.kind == "i" else column
    infos[f"_{key}"] = cars.copy()


def _without_rows(actions: Array, cars: Array) -> Array:
    """The actions with zeros for some cars, whatever was in their place."""
    try:
        actions = np.array(actions)
    except ValueError:
        return actions  # rows of different lengths: the world says what is wrong with them
    if actions.shape[:1] == cars.shape and actions.dtype.kind in "fiu":
        actions[cars] = 0
    return actions


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError as error:
        known = ", ".join(f'"{each.value}"' for each in AutoresetMode)
        raise ConfigError(f"no autoreset mode {mode!r}. Known: {known}.") from error
