"""Any world as a stable-baselines3 VecEnv: one array of cars, with Monitor's episode statistics built in."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from stable_baselines3.common.vec_env import VecEnv

from hotlap.errors import EnvironmentStateError
from hotlap.single_env import checked_render_mode
from hotlap.vector.infos import StepInfos
from hotlap.vector.spaces import action_space
from hotlap.worlds import (
    BATCH_OPTIONS,
    CLOSED_MESSAGE,
    NOT_RESET_MESSAGE,
    Array,
    World,
    check_world_options,
    make_world,
    registered,
)


class WorldVecEnv(VecEnv):
    """Cars that are reset as soon as they are done, as SB3 expects; what it hands out is never overwritten later.

    Car `i` does what a single environment in a Monitor with the seed `seed + i` does in a DummyVecEnv, bit for bit.
    """

    def __init__(self, world: World, seed: int | None = None, render_mode: str | None = None) -> None:
        low, high = world.observation_bounds
        self.render_mode = checked_render_mode(render_mode)
        self._renderer: Any = None
        super().__init__(world.count, spaces.Box(low, high, dtype=np.float32), action_space(world))
        self.world = world
        self.generators: list[np.random.Generator] = []
        self.episode_returns = np.zeros(world.count)
        self.episode_lengths = np.zeros(world.count, np.int64)
        self._actions: Array = np.zeros((0, 3), np.float32)
        self.began_s = time.monotonic()
        self._closed = False
        self.seed(seed)

    def reset(self) -> Array:
        """Begin an episode for every car; seeds given before count from here."""
        if self._closed:
            raise EnvironmentStateError(CLOSED_MESSAGE)
        self._take_seeds()
        for car in range(self.num_envs):
            self.world.begin(car, self.generators[car], self._options[car])
        self._reset_seeds()
        self._reset_options()
        self.episode_returns[:] = 0.0
        self.episode_lengths[:] = 0
        self._note_reset(range(self.num_envs))
        return self.world.observation.astype(np.float32)

    def _take_seeds(self) -> None:
        """A new generator for every car that was given a seed, or that has none yet."""
        if not self.generators:
            self.generators = [np_random(seed)[0] for seed in self._seeds]
            return
        for car, seed in enumerate(self._seeds):
            if seed is not None:
                self.generators[car] = np_random(seed)[0]

    def _note_reset(self, cars: Iterable[int]) -> None:
        """Keep what the resets of some cars said, where SB3 looks for it."""
        columns = self.world.reset_columns()
        for car in cars:
            self.reset_infos[car] = {key: values[car].item() for key, values in columns.items()}

    def step_async(self, actions: Array) -> None:
        """Keep the actions for the step."""
        if self._closed or not self.generators:
            raise EnvironmentStateError(CLOSED_MESSAGE if self._closed else NOT_RESET_MESSAGE)
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, Any]:
        """One tick of every car, and a new episode for those that are done."""
        world = self.world
        world.advance(self._actions)
        reward = world.reward.astype(np.float32)
        done = world.terminated | world.truncated
        self.episode_returns += world.reward
        self.episode_lengths += 1
        cut_off = {"TimeLimit.truncated": world.truncated & ~world.terminated}
        infos = StepInfos(world.step_columns() | cut_off, self.num_envs)
        for car in np.flatnonzero(done | world.noteworthy()).tolist():
            infos[car] = dict(infos[car], **world.extra_info(car))
        ended = np.flatnonzero(done).tolist()
        for car in ended:
            self._end_episode(car, infos[car])
        if ended:
            self._note_reset(ended)
        return world.observation.astype(np.float32), reward, done, infos

    def _end_episode(self, car: int, info: dict[str, Any]) -> None:
        """Complete the info as SB3 and Monitor do, and begin again."""
        world = self.world
        info["terminal_observation"] = world.observation[car].astype(np.float32)
        info["episode"] = {
            "r": round(float(self.episode_returns[car]), 6),
            "l": int(self.episode_lengths[car]),
            "t": round(time.monotonic() - self.began_s, 6),
        }
        self.episode_returns[car] = 0.0
        self.episode_lengths[car] = 0
        world.begin(car, self.generators[car])

    def close(self) -> None:
        """Refuse to drive from here on; a second time does nothing. Arrays go with their owner."""
        self._closed = True

    def get_images(self) -> Sequence[Array | None]:
        """One picture per car, (height, width, 3), when made with `render_mode="rgb_array"`; `render` tiles them."""
        if self._closed:
            raise EnvironmentStateError(CLOSED_MESSAGE)
        if self.render_mode is None:
            return [None] * self.num_envs
        if self._renderer is None:
            self._renderer = registered(self.world.name).part("renderer")(self.world)
        return [self._renderer.draw(car) for car in range(self.num_envs)]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_renderer": None}

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this environment, or else of the world, once per car asked for."""
        owner = self if hasattr(self, attr_name) else self.world
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Cars of one world share its attributes; setting one for some of them is refused."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"the cars of one batch share {attr_name}; set it for all of them.")
        setattr(self if hasattr(self, attr_name) else self.world, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of the world once, and give its result for each car asked for."""
        result = getattr(self.world, method_name)(*args, **kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Nothing wraps single cars; episode statistics are built in, so Monitor counts as there."""
        built_in = wrapper_class.__name__ == "Monitor"
        return [built_in for _ in self._get_indices(indices)]


def make_vec_env(
    world: str, count: int, *, seed: int | None = None, render_mode: str | None = None, **options: Any
) -> WorldVecEnv:
    """`count` cars of a world, "racer" or a Gymnasium id such as "hotlap/Racer-v0", as an SB3 VecEnv.

    The options are the world's; an unknown one is refused with the names of the known ones.
    """
    check_world_options(world, options, (*BATCH_OPTIONS, "seed", "render_mode"))
    return WorldVecEnv(make_world(world, count, **options), seed, render_mode)
