"""One step of Adam for parameters that lie one after the other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import kernel
from hotlap.learning.products import tail

Floats = NDArray[np.float32]
FIRST_DECAY, SECOND_DECAY = 0.9, 0.999


class Moved(NamedTuple):
    """Parameters, and what moves them."""

    parameters: Floats
    gradients: Floats
    """One after the other for each share."""
    first_moments: Floats
    second_moments: Floats


class Rate(NamedTuple):
    """How far a step goes."""

    shorter: float
    """What gradients that are too long are multiplied by, or 1."""
    step: float
    """The learning rate, corrected for the moments' beginning at zero."""
    scale: float
    """One over the square root of that correction of the second moments."""
    tiny: float
    """Added to the roots of the second moments."""


def corrected(rate: float, steps: int) -> tuple[float, float]:
    """`step` and `scale` of a learning rate, after so many steps."""
    first, second = (1.0 - decay ** max(steps, 1) for decay in (FIRST_DECAY, SECOND_DECAY))
    return rate / first, second**-0.5


@kernel
def add_shares(gradients: Floats, total: int, shares: int) -> None:
    """Add what each share has to the first one, in their order."""
    for share in range(1, shares):
        others = tail(gradients, share * total)
        for k in range(total):
            gradients[k] += others[k]


@kernel
def take_step(moved: Moved, begin: int, end: int, rate: Rate) -> None:
    """Adam for some parameters, with the gradients of the first share."""
    parameters, gradients = tail(moved.parameters, begin), tail(moved.gradients, begin)
    first, second = tail(moved.first_moments, begin), tail(moved.second_moments, begin)
    factor, length, damping = np.float32(rate.shorter), np.float32(rate.step), np.float32(rate.scale)
    for k in range(end - begin):
        slope = gradients[k] * factor
        first[k] += (slope - first[k]) * np.float32(1.0 - FIRST_DECAY)
        second[k] = second[k] * np.float32(SECOND_DECAY) + slope * slope * np.float32(1.0 - SECOND_DECAY)
        parameters[k] -= length * first[k] / (np.sqrt(second[k]) * damping + np.float32(rate.tiny))
