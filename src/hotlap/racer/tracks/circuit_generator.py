"""Circuits at true scale out of a seed: straights, hairpins, chicanes and fast bends, two to six kilometres long."""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from hotlap.errors import TrackError, did_you_mean
from hotlap.racer.tracks.crossings import find_crossing
from hotlap.racer.tracks.generate import MOST_ATTEMPTS, bend, check_seed
from hotlap.racer.tracks.importing import blurred_line, clear_of_walls
from hotlap.racer.tracks.outlines import grow_cells, outline, turns
from hotlap.racer.tracks.rounding import STRAIGHT_USED_BY_A_CORNER, fit_corners, round_polygon
from hotlap.racer.tracks.spline import FloatArray
from hotlap.racer.tracks.track import Track, build_track

LAP_M = (2_000.0, 6_000.0)
CELLS = (5, 11)
SLENDERNESS = 0.85
KINKS = 0.35
JITTER = 0.17
HAIRPIN_CHANCE = 0.6
FAST_RADIUS_M = (110.0, 420.0)
FAST_TURN_RAD = 0.75
"""Bends that turn less than this are taken fast."""
CHICANE_CHANCE = 0.7
CHICANE_STRAIGHT_M = 330.0
CHICANE_RADIUS_M = (18.0, 35.0)
TIGHT_STRAIGHT_M = 200.0
TIGHT_RADIUS_M = (11.0, 24.0)
TIGHT_TURN_RAD = (0.6, 1.5)
TIGHT_STEP_M = (1.15, 1.8)
"""From corner to corner of a tight chicane, in the shortest length that has room for both."""
FLOWING_RADIUS_M = (40.0, 120.0)
TIGHTENING_TURN_RAD = (1.0, 2.7)
TIGHTENING_RADIUS_M = (90.0, 330.0)
TIGHTENING_RATIO = (2.0, 5.0)
"""How much tighter the second arc of such a bend is than the first."""
TIGHTENING_FORWARDS = 0.75
"""So many of them tighten; the others open."""
TIGHTENING_REACH = 0.4
"""Part of the sides beside it that such a bend may take."""
LEAST_RUN_OFF_M = 1.0
POINT_STEP_M = 5.0
EASING_M = 6.0
"""Standard deviation of the average that turns the ends of arcs into transitions."""
NARROWEST_M, WIDEST_M = 3.7, 10.5
"""Half-widths of the roads that have such places."""
SWELL_M = 30.0
"""How far a road takes to become wider or narrower by a place, in standard deviations."""
FANNED_RADIUS_M = 26.0
FANNED_AHEAD_M, FANNED_BEFORE_M, FANNED_BEHIND_M = (-10.0, 25.0), (20.0, 70.0), (10.0, 35.0)
"""Where behind the entry of a tight corner its road is widest, and how far it takes to become so and narrow again."""
FANNED_WIDEST_M = 13.5


class CircuitStyle(NamedTuple):
    """How tight and how wide circuits are; pairs are the lowest and highest value drawn."""

    seed_branch: int
    """Keeps the draws of a style apart from those of the others, and of easy, medium and hard."""
    hairpin_radius_m: tuple[float, float]
    tightest_radius_m: float
    radius_m: tuple[float, float]
    half_width_m: tuple[float, float]
    swells: int
    """In so many places the road is wider by up to a half, or narrower by up to a quarter."""
    tight_chicanes: int = 0
    """In up to so many of the long sides the road turns away and back within a few car lengths."""
    fanned_share: float = 0.0
    """Of so many of the tight corners the entry is wider, by up to as much again."""
    chicane_radius_m: tuple[float, float] = TIGHT_RADIUS_M
    tightening_share: float = 0.0
    """So many of the corners that turn far are two bends in one, of which one is much tighter."""


STYLES = {
    "circuit": CircuitStyle(3, (12.5, 19.0), 12.0, (22.0, 190.0), (4.5, 7.5), 0),
    # As real ones are where there is no room, or too much of it.
    "rugged": CircuitStyle(4, (10.5, 17.0), 10.0, (16.0, 150.0), (3.9, 7.5), 8),
    # As where long straights were broken to slow cars down.
    "chicanes": CircuitStyle(5, (10.5, 17.0), 10.0, (16.0, 150.0), (3.9, 7.5), 8, 4),
    # As where a straight ends in a hairpin that leaves room for several lines.
    "fanned": CircuitStyle(6, (10.5, 17.0), 10.0, (13.0, 110.0), (4.0, 9.0), 4, 2, 0.6),
    # As where fast bends follow each other, or tighten while cars brake.
    "flowing": CircuitStyle(7, (10.5, 17.0), 10.0, (16.0, 150.0), (3.9, 6.5), 4, 4, 0.0, FLOWING_RADIUS_M, 0.8),
}


def generate_circuit(seed: int, style: str = "circuit") -> Track:
    """The circuit of that seed and style, one of STYLES; always the same one, never crossing itself."""
    if style not in STYLES:
        raise TrackError(f'no style "{style}".{did_you_mean(style, STYLES)} Use one of {", ".join(STYLES)}.')
    return _generated(check_seed(seed), style)


@lru_cache(maxsize=256)
def _generated(seed: int, style: str) -> Track:
    """Draw until a circuit passes every check; the attempt is part of the seed, so the result is always the same."""
    track_id = f"generated:{seed}:{style}"
    for attempt in range(MOST_ATTEMPTS):
        rng = np.random.default_rng([seed, STYLES[style].seed_branch, attempt])
        points = draw_circuit(rng, STYLES[style])
        if points is None:
            continue
        build = partial(build_track, track_id=track_id, name=f"{style.capitalize()} {seed}", scale=1.0)
        try:
            track = clear_of_walls(points, build) if STYLES[style].fanned_share else build(points)
        except TrackError:
            continue
        if has_room(track):
            return track
    raise TrackError(f"{track_id}: no drivable circuit in {MOST_ATTEMPTS} attempts. Use another seed.")


def has_room(track: Track) -> bool:
    """Whether there is run-off everywhere, and the length is that of a circuit."""
    arcs_u = np.arange(len(track.centre)) / len(track.centre) * track.length_u
    edge_u = track.half_width_at(arcs_u) + LEAST_RUN_OFF_M
    walls = (track.inner_wall[:-1], track.outer_wall[:-1])
    roomy = all((np.hypot(*(wall - track.centre).T) >= edge_u).all() for wall in walls)
    return roomy and LAP_M[0] <= track.length_u <= LAP_M[1]


def draw_circuit(rng: np.random.Generator, style: CircuitStyle) -> FloatArray | None:
    """Control points (n, 3) of one candidate, rounded to millimetres; None where it cannot be one."""
    polygon = _draw_polygon(rng)
    polygon, radii = _with_hairpins(rng, polygon, style)
    if style.tightening_share:
        polygon, radii = _with_tightening_bends(rng, polygon, radii, style.tightening_share)
    if style.tight_chicanes:
        polygon, radii = _with_tight_chicanes(rng, polygon, radii, style)
    else:
        polygon, radii = _with_chicane(rng, polygon, radii)
    polygon, radii = _from_longest_side(polygon, radii)
    corners = fit_corners(polygon, radii)
    sharp = (corners.radius < style.tightest_radius_m) & (np.abs(corners.turn_rad) > 0.1)
    if sharp.any() or (corners.straight < 0.0).any():
        return None
    rounded = round_polygon(polygon, radii, POINT_STEP_M / 2.0)
    line = blurred_line(rounded.points, EASING_M / (POINT_STEP_M / 2.0))[::2]
    if find_crossing([line]) is not None:
        return None
    half_width_m = _half_widths(rng, len(line), style)
    if style.fanned_share:
        half_width_m = _fanned(rng, half_width_m, rounded.radius[::2], style.fanned_share)
    return np.column_stack([line, half_width_m]).round(3)


def _fanned(rng: np.random.Generator, widths: FloatArray, radius_m: FloatArray, share: float) -> FloatArray:
    """Half-widths (count,) that grow towards some of the tight corners and shrink again, faster, behind them."""
    count = len(widths)
    tight = radius_m < FANNED_RADIUS_M
    entries = np.flatnonzero(tight & ~np.roll(tight, 1))
    factor = np.ones(count)
    for entry in entries[rng.random(len(entries)) < share]:
        middle = entry + rng.uniform(*FANNED_AHEAD_M) / POINT_STEP_M
        away_m = POINT_STEP_M * ((np.arange(count) - middle + count / 2.0) % count - count / 2.0)
        reach_m = np.where(away_m < 0.0, rng.uniform(*FANNED_BEFORE_M), rng.uniform(*FANNED_BEHIND_M))
        factor = np.maximum(factor, 1.0 + rng.uniform(0.1, 1.0) * np.exp(-0.5 * (away_m / reach_m) ** 2))
    return np.minimum(widths * factor, FANNED_WIDEST_M)


def _draw_polygon(rng: np.random.Generator) -> FloatArray:
    """An outline that does not cross itself, bent out of its grid, about as long as a circuit."""
    cells = grow_cells(rng, int(rng.integers(CELLS[0], CELLS[1] + 1)), SLENDERNESS)
    path = outline(cells)
    length_m = rng.uniform(LAP_M[0] + 300.0, LAP_M[1] - 100.0)
    corners = path[turns(path) | (rng.random(len(path)) < KINKS)]
    corners = corners + JITTER * rng.uniform(-1.0, 1.0, corners.shape)
    corners = bend(rng, corners * (length_m / len(path)))
    return corners if rng.random() < 0.5 else corners[::-1].copy()


def _with_hairpins(rng: np.random.Generator, polygon: FloatArray, style: CircuitStyle) -> tuple[FloatArray, FloatArray]:
    """Radii (k,) for every corner; where an arm of the outline turns back, its two corners may become a hairpin."""
    polygon = polygon.copy()
    turn_rad = fit_corners(polygon, np.zeros(len(polygon))).turn_rad
    low, high = np.log(style.radius_m)
    fast = np.abs(turn_rad) < FAST_TURN_RAD
    radii = np.where(fast, rng.uniform(*FAST_RADIUS_M, len(polygon)), np.exp(rng.uniform(low, high, len(polygon))))
    used = -2
    for corner in range(len(polygon) - 1):
        both = turn_rad[corner] + turn_rad[corner + 1]
        if corner - used < 2 or abs(both) < 2.5 or rng.random() > HAIRPIN_CHANCE:
            continue
        radius = rng.uniform(*style.hairpin_radius_m)
        middle = (polygon[corner] + polygon[corner + 1]) / 2.0
        across = polygon[corner + 1] - polygon[corner]
        across *= 1.06 * radius / np.hypot(*across)
        polygon[corner], polygon[corner + 1] = middle - across, middle + across
        radii[corner : corner + 2] = radius
        used = corner
    return polygon, radii


def _with_chicane(rng: np.random.Generator, polygon: FloatArray, radii: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same with a chicane in one of the long sides, now and then."""
    side = np.roll(polygon, -1, axis=0) - polygon
    length_m = np.hypot(*side.T)
    long = np.flatnonzero(length_m > CHICANE_STRAIGHT_M)
    if len(long) < 2 or rng.random() > CHICANE_CHANCE:
        return polygon, radii
    chosen = int(rng.choice(long))
    along = side[chosen] / length_m[chosen]
    aside = np.array([-along[1], along[0]]) * rng.choice([-1.0, 1.0])
    begin = rng.uniform(0.45, 0.65) * length_m[chosen]
    step_m, offset_m = rng.uniform(26.0, 40.0), rng.uniform(9.0, 16.0)
    shape = ((0.0, 0.0), (step_m, offset_m), (1.9 * step_m, offset_m), (2.9 * step_m, 0.0))
    added = [polygon[chosen] + along * (begin + ahead) + aside * left for ahead, left in shape]
    return (
        np.insert(polygon, chosen + 1, added, axis=0),
        np.insert(radii, chosen + 1, rng.uniform(*CHICANE_RADIUS_M, len(added))),
    )


def _with_tight_chicanes(
    rng: np.random.Generator, polygon: FloatArray, radii: FloatArray, style: CircuitStyle
) -> tuple[FloatArray, FloatArray]:
    """The same with tight chicanes, or fast ones, in some of the long sides."""
    length_m = np.hypot(*(np.roll(polygon, -1, axis=0) - polygon).T)
    long = rng.permutation(np.flatnonzero(length_m > TIGHT_STRAIGHT_M))[: style.tight_chicanes]
    for side in sorted(long.tolist(), reverse=True):  # from the last one on, so that those before keep their places
        ends = polygon[side], polygon[(side + 1) % len(polygon)]
        points, turned = _tight_chicane(rng, *ends, style.chicane_radius_m)
        polygon = np.insert(polygon, side + 1, points, axis=0)
        radii = np.insert(radii, side + 1, turned)
    return polygon, radii


def _tight_chicane(
    rng: np.random.Generator, start: FloatArray, end: FloatArray, radius_m: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Corners (2 or 3, 2) between two others, and their radii: away and back, or away, back beyond and away again."""
    whole_m = np.hypot(*(end - start))
    along = (end - start) / whole_m
    aside = np.array([-along[1], along[0]]) * rng.choice([-1.0, 1.0])
    headings = np.cumsum([rng.uniform(*TIGHT_TURN_RAD), -rng.uniform(*TIGHT_TURN_RAD)])[: rng.integers(1, 3)]
    turns_rad = np.abs(np.diff(headings, prepend=0.0, append=0.0))
    radii = rng.uniform(*radius_m, len(turns_rad))
    tangents_m = radii * np.tan(turns_rad / 2.0)
    steps_m = (tangents_m[:-1] + tangents_m[1:]) * rng.uniform(*TIGHT_STEP_M, len(headings))
    moves = steps_m[:, None] * (np.cos(headings)[:, None] * along + np.sin(headings)[:, None] * aside)
    first = start + along * whole_m * rng.uniform(0.35, 0.65)
    return first + np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)]), radii


def _with_tightening_bends(
    rng: np.random.Generator, polygon: FloatArray, radii: FloatArray, share: float
) -> tuple[FloatArray, FloatArray]:
    """The same with some of the corners as two arcs that touch, a wide and a tight one."""
    turn_rad = fit_corners(polygon, radii).turn_rad
    sides = np.roll(polygon, -1, axis=0) - polygon
    far = (np.abs(turn_rad) > TIGHTENING_TURN_RAD[0]) & (np.abs(turn_rad) < TIGHTENING_TURN_RAD[1])
    chosen = np.flatnonzero(far & (rng.random(len(polygon)) < share))
    for corner in chosen[::-1].tolist():  # from the last one on, so that those before keep their places
        points, arcs = _tightening_bend(rng, polygon[corner], (sides[corner - 1], sides[corner]), abs(turn_rad[corner]))
        polygon = np.concatenate([polygon[:corner], points, polygon[corner + 1 :]])
        radii = np.concatenate([radii[:corner], arcs, radii[corner + 1 :]])
    return polygon, radii


def _tightening_bend(
    rng: np.random.Generator, corner: FloatArray, sides: tuple[FloatArray, FloatArray], turn_rad: float
) -> tuple[FloatArray, FloatArray]:
    """Two corners (2, 2) in the place of one, and their radii, in the order in which they are driven.

    Their tangents are as long as each other, so that both arcs end where they touch: `tangent` over the wide radius is
    `slope`, the tangent of half the turn that the wide arc takes.
    """
    ratio, wide_m = rng.uniform(*TIGHTENING_RATIO), rng.uniform(*TIGHTENING_RADIUS_M)
    whole = np.tan(turn_rad / 2.0)
    slope = (np.sqrt((1.0 + ratio) ** 2 + 4.0 * ratio * whole**2) - 1.0 - ratio) / (2.0 * ratio * whole)
    turns = np.array([2.0 * np.arctan(slope), 2.0 * np.arctan(ratio * slope)])
    radii = wide_m * np.array([1.0, 1.0 / ratio])
    if rng.random() > TIGHTENING_FORWARDS:
        turns, radii = turns[::-1], radii[::-1]
    tangent_m = wide_m * slope
    apart_m = tangent_m / STRAIGHT_USED_BY_A_CORNER
    back_m, ahead_m = apart_m * np.sin(turns[::-1]) / np.sin(turn_rad)
    before_m, after_m = (np.hypot(*side) for side in sides)
    fits = TIGHTENING_REACH * min(before_m / (back_m + tangent_m), after_m / (ahead_m + tangent_m))
    size = min(fits, 1.0)
    first = corner - sides[0] / before_m * back_m * size
    second = corner + sides[1] / after_m * ahead_m * size
    return np.array([first, second]), radii * size


def _from_longest_side(polygon: FloatArray, radii: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same lap with the start in the middle of its longest side."""
    coming_m = np.hypot(*(polygon - np.roll(polygon, 1, axis=0)).T)
    first = int(np.argmax(coming_m))
    return np.roll(polygon, -first, axis=0), np.roll(radii, -first)


def _half_widths(rng: np.random.Generator, count: int, style: CircuitStyle) -> FloatArray:
    """Half-widths (count,) that swell and shrink slowly around the lap, and in some places within a few car lengths."""
    low, high = np.sort(rng.uniform(*style.half_width_m, 2))
    around = 2.0 * np.pi * np.arange(count) / count
    waves = sum(np.sin(number * around + rng.uniform(0.0, 2.0 * np.pi)) for number in (1, 2, 3, 5))
    widths = low + (high - low) * np.clip(0.5 + 0.22 * waves, 0.0, 1.0)
    for _ in range(style.swells):
        away = np.abs(np.arange(count) - rng.integers(count))
        away_m = POINT_STEP_M * np.minimum(away, count - away)
        widths = widths * (1.0 + rng.uniform(-0.25, 0.5) * np.exp(-0.5 * (away_m / SWELL_M) ** 2))
    return np.asarray(np.clip(widths, NARROWEST_M, WIDEST_M) if style.swells else widths)
