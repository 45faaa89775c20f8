"""What every driver offers: which observations it wants, and what it does with them, for many cars at once."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
FloatArray = NDArray[np.float64]


@runtime_checkable
class Policy(Protocol):
    """A driver of many cars. Trained ones look at the observations only; scripted ones may look at the world."""

    name: str
    """What tables call it."""
    layout: str
    """The observation layout it was made for, one of those of its world."""

    def reset(self, cars: Array) -> None:
        """Forget what was remembered about these cars (their numbers): new episodes begin for them."""

    def act(self, observation: Array, world: Any) -> Array:
        """The actions (n, 3) of its world for the observations (n, size) of every car of it."""
