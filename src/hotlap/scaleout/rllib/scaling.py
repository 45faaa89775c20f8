"""Observations and rewards scaled by what all runners have seen: each notes what it sees, the run puts it together."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import batch_space
from stable_baselines3.common.running_mean_std import RunningMeanStd
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.training.policy_layers import EPSILON
from hotlap.training.sb3_files import CLIP
from hotlap.vector.gymnasium_env import StepResult
from hotlap.worlds import Array


class Seen(NamedTuple):
    """Mean, variance and count of the observations and of the discounted returns."""

    observations: RunningMeanStd
    returns: RunningMeanStd

    @classmethod
    def nothing(cls, size: int) -> Self:
        """Before the first step; whatever is put to it counts alone."""
        return cls(RunningMeanStd(epsilon=0.0, shape=(size,)), RunningMeanStd(epsilon=0.0))

    @classmethod
    def by_run(cls, normalizer: VecNormalize) -> Self:
        """All that a run has seen so far."""
        observations: Any = normalizer.obs_rms
        return cls(observations.copy(), normalizer.ret_rms.copy())


def put_together(normalizer: VecNormalize, parts: Iterable[Seen]) -> None:
    """Add what each runner has seen to what the run has seen, as if one had seen it all."""
    observations: Any = normalizer.obs_rms
    for part in parts:
        observations.combine(part.observations)
        normalizer.ret_rms.combine(part.returns)


class ScaledVectorEnv(gym.vector.VectorWrapper):
    """Scales as VecNormalize does: by what the run had seen when it last said so, and by what was seen here since."""

    def __init__(self, env: Any, gamma: float) -> None:
        super().__init__(env)
        size = env.single_observation_space.shape[0]
        self.single_observation_space = gym.spaces.Box(-CLIP, CLIP, (size,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self.gamma = gamma
        self._known = Seen(RunningMeanStd(shape=(size,)), RunningMeanStd())
        self._new = Seen.nothing(size)
        self._returns = np.zeros(env.num_envs)
        self._begins = np.zeros(env.num_envs, np.bool_)

    def begin_with(self, known: Seen) -> None:
        """Take over what the run has seen; what was seen here until now is in it, or lost."""
        self._known = known
        self._new = Seen.nothing(len(known.observations.mean))

    def seen_since(self) -> Seen:
        """What was seen here since the run last said what it had seen."""
        return self._new

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin anew."""
        observation, infos = self.env.reset(seed=seed, options=options)
        self._returns[:], self._begins[:] = 0.0, False
        return self._scaled(observation), infos

    def step(self, actions: Array) -> StepResult:
        """One tick."""
        observation, reward, terminated, truncated, infos = self.env.step(actions)
        scaled = self._scaled_reward(reward, terminated | truncated)
        return self._scaled(observation), scaled, terminated, truncated, infos

    def _scaled(self, observation: Array) -> Array:
        for seen in (self._known, self._new):
            seen.observations.update(observation)
        statistics = self._known.observations
        scaled = (observation - statistics.mean) / np.sqrt(statistics.var + EPSILON)
        return np.clip(scaled, -CLIP, CLIP).astype(np.float32)

    def _scaled_reward(self, reward: Array, done: Array) -> Array:
        """By the spread of discounted returns; a car that only begins again has driven nothing and does not count."""
        self._returns = self._returns * self.gamma + reward
        drove = self._returns[~self._begins]
        for seen in (self._known, self._new) if len(drove) else ():
            seen.returns.update(drove)
        self._returns[done] = 0.0
        self._begins = done
        return np.clip(reward / np.sqrt(self._known.returns.var + EPSILON), -CLIP, CLIP)
