"""A scripted driver as a kernel that shows what it would do with every car of a world, on whatever machine they are."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Doubles = NDArray[np.float64]


class TeacherKernel(NamedTuple):
    """What is compiled, what it works on, and what its actions mean to a learner."""

    entry: Callable[[Any, int, int, int], None]
    groups: tuple[tuple[Array, ...], ...]
    """The arrays of its address table; columns of the world are the world's own."""
    actions: tuple[Doubles, ...]
    """Of these: where it writes what it would do, a column (cars,) for each control of the world."""
    controls: Doubles
    """(3, n) what each control of the world is in the n controls of the learner."""
