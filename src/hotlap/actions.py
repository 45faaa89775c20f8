"""Actions as they come from outside, checked once for all worlds: numbers or choices, of one car or of many.

Kernels check nothing, so nothing that is no finite number may get there.
"""

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ActionError

Array = NDArray[Any]
Action = tuple[float, float, float]
ACTION_SIZE = 3
VALUE_MESSAGE = "action elements must be finite numbers"


def checked_action(action: Any, shape_message: str) -> Action:
    """The three numbers of one car as Python floats in the precision given, not yet clamped."""
    if isinstance(action, np.ndarray):
        action = action.tolist() if action.shape == (ACTION_SIZE,) else None
    elif hasattr(action, "__array__"):
        return checked_action(np.asarray(action), shape_message)
    if not isinstance(action, list | tuple) or len(action) != ACTION_SIZE:
        raise ActionError(shape_message)
    first, second, third = action
    if type(first) is type(second) is type(third) is float and isfinite(first + second + third):
        return first, second, third
    return _finite(first), _finite(second), _finite(third)


def _finite(value: Any) -> float:
    if type(value) is not float:
        value = _as_float(value)
    if not isfinite(value):
        raise ActionError(VALUE_MESSAGE)
    return float(value)


def _as_float(value: Any) -> float:
    """A number of another kind as a float; truth values, text and everything else are no numbers here."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ActionError(VALUE_MESSAGE)
    try:
        return float(value)
    except OverflowError as error:
        raise ActionError(VALUE_MESSAGE) from error


def checked_actions(actions: Any, count: int, shape_message: str) -> Array:
    """The numbers of many cars as one array (count, 3), not yet clamped."""
    values = _as_array(actions, shape_message)
    if values.dtype.kind not in "fiu":
        raise ActionError(VALUE_MESSAGE)
    if values.shape != (count, ACTION_SIZE):
        raise ActionError(f"{shape_message} for each of {count} cars, not shape {values.shape}")
    if not np.isfinite(values).all():
        raise ActionError(VALUE_MESSAGE)
    return values


def checked_choices(given: Any, shape: tuple[int, ...], known: int, message: str) -> Array:
    """Choices among so many, an array of a shape: () is that of one car, (count,) that of many."""
    values = _as_array(given, message)
    if values.dtype.kind not in "iu" or values.shape != shape:
        raise ActionError(f"{message}, for each of {shape[0]} cars" if shape else message)
    if not ((values >= 0) & (values < known)).all():
        raise ActionError(message)
    return values


def _as_array(given: Any, message: str) -> Array:
    """One array; rows of different lengths make none and are refused with the message."""
    try:
        return np.asarray(given)
    except ValueError as error:
        raise ActionError(message) from error
