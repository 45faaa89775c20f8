"""Real circuits as tracks: centred between their edges, scaled to the car, thinned to control points."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

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
from hotlap.racer.tracks.spline import FloatArray
from hotlap.racer.tracks.track import Track, build_track

Smoothing = Literal["none", "light", "strong"]

USUAL_HALF_WIDTH_U = 22.0
"""What the middle half-width becomes when no scale is given: that of the built-in tracks."""
ENLARGEMENTS = (1.0, 1.25, 1.6, 2.0)
"""Tried in turn when no scale is given and the walls, 30 u beyond any road, do not fit between parts of the lap."""


CROWD = 1_500


@dataclass(frozen=True)
class _Thinning:
    """How a survey becomes control points."""

    blur_u: float
    """Standard deviation of the Gaussian mean along the lap."""
    spacing_u: float
    """Distance between control points."""


THINNINGS: dict[str, _Thinning] = {"light": _Thinning(12.0, 35.0), "strong": _Thinning(40.0, 70.0)}


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


def import_circuit(path: str | Path, *, scale: float | None = None, smoothing: str | None = None) -> Import:
    """Read a CSV centre line in metres and make a track of it.

    scale      units per metre; by default the middle half-width becomes 22 u, and more where the walls need room
    smoothing  "none" keeps every row as a control point, "light" takes out survey noise, "strong" rounds the corners;
               by default light, and strong where a corner is too tight for walls
    """
    _check_options(scale, smoothing)
    survey = read_centre_line(Path(path))
    centre_m, half_width_m, shift_m = between_the_edges(survey)
    usual = USUAL_HALF_WIDTH_U / float(np.median(half_width_m))
    refusals: list[TrackError] = []
    for candidate, chosen in _attempts(survey, usual, scale, smoothing):
        try:
            track = _scaled_track(survey, centre_m, half_width_m, candidate, chosen)
        except TrackError as refusal:
            refusals.append(refusal)
        else:
            return Import(track, candidate, chosen, len(centre_m), float(np.abs(shift_m).max()), _lap(centre_m))
    stronger = " or with --smoothing strong" if smoothing in ("none", "light") else ""
    raise TrackError(f"{refusals[0]} Or import it with another --scale{stronger}.") from refusals[0]


def _attempts(
    survey: CentreLine, usual: float, scale: float | None, smoothing: str | None
) -> Iterator[tuple[float, str]]:
    """Scales and smoothings to try in turn: what was asked for, else the mildest change to the survey first."""
    for chosen in ("light", "strong") if smoothing is None else (smoothing,):
        crowded = chosen == "none" and len(survey.points_m) > CROWD  # each attempt takes a while: only the extremes
        factors = (ENLARGEMENTS[0], ENLARGEMENTS[-1]) if crowded else ENLARGEMENTS
        yield from [(scale, chosen)] if scale is not None else [(usual * factor, chosen) for factor in factors]


def _check_options(scale: float | None, smoothing: str | None) -> None:
    if scale is not None and not 0.01 <= scale <= 1000.0:
        raise TrackError(f"scale {scale} is no sensible number of units per metre. Use 0.01 to 1000, usually 3 to 6.")
    if smoothing is not None and smoothing not in get_args(Smoothing):
        hint = did_you_mean(smoothing, get_args(Smoothing))
        raise TrackError(f'no smoothing "{smoothing}".{hint} Use one of {", ".join(get_args(Smoothing))}.')


def between_the_edges(survey: CentreLine) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The middle of the road (k, 2), half its width (k,), and how far (k,) left of the surveyed line it lies."""
    chord = np.roll(survey.points_m, -1, axis=0) - np.roll(survey.points_m, 1, axis=0)
    chord_m = np.maximum(np.sqrt(np.sum(chord**2, axis=1, keepdims=True)), 1e-9)
    left = np.column_stack([-chord[:, 1], chord[:, 0]]) / chord_m
    shift_m = (survey.left_m - survey.right_m) / 2.0
    return survey.points_m + left * shift_m[:, np.newaxis], (survey.left_m + survey.right_m) / 2.0, shift_m


def _scaled_track(
    survey: CentreLine, centre_m: FloatArray, half_width_m: FloatArray, scale: float, smoothing: str
) -> Track:
    """The track at that scale, its middle at the origin, its points rounded to thousandths of a unit."""
    _check_size(survey.source, _lap(centre_m) * scale, len(centre_m) if smoothing == "none" else 0)
    middle_m = (centre_m.max(axis=0) + centre_m.min(axis=0)) / 2.0

    points = np.column_stack([(centre_m - middle_m) * scale, half_width_m * scale])
    points, rows = thin_out(points, smoothing)
    lines = survey.source.lines
    source = PointSource(survey.source.label, None if lines is None else [lines[row] for row in rows])
    points[:, 2] = np.clip(points[:, 2], NARROWEST_HALF_WIDTH_U, WIDEST_HALF_WIDTH_U)
    return build_track(np.round(points, 3), track_id=survey.name, name=_title(survey.name), source=source)


def _check_size(source: PointSource, length_u: float, count: int) -> None:
    """Refuse a giant before any work goes into it."""
    if not length_u <= LONGEST_LAP_U:
        remedy = f"Use a smaller --scale: at most {LONGEST_LAP_U:,.0f} u"
        source.refuse(f"a lap of {length_u:,.0f} u is too long", remedy)
    if count > MOST_POINTS:
        source.refuse(f"{count:,} control points are too many", f"Use --smoothing light: at most {MOST_POINTS:,}")


def thin_out(points: FloatArray, smoothing: str) -> tuple[FloatArray, list[int]]:
    """Control points (n, 3) from a survey (k, 3) in units, and the row of the survey each belongs to."""
    if smoothing == "none":
        return points, list(range(len(points)))
    thinning = THINNINGS[smoothing]
    steps_u = np.sqrt(np.sum((np.roll(points[:, :2], -1, axis=0) - points[:, :2]) ** 2, axis=1))
    arcs_u = np.concatenate([[0.0], np.cumsum(steps_u)])
    length_u = float(arcs_u[-1])
    fine_count = int(np.clip(np.ceil(length_u / (thinning.blur_u / 4.0)), 64, 400_000))
    closed = np.concatenate([points, points[:1]])
    fine_u = np.arange(fine_count) / fine_count * length_u
    fine = np.column_stack([np.interp(fine_u, arcs_u, closed[:, column]) for column in range(3)])
    blurred = _blur_circular(fine, thinning.blur_u * fine_count / length_u)
    count = int(np.clip(round(length_u / thinning.spacing_u), 8, MOST_POINTS))
    picked = np.round(np.arange(count) / count * fine_count).astype(np.int64) % fine_count
    rows = np.searchsorted(arcs_u, fine_u[picked], side="right") - 1
    return blurred[picked], [int(row) for row in np.clip(rows, 0, len(points) - 1)]


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
