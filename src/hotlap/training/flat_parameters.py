"""A model's weights and Adam's moments of them as long vectors, which compiled passes work on.

The weights stay where torch and SB3 look for them: each parameter is a window into one vector, so that optimisers,
targets and checkpoints find what they expect.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

STEP, FIRST, SECOND = "step", "exp_avg", "exp_avg_sq"
"""What torch's Adam calls its count and its moments."""


def windows(vector: Tensor, parameters: Sequence[Tensor]) -> list[Tensor]:
    """Parts of a vector, one after the other, in the shapes of parameters."""
    parts = torch.split(vector, [parameter.numel() for parameter in parameters])
    return [part.view(parameter.shape) for part, parameter in zip(parts, parameters, strict=True)]


class FlatParameters:
    """Parameters as windows into one vector."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.parameters = list(parameters)
        self.values = torch.cat([parameter.detach().reshape(-1) for parameter in parameters])
        for parameter, value in zip(parameters, windows(self.values, parameters), strict=True):
            parameter.data = value


class FlatAdam:
    """The count and the moments of torch's Adam, the moments as windows into two vectors."""

    def __init__(self, flat: FlatParameters, optimizer: torch.optim.Optimizer) -> None:
        self.flat, self.optimizer = flat, optimizer
        self.count = torch.zeros(())
        self.first, self.second = torch.zeros_like(flat.values), torch.zeros_like(flat.values)

    @property
    def rate(self) -> tuple[float, int]:
        """The learning rate, and how many steps were made."""
        return float(self.optimizer.param_groups[0]["lr"]), int(self.count)

    def take_over(self) -> None:
        """Take the optimiser's count and moments, where somebody has put others there or it has none yet."""
        states, parameters = self.optimizer.state, self.flat.parameters
        if states[parameters[0]].get(STEP) is self.count:
            return
        shown = windows(self.first, parameters), windows(self.second, parameters)
        for parameter, first, second in zip(parameters, *shown, strict=True):
            state = states[parameter]
            self.count.copy_(state.get(STEP, torch.zeros(())))
            first.copy_(state.get(FIRST, torch.zeros(()))), second.copy_(state.get(SECOND, torch.zeros(())))
            state[STEP], state[FIRST], state[SECOND] = self.count, first, second
