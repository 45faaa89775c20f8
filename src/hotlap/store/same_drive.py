"""What counts as the same drive: inputs that are nearly equal, tick by tick back from the finish."""

import numpy as np
from numpy.typing import NDArray

SAME_TICKS = 6
"""Laps whose times differ by no more may be the same drive."""
SAME_INPUTS = 0.02
Inputs = NDArray[np.float64]


def lap_inputs(inputs: bytes, ticks: int) -> Inputs:
    """The inputs of the lap alone, which ends its drive: by tick, steer, throttle and brake as shares of full."""
    raw = np.frombuffer(inputs[-3 * ticks :], np.uint8).reshape(-1, 3)
    return np.column_stack([raw[:, 0].view(np.int8) / 127.0, raw[:, 1:] / 255.0])


def is_same_drive(one: Inputs, other: Inputs) -> bool:
    """Whether two laps are one drive: aligned at the finish, their inputs differ by less than 2 % on average."""
    ticks = min(len(one), len(other))
    return bool(np.abs(one[-ticks:] - other[-ticks:]).mean() < SAME_INPUTS)
