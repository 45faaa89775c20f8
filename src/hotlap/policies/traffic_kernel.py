"""Line drivers of the classic car as a kernel: the same choices as in `line_traffic`, a car at a time."""

import math
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import AllCores, Entry, address_table, arrays_at, kernel, numbers_at, zeros
from hotlap.native_code import native_entry
from hotlap.policies.line_kernel import (
    BRAKE_SPAN_UPS,
    FEET_LEAD_S,
    LOOK_PER_GAP,
    NEAR_THE_LINE_U,
    SLOWEST_STEP_U,
    THROTTLE_SPAN_UPS,
    Lines,
    Sizes,
    distance_along_u,
    lines_of,
    motion_of,
    place_on,
    point_at,
    steering_to,
    wrapped,
)
from hotlap.policies.line_traffic import (
    LINE_POINTS,
    LOOKS_AHEAD_S,
    MOMENT,
    SLOWEST_PASS_UPS,
    LineOffsets,
    Manners,
)
from hotlap.policies.policy import Array, FloatArray
from hotlap.race.grid import Race
from hotlap.race.senses import NUMBERS_OF_A_CAR, OTHERS_SIZE, SEEN_EACH_WAY, SIGHT_U
from hotlap.race.tick import RACE_RULES_SLOT, race_at
from hotlap.racer.car import clamp
from hotlap.racer.tick import car_at

if TYPE_CHECKING:  # only types, and kernels need not be compiled again when these change
    from hotlap.policies.line_follower import LineFollower
    from hotlap.race.batch import RaceBatch

SLOTS = 2 * SEEN_EACH_WAY
WAYS = 2 + 2 * SLOTS
LOOKS = len(LOOKS_AHEAD_S)
LOOK_EVERY_S = 0.15
SAME_LANE = 0.98
CARS_WORTH_A_THREAD = 64


class Offsets(NamedTuple):
    """`LineOffsets` one track after the other."""

    offset_u: FloatArray
    slope: FloatArray
    way_u: FloatArray


class Roster(NamedTuple):
    """Which cars are driven, what their drivers see of others, and what they do; one element each, or a row."""

    row: NDArray[np.int64]
    others: FloatArray
    """The last `OTHERS_SIZE` numbers of an observation."""
    steer: FloatArray
    throttle: FloatArray
    brake: FloatArray


class Seen(NamedTuple):
    """What the drivers make of the cars they see: `SLOTS` of each."""

    is_there: FloatArray
    gap_u: FloatArray
    left_u: FloatArray
    low_u: FloatArray
    high_u: FloatArray
    closing_ups: FloatArray


class Edges(NamedTuple):
    """How far to either side of its line each car can be on the road: `LOOKS` of each."""

    right_u: FloatArray
    left_u: FloatArray


class Drive(NamedTuple):
    """All that the kernel works on."""

    race: Race
    offsets: Offsets
    lines: Lines
    roster: Roster
    seen: Seen
    edges: Edges
    manners: Manners
    sizes: Sizes


OFFSETS_SLOT = RACE_RULES_SLOT + 1
LINES_SLOT = OFFSETS_SLOT + len(Offsets._fields)
ROSTER_SLOT = LINES_SLOT + len(Lines._fields)
SEEN_SLOT = ROSTER_SLOT + len(Roster._fields)
EDGES_SLOT = SEEN_SLOT + len(Seen._fields)
NUMBERS_SLOT = EDGES_SLOT + len(Edges._fields)


@kernel
def point_of(arc_u: float, length_u: float) -> int:
    """Which point of the table of a line is at an arc."""
    return min(int(arc_u / length_u % 1.0 * LINE_POINTS), LINE_POINTS - 1)


@kernel
def along_line(drive: Drive, track: int, arc_u: float) -> float:
    """How long the line is up to an arc, which may be below 0 or beyond a lap."""
    place = arc_u / drive.lines.track_length_u[track] * LINE_POINTS
    whole = math.floor(place)
    lap = math.floor(whole / LINE_POINTS)
    first = track * (LINE_POINTS + 1)
    point = first + int(whole - lap * LINE_POINTS)
    way = drive.offsets.way_u
    found: float = lap * way[first + LINE_POINTS] + way[point] + (place - whole) * (way[point + 1] - way[point])
    return found


@kernel
def write_seen_car(drive: Drive, number: int, slot: int, own_u: float) -> None:
    """One of the others, along and beside the line."""
    race, row, seen, out = drive.race, drive.roster.row[number], drive.roster.others, number * SLOTS + slot
    rules, track, arc_u = race.rules, race.racer.fleet.track[row], race.racer.fleet.arc_u[row]
    at = number * OTHERS_SIZE + slot * NUMBERS_OF_A_CAR
    there_u = arc_u + seen[at] * SIGHT_U
    point = track * LINE_POINTS + point_of(there_u, drive.lines.track_length_u[track])
    sign = 1.0 if seen[at] > 0.0 else (-1.0 if seen[at] < 0.0 else 0.0)
    along_ups = race.work.along_ups[row] - sign * seen[at + 2] * rules.speed_scale_ups
    across_ups = race.work.across_ups[row] + seen[at + 3] * rules.speed_scale_ups
    gap_u = along_line(drive, track, there_u) - along_line(drive, track, arc_u)
    left_u = own_u + seen[at + 1] * rules.side_scale_u - drive.offsets.offset_u[point]
    drift_ups = across_ups - along_ups * drive.offsets.slope[point]
    near = abs(gap_u) < 4.0 * race.contenders.half_length_u[row]
    later_u = left_u + (drive.manners.foresees_s if near else 0.0) * drift_ups
    drive.seen.is_there[out] = 1.0 if abs(seen[at]) < 1.0 else 0.0
    drive.seen.gap_u[out], drive.seen.left_u[out] = gap_u, left_u
    drive.seen.low_u[out], drive.seen.high_u[out] = min(left_u, later_u), max(left_u, later_u)
    drive.seen.closing_ups[out] = seen[at + 2] * rules.speed_scale_ups


@kernel
def write_edges(drive: Drive, number: int) -> None:
    """How far the road goes to either side of the line, now and some times ahead."""
    row, fleet, tables = drive.roster.row[number], drive.race.racer.fleet, drive.race.racer.tables
    track = fleet.track[row]
    length_u = drive.lines.track_length_u[track]
    for look in range(LOOKS):
        ahead_u = fleet.arc_u[row] + fleet.speed_ups[row] * (look * LOOK_EVERY_S)
        line_u = drive.offsets.offset_u[track * LINE_POINTS + point_of(ahead_u, length_u)]
        spot = int(ahead_u / tables.length_u[track] % 1.0 * tables.coarse_count[track])
        half_u = tables.coarse_half_width_u[tables.coarse_first[track] + spot]
        room_u = max(half_u - drive.manners.edge_u, 0.0)
        drive.edges.right_u[number * LOOKS + look] = min(-room_u - line_u, 0.0)
        drive.edges.left_u[number * LOOKS + look] = max(room_u - line_u, 0.0)


@kernel
def lasts_s(drive: Drive, number: int, way_u: float) -> float:
    """For how long a way stays on the road."""
    for look in range(LOOKS):
        at = number * LOOKS + look
        if way_u < drive.edges.right_u[at] or way_u > drive.edges.left_u[at]:
            return look * LOOK_EVERY_S
    return math.inf


@kernel
def nearest_on_road(drive: Drive, number: int, way_u: float, looks: int) -> float:
    """The nearest to a way that is on the road for so many looks ahead."""
    right_u, left_u = -math.inf, math.inf
    for look in range(looks):
        right_u = max(right_u, drive.edges.right_u[number * LOOKS + look])
        left_u = min(left_u, drive.edges.left_u[number * LOOKS + look])
    return min(max(way_u, right_u), left_u)


@kernel
def is_in_sight(drive: Drive, at: int) -> bool:
    """Whether a car is ahead, in sight and no faster."""
    seen = drive.seen
    in_sight = seen.is_there[at] != 0.0 and seen.gap_u[at] >= 0.0 and seen.gap_u[at] < drive.manners.notices_u
    return bool(in_sight and seen.closing_ups[at] > -1.0)


@kernel
def is_blocked(drive: Drive, number: int, way_u: float, own_u: float, length_u: float) -> bool:
    """Whether a way is too near to that of a car ahead or alongside, or leads through one alongside."""
    seen, manners = drive.seen, drive.manners
    for slot in range(SLOTS):
        at = number * SLOTS + slot
        near = seen.is_there[at] != 0.0 and abs(seen.gap_u[at]) < manners.beside_lengths * length_u
        apart_u = max(seen.low_u[at] - way_u, way_u - seen.high_u[at])
        if (near or is_in_sight(drive, at)) and apart_u < SAME_LANE * manners.room_u:
            return True
        own_apart_u, moves_u = seen.left_u[at] - own_u, way_u - own_u
        if near and own_apart_u * moves_u > 0.0 and abs(own_apart_u) < abs(moves_u):
            return True
    return False


@kernel
def passing_s(drive: Drive, number: int, length_u: float) -> float:
    """How long it takes to get past the nearest car ahead, and past those alongside."""
    seen, beside_u = drive.seen, drive.manners.beside_lengths * length_u
    first_u, longest_s = math.inf, 0.0
    for slot in range(SLOTS):
        at = number * SLOTS + slot
        if is_in_sight(drive, at):
            first_u = min(first_u, seen.gap_u[at])
    for slot in range(SLOTS):
        at = number * SLOTS + slot
        if is_in_sight(drive, at) and seen.gap_u[at] <= max(first_u, beside_u):
            onward_ups = max(seen.closing_ups[at], SLOWEST_PASS_UPS)
            longest_s = max(longest_s, (seen.gap_u[at] + beside_u) / onward_ups)
    return longest_s


@kernel
def way_number(drive: Drive, number: int, way: int, own_u: float) -> float:
    """The ways that a driver thinks of: its line, where it is, and past everybody on either side."""
    if way == 0:
        return 0.0
    if way == 1:
        return own_u
    if way < 2 + SLOTS:
        return float(drive.seen.high_u[number * SLOTS + way - 2] + drive.manners.room_u)
    return float(drive.seen.low_u[number * SLOTS + way - 2 - SLOTS] - drive.manners.room_u)


@kernel
def best_way(drive: Drive, number: int, own_u: float, length_u: float) -> tuple[float, bool]:
    """The free way that costs least, and whether there is any; where the car is if not."""
    least, best_u = math.inf, own_u
    needed_s = passing_s(drive, number, length_u)
    for way in range(WAYS):
        way_u = way_number(drive, number, way, own_u)
        cost = abs(way_u) + 0.5 * abs(way_u - own_u)
        if cost >= least or lasts_s(drive, number, way_u) <= needed_s:
            continue
        if not is_blocked(drive, number, way_u, own_u, length_u):
            least, best_u = cost, way_u
    return best_u, least < math.inf


@kernel
def most_speed_on(drive: Drive, number: int, own_u: float, aside_u: float, ends_u: float) -> float:
    """How fast a car may be on its way, to slow down in time behind whoever is there."""
    race, row, seen, manners = drive.race, drive.roster.row[number], drive.seen, drive.manners
    speed_ups, along_ups = race.racer.fleet.speed_ups[row], race.work.along_ups[row]
    width_u, length_u = 2.0 * race.contenders.half_width_u[row], 2.0 * race.contenders.half_length_u[row]
    lane_u, right_u, left_u = 0.8 * manners.room_u, min(aside_u, ends_u), max(aside_u, ends_u)
    most = math.inf
    for slot in range(SLOTS):
        at = number * SLOTS + slot
        if seen.is_there[at] == 0.0 or seen.gap_u[at] <= 0.0:
            continue
        apart_u = abs(seen.left_u[at] - own_u)
        will_be = max(seen.low_u[at] - left_u, right_u - seen.high_u[at]) < lane_u
        is_now = apart_u < (1.2 * width_u if seen.gap_u[at] < 1.2 * length_u else lane_u)
        if not (will_be or is_now):
            continue
        keeps_u = manners.keeps_u if will_be else manners.clears_u
        room_u = seen.gap_u[at] - length_u - keeps_u
        theirs_ups = speed_ups - seen.closing_ups[at] * speed_ups / max(along_ups, 0.5 * speed_ups + 1e-9)
        faster_ups = math.sqrt(2.0 * manners.braking_ups2 * max(room_u, 0.0))
        allowed = max(theirs_ups + (faster_ups if room_u > 0.0 else manners.yields_per_s * room_u), 0.0)
        most = min(most, allowed)
    return most


@kernel
def point_beside(drive: Drive, track: int, distance_u: float, aside_u: float) -> tuple[float, float]:
    """The spot so far to the left of a line at a distance along it."""
    x, y = point_at(drive.lines, drive.sizes, track, distance_u)
    ahead_x, ahead_y = point_at(drive.lines, drive.sizes, track, distance_u + 1.0)
    along = max(math.hypot(ahead_x - x, ahead_y - y), 1e-9)
    return x - aside_u * (ahead_y - y) / along, y + aside_u * (ahead_x - x) / along


@kernel
def steer_beside(drive: Drive, row: int, here_u: float, aside_u: float) -> float:
    """Steer for a spot some ticks ahead, so far to the left of the line; farther ahead when that is far to the side."""
    racer, lines = drive.race.racer, drive.lines
    car, track = car_at(racer.fleet, row), racer.fleet.track[row]
    line_x, line_y = point_beside(drive, track, here_u, aside_u)
    gap_u = math.hypot(line_x - car.x_u, line_y - car.y_u)
    step_u = car.speed_ups * racer.physics.tick_s
    look_u = step_u + lines.look_ticks[track] * max(step_u, SLOWEST_STEP_U)
    look_u += LOOK_PER_GAP * max(gap_u - NEAR_THE_LINE_U, 0.0)
    aim_x, aim_y = point_beside(drive, track, here_u + look_u, aside_u)
    motion_rad = motion_of(car)
    off_rad = wrapped(math.atan2(aim_y - car.y_u, aim_x - car.x_u) - motion_rad)
    return steering_to(car, motion_rad + lines.gain[track] * off_rad, racer.physics)


@kernel
def drive_one(drive: Drive, number: int) -> None:
    """What one driver does now."""
    race, roster, lines, sizes = drive.race, drive.roster, drive.lines, drive.sizes
    row, fleet = roster.row[number], race.racer.fleet
    track, speed_ups = fleet.track[row], fleet.speed_ups[row]
    length_u = 2.0 * race.contenders.half_length_u[row]
    offset_u = race.work.offset_u[row]
    point = point_of(fleet.arc_u[row], lines.track_length_u[track])
    own_u = offset_u - drive.offsets.offset_u[track * LINE_POINTS + point]
    for slot in range(SLOTS):
        write_seen_car(drive, number, slot, offset_u)
    write_edges(drive, number)

    wanted_u, has_way = best_way(drive, number, own_u, length_u)
    aside_u = nearest_on_road(drive, number, wanted_u, MOMENT)
    ends_u = wanted_u if has_way else nearest_on_road(drive, number, wanted_u, LOOKS)

    here_u = distance_along_u(lines, sizes, track, fleet.arc_u[row])
    roster.steer[number] = steer_beside(drive, row, here_u, aside_u)
    feet_at = min(int(place_on(lines, sizes, track, here_u + speed_ups * FEET_LEAD_S)), int(sizes.points) - 1)
    limit_ups = lines.speed_limit_ups[track * int(sizes.points) + feet_at]
    limit_ups = min(limit_ups, most_speed_on(drive, number, own_u, aside_u, ends_u))
    roster.throttle[number] = clamp((limit_ups - speed_ups) / THROTTLE_SPAN_UPS, 0.0, 1.0)
    roster.brake[number] = clamp((speed_ups - limit_ups) / BRAKE_SPAN_UPS, 0.0, 1.0)


@kernel
def drive_some(drive: Drive, first: int, last: int) -> None:
    """The drivers from `first` up to `last`."""
    for number in range(first, last):
        drive_one(drive, number)


def drive_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`drive_some` over an address table."""
    drive = Drive(
        race=race_at(addresses),
        offsets=arrays_at(addresses, OFFSETS_SLOT, Offsets),
        lines=arrays_at(addresses, LINES_SLOT, Lines),
        roster=arrays_at(addresses, ROSTER_SLOT, Roster),
        seen=arrays_at(addresses, SEEN_SLOT, Seen),
        edges=arrays_at(addresses, EDGES_SLOT, Edges),
        manners=numbers_at(addresses, NUMBERS_SLOT, Manners),
        sizes=numbers_at(addresses, NUMBERS_SLOT + 1, Sizes),
    )
    drive_some(drive, first, last)


@cache
def _compiled() -> Entry:
    return native_entry(drive_entry)


class TrafficKernel:
    """Line drivers of some rows of a race, who follow the lines of its tracks."""

    def __init__(self, race: "RaceBatch", rows: Array, follower: "LineFollower", offsets: LineOffsets) -> None:
        self.rows, self.race, count = rows.copy(), race, len(rows)
        self.roster = zeros(Roster, count, others=OTHERS_SIZE)
        self.roster.row[:] = rows
        tables = follower.tables
        lines = lines_of(follower, np.array([track.length_u for track in race.tracks]))
        sizes = Sizes(tables.x_u.shape[1], tables.distance_at_arc_u.shape[1] - 1)
        self._manners = np.zeros(len(Manners._fields))
        self._groups = (
            *race.groups,
            Offsets(offsets.offset_u.ravel(), offsets.slope.ravel(), offsets.way_u.ravel()),
            lines,
            self.roster,
            zeros(Seen, count * SLOTS),
            zeros(Edges, count * LOOKS),
            (self._manners, np.array(sizes, np.float64)),
        )
        self._table = address_table(*self._groups)  # type: ignore[arg-type]
        self._cores = AllCores(_compiled(), None, CARS_WORTH_A_THREAD)

    def act(self, observation: Array, manners: Manners) -> Array:
        """The actions (n, 3) of all of them for what they see."""
        self._manners[:] = manners
        self.roster.others[:] = observation[:, -OTHERS_SIZE:].ravel()
        self._cores.call(int(self._table.ctypes.data), len(self.rows), 0)
        return np.column_stack(self.roster[2:])
