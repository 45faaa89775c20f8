"""Closed circuits out of a seed: an outline that cannot cross itself, bent out of its grid, with rounded corners."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hotlap.errors import TrackError, did_you_mean
from hotlap.racer.tracks.outlines import grow_cells, outline, turns
from hotlap.racer.tracks.spline import FloatArray
from hotlap.racer.tracks.track import Track, build_track
from hotlap.racer.tracks.walls import WALL_BEYOND_ROAD_U

MOST_ATTEMPTS = 400
LARGEST_SEED = 2**63 - 1
LONGEST_STRAIGHT_PIECE_U = 90.0
WIDEST_ARC_PIECE_RAD = 0.7
STRAIGHT_USED_BY_A_CORNER = 0.46
"""Part of a straight that the corner at either end may turn into its arc."""


@dataclass(frozen=True)
class Recipe:
    """What makes a circuit easy or hard; pairs are the lowest and highest value drawn."""

    cells: tuple[int, int]
    """How many grid cells the outline encloses: the size of the circuit and the number of its corners."""
    slenderness: float
    """0 to 1: how much the outline likes arms, that is hairpins."""
    cell_u: tuple[float, float]
    """Side of a grid cell."""
    kinks: float
    """0 to 1: how often a straight bends at a grid point."""
    jitter: float

    """How far a corner strays from the grid, as a part of the cell."""
    radius_u: tuple[float, float]
    """Radius of a corner, where there is room for it."""
    half_width_u: tuple[float, float]
    """Half the width of the road."""


RECIPES = {
    "easy": Recipe((2, 5), 0.10, (205.0, 250.0), 0.0, 0.12, (85.0, 130.0), (24.0, 28.0)),
    "medium": Recipe((7, 10), 0.60, (175.0, 205.0), 0.3, 0.16, (62.0, 115.0), (19.0, 26.0)),
    "hard": Recipe((9, 13), 0.97, (148.0, 172.0), 0.6, 0.17, (45.0, 85.0), (12.0, 22.0)),
}
DIFFICULTIES = tuple(RECIPES)


def generate_track(seed: int, difficulty: str = "medium") -> Track:
    """The circuit of that seed and difficulty ("easy", "medium" or "hard"); always the same one, always drivable."""
    if difficulty not in RECIPES:
        hint = did_you_mean(difficulty, RECIPES)
        raise TrackError(f'no difficulty "{difficulty}".{hint} Use one of {", ".join(DIFFICULTIES)}.')
    return _generated(check_seed(seed), difficulty)


def check_seed(seed: int) -> int:
    """The seed, refused unless it is a whole number that can be written down."""
    if not 0 <= seed <= LARGEST_SEED or seed != int(seed):
        raise TrackError(f"seed {seed} is no whole number from 0 to {LARGEST_SEED}. Use one, like 7.")
    return int(seed)


@lru_cache(maxsize=256)
def _generated(seed: int, difficulty: str) -> Track:
    """Draw until a circuit passes every check; the attempt is part of the seed, so the result is always the same."""
    track_id = f"generated:{seed}:{difficulty}"
    for attempt in range(MOST_ATTEMPTS):
        rng = np.random.default_rng([seed, DIFFICULTIES.index(difficulty), attempt])
        points = draw_control_points(rng, RECIPES[difficulty])
        try:
            return build_track(points, track_id=track_id, name=f"{difficulty.capitalize()} {seed}")
        except TrackError:
            continue
    raise TrackError(f"{track_id}: no drivable circuit in {MOST_ATTEMPTS} attempts. Use another seed.")


def draw_control_points(rng: np.random.Generator, recipe: Recipe) -> FloatArray:
    """Control points (n, 3) of one candidate, not yet checked, rounded to hundredths of a unit."""
    cell_count = int(rng.integers(recipe.cells[0], recipe.cells[1] + 1))
    corners = outline(grow_cells(rng, cell_count, recipe.slenderness))
    corners = corners[turns(corners) | (rng.random(len(corners)) < recipe.kinks)]

    corners = corners + recipe.jitter * (2.0 * rng.random(corners.shape) - 1.0)
    corners = bend(rng, corners * _between(rng, recipe.cell_u))
    if rng.random() < 0.5:
        corners = corners[::-1]
    rounded = round_corners(rng, corners, recipe.radius_u)
    half_widths_u = vary_widths(rng, rounded[:, 2], recipe.half_width_u)
    points: FloatArray = np.column_stack([rounded[:, :2], half_widths_u])
    return points.round(2)


def bend(rng: np.random.Generator, corners: FloatArray) -> FloatArray:
    """Turn, stretch and wave the plane, so that nothing looks like a grid; the middle comes to the origin.

    The waves are so gentle (amplitude times wave number below 1) that the plane never folds.
    """
    corners = corners - corners.mean(axis=0)
    angle_rad = 2.0 * np.pi * rng.random()
    cosine, sine = np.cos(angle_rad), np.sin(angle_rad)
    stretch = _between(rng, (1.0, 1.2))
    turned = corners @ np.array([[cosine, sine], [-sine, cosine]]) * np.array([stretch, 1.0])
    wave_length_u, steepness = _between(rng, (600.0, 1100.0)), _between(rng, (0.15, 0.4))
    wave_number = 2.0 * np.pi / wave_length_u
    phases = 2.0 * np.pi * rng.random(2)
    bent = turned + steepness / wave_number * np.sin(wave_number * turned[:, ::-1] + phases)
    return np.asarray(bent - (bent.max(axis=0) + bent.min(axis=0)) / 2.0)


def round_corners(rng: np.random.Generator, corners: FloatArray, radius_u: tuple[float, float]) -> FloatArray:
    """Points (k, 3) of x, y and the radius of the corner they belong to (infinite on straights).

    Every corner of the polygon becomes a circular arc; the first point lies on the longest straight.
    """
    arcs = _fit_arcs(rng, corners, radius_u)
    straight_u = np.sqrt(np.sum((np.roll(arcs.entries, -1, axis=0) - arcs.exits) ** 2, axis=1))
    first = int(np.argmax(straight_u))
    pieces: list[FloatArray] = []
    for step in range(len(corners)):
        corner, following = (first + step) % len(corners), (first + step + 1) % len(corners)
        pieces.append(_points_on_straight(arcs.exits[corner], arcs.entries[following]))
        pieces.append(_points_on_arc(arcs, following))
    return np.concatenate(pieces)


class _Arcs(NamedTuple):
    """A circular arc in every corner: where it begins and ends, and how it turns."""

    entries: FloatArray
    exits: FloatArray
    directions: FloatArray
    """(k, 2) unit direction on entering."""
    turns_rad: FloatArray
    """(k,) deflection, positive to the left."""
    radii_u: FloatArray


def _fit_arcs(rng: np.random.Generator, corners: FloatArray, radius_u: tuple[float, float]) -> _Arcs:
    """Draw a radius for each corner, as far as the straights beside it have room."""
    onward = np.roll(corners, -1, axis=0) - corners
    onward_u = np.sqrt(np.sum(onward**2, axis=1))
    leaving = onward / onward_u[:, np.newaxis]
    entering = np.roll(leaving, 1, axis=0)
    sine = entering[:, 0] * leaving[:, 1] - entering[:, 1] * leaving[:, 0]
    turns_rad = np.arctan2(sine, np.sum(entering * leaving, axis=1))
    half_tangent = np.maximum(np.tan(np.abs(turns_rad) / 2.0), 1e-3)
    room_u = STRAIGHT_USED_BY_A_CORNER * np.minimum(onward_u, np.roll(onward_u, 1))
    drawn_u = radius_u[0] + (radius_u[1] - radius_u[0]) * rng.random(len(corners))
    radii_u = np.minimum(drawn_u, room_u / half_tangent)
    cuts_u = (radii_u * half_tangent)[:, np.newaxis]
    return _Arcs(corners - entering * cuts_u, corners + leaving * cuts_u, entering, turns_rad, radii_u)


def _points_on_arc(arcs: _Arcs, corner: int) -> FloatArray:
    """Points (k, 3) from the beginning to the end of one arc."""
    turn_rad, radius_u = arcs.turns_rad[corner], arcs.radii_u[corner]
    pieces = max(1, int(np.ceil(abs(turn_rad) / WIDEST_ARC_PIECE_RAD)))
    turned_rad = np.abs(turn_rad) * np.arange(pieces + 1) / pieces
    ahead_u, aside_u = radius_u * np.sin(turned_rad), radius_u * (1.0 - np.cos(turned_rad)) * np.sign(turn_rad)
    along = arcs.directions[corner]
    left = np.array([-along[1], along[0]])
    points = arcs.entries[corner] + np.outer(ahead_u, along) + np.outer(aside_u, left)
    return np.column_stack([points, np.full(len(points), radius_u)])


def _points_on_straight(start: FloatArray, end: FloatArray) -> FloatArray:
    """Points (k, 3) strictly between two ends, close enough that the spline stays straight."""
    pieces = int(np.ceil(np.sqrt(np.sum((end - start) ** 2)) / LONGEST_STRAIGHT_PIECE_U))
    fractions = np.arange(1, pieces)[:, np.newaxis] / max(pieces, 1)
    points = start + (end - start) * fractions
    return np.column_stack([points, np.full(len(points), np.inf)])


def vary_widths(rng: np.random.Generator, radii_u: FloatArray, half_width_u: tuple[float, float]) -> FloatArray:
    """Half-widths (k,) that swell and shrink around the lap within their range, and narrow in the tightest corners."""
    around_rad = 2.0 * np.pi * np.arange(len(radii_u)) / len(radii_u)
    waves = int(rng.integers(1, 4))
    swell = (
        0.5 + 0.35 * np.sin(waves * around_rad + 2.0 * np.pi * rng.random()) + 0.3 * (rng.random(len(radii_u)) - 0.5)
    )
    low_u, high_u = half_width_u
    widths_u = low_u + (high_u - low_u) * np.clip(swell, 0.0, 1.0)
    return np.asarray(np.minimum(widths_u, np.maximum(low_u, radii_u - WALL_BEYOND_ROAD_U)))


def _between(rng: np.random.Generator, pair: tuple[float, float]) -> float:
    return float(pair[0] + (pair[1] - pair[0]) * rng.random())
