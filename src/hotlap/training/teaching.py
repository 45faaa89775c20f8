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
from hotlap.policies.teacher_kernel import TeacherKernel
from hotlap.training.config import TrainConfig
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
    """Notes what the teacher would do wherever the cars are, and lets the policy learn it before each update."""

    def __init__(self, config: TrainConfig, teacher: Teacher) -> None:
        super().__init__()
        self.steps = config.steps
        self.last_step = config.teacher.steps
        self.epochs = config.teacher.epochs
        self.batch_size = config.ppo.batch_size
        self.clip_range, self.taught_clip_range = config.ppo.clip_range, config.teacher.clip_range
        self.teaches_alone = teaches_alone(config)
        self.teacher = teacher
        self.seen: list[Tensor] = []
        self.shown: list[Tensor] = []

    def _init_callback(self) -> None:
        if isinstance(self.model, HotlapPPO):
            self.model.only_taught = self.teaches_alone

    def _on_step(self) -> bool:
        if self.num_timesteps < self.last_step:
            self.seen.append(torch.tensor(self.locals["new_obs"]))
            self.shown.append(torch.tensor(self.teacher.act(), dtype=torch.float32))
        return True

    def _on_rollout_end(self) -> None:
        model: Any = self.model
        model.clip_range = FloatSchedule(self.taught_clip_range if self.seen else self.clip_range)
        if self.seen:
            if not self.taught_clip_range:
                # No step went better than another: the update that follows leaves the policy as it was taught.
                model.rollout_buffer.advantages[:] = 0.0
            self._learn(torch.cat(self.seen), torch.cat(self.shown))
        self.seen.clear()
        self.shown.clear()

    def _learn(self, seen: Tensor, shown: Tensor) -> None:
        if isinstance(self.model, HotlapPPO):
            rate = self.model.lr_schedule(1.0 - self.num_timesteps / self.steps)
            distance = self.model.imitate(seen.numpy(), shown.numpy(), rate, self.epochs)
            self.logger.record_mean("teacher/loss", distance)
        else:
            self._learn_with_torch(seen, shown)

    def _learn_with_torch(self, seen: Tensor, shown: Tensor) -> None:
        optimizer: Any = self.model.policy.optimizer
        update_learning_rate(optimizer, self.model.lr_schedule(1.0 - self.num_timesteps / self.steps))
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


class TeachingOnGpu(BaseCallback):
    """Tells a learner on a GPU before each rollout whether it is taught; it learns what is shown there."""

    whole_rollouts = True

    def __init__(self, config: TrainConfig, teacher: Teacher) -> None:
        super().__init__()
        self.last_step, self.epochs = config.teacher.steps, config.teacher.epochs
        self.clip_range, self.taught_clip_range = config.ppo.clip_range, config.teacher.clip_range
        self.teaches_alone = teaches_alone(config)
        self.teacher = teacher

    def _init_callback(self) -> None:
        model: Any = self.model
        model.imitation, model.only_taught = self._imitation, self.teaches_alone

    def _imitation(self, env: TorchEnv) -> Imitation:
        """What is learned where the cars are."""
        space: Any = self.model.action_space
        low, high = (torch.as_tensor(bound, device=env.device) for bound in (space.low, space.high))
        show = show_on(env, self.teacher.act, self.teacher.kernel)
        return Imitation(show, low, high, self.epochs, alone=self.teaches_alone)

    def _on_rollout_start(self) -> None:
        model: Any = self.model
        model.is_taught = self.num_timesteps < self.last_step
        model.clip_range = FloatSchedule(self.taught_clip_range if model.is_taught else self.clip_range)

    def _on_step(self) -> bool:
        return True


def teaching(config: TrainConfig, teacher: Teacher, model: Any) -> BaseCallback:
    """How a model is taught, where it learns."""
    return (TeachingOnGpu if isinstance(model, GpuPPO) else Teaching)(config, teacher)
