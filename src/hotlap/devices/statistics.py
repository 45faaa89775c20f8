"""What observations and rewards are scaled with, on a device."""

from dataclasses import dataclass

import torch

Tensor = torch.Tensor


@dataclass(frozen=True)
class Scaling:
    """How observations and rewards are scaled."""

    learns: bool
    """Whether there are statistics to scale with; without them all stays as it is."""
    gamma: float
    epsilon: float
    clip_observations: float
    clip_rewards: float


class Statistics:
    """Running mean and variance of some columns, on the device."""

    def __init__(self, columns: int, device: torch.device) -> None:
        self.mean = torch.zeros(columns, dtype=torch.float64, device=device)
        self.variance = torch.ones(columns, dtype=torch.float64, device=device)
        self.count = torch.full((1,), 1e-4, dtype=torch.float64, device=device)

    def add(self, rows: Tensor) -> None:
        """Take some more rows in."""
        self.merge(rows.mean(0) - self.mean, rows.var(0, correction=0), len(rows))

    def merge(self, apart: Tensor, variance: Tensor, rows: int) -> None:
        """Take some more rows in whose mean is so far from ours."""
        total = self.count + rows
        squares = self.variance * self.count + variance * rows
        self.variance.copy_((squares + apart * apart * self.count * rows / total) / total)
        self.mean.add_(apart * (rows / total))
        self.count.copy_(total)
