"""The state of a run, cut into the shares of its nodes and put together again: every array that has a row for each car.

An array is cut where it is longer in the run than on a node, and shared by all where it is not.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Groups = Mapping[str, Mapping[str, NDArray[Any]]]


def share_of(whole: Groups, own: Groups, rank: int, nodes: int) -> dict[str, dict[str, NDArray[Any]]]:
    """A node's share of a run's state; its own state says what has a row for each car."""

    def cut(array: NDArray[Any], like: NDArray[Any] | None) -> NDArray[Any]:
        if like is None or like.shape == array.shape:
            return array
        rows = len(array) // nodes
        return array[rank * rows : (rank + 1) * rows]

    return {
        group: {name: cut(array, own.get(group, {}).get(name)) for name, array in arrays.items()}
        for group, arrays in whole.items()
    }


def put_together(shares: Sequence[Groups], whole: Groups) -> dict[str, dict[str, NDArray[Any]]]:
    """The state of a run from the shares of all its nodes, the first of which has what they share."""

    def joined(group: str, name: str, first: NDArray[Any]) -> NDArray[Any]:
        before = whole.get(group, {}).get(name)
        if before is None or before.shape == first.shape:
            return first
        return np.concatenate([share[group][name] for share in shares])

    return {
        group: {name: joined(group, name, array) for name, array in arrays.items()}
        for group, arrays in shares[0].items()
    }
