"""A batch of cars in a bridge server as a stable-baselines3 VecEnv."""

import time
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from hotlap.bridge.batch_messages import LAP_CLEAN, LAP_FINISHED, TERMINATED, TRUNCATED, StepArrays
from hotlap.bridge.remote_batch import RemoteBatch
from hotlap.vector.infos import StepInfos

DONE = TERMINATED | TRUNCATED


class BridgeVecEnv(VecEnv):
    """The same cars, seeds and infos as `hotlap.make_vec_env("racer", count)`, in another process or engine.

    Options are those of RemoteBatch: track, config, observation, start, action_delay.
    """

    def __init__(self, bridge_url: str, count: int, *, seed: int | None = None, **options: Any) -> None:
        self.render_mode = None
        self.batch = RemoteBatch(bridge_url, count, **options)
        low, high = self.batch.observation_bounds
        super().__init__(
            count, spaces.Box(low, high, dtype=np.float32), spaces.Box(*self.batch.action_bounds, dtype=np.float32)
        )
        self.episode_returns = np.zeros(count)
        self.episode_lengths = np.zeros(count, np.int64)
        self._actions: NDArray[Any] = np.zeros((count, 3), np.float32)
        self._began_s = time.monotonic()
        self.seed(seed)

    def reset(self) -> NDArray[np.float32]:
        """Begin an episode for every car; seeds given before count from here."""
        options = self._options if any(self._options) else None
        observation, columns = self.batch.reset(self._seeds[0], options)
        self._reset_seeds()
        self._reset_options()
        self.episode_returns[:] = 0.0
        self.episode_lengths[:] = 0
        self.reset_infos = [
            {key: values[car].item() for key, values in columns.items()} for car in range(self.num_envs)
        ]
        return observation

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions for the step."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], Any]:
        """One round trip: a tick of every car, and a new episode for those that are done."""
        arrays = self.batch.step(self._actions)
        self.episode_returns += arrays.reward
        self.episode_lengths += 1
        columns = self.batch.columns(arrays)
        lap_ticks = columns.pop("lapTicks")
        columns["TimeLimit.truncated"] = arrays.flags & DONE == TRUNCATED
        infos = StepInfos(columns, self.num_envs)
        for car in np.flatnonzero(arrays.flags):
            infos[car] = dict(infos[car])
            if arrays.flags[car] & LAP_FINISHED:
                infos[car].update(lapTicks=lap_ticks[car].item(), lapClean=bool(arrays.flags[car] & LAP_CLEAN))
        self._end_episodes(arrays, infos)
        return arrays.observation.copy(), arrays.reward.copy(), (arrays.flags & DONE) != 0, infos

    def _end_episodes(self, arrays: StepArrays, infos: StepInfos) -> None:
        """Complete the infos of cars that are done as SB3 and Monitor do."""
        for car, last in zip(arrays.done_car.tolist(), arrays.last_observation, strict=True):
            infos[car]["terminal_observation"] = last.copy()
            infos[car]["episode"] = {
                "r": round(float(self.episode_returns[car]), 6),
                "l": int(self.episode_lengths[car]),
                "t": round(time.monotonic() - self._began_s, 6),
            }
            self.episode_returns[car] = 0.0
            self.episode_lengths[car] = 0

    def close(self) -> None:
        """Drop the cars and the connection; a second time does nothing."""
        self.batch.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this environment, once per car asked for."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Cars of one batch share their attributes; setting one for some of them is refused."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"the cars of one batch share {attr_name}; set it for all of them.")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """There are no environments at this end to call methods of."""
        raise NotImplementedError(
            f"{method_name} cannot be called: the cars are in the server at {self.batch.client.url}."
        )

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Nothing wraps single cars; episode statistics are built in, so Monitor counts as there."""
        built_in = wrapper_class.__name__ == "Monitor"
        return [built_in for _ in self._get_indices(indices)]
