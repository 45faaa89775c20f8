"""What a teacher shows a learner on a device, where the cars are: its kernel beside the world's own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from hotlap.devices.torch_env import TorchEnv
from hotlap.learning.teacher_kernel import TeacherKernel

Tensor = torch.Tensor
Show = Callable[[Tensor], None]
"""Writes what a teacher would do now with every car, (cars, actions)."""


@dataclass(frozen=True)
class Imitation:
    """How a policy is drawn towards what a teacher shows."""

    show: Show
    low: Tensor
    high: Tensor
    """What the learner's controls can do."""
    epochs: int
    """Passes over each rollout."""
    alone: bool
    """Whether nothing else is learned."""

    def distance(self, mean: Tensor, shown: Tensor) -> Tensor:
        """How far the policy is from what was shown."""
        return taught_distance(mean, shown, self.low, self.high)


def taught_distance(mean: Tensor, shown: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Mean squared distance to a teacher's actions; beyond what the controls can do, farther is no worse."""
    beyond = ((shown >= high) & (mean > high)) | ((shown <= low) & (mean < low))
    return torch.where(beyond, 0.0, mean - shown).square().sum(dim=1).mean()


def show_on(env: TorchEnv, act: Callable[[], Any], kernel: Callable[[], TeacherKernel] | None) -> Show:
    """A teacher where the cars of an environment are: a function of the cores, or on a GPU its kernel."""
    if env.device.type == "cpu" or kernel is None:
        return lambda out: _copy(act(), out)
    return _shown_by(kernel(), env)


def _copy(actions: Any, out: Tensor) -> None:
    out.copy_(torch.from_numpy(actions))


def _shown_by(kernel: TeacherKernel, env: TorchEnv) -> Show:
    begin = env.memory.kernel_beside("teacher", kernel.entry, kernel.groups)
    columns = [env.memory.column(column) for column in kernel.actions]
    controls = torch.as_tensor(kernel.controls, device=env.device)

    def show(out: Tensor) -> None:
        begin()
        out.copy_(torch.stack(columns, dim=1) @ controls)

    return show
