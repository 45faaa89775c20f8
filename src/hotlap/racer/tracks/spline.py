"""The centre line: a closed centripetal Catmull-Rom spline through control points, and its arc-length table."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

CHORDS_PER_SEGMENT = 20
SHORTEST_KNOT_INTERVAL = 1e-10


def spline_coefficients(points_u: FloatArray) -> FloatArray:
    """Power-basis coefficients (n, 2, 4): segment i is c0 + c1 t + c2 t² + c3 t³ for t in [0, 1], in x and y.

    The knots are centripetal (square roots of the distances) and the segment a cubic Hermite from point i to i+1.
    """
    before, first, second, after = (np.roll(points_u, shift, axis=0) for shift in (1, 0, -1, -2))
    knot_01, knot_12, knot_23 = _knot_interval(before, first), _knot_interval(first, second), _knot_interval(second, after)
    slope_1 = (first - before) / knot_01 - (second - before) / (knot_01 + knot_12) + (second - first) / knot_12
    slope_2 = (second - first) / knot_12 - (after - first) / (knot_12 + knot_23) + (after - second) / knot_23
    leaving, arriving = slope_1 * knot_12, slope_2 * knot_12
    square = -3.0 * first - 2.0 * leaving + 3.0 * second - arriving
    cube = 2.0 * first + leaving - 2.0 * second + arriving
    return np.stack([first, leaving, square, cube], axis=2)


def _knot_interval(start: FloatArray, end: FloatArray) -> FloatArray:
    """Square root of the distance, as the fourth root of its square; coinciding points count as one apart."""
    interval = np.sum((end - start) ** 2, axis=1, keepdims=True) ** 0.25
    return np.where(interval < SHORTEST_KNOT_INTERVAL, 1.0, interval)


def spline_position(coefficients: FloatArray, parameters: FloatArray) -> FloatArray:
    """Points (k, 2) of the spline at the parameters (k,), where segment i covers [i, i+1)."""
    segment, t = _segment_and_fraction(coefficients, parameters)
    c = coefficients[segment]
    position: FloatArray = c[:, :, 0] + t * (c[:, :, 1] + t * (c[:, :, 2] + t * c[:, :, 3]))
    return position


def spline_tangent(coefficients: FloatArray, parameters: FloatArray) -> FloatArray:
    """Unit tangents (k, 2) of the spline at the parameters (k,)."""
    segment, t = _segment_and_fraction(coefficients, parameters)
    c = coefficients[segment]
    slope = c[:, :, 1] + t * (2.0 * c[:, :, 2] + t * (3.0 * c[:, :, 3]))
    length = np.sqrt(np.sum(slope**2, axis=1, keepdims=True))
    return np.where(length > 0.0, slope / np.where(length > 0.0, length, 1.0), np.array([1.0, 0.0]))


def _segment_and_fraction(coefficients: FloatArray, parameters: FloatArray) -> tuple[IntArray, FloatArray]:
    whole = np.floor(parameters)
    return whole.astype(np.int64) % len(coefficients), (parameters - whole)[:, np.newaxis]


def arc_table(coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Cumulative chord lengths and spline parameters (20n+1 of each), twenty chords to a segment."""
    chord_count = CHORDS_PER_SEGMENT * len(coefficients)
    index = np.arange(chord_count + 1)
    parameters = index // CHORDS_PER_SEGMENT + (index % CHORDS_PER_SEGMENT) / CHORDS_PER_SEGMENT
    points = spline_position(coefficients, parameters)
    chords = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
    return np.concatenate([[0.0], np.cumsum(chords)]), parameters


def wrap_arc(arcs_u: FloatArray, length_u: float) -> FloatArray:
    """The same places on the lap, as arcs in [0, length)."""
    rest = np.fmod(arcs_u, length_u)
    return np.where(rest < 0.0, rest + length_u, rest)


def parameter_at(arcs_u: FloatArray, arc_lengths_u: FloatArray, parameters: FloatArray) -> FloatArray:
    """Spline parameters (k,) at the arcs (k,), linear between the entries of the arc table."""
    wrapped = wrap_arc(arcs_u, float(arc_lengths_u[-1]))
    low = np.clip(np.searchsorted(arc_lengths_u, wrapped, side="right") - 1, 0, len(arc_lengths_u) - 2)
    chord = arc_lengths_u[low + 1] - arc_lengths_u[low]
    fraction = (wrapped - arc_lengths_u[low]) / np.where(chord > 0.0, chord, 1.0)
    interpolated: FloatArray = parameters[low] + fraction * (parameters[low + 1] - parameters[low])
    return interpolated


def half_width_at(arcs_u: FloatArray, arc_lengths_u: FloatArray, half_widths_u: FloatArray) -> FloatArray:
    """Half-widths (k,) of the road at the arcs (k,), linear in arc length between control points."""
    wrapped = wrap_arc(arcs_u, float(arc_lengths_u[-1]))
    knots_u = arc_lengths_u[::CHORDS_PER_SEGMENT]
    segment = np.clip(np.searchsorted(knots_u, wrapped, side="right") - 1, 0, len(half_widths_u) - 1)
    span = knots_u[segment + 1] - knots_u[segment]
    fraction = (wrapped - knots_u[segment]) / np.where(span > 0.0, span, 1.0)
    start_u, end_u = half_widths_u[segment], half_widths_u[(segment + 1) % len(half_widths_u)]
    interpolated: FloatArray = start_u + fraction * (end_u - start_u)
    return interpolated
