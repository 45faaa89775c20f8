"""A teacher for the first part of a training: after each rollout the policy is drawn towards what it would have done.

The learner drives all along, so it is corrected where its own mistakes take it; meanwhile PPO teaches the critic, and
hardly moves the policy, or not at all. Later the teacher is silent, and PPO improves on what was taught. Where the
teacher speaks to the end and PPO has no say, nothing but what is shown is learned.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import FloatSchedule, update_learning_rate
from torch import Tensor

from hotlap.devices.imitation import Imitation, show_on, taught_distance
from hotlap.devices.torch_env import TorchEnv
from hotlap.kernel import jit_is_on
from hotlap.learning.teacher_kernel import TeacherKernel
from hotlap.training.config import TrainConfig
from hotlap.training.driving import is_compiled
from hotlap.training.gpu_ppo import GpuPPO
from hotlap.training.ppo import HotlapPPO
from hotlap.worlds import Array


@dataclass(frozen=True)
class Teacher:
    """Who shows a learner how it is done in a world."""

    act: Callable[[], Array]
    """What it would do now with every car, in the learner's controls."""
    kernel: Callable[[], TeacherKernel] | None = None
    """The same for a GPU, where it has a kernel."""


def teaches_alone(config: TrainConfig) -> bool:
    """Whether PPO never has a say: then nobody needs its critic either."""
    return config.teacher.steps >= config.steps and not config.teacher.clip_range


class Teaching(BaseCallback):
    """Tells a learner before each rollout whether it is taught; while it is, PPO hardly moves the policy."""

    whole_rollouts = True

    def __init__(self, config: TrainConfig, teacher: Teacher) -> None:
        super().__init__()
        self.steps, self.last_step = config.steps, config.teacher.steps
        self.epochs = config.teacher.epochs
        self.clip_range, self.taught_clip_range = config.ppo.clip_range, config.teacher.clip_range
        self.teaches_alone = teaches_alone(config)
        self.teacher = teacher

    def _init_callback(self) -> None:
        model: Any = self.model
        model.only_taught = self.teaches_alone

    def _on_rollout_start(self) -> None:
        model: Any = self.model
        model.is_taught = self.num_timesteps < self.last_step
        model.clip_range = FloatSchedule(self.taught_clip_range if model.is_taught else self.clip_range)

    def _on_step(self) -> bool:
        return True


class TeachingOnGpu(Teaching):
    """Of a learner on a GPU, which learns what is shown there."""

    def _init_callback(self) -> None:
        super()._init_callback()
        model: Any = self.model
        model.imitation = self._imitation

    def _imitation(self, env: TorchEnv) -> Imitation:
        """What is learned where the cars are."""
        space: Any = self.model.action_space
        low, high = (torch.as_tensor(bound, device=env.device) for bound in (space.low, space.high))
        show = show_on(env, self.teacher.act, self.teacher.kernel)
        return Imitation(show, low, high, self.epochs, alone=self.teaches_alone)


class TeachingBetweenRollouts(Teaching):
    """Lets the policy learn what was shown in a rollout before each update."""

    def _init_callback(self) -> None:
        super()._init_callback()
        model: Any = self.model
        model.teacher = self.teacher.kernel

    def _on_rollout_end(self) -> None:
        model: Any = self.model
        if not model.is_taught:
            return
        if not self.taught_clip_range:
            # No step went better than another: the update that follows leaves the policy as it was taught.
            model.rollout_buffer.advantages[:] = 0.0
        self._learn(model.lr_schedule(1.0 - self.num_timesteps / self.steps))

    def _learn(self, rate: float) -> None:
        model: Any = self.model
        self.logger.record_mean("teacher/loss", model.imitate(model.shown, rate, self.epochs))


class TeachingTickByTick(TeachingBetweenRollouts):
    """Notes itself what the teacher would do, after every tick: of learners and worlds that are not compiled."""

    whole_rollouts = False

    def __init__(self, config: TrainConfig, teacher: Teacher) -> None:
        super().__init__(config, teacher)
        self.batch_size = config.ppo.batch_size
        self.seen: list[Tensor] = []
        self.shown: list[Tensor] = []

    def _init_callback(self) -> None:
        Teaching._init_callback(self)

    def _on_step(self) -> bool:
        model: Any = self.model
        if model.is_taught:
            self.seen.append(torch.tensor(self.locals["new_obs"]))
            self.shown.append(torch.tensor(self.teacher.act(), dtype=torch.float32))
        return True

    def _learn(self, rate: float) -> None:
        seen, shown = torch.cat(self.seen), torch.cat(self.shown)
        self.seen.clear()
        self.shown.clear()
        if isinstance(self.model, HotlapPPO):
            samples = self.model.learner.room_for(len(seen))
            samples.observations[:], samples.actions[:] = seen.numpy().reshape(-1), shown.numpy().reshape(-1)
            self.logger.record_mean("teacher/loss", self.model.imitate(samples, rate, self.epochs))
        else:
            self._learn_with_torch(seen, shown, rate)

    def _learn_with_torch(self, seen: Tensor, shown: Tensor, rate: float) -> None:
        optimizer: Any = self.model.policy.optimizer
        update_learning_rate(optimizer, rate)
        for _ in range(self.epochs):
            for part in torch.split(torch.randperm(len(seen)), self.batch_size):
                loss = self._loss(seen[part], shown[part])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                self.logger.record_mean("teacher/loss", loss.item())

    def _loss(self, seen: Tensor, shown: Tensor) -> Tensor:
        """How far the policy is from what was shown."""
        policy: Any = self.model.policy
        space: Any = self.model.action_space
        mean = policy.get_distribution(seen).distribution.mean
        return taught_distance(mean, shown, torch.tensor(space.low), torch.tensor(space.high))


def teaching(config: TrainConfig, teacher: Teacher, model: Any) -> BaseCallback:
    """How a model is taught, where it learns."""
    if isinstance(model, GpuPPO):
        return TeachingOnGpu(config, teacher)
    in_rollouts = isinstance(model, HotlapPPO) and teacher.kernel is not None and jit_is_on()
    if in_rollouts and is_compiled(model.env):
        return TeachingBetweenRollouts(config, teacher)
    return TeachingTickByTick(config, teacher)
