"""Real circuits as tracks: freed of survey noise, thinned to control points, centred between their edges."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from hotlap.errors import TrackError, did_you_mean
from hotlap.racer.tracks.centre_line_files import CentreLine, read_centre_line
from hotlap.racer.tracks.checks import (
    LONGEST_LAP_U,
    MOST_POINTS,
    NARROWEST_HALF_WIDTH_U,
    WIDEST_HALF_WIDTH_U,
    PointSource,
)
from hotlap.racer.tracks.corridor import EASING, ROOM_USED, CentreSamples, room_beside
from hotlap.racer.tracks.spline import (
    FloatArray,
    IntArray,
    arc_table,
    centripetal_spline,
    parameter_at,
    spline_position,
)
from hotlap.racer.tracks.track import Track, build_track
from hotlap.racer.tracks.track_files import LARGEST_SCALE, SMALLEST_SCALE
from hotlap.racer.tracks.walls import smooth_circular

Smoothing = Literal["none", "light", "strong"]

TRUE_SCALE = 1.0
ROAD_USED = 0.97
"""Part of what a wall may take that is left to the road where two pieces of road are too close for both."""
NARROWEST_SIDE_M = 0.5
MOST_PASSES = 16
SLIGHT_U = 0.02
"""A wall so little nearer than it may be is far enough."""
VERGE_M = 1.3
"""From the road to a wall at least: a car whose middle is at the edge of the road touches none."""


@dataclass(frozen=True)
class _Thinning:
    """How a survey becomes control points."""

    blur_m: float
    """Standard deviation of the Gaussian mean along the lap."""
    spacing_m: float
    """Distance between control points."""


THINNINGS: dict[str, _Thinning] = {"light": _Thinning(4.0, 5.0), "strong": _Thinning(12.0, 10.0)}
WIDTH_BLUR = 2.0
"""How much further widths are averaged than positions: their noise would make the middle of the road wind."""


@dataclass(frozen=True)
class Import:
    """An imported track and what was done to the survey to get it."""

    track: Track
    scale: float
    """Units per metre."""
    smoothing: str
    row_count: int
    largest_shift_m: float
    """How far the middle of the road was from the surveyed line, at most."""
    survey_length_m: float
    narrowed_m: float
    """How much of the road was taken away, at most, where two pieces of it overlap."""


class _Road(NamedTuple):
    """A closed line (k, 2) with the distances (k,) to the left and right edge, and the row each point comes from."""

    points_m: FloatArray
    left_m: FloatArray
    right_m: FloatArray
    rows: IntArray


def import_circuit(path: str | Path, *, scale: float | None = None, smoothing: str | None = None) -> Import:
    """Read a CSV centre line in metres and make a circuit of it.

    scale      units per metre; by default 1, true scale
    smoothing  "none" keeps every row as a control point, "light" takes out survey noise, "strong" rounds the corners;
               by default light, and strong where a corner is too tight for walls
    """
    _check_options(scale, smoothing)
    survey = read_centre_line(Path(path))
    refusals: list[TrackError] = []
    for chosen in ("light", "strong") if smoothing is None else (smoothing,):
        try:
            return _imported(survey, TRUE_SCALE if scale is None else scale, chosen)
        except TrackError as refusal:
            refusals.append(refusal)
    stronger = " Or import it with --smoothing strong." if smoothing in ("none", "light") else ""
    raise TrackError(f"{refusals[0]}{stronger}") from refusals[0]


def _imported(survey: CentreLine, scale: float, smoothing: str) -> Import:
    """The circuit at that scale, its middle at the origin, its points rounded to thousandths of a unit."""
    surveyed_m = _lap(survey.points_m)
    _check_size(survey.source, surveyed_m * scale, len(survey.points_m) if smoothing == "none" else 0)
    road = thin_out(survey, smoothing)
    kept = without_overlaps(road)
    centre_m, half_width_m, shift_m = between_the_edges(kept)
    middle_m = (centre_m.max(axis=0) + centre_m.min(axis=0)) / 2.0
    widths_u = np.clip(half_width_m * scale, NARROWEST_HALF_WIDTH_U, WIDEST_HALF_WIDTH_U)
    points = np.round(np.column_stack([(centre_m - middle_m) * scale, widths_u]), 3)
    lines = survey.source.lines
    source = PointSource(survey.source.label, None if lines is None else [lines[row] for row in road.rows])
    build = partial(build_track, track_id=survey.name, name=_title(survey.name), source=source, scale=scale)
    track = clear_of_walls(points, build)
    narrowed_m = np.maximum(road.left_m - kept.left_m, road.right_m - kept.right_m)
    narrowed_m = narrowed_m + 2.0 * (points[:, 2] - track.control_points[:, 2]) / scale
    return Import(
        track=track,
        scale=scale,
        smoothing=smoothing,
        row_count=len(survey.points_m),
        largest_shift_m=float(np.abs(shift_m).max()),
        survey_length_m=surveyed_m,
        narrowed_m=float(narrowed_m.max()),
    )


def _check_options(scale: float | None, smoothing: str | None) -> None:
    if scale is not None and not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
        usual = f"{SMALLEST_SCALE:g} to {LARGEST_SCALE:g}: 1 is true scale, 3 to 6 suits the classic car"
        raise TrackError(f"scale {scale} is no sensible number of units per metre. Use {usual}.")
    if smoothing is not None and smoothing not in get_args(Smoothing):
        hint = did_you_mean(smoothing, get_args(Smoothing))
        raise TrackError(f'no smoothing "{smoothing}".{hint} Use one of {", ".join(get_args(Smoothing))}.')


def left_of(points_m: FloatArray) -> FloatArray:
    """Unit vectors (k, 2) to the left of a closed line."""
    chord = np.roll(points_m, -1, axis=0) - np.roll(points_m, 1, axis=0)
    chord_m = np.maximum(np.sqrt(np.sum(chord**2, axis=1, keepdims=True)), 1e-9)
    return np.asarray(np.column_stack([-chord[:, 1], chord[:, 0]]) / chord_m)


def without_overlaps(road: _Road) -> _Road:
    """The road narrowed where it would fold in a corner, or lie on another piece of road that it does not bridge."""
    left = left_of(road.points_m)
    tangent = np.column_stack([left[:, 1], -left[:, 0]])
    room = room_beside(CentreSamples(road.points_m, tangent, road.left_m, road.right_m))
    most_left_m, most_right_m = (np.maximum(ROOM_USED * ROAD_USED * side_m, NARROWEST_SIDE_M) for side_m in room)
    return road._replace(left_m=np.minimum(road.left_m, most_left_m), right_m=np.minimum(road.right_m, most_right_m))


def between_the_edges(road: _Road) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The middle of the road (k, 2), half its width (k,), and how far (k,) left of the surveyed line it lies."""
    shift_m = (road.left_m - road.right_m) / 2.0
    middle_m = road.points_m + left_of(road.points_m) * shift_m[:, np.newaxis]
    return middle_m, (road.left_m + road.right_m) / 2.0, shift_m


def clear_of_walls(points: FloatArray, build: Callable[[FloatArray], Track]) -> Track:
    """The circuit with its road moved away from walls that would stand at it, in corners tighter than it is wide.

    The other edge stays where it is. A line that was moved outwards turns less, so the next walls have more room.
    """
    track = build(points)
    for _ in range(MOST_PASSES):
        left_u, right_u = (smooth_circular(side_u, 2, 1) for side_u in taken_by_walls(track))
        if max(left_u.max(), right_u.max()) < SLIGHT_U:
            break
        moved = track.control_points[:, :2] + left_of(track.control_points[:, :2]) * ((right_u - left_u) / 2.0)[:, None]
        widths_u = np.maximum(track.control_points[:, 2] - (left_u + right_u) / 2.0, NARROWEST_HALF_WIDTH_U)
        track = build(np.round(np.column_stack([moved, widths_u]), 3))
    return track


def taken_by_walls(track: Track) -> tuple[FloatArray, FloatArray]:
    """How much (n,) the road must give way on its left and right for its verge, around each control point."""
    count = len(track.centre)
    edge_u = track.half_width_at(np.arange(count) / count * track.length_u) + VERGE_M * (track.scale or 1.0)
    walls = (track.inner_wall, track.outer_wall) if track.inner_is_left else (track.outer_wall, track.inner_wall)
    knots_u = np.interp(np.arange(len(track.control_points)), track.arc_parameters, track.arc_lengths_u)
    nearest = np.round(knots_u / track.length_u * count).astype(np.int64)
    around = (nearest[:, None] + np.arange(-EASING, EASING + 1)) % count
    short_u = (edge_u - np.sqrt(np.sum((wall[:count] - track.centre) ** 2, axis=1)) for wall in walls)
    left_u, right_u = (np.maximum(side_u[around].max(axis=1), 0.0) for side_u in short_u)
    return left_u, right_u


def _check_size(source: PointSource, length_u: float, count: int) -> None:
    """Refuse a giant before any work goes into it."""
    if not length_u <= LONGEST_LAP_U:
        remedy = f"Use a smaller --scale: at most {LONGEST_LAP_U:,.0f} u"
        source.refuse(f"a lap of {length_u:,.0f} u is too long", remedy)
    if count > MOST_POINTS:
        source.refuse(f"{count:,} control points are too many", f"Use --smoothing light: at most {MOST_POINTS:,}")


def thin_out(survey: CentreLine, smoothing: str) -> _Road:
    """The survey as evenly spaced points, averaged along the lap; "none" keeps the rows as they are."""
    rows = np.arange(len(survey.points_m))
    if smoothing == "none":
        return _Road(survey.points_m, survey.left_m, survey.right_m, rows)
    thinning = THINNINGS[smoothing]
    curve = centripetal_spline(survey.points_m)
    arcs_m, parameters = arc_table(curve)
    length_m = float(arcs_m[-1])
    fine_count = int(np.clip(np.ceil(length_m / (thinning.blur_m / 4.0)), 64, 400_000))
    fine = parameter_at(np.arange(fine_count) / fine_count * length_m, arcs_m, parameters)
    fine_m = spline_position(curve, fine)
    sides_m = np.column_stack(
        [np.interp(fine, rows, side, period=len(rows)) for side in (survey.left_m, survey.right_m)]
    )
    deviation = thinning.blur_m * fine_count / length_m
    line_m, sides_m = blurred_line(fine_m, deviation), _blur_circular(sides_m, WIDTH_BLUR * deviation)
    count = int(np.clip(round(length_m / thinning.spacing_m), 8, MOST_POINTS))
    picked = np.round(np.arange(count) / count * fine_count).astype(np.int64) % fine_count
    return _Road(line_m[picked], sides_m[picked, 0], sides_m[picked, 1], fine[picked].astype(np.int64) % len(rows))


def blurred_line(points: FloatArray, deviation: float) -> FloatArray:
    """The line (k, 2) averaged, and what that took away averaged once more: noise goes, hairpins keep their radius."""
    once = _blur_circular(points, deviation)
    return np.asarray(once + _blur_circular(points - once, deviation))


def _blur_circular(values: FloatArray, deviation: float) -> FloatArray:
    """Gaussian mean of values (k, c) around a closed lap; the deviation is in samples."""
    frequencies = np.fft.rfftfreq(len(values))
    response = np.exp(-2.0 * (np.pi * frequencies * deviation) ** 2)
    blurred: FloatArray = np.fft.irfft(np.fft.rfft(values, axis=0) * response[:, np.newaxis], n=len(values), axis=0)
    return blurred


def _lap(points_m: FloatArray) -> float:
    return float(np.sqrt(np.sum((np.roll(points_m, -1, axis=0) - points_m) ** 2, axis=1)).sum())


def _title(stem: str) -> str:
    """A name for people out of a file's stem: "spa_francorchamps" is "Spa Francorchamps"."""
    words = stem.replace("_", " ").replace("-", " ").split()
    return (
        " ".join(word if any(letter.isupper() for letter in word) else word.capitalize() for word in words)[:100]
        or stem
    )
