"""PPO on an NVIDIA GPU: cars, policy and update stay there; the host gets weights and a few figures in between.

Between two iterations the device has the truth. `settle` lets the host have it, for a checkpoint or an export; a weight
of the policy that is changed on the host goes to the device before the next rollout. While callbacks look at a rollout,
the device already learns from it. What is drawn is a function of the seed and the step.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.devices.fused_ppo import make_device_ppo
from hotlap.devices.imitation import Imitation
from hotlap.devices.ppo import (
    EXPLAINED,
    FIGURES,
    LARGEST_WEIGHT,
    SHOWN,
    TAUGHT_LOSS,
    WATCHED,
    DevicePpo,
)
from hotlap.devices.statistics import Scaling, Statistics
from hotlap.devices.torch_env import TorchEnv
from hotlap.errors import ConfigError
from hotlap.learning.ppo import UpdateFigures
from hotlap.training.driving import Driven
from hotlap.training.ppo import HotlapPPO
from hotlap.vector.controls import MixedVecEnv

Array = NDArray[Any]
WATCHED_CARS = 1024
"""So many cars are counted for the curves; more would take longer to count than to drive."""
MOST_SEED = 2**63 - 1
ENDS = ("final_return", "final_length", "final_count")
"""What is known of episodes that ended."""


class GpuPPO(HotlapPPO):
    """PPO whose rollouts and updates are on a GPU."""

    device_name = "cuda"

    def _setup_model(self) -> None:
        super()._setup_model()
        self.on_device: DevicePpo | None = None
        self.normalizer: Any = None
        self.imitation: Callable[[TorchEnv], Imitation] | None = None
        """What a teacher shows where the cars are, where there is one."""
        self.watched_cars = min(self.n_envs, WATCHED_CARS)
        self.preparing_s = 0.0
        """What it took to bring the cars to the device and to record the graphs there."""
        self._is_settled = True
        self._versions: list[int] = []
        """How often each weight of the policy had been written when host and device were last the same."""
        self.largest_weight = 0.0
        """As the last update left it; no number where a weight is none."""

    def collect_rollouts(self, env: Any, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int) -> bool:
        """Drive all cars for some ticks, and begin to learn; callbacks see the watched cars, all ticks at once."""
        callback.on_rollout_start()
        device = self.on_device or self._prepared(env)
        self._changes_to_device(device)
        began_s = time.perf_counter()
        device.drive(self._drawn_by(0))
        device.show()
        self.num_timesteps += self.n_steps * self.n_envs
        self._begin_update(device)
        driven = self._driven(device)
        self.driving_s = time.perf_counter() - began_s
        callback.update_locals({**locals(), **vars(driven)})
        if not callback.on_step():
            return False
        callback.on_rollout_end()
        return True

    def _prepared(self, env: Any) -> DevicePpo:
        """The device with all that it needs, once; what that takes is no part of driving or learning."""
        began_s = time.perf_counter()
        try:
            device = self._make_device(env)
            device.prepare()
        except torch.cuda.OutOfMemoryError as error:
            self.on_device = None
            raise ConfigError(self._too_little_memory()) from error
        self.preparing_s = time.perf_counter() - began_s
        return device

    def _too_little_memory(self) -> str:
        free, whole = (size >> 20 for size in torch.cuda.mem_get_info())
        return (
            f"the GPU has too little memory for {self.n_envs:,} cars and {self.n_steps} ticks: {free:,} of {whole:,} "
            "MiB are free. Use fewer --cars, fewer --ppo.n-steps, or --device cpu."
        )

    def _drawn_by(self, purpose: int) -> int:
        """A seed for this iteration."""
        seeds = np.random.SeedSequence([self.seed or 0, self.num_timesteps, purpose])
        return int(seeds.generate_state(1, np.uint64)[0]) & MOST_SEED

    def _make_device(self, env: Any) -> DevicePpo:
        """The cars as they stand, on the device."""
        normalizer = env if isinstance(env, VecNormalize) else None
        inner = env.venv if normalizer is not None else env
        world = env.unwrapped.world
        torch_env = TorchEnv(world, self.device_name)
        torch_env.put_state({name: np.array(column) for name, column in world.state_columns().items()})
        limits = (np.inf,) * 2 if normalizer is None else (normalizer.clip_obs, normalizer.clip_reward)
        gamma, epsilon = (1.0, 0.0) if normalizer is None else (normalizer.gamma, normalizer.epsilon)
        scaling = Scaling(normalizer is not None, gamma, epsilon, *limits)
        made = make_device_ppo(torch_env, self.learner.shape, self.n_steps, self.learner.rules, scaling)
        if isinstance(inner, MixedVecEnv):
            made.mixing = torch.as_tensor(inner.mixing.weights, dtype=torch.float32, device=made.device).contiguous()
        made.watch(torch_env.columns({**self.watched(world)}) | self._ends(torch_env), self.watched_cars)
        if self.imitation is not None:
            made.take_teacher(self.imitation(torch_env))
        self.normalizer, self.on_device = normalizer, made
        self._weights_to_device(made)
        self._statistics_to_device(made)
        return made

    def _ends(self, env: TorchEnv) -> dict[str, torch.Tensor]:
        """The columns of those."""
        return {name: env.info[name] for name in ENDS}

    def _driven(self, device: DevicePpo) -> Driven:
        """The rollout of the watched cars as callbacks see it."""
        kept = device.shown()
        del kept[WATCHED]
        seen, actions, rewards, ends = (kept.pop(name) for name in SHOWN)
        ended = ends != 0
        totals, lengths, counts = (kept.pop(name) for name in ENDS)
        if "lap" in kept:  # where an episode ended, the cars stand already in the next one
            kept["lap"] = np.where(ended, counts + 1, kept["lap"])
            kept["stepCount"] = np.where(ended, lengths, kept["stepCount"])
        finished: Any = self.ep_info_buffer
        for tick, car in np.argwhere(ended).tolist():
            finished.append({"r": round(float(totals[tick, car]), 6), "l": int(lengths[tick, car]), "t": 0.0})
        return Driven(seen, rewards, ended, None, actions, np.zeros(0), kept)

    def _begin_update(self, device: DevicePpo) -> None:
        """Let the device learn from the rollout it just drove."""
        self._is_settled = False
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        device.moves[-self.learner.shape.outputs :] = float(self._learns_spread())
        rate, clip_range = float(self.lr_schedule(self._current_progress_remaining)), self._clip_range_now()
        if self.is_taught:
            device.imitate(self._drawn_by(2), rate)
        if not self.only_taught:
            device.learn(self._drawn_by(1), rate, clip_range, has_say=clip_range > 0.0)

    def _clip_range_now(self) -> float:
        schedule: Any = self.clip_range
        return float(schedule(self._current_progress_remaining))

    def train(self) -> None:
        """Wait until the device has learned, and log how."""
        device: Any = self.on_device
        report = device.report().numpy()
        self.largest_weight = float(report[LARGEST_WEIGHT])
        if self.is_taught:
            self.logger.record_mean("teacher/loss", float(report[TAUGHT_LOSS]))
        if self.only_taught:
            return
        rows = self.n_steps * self.n_envs
        steps = self.n_epochs * -(-rows // self.learner.rules.batch_size)
        self._n_updates += self.n_epochs
        self._update_learning_rate(self.policy.optimizer)
        figures = UpdateFigures(*(report[:EXPLAINED] / steps).tolist())
        self._log(figures, self._clip_range_now(), report[FIGURES:], float(report[EXPLAINED]))

    def _weights_to_device(self, device: DevicePpo) -> None:
        """Everything, as torch has it."""
        self.take_weights()
        self.take_moments()
        learner, own = self.learner, self.learner.weights
        device.parameters.copy_(torch.from_numpy(own.parameters))
        device.first_moments.copy_(torch.from_numpy(own.first_moments))
        device.second_moments.copy_(torch.from_numpy(own.second_moments))
        device.adam_steps.fill_(float(learner.value_steps))
        device.adam_steps[: learner.shape.parameter_count] = float(learner.policy_steps)
        self._versions = self._written()

    def _written(self) -> list[int]:
        return [tensor._version for _, tensor in self._parts(self.learner.weights.parameters)]

    def _changes_to_device(self, device: DevicePpo) -> None:
        """Weights that somebody changed on the host since."""
        written = self._written()
        if written == self._versions:
            return
        own, changed = self.learner.weights.parameters, zip(written, self._versions, strict=True)
        for (part, tensor), (now, before) in zip(self._parts(own), changed, strict=True):
            if now != before:
                first = (part.ctypes.data - own.ctypes.data) // own.itemsize
                device.parameters[first : first + part.size] = tensor.detach().reshape(-1).to(device.device)
        self._versions = written

    def _weights_from_device(self, device: DevicePpo) -> None:
        learner, own = self.learner, self.learner.weights
        own.parameters[:] = device.parameters.cpu().numpy()
        own.first_moments[:] = device.first_moments.cpu().numpy()
        own.second_moments[:] = device.second_moments.cpu().numpy()
        learner.policy_steps = int(device.adam_steps[0])
        learner.value_steps = int(device.adam_steps[learner.shape.parameter_count])
        self.give_back()
        self._versions = self._written()

    def _statistics_to_device(self, device: DevicePpo) -> None:
        if self.normalizer is not None:
            _take(device.observed, self.normalizer.obs_rms)
            _take(device.returned, self.normalizer.ret_rms)
            device.discounted.copy_(torch.from_numpy(self.normalizer.returns))

    def settle(self) -> None:
        """Let the host have everything as it is on the device, for a checkpoint or an export."""
        device, env = self.on_device, self.env
        if device is None or env is None or self._is_settled:
            return
        self._changes_to_device(device)
        self._weights_from_device(device)
        vec_env: Any = env.unwrapped
        vec_env.world.put_state(device.env.state())
        seen = device.env.observation
        self._last_obs = device.scaled(seen).cpu().numpy()
        self._last_episode_starts = device.ended[-1].cpu().numpy() != 0
        vec_env.episode_returns[:] = vec_env.world.batch.episodes.episode_return
        if self.normalizer is not None:
            _give(device.observed, self.normalizer.obs_rms)
            _give(device.returned, self.normalizer.ret_rms)
            self.normalizer.returns[:] = device.discounted.cpu().numpy()
            self.normalizer.old_obs = seen.cpu().numpy()
            self.normalizer.old_reward = device.rewards[-1].cpu().numpy()
        self._is_settled = True

    def leave_device(self) -> None:
        """Begin the next rollout with what the host has, which was put back from a checkpoint."""
        self.on_device, self._is_settled = None, True


def _take(statistics: Statistics, source: Any) -> None:
    statistics.mean.copy_(torch.as_tensor(np.atleast_1d(source.mean)))
    statistics.variance.copy_(torch.as_tensor(np.atleast_1d(source.var)))
    statistics.count.fill_(float(source.count))


def _give(statistics: Statistics, target: Any) -> None:
    target.mean = statistics.mean.cpu().numpy().reshape(np.shape(target.mean))
    target.var = statistics.variance.cpu().numpy().reshape(np.shape(target.var))
    target.count = float(statistics.count)
