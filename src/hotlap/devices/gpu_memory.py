"""The arrays of a batch as torch tensors on an NVIDIA GPU, advanced there by the batch's own kernels."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hotlap.devices.driver import Gpu, Work, lanes_per_car
from hotlap.errors import ActionError
from hotlap.export.ptx import libdevice, ptx
from hotlap.kernel_ir import KernelEntry

Array = NDArray[Any]


def begin_using(device: torch.device) -> None:
    """Let torch make the context that its tensors and our kernels share."""
    torch.cuda.synchronize(device)


def current_stream(device: torch.device) -> int:
    """The stream that torch's own kernels go to."""
    return torch.cuda.current_stream(device).cuda_stream


class GpuMemory:
    """A world on a GPU: its arrays are copied there once, and back only when the state is asked for."""

    def __init__(self, world: Any, device: torch.device) -> None:
        self._world, self._batch, self._device = world, world.batch, device
        begin_using(device)
        self._gpu = Gpu(device.index or 0)
        self._kernel = self._gpu.kernel(ptx(world.name, world.batch.entry, libdevice()), world.name)
        self._tensors = [[torch.tensor(array, device=device) for array in group] for group in world.batch.groups]
        self.controls = torch.zeros((3, world.count), dtype=torch.float64, device=device)
        """What the next tick is driven with, a row for each control."""
        self._beside: dict[int, torch.Tensor] = {}
        """What kernels beside the world's brought along, by where it lies on the host."""
        self._choices = torch.from_numpy(np.array(world.action_choices, np.float64)).to(device)
        self._addresses = self._table()
        self._ends_together = self._batch.kernel_count < self._batch.count
        """Whether the cars of a grid begin anew only when the last of them is done."""
        self._terminated = torch.zeros(world.count, dtype=torch.bool, device=device)

    def _table(self) -> torch.Tensor:
        """The address table, with the columns of the actions in one piece."""
        taken = self._number_of("actions")
        self._tensors[taken] = list(self.controls)
        flat = [tensor.data_ptr() for group in self._tensors for tensor in group]
        return torch.tensor(flat, dtype=torch.int64, device=self._device)

    def _number_of(self, name: str) -> int:
        wanted = getattr(self._batch, name)
        return next(number for number, group in enumerate(self._batch.groups) if group is wanted)

    def group(self, name: str) -> dict[str, torch.Tensor]:
        """The columns of a group, by name."""
        fields = getattr(self._batch, name)._fields
        return dict(zip(fields, self._tensors[self._number_of(name)], strict=True))

    def flags(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Whose episode ended by itself, and whose was cut off."""
        out = self.group("out")
        own = out["terminated"].view(torch.bool)
        return self._terminated if self._ends_together else own, out["truncated"].view(torch.bool)

    def column(self, array: Array) -> torch.Tensor:
        """The tensor for a column of the batch or of a kernel beside it, found by where the column lies."""
        return self._places()[array.ctypes.data]

    def _places(self) -> dict[int, torch.Tensor]:
        pairs = zip(self._batch.groups, self._tensors, strict=True)
        own = {array.ctypes.data: tensor for group in pairs for array, tensor in zip(*group, strict=True)}
        return self._beside | own

    def kernel_beside(self, name: str, entry: KernelEntry, groups: Sequence[Sequence[Array]]) -> Callable[[], None]:
        """Another kernel over the cars: columns of the batch are those of the GPU, all else is copied there once."""
        kernel, own = self._gpu.kernel(ptx(name, entry, libdevice()), name), self._places()
        arrays = [array for group in groups for array in group]
        new = {array.ctypes.data: array for array in arrays if array.ctypes.data not in own}
        self._beside |= {place: torch.tensor(array, device=self._device) for place, array in new.items()}
        flat = [self.column(array).data_ptr() for array in arrays]
        addresses = torch.tensor(flat, dtype=torch.int64, device=self._device)
        return lambda: self._launch(kernel, addresses, Work(self._batch.count, 0, lanes_per_car(self._batch.count)))

    def take_over(self) -> None:
        """Copy the world's arrays to the GPU."""
        for tensors, arrays in zip(self._tensors, self._batch.groups, strict=True):
            for tensor, array in zip(tensors, arrays, strict=True):
                tensor.copy_(torch.from_numpy(np.asarray(array)))

    def step(self, actions: torch.Tensor) -> None:
        """One tick, in the order of torch's current stream."""
        chosen = self._choices[actions] if len(self._choices) else actions
        if chosen.shape != (self._batch.count, 3):
            raise ActionError(f"actions must have the shape ({self._batch.count}, 3), not {tuple(actions.shape)}.")
        self.controls.copy_(chosen.T).nan_to_num_(0.0)
        self.tick()

    def tick(self) -> None:
        """One tick with the controls as they are."""
        count = self._batch.kernel_count
        self._launch(self._kernel, self._addresses, Work(count, self._batch.autoreset_mode, lanes_per_car(count)))
        if self._ends_together:
            ended = (self.column(column) for column in (self._batch.out.terminated, self._batch.rollout.ended))
            torch.logical_and(*ended, out=self._terminated)

    def _launch(self, kernel: Any, addresses: torch.Tensor, work: Work) -> None:
        self._gpu.launch(kernel, addresses.data_ptr(), work, current_stream(self._device))

    def state(self) -> dict[str, Array]:
        """A copy of the state on the host."""
        both = zip(self._batch.groups, self._tensors, strict=True)
        places = {id(array): tensor for own in both for array, tensor in zip(*own, strict=True)}
        return {name: places[id(column)].cpu().numpy().copy() for name, column in self._world.state_columns().items()}

    def close(self) -> None:
        """Let go of the GPU."""
        self._gpu.close()
