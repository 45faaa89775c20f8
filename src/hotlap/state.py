"""State that enters a world from outside: every column is checked before the first number is written.

Kernels index arrays with what they find in the state and check nothing, so nothing out of range may get there.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import StateError

Array = NDArray[Any]
Limits = Mapping[str, tuple[float, float]]
"""The lowest and the highest value of columns, by name; both are finite, so nothing else gets through."""
USUAL_LIMITS = {"i": (0, 2**30), "u": (0, 1), "f": (-1e9, 1e9)}
"""Of columns without limits of their own, by kind: counters, flags, numbers."""


def check_columns(live: Mapping[str, Array], given: Mapping[str, Array], limits: Limits) -> None:
    """Refuse a state that lacks one of the live columns or has a wrong one."""
    for name, column in live.items():
        if name not in given:
            raise StateError(f'the state has no "{name}": it is of another version of this world.')
        check_column(name, column, np.asarray(given[name]), limits.get(name, USUAL_LIMITS[column.dtype.kind]))


def check_column(name: str, live: Array, given: Array, limits: tuple[float, float]) -> None:
    """Refuse a column of another shape or type, and one with a number that is out of range or not finite."""
    if given.shape != live.shape or given.dtype != live.dtype:
        raise StateError(f"{name} must be {live.dtype}{live.shape}, not {given.dtype}{given.shape}.")
    low, high = limits
    if not (given.min() >= low and given.max() <= high):  # false for NaN, too
        worst = given[~((given >= low) & (given <= high))][0]
        raise StateError(f"{name} must be from {low:g} to {high:g}, not {worst!r:.40}.")


def write_columns(live: Mapping[str, Array], given: Mapping[str, Array]) -> None:
    """Write columns that were checked into the live arrays of the same names."""
    for name, column in live.items():
        column[...] = given[name]
