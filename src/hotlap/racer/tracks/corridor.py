"""The sides of a circuit: walls as far off the road as its neighbours leave room, down to the road's own edge.

A wall may stand wherever the nearest piece of road is its own. Inside a hairpin that ends at the centre of the turn,
between two straights in the middle of them. A piece of road on a bridge is no neighbour of the one below it.
"""

import math
from typing import NamedTuple

import numpy as np

from hotlap.kernel import builder
from hotlap.racer.physics import GATE_COUNT
from hotlap.racer.tracks.crossings import find_crossings
from hotlap.racer.tracks.spline import FloatArray, IntArray, MeasuredSpline, arc_table, centripetal_spline
from hotlap.racer.tracks.walls import WALL_BEYOND_ROAD_U, Sides, enclosed_area, smooth_circular

SAMPLE_M = 2.0
CIRCUIT_CHORDS_PER_SEGMENT = 4
ROOM_USED = 0.95
"""Part of the room beside a road that its wall may take."""
NEAREST_CIRCUIT_WALL_U = 1.5
EASING = 5
"""Samples over which a wall is drawn in ahead of a narrow place."""
FLATTEST_BRIDGE = 0.3
"""Sine of the smallest angle at which two roads count as crossing rather than as running into each other."""


class CentreSamples(NamedTuple):
    """A closed line (N, 2) at even distances, its unit tangents, and how far (N,) the road reaches to either side."""

    centre: FloatArray
    tangent: FloatArray
    left_u: FloatArray
    right_u: FloatArray


class Bridges(NamedTuple):
    """Where the line crosses itself: both samples of each crossing, and how many samples around them do not mind."""

    over: IntArray
    under: IntArray
    around: IntArray


def measured_circuit(points: FloatArray) -> MeasuredSpline:
    """The centre line through control points (n, 3) that lie so close that a few chords measure it."""
    curve = centripetal_spline(points[:, :2])
    return MeasuredSpline(curve, *arc_table(curve, CIRCUIT_CHORDS_PER_SEGMENT))


def circuit_samples(length_u: float, scale: float) -> int:
    """How many samples a circuit has: one every two metres or so, as many between any two gates."""
    return GATE_COUNT * math.ceil(max(length_u / (GATE_COUNT * SAMPLE_M * scale), 1.0))


def build_corridor(samples: CentreSamples) -> Sides:
    """Walls and road edges (N, 2) of a circuit, at every sample straight across the road."""
    left_room_u, right_room_u = room_beside(samples)
    left_wall_u = wall_offset(samples.left_u, left_room_u)
    right_wall_u = wall_offset(samples.right_u, right_room_u)
    normal = np.column_stack([-samples.tangent[:, 1], samples.tangent[:, 0]])
    offsets_u = (
        left_wall_u,
        -right_wall_u,
        np.minimum(samples.left_u, left_wall_u),
        -np.minimum(samples.right_u, right_wall_u),
    )
    left, right, left_edge, right_edge = (samples.centre + normal * offset_u[:, None] for offset_u in offsets_u)
    if abs(enclosed_area(right)) < abs(enclosed_area(left)):
        return Sides(right, left, right_edge, left_edge, inner_is_left=False)
    return Sides(left, right, left_edge, right_edge, inner_is_left=True)


def wall_offset(edge_u: FloatArray, room_u: FloatArray) -> FloatArray:
    """Distance (N,) from the line to a wall: 30 u beyond the road where there is room, eased into narrow places."""
    limit_u = np.minimum(edge_u + WALL_BEYOND_ROAD_U, ROOM_USED * room_u)
    shifts = range(-EASING, EASING + 1)
    lowest_u = np.min([np.roll(limit_u, shift) for shift in shifts], axis=0)
    return np.maximum(smooth_circular(lowest_u, EASING, 1), NEAREST_CIRCUIT_WALL_U)


def room_beside(samples: CentreSamples) -> tuple[FloatArray, FloatArray]:
    """How far (N,) one can go to the left and to the right before another piece of road is nearer."""
    reach_u = float(max(samples.left_u.max(), samples.right_u.max())) + WALL_BEYOND_ROAD_U
    return _room(samples, find_bridges(samples.centre, reach_u), reach_u / ROOM_USED)


def find_bridges(centre: FloatArray, reach_u: float) -> Bridges:
    """Every crossing of the centre line with itself, and the stretch around it where the roads pass over each other."""
    try:
        crossings = find_crossings([centre])
    except OverflowError:
        crossings = []
    over = np.array([crossing.index_a for crossing in crossings], np.int64)
    under = np.array([crossing.index_b for crossing in crossings], np.int64)
    onward = np.roll(centre, -1, axis=0) - centre
    spacing_u = np.sqrt(np.sum(onward**2, axis=1))
    directions = onward / spacing_u[:, None]
    sine = np.abs(directions[over, 0] * directions[under, 1] - directions[over, 1] * directions[under, 0])
    around = 2.2 * reach_u / np.maximum(sine, FLATTEST_BRIDGE) / spacing_u.mean()
    apart = np.abs(over - under)
    between = np.minimum(apart, len(centre) - apart)
    return Bridges(over, under, np.minimum(around.astype(np.int64), between // 3))


@builder
def _steps_apart(a: int, b: int, count: int) -> int:
    """How many samples lie between two of a closed line, the shorter way round."""
    apart = abs(a - b)
    return min(apart, count - apart)


@builder
def _passes_over(i: int, j: int, count: int, bridges: Bridges) -> bool:
    """Whether two samples belong to the two levels of one bridge."""
    for k in range(len(bridges.over)):
        over, under, around = bridges.over[k], bridges.under[k], bridges.around[k]
        if _steps_apart(i, over, count) <= around and _steps_apart(j, under, count) <= around:
            return True
        if _steps_apart(j, over, count) <= around and _steps_apart(i, under, count) <= around:
            return True
    return False


@builder
def _room(samples: CentreSamples, bridges: Bridges, reach_u: float) -> tuple[FloatArray, FloatArray]:
    """The largest t for which no other road is nearer to the point t to the side of a sample.

    Between stretches of different width the edges count, not the centre lines: from |p - c_j| >= t + w_j - w_i follows
    t <= (d^2 - e^2) / (2 (e + n.d)) with d from sample to sample and e = w_j - w_i.

    Whoever is far away is so for a while: as many samples are passed over as it takes at least to come near.
    """
    centre, tangent = samples.centre, samples.tangent
    count, near_u = len(centre), 2.0 * reach_u
    left, right = np.full(count, reach_u), np.full(count, reach_u)
    spacing_u = _longest_step(centre)
    own_stretch = int(3.0 * reach_u / math.hypot(centre[1, 0] - centre[0, 0], centre[1, 1] - centre[0, 1]))
    for i in range(count):
        nx, ny = -tangent[i, 1], tangent[i, 0]
        width = min(samples.left_u[i], samples.right_u[i])
        following = 0
        while following < count:
            j, following = following, following + 1
            dx, dy = centre[j, 0] - centre[i, 0], centre[j, 1] - centre[i, 1]
            squared = dx * dx + dy * dy
            if squared > near_u * near_u:
                following = j + max(int((math.sqrt(squared) - near_u) / spacing_u), 1)
                continue
            if i == j:
                continue
            aside = nx * dx + ny * dy
            wider = 0.0
            if _steps_apart(i, j, count) > own_stretch:
                if len(bridges.over) > 0 and _passes_over(i, j, count, bridges):
                    continue
                wider = min(samples.left_u[j], samples.right_u[j]) - width
            if squared <= wider * wider:
                continue
            if wider + aside > 0.0:
                left[i] = min(left[i], (squared - wider * wider) / (2.0 * (wider + aside)))
            if wider - aside > 0.0:
                right[i] = min(right[i], (squared - wider * wider) / (2.0 * (wider - aside)))
    return left, right


@builder
def _longest_step(centre: FloatArray) -> float:
    """The largest distance from a sample to the next."""
    longest_u = 0.0
    for i in range(len(centre)):
        x, y = centre[(i + 1) % len(centre)]
        longest_u = max(longest_u, math.hypot(x - centre[i, 0], y - centre[i, 1]))
    return longest_u
