"""Who drives the cars of a rollout for hotlap's learner: compiled worlds without Python, any other tick by tick.

Both scale what is seen with the statistics from before the rollout and add what was seen to them after it, so that it
makes no difference whether ticks are driven one at a time or all at once, nor on how many threads.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.learning.driving import CONTROLS, Scales
from hotlap.learning.passes import SHARES
from hotlap.learning.ppo import PpoLearner
from hotlap.learning.rollouts import Rollouts, new_kept
from hotlap.vector.controls import MixedVecEnv
from hotlap.vector.infos import StepInfos

Floats = NDArray[np.float32]
Array = NDArray[Any]


@dataclass(frozen=True)
class Driven:
    """Some ticks as callbacks see them; a single one as SB3 would show it, several with a dimension more in front."""

    new_obs: Array
    rewards: Array
    dones: Array
    infos: Any
    actions: Array
    sums: Array
    """Of all that was seen so far in the rollout."""
    columns: Mapping[str, Array] | None
    """Columns of the world, (ticks, cars) each; None where infos say it."""


def is_compiled(env: Any) -> bool:
    """Whether the cars of an environment can be driven without Python."""
    return hasattr(getattr(getattr(env.unwrapped, "world", None), "batch", None), "compiled_tick")


def sees_whole_rollouts(callback: BaseCallback) -> bool:
    """Whether a callback, and all of a list, need not be called after every tick."""
    if isinstance(callback, CallbackList):
        return all(sees_whole_rollouts(each) for each in callback.callbacks)
    return bool(getattr(callback, "whole_rollouts", False))


def needs_samples(callback: BaseCallback) -> bool:
    """Whether a callback, or one of a list, looks at what cars saw and did; what is driven elsewhere has to travel."""
    if isinstance(callback, CallbackList):
        return any(needs_samples(each) for each in callback.callbacks)
    return bool(getattr(callback, "needs_samples", True))


class Driver:
    """The cars of a learner; what they see and get is scaled as VecNormalize's statistics say."""

    def __init__(self, learner: PpoLearner, env: Any) -> None:
        self.learner, self.env = learner, env
        self.normalizer: Any = env if isinstance(env, VecNormalize) else None
        self.kept = new_kept(learner)
        inputs = learner.shape.inputs
        self.mean, self.scale = np.zeros(inputs), np.ones(inputs)
        self.episodes: list[dict[str, Any]] = []
        """Those that ended in this rollout."""

    def begin(self) -> None:
        """Take the statistics as they are before a rollout."""
        self.kept.sums[:] = 0.0
        self.episodes = []
        if self.normalizer is not None:
            observed = self.normalizer.obs_rms
            self.mean[:], self.scale[:] = observed.mean, 1.0 / np.sqrt(observed.var + self.normalizer.epsilon)
            self.kept.discounted[:] = self.normalizer.returns

    def drive(self, first: int, last: int) -> Driven:
        """Drive all cars from one tick of the rollout up to another."""
        raise NotImplementedError

    def finish(self) -> None:
        """Scale the rewards of the rollout, and take what was seen into the statistics."""
        learner, kept = self.learner, self.kept
        rewards = kept.rewards
        if self.normalizer is not None:
            self._learn_statistics()
            spread = np.sqrt(self.normalizer.ret_rms.var + self.normalizer.epsilon)
            rewards = np.clip(rewards / spread, -self.normalizer.clip_reward, self.normalizer.clip_reward)
        learner.rollout.rewards[:] = rewards + np.float32(learner.rules.gamma) * kept.cut_values
        learner.rollout.starts[learner.cars :] = kept.ended

    def _learn_statistics(self) -> None:
        normalizer, peers = self.normalizer, self.learner.peers
        count = self.learner.ticks * self.learner.cars * peers.count
        sums = self.kept.sums.reshape(SHARES, -1, 2).sum(axis=0)
        peers.add_up(sums)
        means, squares = sums.T / count
        variances = np.maximum(squares - means * means, 0.0)
        normalizer.obs_rms.update_from_moments(self.mean + means[:-1], variances[:-1], count)
        normalizer.ret_rms.update_from_moments(means[-1], variances[-1], count)
        normalizer.returns[:] = self.kept.discounted


class CompiledDriver(Driver):
    """Cars of a world whose tick is an entry of its own: neither ticks nor resets come by Python."""

    def __init__(self, learner: PpoLearner, env: Any, watched: Mapping[str, Array]) -> None:
        super().__init__(learner, env)
        self.vec_env: Any = env.unwrapped
        self.world: Any = self.vec_env.world
        batch = self.world.batch
        clip = np.inf if self.normalizer is None else self.normalizer.clip_obs
        gamma = learner.rules.gamma if self.normalizer is None else self.normalizer.gamma
        everything = {**watched, "episode_return": batch.episodes.episode_return}
        self.rollouts = Rollouts(learner, batch, self.kept, self._scales(), everything, gamma=gamma, clip=clip)
        self.columns = dict(self.rollouts.columns)
        self.returns = self.columns.pop("episode_return")

    def _scales(self) -> Scales:
        """Between observations and inputs, and between outputs and controls."""
        inner = self.env.venv if self.normalizer is not None else self.env
        mixing = inner.mixing.weights if isinstance(inner, MixedVecEnv) else np.eye(CONTROLS)
        low, high = (np.array(bound, np.float32) for bound in self.world.action_bounds)
        return Scales(self.mean, self.scale, np.ascontiguousarray(mixing, np.float32).ravel(), low, high)

    def drive(self, first: int, last: int) -> Driven:
        """Drive all cars from one tick of the rollout up to another."""
        self.rollouts.drive(first, last)
        cars, inputs = self.learner.cars, self.learner.shape.inputs
        ended = self.kept.ended.reshape(-1, cars)[first:last]
        self._note_ends(first, ended)
        rewards = self.kept.rewards.reshape(-1, cars)[first:last]
        columns = {name: column[first:last] for name, column in self.columns.items()}
        after = self.kept.after.reshape(1, cars, inputs)
        seen = self.learner.samples.observations.reshape(-1, cars, inputs)[first + 1 : last]
        new_obs = np.concatenate([seen, after])
        actions = self.learner.samples.actions.reshape(-1, cars, self.learner.shape.outputs)[first:last]
        if last - first == 1:
            infos = StepInfos({name: column[0] for name, column in columns.items()}, cars)
            return Driven(new_obs[0], rewards[0], ended[0] != 0, infos, actions[0], self.kept.sums, columns)
        return Driven(new_obs, rewards, ended != 0, None, actions, self.kept.sums, columns)

    def _note_ends(self, first: int, ended: Array) -> None:
        """The statistics of episodes as SB3's Monitor gives them."""
        env, now_s = self.vec_env, time.monotonic()
        last_end = np.zeros(self.learner.cars, np.int64)
        for tick, car in np.argwhere(ended).tolist():
            length = int(env.episode_lengths[car]) + tick + 1 - int(last_end[car])
            env.episode_lengths[car], last_end[car] = 0, tick + 1
            total = round(float(self.returns[first + tick, car]), 6)
            self.episodes.append({"r": total, "l": length, "t": round(now_s - env.began_s, 6)})
        env.episode_lengths += len(ended) - last_end
        env.episode_returns[:] = self.world.batch.episodes.episode_return

    def finish(self) -> None:
        """As for all, and leave what VecNormalize would have kept of the last tick."""
        super().finish()
        if self.normalizer is not None:
            self.normalizer.old_obs = self.world.observation.astype(np.float32)
            self.normalizer.old_reward = self.kept.rewards.reshape(-1, self.learner.cars)[-1].copy()


class SteppedDriver(Driver):
    """Cars of any other environment, driven by its `step`."""

    def __init__(self, learner: PpoLearner, env: Any, seen: Any) -> None:
        super().__init__(learner, env)
        self.cars: Any = env if self.normalizer is None else env.venv
        self.seen = seen
        """What the cars see now, as it is."""
        self.cut = learner.room_for(learner.cars)
        """What the cars saw last whose episodes were cut off in a tick."""

    def drive(self, tick: int, _after: int) -> Driven:
        """Drive all cars by one tick, whatever comes after: what happens in a tick is only in its own infos."""
        learner, kept = self.learner, self.kept
        rows = slice(tick * learner.cars, (tick + 1) * learner.cars)
        learner.samples.observations.reshape(-1, learner.cars * learner.shape.inputs)[tick] = self._scaled(self.seen)
        actions = np.clip(learner.act(tick), *learner.bounds)
        self.seen, rewards, dones, infos = self.cars.step(actions)
        kept.rewards[rows], kept.ended[rows] = rewards, dones
        kept.discounted[:] = kept.discounted * (self.normalizer.gamma if self.normalizer else 1.0) + kept.rewards[rows]
        self._add_to_sums(np.asarray(self.seen, np.float64))
        kept.discounted[dones] = 0.0
        kept.cut_values[rows] = self._cut_values(infos, dones)
        self.episodes += [infos[car]["episode"] for car in np.flatnonzero(dones) if "episode" in infos[car]]
        kept.after[:] = scaled = self._scaled(self.seen)
        if self.normalizer is not None:
            self.normalizer.old_obs, self.normalizer.old_reward = self.seen, rewards
        return Driven(scaled.reshape(learner.cars, -1), rewards, dones, infos, actions, kept.sums, None)

    def _scaled(self, observation: Array) -> Floats:
        scaled = (observation - self.mean) * self.scale
        if self.normalizer is not None:
            scaled = np.clip(scaled, -self.normalizer.clip_obs, self.normalizer.clip_obs)
        return scaled.astype(np.float32).reshape(-1)

    def _add_to_sums(self, seen: NDArray[np.float64]) -> None:
        sums, apart = self.kept.sums.reshape(SHARES, -1, 2)[0], seen.reshape(self.learner.cars, -1) - self.mean
        sums[:-1] += np.stack([apart.sum(axis=0), (apart * apart).sum(axis=0)], axis=1)
        sums[-1] += self.kept.discounted.sum(), (self.kept.discounted**2).sum()

    def _cut_values(self, infos: Any, dones: Array) -> Floats:
        """What episodes that were only cut off would have been worth, from the last that was seen of them."""
        values = np.zeros(self.learner.cars, np.float32)
        cut = [car for car in np.flatnonzero(dones).tolist() if infos[car].get("TimeLimit.truncated")]
        inputs = self.learner.shape.inputs
        for row, car in enumerate(cut):
            self.cut.observations[row * inputs : (row + 1) * inputs] = self._scaled(infos[car]["terminal_observation"])
        self.learner.write_values(self.cut, len(cut))
        values[cut] = self.cut.values[: len(cut)]
        return values
