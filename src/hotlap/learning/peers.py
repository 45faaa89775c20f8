"""Learners that learn together: each drives cars of its own, and all of them take the same steps."""

from typing import Any, Protocol

from numpy.typing import NDArray


class Peers(Protocol):
    """All learners that learn together, as one of them sees them; each has the same number of samples."""

    rank: int
    """Which of them this one is, from 0."""
    count: int
    """How many they are."""

    def add_up(self, array: NDArray[Any]) -> None:
        """Put the sum over all learners in place of an array that each of them has; all get the same bytes."""


class Alone:
    """A learner without others."""

    rank, count = 0, 1

    def add_up(self, array: NDArray[Any]) -> None:
        """Nothing has to be added."""
