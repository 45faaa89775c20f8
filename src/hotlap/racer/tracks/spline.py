"""The centre line: a closed centripetal Catmull-Rom spline through control points, and its arc-length table."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

CHORDS_PER_SEGMENT = 20
SHORTEST_KNOT_INTERVAL = 1e-10


class Spline(NamedTuple):
    """The segments of a closed cubic Hermite spline; all (n, 2), segment i runs from control point i to i+1."""

    start: FloatArray
    end: FloatArray
    leaving: FloatArray
    """Derivative at the start, per unit of the segment's parameter t in [0, 1]."""
    arriving: FloatArray
    """Derivative at the end."""


def centripetal_spline(points_u: FloatArray) -> Spline:
    """The closed Catmull-Rom spline through the points (n, 2), with square roots of distances between the knots."""
    before, start, end, after = (np.roll(points_u, shift, axis=0) for shift in (1, 0, -1, -2))
    knot_01, knot_12, knot_23 = _knot_interval(before, start), _knot_interval(start, end), _knot_interval(end, after)
    slope_1 = (start - before) / knot_01 - (end - before) / (knot_01 + knot_12) + (end - start) / knot_12
    slope_2 = (end - start) / knot_12 - (after - start) / (knot_12 + knot_23) + (after - end) / knot_23
    return Spline(start=start, end=end, leaving=slope_1 * knot_12, arriving=slope_2 * knot_12)


def _knot_interval(start: FloatArray, end: FloatArray) -> FloatArray:
    """Square root of the distance, as the fourth root of its square; coinciding points count as one apart."""
    interval = np.sum((end - start) ** 2, axis=1, keepdims=True) ** 0.25
    return np.where(interval < SHORTEST_KNOT_INTERVAL, 1.0, interval)


def power_coefficients(spline: Spline) -> FloatArray:
    """(n, 2, 4): segment i is c0 + c1 t + c2 t² + c3 t³ in x and y."""
    start, end, leaving, arriving = spline
    square = -3.0 * start - 2.0 * leaving + 3.0 * end - arriving
    cube = 2.0 * start + leaving - 2.0 * end + arriving
    return np.stack([start, leaving, square, cube], axis=2)


def spline_position(spline: Spline, parameters: FloatArray) -> FloatArray:
    """Points (k, 2) of the spline at the parameters (k,), where segment i covers [i, i+1)."""
    whole = np.floor(parameters)
    return segment_position(spline, whole.astype(np.int64) % len(spline.start), parameters - whole)


def segment_position(spline: Spline, segment: IntArray, fraction: FloatArray) -> FloatArray:
    """Points (k, 2) at the fractions (k,) of the segments (k,)."""
    t = fraction[:, np.newaxis]
    t2 = t * t
    t3 = t2 * t
    position: FloatArray = (
        (2.0 * t3 - 3.0 * t2 + 1.0) * spline.start[segment]
        + (t3 - 2.0 * t2 + t) * spline.leaving[segment]
        + (-2.0 * t3 + 3.0 * t2) * spline.end[segment]
        + (t3 - t2) * spline.arriving[segment]
    )
    return position


def spline_tangent(spline: Spline, parameters: FloatArray) -> FloatArray:
    """Unit tangents (k, 2) of the spline at the parameters (k,)."""
    whole = np.floor(parameters)
    segment, t = whole.astype(np.int64) % len(spline.start), (parameters - whole)[:, np.newaxis]
    t2 = t * t
    slope = (
        (6.0 * t2 - 6.0 * t) * spline.start[segment]
        + (3.0 * t2 - 4.0 * t + 1.0) * spline.leaving[segment]
        + (-6.0 * t2 + 6.0 * t) * spline.end[segment]
        + (3.0 * t2 - 2.0 * t) * spline.arriving[segment]
    )
    length = np.sqrt(np.sum(slope**2, axis=1, keepdims=True))
    return np.where(length > 0.0, slope / np.where(length > 0.0, length, 1.0), np.array([1.0, 0.0]))


def arc_table(spline: Spline, chords: int = CHORDS_PER_SEGMENT) -> tuple[FloatArray, FloatArray]:
    """Cumulative chord lengths and spline parameters (chords n + 1 of each), so many chords to a segment."""
    index = np.arange(chords * len(spline.start) + 1)
    segment, fraction = index // chords, (index % chords) / chords
    points = segment_position(spline, segment % len(spline.start), fraction)
    chords = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
    return np.concatenate([[0.0], np.cumsum(chords)]), segment + fraction


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


class MeasuredSpline(NamedTuple):
    """A spline together with its arc table, asked by distance along it."""

    curve: Spline
    arc_lengths_u: FloatArray
    parameters: FloatArray

    def position_at(self, arcs_u: FloatArray) -> FloatArray:
        """Points (k, 2) at the arcs (k,)."""
        return spline_position(self.curve, parameter_at(arcs_u, self.arc_lengths_u, self.parameters))

    def tangent_at(self, arcs_u: FloatArray) -> FloatArray:
        """Unit tangents (k, 2) at the arcs (k,)."""
        return spline_tangent(self.curve, parameter_at(arcs_u, self.arc_lengths_u, self.parameters))


def half_width_at(arcs_u: FloatArray, arc_lengths_u: FloatArray, half_widths_u: FloatArray) -> FloatArray:
    """Half-widths (k,) of the road at the arcs (k,), linear in arc length between control points."""
    wrapped = wrap_arc(arcs_u, float(arc_lengths_u[-1]))
    knots_u = arc_lengths_u[:: (len(arc_lengths_u) - 1) // len(half_widths_u)]
    segment = np.clip(np.searchsorted(knots_u, wrapped, side="right") - 1, 0, len(half_widths_u) - 1)
    span = knots_u[segment + 1] - knots_u[segment]
    fraction = (wrapped - knots_u[segment]) / np.where(span > 0.0, span, 1.0)
    start_u, end_u = half_widths_u[segment], half_widths_u[(segment + 1) % len(half_widths_u)]
    interpolated: FloatArray = start_u + fraction * (end_u - start_u)
    return interpolated
