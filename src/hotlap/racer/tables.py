"""Tracks laid out for the kernels: flat arrays, many tracks end to end, with lookups that keep exact searches short.

Four lookups, each only a shortcut to the same answer as a search over everything:
- a cubic per entry of the arc table, so that a point of the centre line costs one short polynomial;
- a grid of cells, each with the run of coarse centre-line samples that can be nearest to any point in it;
- in the same cells, the wall segments that a car which starts its tick there could touch in it;
- the walls as a strip of quads between left and right wall, through which a ray walks.

A circuit may cross itself on a bridge, so there a cell is a piece of the strip, not of the plane: so far along the lap
and so far from the centre line. A car looks for itself, and for walls, around where it was a tick before.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hotlap.kernel import builder, element_type
from hotlap.racer.fleet import Float64Array, Int32Array
from hotlap.racer.physics import GATE_COUNT, WALL_REACH_U
from hotlap.racer.tracks import Track

CELL_U = 8.0
STRIP_PAD = 16
STRETCH_U = 32.0
"""How far ahead and behind a car is looked for on a circuit, beyond the cell it was in."""


class TrackTables(NamedTuple):
    """Every array the kernels read about tracks. The first block, one element per track, has sizes and first rows."""

    length_u: Float64Array
    coarse_first: Int32Array
    coarse_count: Int32Array
    interval_first: Int32Array
    interval_count: Int32Array
    wall_first: Int32Array
    wall_count: Int32Array
    strip_first: Int32Array
    cell_first: Int32Array
    cell_columns: Int32Array
    cell_rows: Int32Array
    cell_x_u: Float64Array
    cell_y_u: Float64Array
    # How far from the centre line of a circuit a car can be; 0 for tracks whose cells are squares of the plane.
    stretch_reach_u: Float64Array
    # The grid: where a race begins.
    start_x_u: Float64Array
    start_y_u: Float64Array
    start_heading_rad: Float64Array
    # The arc table: where each interval begins, its cubic x0 x1 x2 x3 y0 y1 y2 y3, its half-width and the slope of it.
    interval_arc_u: Float64Array
    interval_cubic: Float64Array
    interval_half_width_u: Float64Array
    interval_half_width_slope: Float64Array
    # Coarse samples of the centre line, and one row that closes the lap: position, direction as a running angle,
    # half-width, arc-table interval.
    coarse_x_u: Float64Array
    coarse_y_u: Float64Array
    coarse_heading_rad: Float64Array
    coarse_half_width_u: Float64Array
    coarse_interval: Int32Array
    # Wall points, inner then outer, each closed.
    wall_x_u: Float64Array
    wall_y_u: Float64Array
    # The same walls as left and right of the driving direction, twice round.
    left_x_u: Float64Array
    left_y_u: Float64Array
    right_x_u: Float64Array
    right_y_u: Float64Array
    # Grid cells: the run of coarse samples, and the run of `near_wall` entries.
    cell_sample_first: Int32Array
    cell_sample_count: Int32Array
    cell_wall_first: Int32Array
    cell_wall_count: Int32Array
    near_wall: Int32Array
    # Gates: both ends, the centre, the half-width of the road there, and the direction to cross them in.
    gate_left_x_u: Float64Array
    gate_left_y_u: Float64Array
    gate_right_x_u: Float64Array
    gate_right_y_u: Float64Array
    gate_centre_x_u: Float64Array
    gate_centre_y_u: Float64Array
    gate_half_width_u: Float64Array
    gate_direction_x: Float64Array
    gate_direction_y: Float64Array


def build_tables(tracks: Sequence[Track]) -> TrackTables:
    """The tables of several tracks, end to end; a car's track number picks its part."""
    parts = [dict(_tables_of_one(track)) for track in tracks]
    columns: dict[str, list[np.ndarray]] = {name: [] for name in TrackTables._fields}
    sizes = {"coarse_first": 0, "interval_first": 0, "wall_first": 0, "strip_first": 0, "cell_first": 0}
    near_walls = 0
    for part in parts:
        part["cell_wall_first"] = part["cell_wall_first"] + near_walls
        near_walls += len(part["near_wall"])
        for name, first in sizes.items():
            part[name] = np.array([first], np.int32)
        for name, column in columns.items():
            column.append(np.atleast_1d(part[name]))
        sizes["coarse_first"] += len(part["coarse_x_u"])
        sizes["interval_first"] += len(part["interval_arc_u"])
        sizes["wall_first"] += len(part["wall_x_u"])
        sizes["strip_first"] += len(part["left_x_u"])
        sizes["cell_first"] += len(part["cell_sample_first"])
    return TrackTables(**{name: _joined(name, column) for name, column in columns.items()})


def _joined(name: str, column: list[np.ndarray]) -> np.ndarray:
    return np.ascontiguousarray(np.concatenate(column), element_type(TrackTables.__annotations__[name]))


@lru_cache(maxsize=64)
def _tables_of_one(track: Track) -> dict[str, np.ndarray]:
    """All columns of one track but the row offsets, which depend on its neighbours."""
    columns = {**_interval_columns(track), **_coarse_columns(track), **_wall_columns(track), **_gate_columns(track)}
    columns.update((_cell_columns if track.scale is None else _stretch_columns)(track, columns))
    columns["length_u"] = np.array([track.length_u])
    for name in ("start_x_u", "start_y_u", "start_heading_rad"):
        columns[name] = np.array([getattr(track, name)])
    return columns


def _interval_columns(track: Track) -> dict[str, np.ndarray]:
    """One cubic per arc-table interval, in distance from the interval's start, and the linear half-width with it."""
    arcs = track.arc_lengths_u
    count = len(arcs) - 1
    chords = count // len(track.control_points)
    segment = np.arange(count) // chords
    spans = np.diff(arcs)
    start = (np.arange(count) % chords) / chords
    rate = (1.0 / chords) / spans
    # c(t) with t = start + rate s, rewritten in powers of s.
    c0, c1, c2, c3 = np.moveaxis(track.segment_coefficients()[segment], 2, 0)
    t, r = start[:, None], rate[:, None]
    powers = (
        ((c3 * t + c2) * t + c1) * t + c0,
        ((3.0 * c3 * t + 2.0 * c2) * t + c1) * r,
        (3.0 * c3 * t + c2) * r**2,
        c3 * r**3,
    )
    cubic = np.stack(powers, axis=2).reshape(count, 8)

    control_arcs = arcs[::chords]
    widths = np.append(track.control_points[:, 2], track.control_points[0, 2])
    slope = (np.diff(widths) / np.diff(control_arcs))[segment]
    half_width = widths[segment] + slope * (arcs[:-1] - control_arcs[segment])
    # One more row closes the table, so that `arc[k + 1]` always exists.
    return {
        "interval_arc_u": arcs,
        "interval_count": np.array([count]),
        "interval_cubic": np.append(cubic.ravel(), np.zeros(8)),
        "interval_half_width_u": np.append(half_width, half_width[0]),
        "interval_half_width_slope": np.append(slope, 0.0),
    }


def _coarse_columns(track: Track) -> dict[str, np.ndarray]:
    """The samples the projection starts from, every two units or so, and what drivers see of the road ahead."""
    count = max(100, math.ceil(track.length_u / 2.0))
    arcs = np.arange(count + 1) / count * track.length_u
    position = track.position_at(arcs)
    tangent = track.tangent_at(arcs)
    interval = np.searchsorted(track.arc_lengths_u, arcs, side="right") - 1
    return {
        "coarse_count": np.array([count]),
        "coarse_x_u": position[:, 0],
        "coarse_y_u": position[:, 1],
        "coarse_heading_rad": np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0])),
        "coarse_half_width_u": track.half_width_at(arcs),
        "coarse_interval": np.clip(interval, 0, len(track.arc_lengths_u) - 2),
    }


def _wall_columns(track: Track) -> dict[str, np.ndarray]:
    """Both walls, once as closed lines for touching and once as the strip a ray walks through."""
    points = np.concatenate([track.inner_wall, track.outer_wall])
    left, right = track.inner_wall[:-1], track.outer_wall[:-1]
    if not track.inner_is_left:
        left, right = right, left
    twice = np.arange(2 * len(left) + STRIP_PAD) % len(left)
    return {
        "wall_count": np.array([len(left)]),
        "wall_x_u": points[:, 0],
        "wall_y_u": points[:, 1],
        "left_x_u": left[twice, 0],
        "left_y_u": left[twice, 1],
        "right_x_u": right[twice, 0],
        "right_y_u": right[twice, 1],
    }


def _gate_columns(track: Track) -> dict[str, np.ndarray]:
    spots = {"left": track.gate_left, "right": track.gate_right, "centre": track.gate_centre}
    columns = {f"gate_{spot}_{axis}_u": spots[spot][:, k] for spot in spots for k, axis in enumerate("xy")}
    columns["gate_half_width_u"] = track.half_width_at(track.gate_arcs_u)
    columns.update({f"gate_direction_{axis}": track.gate_direction[:, k] for k, axis in enumerate("xy")})
    assert len(track.gate_arcs_u) == GATE_COUNT  # noqa: S101
    return columns


def _cell_columns(track: Track, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The grid over everything a car can reach inside the walls."""
    wall_x, wall_y = columns["wall_x_u"], columns["wall_y_u"]
    margin = WALL_REACH_U + CELL_U
    x0, y0 = wall_x.min() - margin, wall_y.min() - margin
    grid = CellGrid(
        x_u=float(x0),
        y_u=float(y0),
        columns=int((wall_x.max() + margin - x0) / CELL_U) + 1,
        rows=int((wall_y.max() + margin - y0) / CELL_U) + 1,
    )
    sample_x, sample_y = columns["coarse_x_u"][:-1], columns["coarse_y_u"][:-1]
    first, count = _sample_runs(grid, sample_x, sample_y, _widest_reach(track))
    wall_first, wall_count, near = _wall_lists(grid, wall_x, wall_y, len(track.inner_wall))
    return {
        "cell_columns": np.array([grid.columns]),
        "cell_rows": np.array([grid.rows]),
        "cell_x_u": np.array([grid.x_u]),
        "cell_y_u": np.array([grid.y_u]),
        "stretch_reach_u": np.zeros(1),
        "cell_sample_first": first,
        "cell_sample_count": count,
        "cell_wall_first": wall_first,
        "cell_wall_count": wall_count,
        "near_wall": near,
    }


def _widest_reach(track: Track) -> float:
    """Distance from the centre line beyond which a cell is not given a run: no car inside the walls is there."""
    inner, outer = track.inner_wall[:-1], track.outer_wall[:-1]
    widest = max(np.hypot(*(wall - track.centre).T).max() for wall in (inner, outer))
    return float(widest) + 3.0 * CELL_U


def _stretch_columns(track: Track, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Cells along the strip of a circuit: pieces of the lap, each cut into lanes by distance from the centre line."""
    reach_u = _widest_reach(track)
    pieces, lanes = math.ceil(track.length_u / CELL_U), math.ceil(reach_u / CELL_U)
    samples = int(columns["coarse_count"][0])
    first = np.floor((np.arange(pieces) / pieces * track.length_u - STRETCH_U) / track.length_u * samples).astype(
        np.int64
    )
    count = min(math.ceil((CELL_U + 2.0 * STRETCH_U) / track.length_u * samples) + 2, samples)
    inner, outer = track.inner_wall, track.outer_wall
    left, right = (inner, outer) if track.inner_is_left else (outer, inner)
    first_wall = 0 if track.inner_is_left else len(inner)
    strip = Strip(left[:-1], right[:-1], track.centre, pieces, lanes, first_wall, len(inner) - first_wall)
    wall_first, wall_count, near = _stretch_walls(strip)
    return {
        "cell_columns": np.array([lanes]),
        "cell_rows": np.array([pieces]),
        "cell_x_u": np.zeros(1),
        "cell_y_u": np.zeros(1),
        "stretch_reach_u": np.array([reach_u]),
        "cell_sample_first": np.repeat(first % samples, lanes),
        "cell_sample_count": np.full(pieces * lanes, count),
        "cell_wall_first": wall_first,
        "cell_wall_count": wall_count,
        "near_wall": near,
    }


class Strip(NamedTuple):
    """The walls and the centre line (N, 2) of a circuit, how its cells are counted, and where its walls are kept."""

    left: Float64Array
    right: Float64Array
    centre: Float64Array
    pieces: int
    lanes: int
    left_first: int
    right_first: int


class CellGrid(NamedTuple):
    """A grid of square cells of CELL_U: its corner and its size."""

    x_u: float
    y_u: float
    columns: int
    rows: int


@builder
def _box_distances(dx: float, dy: float) -> tuple[float, float]:
    """Squared nearest and farthest distance from a point to a cell, given the offset to the cell's centre."""
    half = CELL_U / 2.0
    ax, ay = abs(dx), abs(dy)
    nx, ny = max(ax - half, 0.0), max(ay - half, 0.0)
    return nx * nx + ny * ny, (ax + half) * (ax + half) + (ay + half) * (ay + half)


@builder
def _sample_runs(grid: CellGrid, xs: Float64Array, ys: Float64Array, reach_u: float) -> tuple[Int32Array, Int32Array]:
    """For each cell the run of samples that can be nearest to a point in it; count 0 means: look at all of them."""
    count = len(xs)
    cells = grid.columns * grid.rows
    bound = np.full(cells, reach_u * reach_u)
    anchor = np.full(cells, -1, np.int32)
    low = np.zeros(cells, np.int32)
    high = np.zeros(cells, np.int32)
    span = int(reach_u / CELL_U) + 2
    # First pass: the sample whose farthest corner is nearest bounds the answer. Second pass: who is within that bound.
    for second in range(2):
        for i in range(count):
            column = int((xs[i] - grid.x_u) / CELL_U)
            row = int((ys[i] - grid.y_u) / CELL_U)
            for r in range(max(row - span, 0), min(row + span + 1, grid.rows)):
                for c in range(max(column - span, 0), min(column + span + 1, grid.columns)):
                    cell = r * grid.columns + c
                    near, far = _box_distances(
                        grid.x_u + (c + 0.5) * CELL_U - xs[i], grid.y_u + (r + 0.5) * CELL_U - ys[i]
                    )
                    if second == 0:
                        if far < bound[cell]:
                            bound[cell] = far
                            anchor[cell] = i
                    elif anchor[cell] >= 0 and near <= bound[cell] + 1e-6:
                        offset = i - anchor[cell]
                        if offset > count // 2:
                            offset -= count
                        elif offset < -(count // 2):
                            offset += count
                        low[cell] = min(low[cell], offset)
                        high[cell] = max(high[cell], offset)
    first = np.zeros(cells, np.int32)
    length = np.zeros(cells, np.int32)
    for cell in range(cells):
        if anchor[cell] >= 0:
            first[cell] = (anchor[cell] + low[cell] + count) % count
            length[cell] = high[cell] - low[cell] + 1
    return first, length


@builder
def _segment_distance(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Distance from a point to a segment."""
    ex, ey = bx - ax, by - ay
    squared = ex * ex + ey * ey
    t = 0.0
    if squared > 0.0:
        t = min(max(((x - ax) * ex + (y - ay) * ey) / squared, 0.0), 1.0)
    return math.sqrt((ax + t * ex - x) ** 2 + (ay + t * ey - y) ** 2)


@builder
def _wall_lists(
    grid: CellGrid, xs: Float64Array, ys: Float64Array, line: int
) -> tuple[Int32Array, Int32Array, Int32Array]:
    """For each cell the wall segments (by first point, in order) within a tick's reach of any point in it."""
    cells = grid.columns * grid.rows
    reach = WALL_REACH_U + CELL_U * math.sqrt(0.5)
    counts = np.zeros(cells, np.int32)
    firsts = np.zeros(cells, np.int32)
    lists = np.zeros(0, np.int32)
    # First pass counts, second pass fills: walking the points in order keeps every list in order.
    for second in range(2):
        if second == 1:
            total = 0
            for cell in range(cells):
                firsts[cell] = total
                total += counts[cell]
                counts[cell] = 0
            lists = np.zeros(total, np.int32)
        for i in range(len(xs) - 1):
            if i == line - 1:
                continue
            low_x, high_x = min(xs[i], xs[i + 1]) - reach, max(xs[i], xs[i + 1]) + reach
            low_y, high_y = min(ys[i], ys[i + 1]) - reach, max(ys[i], ys[i + 1]) + reach
            first_row, last_row = int((low_y - grid.y_u) / CELL_U), int((high_y - grid.y_u) / CELL_U)
            first_column, last_column = int((low_x - grid.x_u) / CELL_U), int((high_x - grid.x_u) / CELL_U)
            for r in range(max(first_row, 0), min(last_row + 1, grid.rows)):
                for c in range(max(first_column, 0), min(last_column + 1, grid.columns)):
                    x, y = grid.x_u + (c + 0.5) * CELL_U, grid.y_u + (r + 0.5) * CELL_U
                    if _segment_distance(x, y, xs[i], ys[i], xs[i + 1], ys[i + 1]) <= reach:
                        cell = r * grid.columns + c
                        if second == 1:
                            lists[firsts[cell] + counts[cell]] = i
                        counts[cell] += 1
    return firsts, counts, lists


@builder
def _point_beside(strip: Strip, sample: int, offset_u: float) -> tuple[float, float]:
    """The point so far to the left of the centre line at a sample, or right of it where negative."""
    lx, ly = strip.left[sample, 0], strip.left[sample, 1]
    rx, ry = strip.right[sample, 0], strip.right[sample, 1]
    width = math.hypot(lx - rx, ly - ry)
    nx, ny = (lx - rx) / width, (ly - ry) / width
    return strip.centre[sample, 0] + nx * offset_u, strip.centre[sample, 1] + ny * offset_u


@builder
def _lane_distance(strip: Strip, sample: int, lane: int, ax: float, ay: float, bx: float, by: float) -> float:
    """Distance from a wall segment to the part of a cross-section that lies in a lane, on either side of the centre."""
    nearest = math.inf
    for side in (-1.0, 1.0):
        px, py = _point_beside(strip, sample, side * lane * CELL_U)
        qx, qy = _point_beside(strip, sample, side * (lane + 1) * CELL_U)
        nearest = min(nearest, _segment_distance(px, py, ax, ay, bx, by), _segment_distance(qx, qy, ax, ay, bx, by))
        nearest = min(nearest, _segment_distance(ax, ay, px, py, qx, qy), _segment_distance(bx, by, px, py, qx, qy))
    return nearest


@builder
def _near_in_piece(strip: Strip, piece: int, lane: int, wall: int, segment: int) -> bool:
    """Whether a tick that starts in a cell can reach a segment of a wall (0 left, 1 right)."""
    count = len(strip.centre)
    line = strip.left if wall == 0 else strip.right
    after = (segment + 1) % count
    ax, ay, bx, by = line[segment, 0], line[segment, 1], line[after, 0], line[after, 1]
    reach = WALL_REACH_U + math.hypot(strip.centre[1, 0] - strip.centre[0, 0], strip.centre[1, 1] - strip.centre[0, 1])
    for step in range(int(piece * count / strip.pieces), int((piece + 1) * count / strip.pieces) + 2):
        sample = step % count
        x, y = strip.centre[sample, 0], strip.centre[sample, 1]
        # No lane is nearer to the wall than its outer edge: that settles most of them.
        if _segment_distance(x, y, ax, ay, bx, by) > reach + (lane + 1) * CELL_U:
            continue
        if _lane_distance(strip, sample, lane, ax, ay, bx, by) <= reach:
            return True
    return False


@builder
def _stretch_walls(strip: Strip) -> tuple[Int32Array, Int32Array, Int32Array]:
    """For each cell of a circuit the segments of its own walls that a tick which starts there can reach, in order."""
    count = len(strip.centre)
    spacing = math.hypot(strip.centre[1, 0] - strip.centre[0, 0], strip.centre[1, 1] - strip.centre[0, 1])
    around = int((CELL_U + STRETCH_U) / spacing) + 1
    cells = strip.pieces * strip.lanes
    firsts, counts = np.zeros(cells, np.int32), np.zeros(cells, np.int32)
    lists = np.zeros(cells * 8, np.int32)
    total = 0
    for cell in range(cells):
        piece, lane = cell // strip.lanes, cell % strip.lanes
        firsts[cell] = total
        middle = int((piece + 0.5) * count / strip.pieces)
        for wall in range(2):
            for step in range(-around, around + 1):
                segment = (middle + step) % count
                if _near_in_piece(strip, piece, lane, wall, segment):
                    if total == len(lists):
                        lists = np.append(lists, np.zeros(total, np.int32))
                    lists[total] = segment + (strip.left_first if wall == 0 else strip.right_first)
                    total += 1
        counts[cell] = total - firsts[cell]
    return firsts, counts, lists[:total].copy()
