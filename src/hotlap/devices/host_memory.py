"""The arrays of a batch as torch tensors over the same memory."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[Any]


class HostMemory:
    """A world on the cores."""

    def __init__(self, world: Any, _device: torch.device) -> None:
        self._world = world

    def group(self, name: str) -> dict[str, torch.Tensor]:
        """The columns of a group, by name; a rollout has only those who learn."""
        owner = self._world if name == "rollout" else self._world.batch
        return {field: torch.from_numpy(column) for field, column in getattr(owner, name)._asdict().items()}

    def flags(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Whose episode ended by itself, and whose was cut off."""
        return torch.from_numpy(self._world.terminated), torch.from_numpy(self._world.truncated)

    def column(self, array: Array) -> torch.Tensor:
        """The tensor for one of the batch's own columns."""
        return torch.from_numpy(array)

    def take_over(self) -> None:
        """The world's arrays are these."""

    def step(self, actions: torch.Tensor) -> None:
        """One tick; a wrong action raises and nothing moves."""
        self._world.advance_and_reset(actions.detach().numpy())

    def state(self) -> dict[str, Array]:
        """A copy of the state."""
        return {name: np.array(column) for name, column in self._world.state_columns().items()}

    def close(self) -> None:
        """Arrays go with their owner."""
