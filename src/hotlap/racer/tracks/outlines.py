"""Outlines that cannot cross themselves: the boundary of a patch of square cells that grew without holes or pinches."""

from typing import TypeAlias

import numpy as np

from hotlap.racer.tracks.crossings import BoolArray
from hotlap.racer.tracks.spline import FloatArray

Cell: TypeAlias = tuple[int, int]

EDGE_NEIGHBOURS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
AROUND: tuple[Cell, ...] = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
COMPACTION = 8.0
"""How much more compact growth likes a cell with several neighbours than one at the end of an arm."""


def grow_cells(rng: np.random.Generator, count: int, slenderness: float) -> set[Cell]:
    """A patch of `count` cells; slenderness 0 grows a compact one, 1 one with long arms, which make hairpins."""
    cells: set[Cell] = {(0, 0)}
    while len(cells) < count:
        frontier = sorted({_beside(cell, step) for cell in cells for step in EDGE_NEIGHBOURS} - cells)
        candidates = [cell for cell in frontier if _keeps_one_simple_boundary(cells, cell)]
        weights = np.array([_attraction(cells, cell, slenderness) for cell in candidates])
        choice = np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right")
        cells.add(candidates[min(int(choice), len(candidates) - 1)])
    return cells


def _beside(cell: Cell, step: Cell) -> Cell:
    return cell[0] + step[0], cell[1] + step[1]


def _keeps_one_simple_boundary(cells: set[Cell], cell: Cell) -> bool:
    """Whether the filled cells around `cell` form a single run with an edge in it: no hole and no pinch appears."""
    filled = [_beside(cell, step) in cells for step in AROUND]
    runs = sum(here and not before for here, before in zip(filled, filled[-1:] + filled[:-1], strict=True))
    return runs == 1 and any(filled[::2])


def _attraction(cells: set[Cell], cell: Cell, slenderness: float) -> float:
    """How likely growth is to take a cell: compact growth likes many neighbours, slender growth just one."""
    neighbours = sum(_beside(cell, step) in cells for step in EDGE_NEIGHBOURS)
    return 1.0 if neighbours == 1 else COMPACTION * (1.0 - slenderness)


def outline(cells: set[Cell]) -> FloatArray:
    """The grid points (k, 2) along the patch's boundary, counter-clockwise."""
    following = _boundary_steps(cells)
    start = min(following)
    path = [start]
    while following[path[-1]] != start:
        path.append(following[path[-1]])
    return np.array(path, dtype=np.float64)


def turns(path: FloatArray) -> BoolArray:
    """For every point (k,) of a closed path whether the path changes direction there."""
    straight_on = np.roll(path, 1, axis=0) + np.roll(path, -1, axis=0) == 2.0 * path
    return np.asarray(~straight_on.all(axis=1))


def _boundary_steps(cells: set[Cell]) -> dict[Cell, Cell]:
    """Every boundary edge as corner -> next corner, with the patch on its left."""
    steps: dict[Cell, Cell] = {}
    for x, y in cells:
        edges = (
            ((x, y), (x + 1, y), (x, y - 1)),
            ((x + 1, y), (x + 1, y + 1), (x + 1, y)),
            ((x + 1, y + 1), (x, y + 1), (x, y + 1)),
            ((x, y + 1), (x, y), (x - 1, y)),
        )
        steps.update({begin: end for begin, end, outside in edges if outside not in cells})
    return steps
