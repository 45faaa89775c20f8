"""What a track must satisfy to be driven; each refusal names the place, what is wrong there and the remedy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from hotlap.errors import TrackError
from hotlap.racer.tracks.crossings import BoolArray, Crossing, encloses, find_crossing
from hotlap.racer.tracks.spline import FloatArray
from hotlap.racer.tracks.walls import WALL_BEYOND_ROAD_U

if TYPE_CHECKING:
    from hotlap.racer.tracks.track import Track

FEWEST_POINTS = 4
MOST_POINTS = 5_000
FARTHEST_COORDINATE_U = 1e6
NARROWEST_HALF_WIDTH_U = 1.0
WIDEST_HALF_WIDTH_U = 100.0
CLOSEST_POINTS_U = 1e-3
SHORTEST_LAP_U = 200.0
LONGEST_LAP_U = 250_000.0


@dataclass(frozen=True)
class PointSource:
    """Where control points were written down, so that a refusal can say where to look."""

    label: str
    """File name, or the track's name where there is no file."""
    lines: Sequence[int] | None = None
    """Line in the file of every point, counted from 1; None where lines mean nothing."""

    def refuse(self, what: str, remedy: str, point: int | None = None) -> NoReturn:
        """Raise a TrackError for the point (counted from 0), or for the track as a whole."""
        raise TrackError(f"{self.place(point)}: {what}. {remedy}.")

    def place(self, point: int | None) -> str:
        """The label with line and point, as far as they are known."""
        if point is None:
            return self.label
        if self.lines is not None and point < len(self.lines):
            return f"{self.label}, line {self.lines[point]} (point {point + 1})"
        return f"{self.label}, point {point + 1}"


def checked_points(control_points: ArrayLike, source: PointSource) -> FloatArray:
    """The control points as an array (n, 3), or a refusal."""
    points = _as_array(control_points, source)
    _check_numbers(points, source)
    _check_widths(points[:, 2], source)
    _check_spacing(points[:, :2], source)
    return points


def _as_array(control_points: ArrayLike, source: PointSource) -> FloatArray:
    try:
        points = np.array(control_points, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        source.refuse("the points are not all three numbers", "Write every point as x, y, half-width in units")
    if len(points.shape) > 0 and len(points) < FEWEST_POINTS:
        remedy = f"Give at least {FEWEST_POINTS} points around the lap"
        source.refuse(f"{len(points)} points are too few for a closed track", remedy)
    if points.ndim != 2 or points.shape[1] != 3:
        source.refuse(
            f"the points have the shape {points.shape}", "Write every point as three numbers: x, y, half-width in units"
        )
    if len(points) > MOST_POINTS:
        source.refuse(f"{len(points):,} control points are too many", f"Thin them out to at most {MOST_POINTS:,}")
    return points


def _check_numbers(points: FloatArray, source: PointSource) -> None:
    bad = _first(np.asarray(~np.isfinite(points).all(axis=1)))
    if bad is not None:
        source.refuse(f"{_written(points[bad])} is not finite", "Replace NaN and infinite values by numbers", bad)
    far = _first(np.asarray((np.abs(points[:, :2]) > FARTHEST_COORDINATE_U).any(axis=1)))
    if far is not None:
        limit = f"{FARTHEST_COORDINATE_U:,.0f}"
        source.refuse(
            f"{_written(points[far, :2])} is farther than {limit} u from the origin",
            "Move the track to the origin or give it a smaller scale",
            far,
        )


def _check_widths(half_widths_u: FloatArray, source: PointSource) -> None:
    narrow = _first(half_widths_u < NARROWEST_HALF_WIDTH_U)
    if narrow is not None:
        source.refuse(
            f"half-width {half_widths_u[narrow]:g} u is narrower than the car",
            f"Give a half-width of at least {NARROWEST_HALF_WIDTH_U:g} u; 12 to 30 drives well",
            narrow,
        )
    wide = _first(half_widths_u > WIDEST_HALF_WIDTH_U)
    if wide is not None:
        source.refuse(
            f"half-width {half_widths_u[wide]:g} u is wider than any road",
            f"Give a half-width of at most {WIDEST_HALF_WIDTH_U:g} u; 12 to 30 drives well",
            wide,
        )


def _check_spacing(points_u: FloatArray, source: PointSource) -> None:
    gap_u = np.sqrt(np.sum((np.roll(points_u, -1, axis=0) - points_u) ** 2, axis=1))
    twin = _first(gap_u < CLOSEST_POINTS_U)
    if twin is None:
        return
    if twin == len(points_u) - 1:
        source.refuse("the last point repeats the first", "Leave it out: the track closes by itself", twin)
    what = f"the point repeats the one before it, {_written(points_u[twin])}"
    source.refuse(what, "Remove one of the two", twin + 1)


def check_track(track: "Track", source: PointSource) -> None:
    """Refuse a built track whose lap is too short or long, whose lines cross, or whose walls fold."""
    _check_length(track.length_u, source)
    # From the likeliest cause to its effects: a crossing centre line also folds walls, and a fold also crosses them.
    crossing = _crossing_of_centre(track)
    if crossing is not None:
        _refuse_crossing(track, crossing, source)
    folded = _first(~_quads_are_convex(track))
    if folded is not None:
        _refuse_fold(track, folded, source)
    crossing = _crossing_of_all(track)
    if crossing is not None:
        _refuse_crossing(track, crossing, source)
    if not encloses(track.outer_wall[:-1], track.centre[0]) or encloses(track.inner_wall[:-1], track.centre[0]):
        source.refuse("the walls have left the road", "Give more control points, or a smaller scale")


def check_circuit(track: "Track", source: PointSource) -> None:
    """Refuse a built circuit whose lap is too short or long, or with a corner so tight that its walls fold."""
    _check_length(track.length_u, source)
    folded = _first(~_quads_are_convex(track))
    if folded is not None:
        _refuse_fold(track, folded, source)


def _check_length(length_u: float, source: PointSource) -> None:
    if length_u < SHORTEST_LAP_U:
        remedy = f"Scale the track to at least {SHORTEST_LAP_U:g} u"
        source.refuse(f"a lap of {length_u:.1f} u is too short for a car 4 u long", remedy)
    if length_u > LONGEST_LAP_U:
        source.refuse(f"a lap of {length_u:,.0f} u is too long", f"Scale the track to at most {LONGEST_LAP_U:,.0f} u")


def _quads_are_convex(track: "Track") -> BoolArray:
    """For every sample whether left, right, next right, next left make a convex quad, turning counter-clockwise."""
    inner, outer = track.inner_wall, track.outer_wall
    left, right = (inner, outer) if track.inner_is_left else (outer, inner)
    corners = np.stack([left[:-1], right[:-1], right[1:], left[1:]], axis=1)
    sides = np.roll(corners, -1, axis=1) - corners
    following = np.roll(sides, -1, axis=1)
    turns = sides[:, :, 0] * following[:, :, 1] - sides[:, :, 1] * following[:, :, 0]
    return np.asarray((turns > 0.0).all(axis=1))


def _crossing_of_centre(track: "Track") -> Crossing | None:
    try:
        return find_crossing([track.centre])
    except OverflowError:
        return None


def _crossing_of_all(track: "Track") -> Crossing | None:
    """Where the centre line and the two walls (lines 0, 1, 2) cross; a crowd beyond searching counts too."""
    try:
        return find_crossing([track.centre, track.inner_wall[:-1], track.outer_wall[:-1]])
    except OverflowError:
        return Crossing(1, 0, 2, 0)


def _refuse_fold(track: "Track", sample: int, source: PointSource) -> NoReturn:
    point = _point_before(track, sample)
    source.refuse(
        f"a wall folds over itself near {_written(track.centre[sample])}",
        "Make the corner wider, the road narrower, or move the neighbouring points apart",
        point,
    )


def _refuse_crossing(track: "Track", crossing: Crossing, source: PointSource) -> NoReturn:
    here, there = _point_before(track, crossing.index_a), _point_before(track, crossing.index_b)
    near = f"near {_written(track.centre[crossing.index_a])}"
    if crossing.line_a == crossing.line_b == 0:
        remedy = "Order the points along the lap, without a bridge or a figure of eight"
        source.refuse(f"the centre line crosses itself between points {here + 1} and {there + 1} {near}", remedy, here)
    if crossing.line_a == 0 and not _far_apart(track, crossing):
        remedy = "Give more control points, or make the corner wider"
        source.refuse(f"the centre line leaves its walls {near}", remedy, here)
    source.refuse(
        f"the walls at points {here + 1} and {there + 1} run into each other {near}",
        "Walls stand 30 u beyond the road: move those parts of the lap apart, narrow the road, or enlarge the scale",
        here,
    )


def _far_apart(track: "Track", crossing: Crossing) -> bool:
    """Whether the two places are so far from each other along the lap that they belong to different parts of it."""
    count = len(track.centre)
    samples = abs(crossing.index_a - crossing.index_b)
    reach_u = 3.0 * (float(track.control_points[:, 2].max()) + WALL_BEYOND_ROAD_U)
    return min(samples, count - samples) * track.length_u / count > reach_u


def _point_before(track: "Track", sample: int) -> int:
    """The control point (counted from 0) at or before a sample of the lap."""
    arc_u = sample / len(track.centre) * track.length_u
    entry = int(np.searchsorted(track.arc_lengths_u, arc_u, side="right")) - 1
    return min(int(track.arc_parameters[entry]), len(track.control_points) - 1)


def _first(flags: BoolArray) -> int | None:
    """Index of the first true flag."""
    return int(np.argmax(flags)) if flags.any() else None


def _written(numbers: FloatArray) -> str:
    return "(" + ", ".join(f"{number:g}" for number in numbers) + ")"
