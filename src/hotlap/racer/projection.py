"""Where a point is on its track: the nearest spot of the centre line, and the surface there.

The answer is defined by a search: the nearest of M samples along the lap, then sixteen thirds of the interval around
it. On a circuit, which may cross itself on a bridge, only the stretch counts that the car was on a tick before.
"""

import math
from typing import NamedTuple

from hotlap.kernel import kernel
from hotlap.racer.fleet import FleetState
from hotlap.racer.physics import ROAD, RUNOFF, SHOULDER, Physics
from hotlap.racer.tables import CELL_U, TrackTables

TERNARY_STEPS = 16


class Place(NamedTuple):
    """A point on the track: distance along the lap, distance from the centre line, surface."""

    arc_u: float
    centre_distance_u: float
    surface: int


@kernel
def cell_of(x: float, y: float, track: int, tables: TrackTables) -> int:
    """The grid cell a point is in, or -1 outside the grid."""
    fx = (x - tables.cell_x_u[track]) / CELL_U
    fy = (y - tables.cell_y_u[track]) / CELL_U
    columns = tables.cell_columns[track]
    if not (0.0 <= fx < columns and 0.0 <= fy < tables.cell_rows[track]):
        return -1
    return tables.cell_first[track] + int(fy) * columns + int(fx)


@kernel
def piece_of(arc_u: float, centre_distance_u: float, track: int, tables: TrackTables) -> int:
    """The cell of a circuit that a car is in: how far along the lap, then how far from the centre line."""
    pieces, lanes = tables.cell_rows[track], tables.cell_columns[track]
    piece = min(int(arc_u / tables.length_u[track] * pieces), pieces - 1)
    return tables.cell_first[track] + piece * lanes + min(int(centre_distance_u / CELL_U), lanes - 1)


@kernel
def cell_of_car(fleet: FleetState, car: int, tables: TrackTables) -> int:
    """The cell in which a car's own stretch of road is looked up."""
    track = fleet.track[car]
    if tables.stretch_reach_u[track] > 0.0:
        return piece_of(fleet.arc_u[car], fleet.centre_distance_u[car], track, tables)
    return cell_of(fleet.x_u[car], fleet.y_u[car], track, tables)


@kernel
def nearest_sample(x: float, y: float, cell: int, track: int, tables: TrackTables) -> int:
    """The coarse sample nearest to a point, the lowest number among equals; the cell says which can be."""
    total = tables.coarse_count[track]
    start, count = 0, total
    if cell >= 0 and tables.cell_sample_count[cell] > 0:
        start, count = tables.cell_sample_first[cell], tables.cell_sample_count[cell]
    first = tables.coarse_first[track]
    best, best_squared = 0, math.inf
    for k in range(start, start + count):
        i = k - total if k >= total else k
        dx = tables.coarse_x_u[first + i] - x
        dy = tables.coarse_y_u[first + i] - y
        squared = dx * dx + dy * dy
        if squared < best_squared or (squared == best_squared and i < best):
            best, best_squared = i, squared
    reach = tables.stretch_reach_u[track]
    if count < total and reach > 0.0 and best_squared > reach * reach:
        return nearest_sample_of_all(x, y, track, tables)
    return best


@kernel
def nearest_sample_of_all(x: float, y: float, track: int, tables: TrackTables) -> int:
    """The coarse sample nearest to a point: for cars of a circuit that were put somewhere by hand."""
    first = tables.coarse_first[track]
    best, best_squared = 0, math.inf
    for i in range(tables.coarse_count[track]):
        dx, dy = tables.coarse_x_u[first + i] - x, tables.coarse_y_u[first + i] - y
        if dx * dx + dy * dy < best_squared:
            best, best_squared = i, dx * dx + dy * dy
    return best


@kernel
def lap_distance(arc_u: float, length_u: float) -> float:
    """The same spot with its distance in [0, length), for distances at most one lap outside."""
    if arc_u < 0.0:
        return arc_u + length_u
    return arc_u - length_u if arc_u >= length_u else arc_u


@kernel
def interval_near(arc_u: float, hint: int, track: int, tables: TrackTables) -> int:
    """The arc-table interval of a distance in [0, length), searched from a neighbouring one."""
    first = tables.interval_first[track]
    last = tables.interval_count[track] - 1
    k = hint
    apart = arc_u - tables.interval_arc_u[first + hint]
    if abs(apart) > 0.5 * tables.length_u[track]:  # on the other side of the line that begins a lap
        k = last if apart > 0.0 else 0
    while k < last and tables.interval_arc_u[first + k + 1] <= arc_u:
        k += 1
    while k > 0 and tables.interval_arc_u[first + k] > arc_u:
        k -= 1
    return k


@kernel
def squared_distance(x: float, y: float, arc_u: float, row: int, tables: TrackTables) -> float:
    """Squared distance from a point to the centre line at a distance that lies in interval row `row`."""
    s = arc_u - tables.interval_arc_u[row]
    c = row * 8
    cubic = tables.interval_cubic
    dx = ((cubic[c + 3] * s + cubic[c + 2]) * s + cubic[c + 1]) * s + cubic[c] - x
    dy = ((cubic[c + 7] * s + cubic[c + 6]) * s + cubic[c + 5]) * s + cubic[c + 4] - y
    return dx * dx + dy * dy


@kernel
def locate(x: float, y: float, cell: int, track: int, tables: TrackTables, physics: Physics) -> Place:
    """Project a point on the centre line of its track and tell the surface it is on."""
    length = tables.length_u[track]
    samples = tables.coarse_count[track]
    first = tables.interval_first[track]
    sample = nearest_sample(x, y, cell, track, tables)
    best = sample / samples * length
    hint = tables.coarse_interval[tables.coarse_first[track] + sample]
    best_interval = hint
    best_squared = squared_distance(x, y, best, first + hint, tables)

    # Thirds of the interval between the neighbouring samples, the better third kept, sixteen times.
    low, high = best - length / samples, best + length / samples
    for _ in range(TERNARY_STEPS):
        third = (high - low) / 3.0
        m1, m2 = low + third, high - third
        a1, a2 = lap_distance(m1, length), lap_distance(m2, length)
        k1 = interval_near(a1, hint, track, tables)
        k2 = interval_near(a2, hint, track, tables)
        d1 = squared_distance(x, y, a1, first + k1, tables)
        d2 = squared_distance(x, y, a2, first + k2, tables)
        if d1 < d2:
            high = m2
            if d1 < best_squared:
                best, best_squared, best_interval = a1, d1, k1
        else:
            low = m1
            if d2 < best_squared:
                best, best_squared, best_interval = a2, d2, k2

    distance = math.sqrt(best_squared)
    row = first + best_interval
    half_width = tables.interval_half_width_u[row] + tables.interval_half_width_slope[row] * (
        best - tables.interval_arc_u[row]
    )
    surface = RUNOFF
    if distance <= half_width:
        surface = ROAD
    elif distance <= half_width + physics.shoulder_width_u:
        surface = SHOULDER
    return Place(arc_u=best, centre_distance_u=distance, surface=surface)
