"""Which lane a driver of a car with grip takes among others, how far aside of it, and how fast it may be.

Cars side by side share the line of a row: two drive the fastest line of a car as wide as both, one on either side of
it, so they stay apart and on the road through every bend. Who is behind keeps the time that two cars need apart where
they will be slowest.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hotlap.policies.grip_lanes import FIRST_OF, LEFT_OF_TWO, RIGHT_OF_TWO, ROOM_M, LaneTables, at_arc
from hotlap.policies.policy import Array, FloatArray
from hotlap.policies.steady_envelope import FASTEST_MPS, SPEEDS
from hotlap.race.senses import NUMBERS_OF_A_CAR, OTHERS_SIZE, SEEN_EACH_WAY, SIGHT_U

if TYPE_CHECKING:  # only types, and kernels need not be compiled again when these change
    from hotlap.race.batch import RaceBatch

BESIDE_LENGTHS = 1.5
"""Cars no further ahead or behind, in lengths of a car, make room for each other."""
BESIDE_S = 0.5
"""And those that will be there so soon."""
ASIDE_M = 1.2
"""Who is less far aside is behind, not beside."""
COLUMN_M = 1.6
"""Two on one side who are further apart are side by side themselves."""
EDGE_M = 0.8
"""The middle of a car that makes room stays so far from the edges."""
CLOSES_PER_S = 0.6
"""How soon a gap that is too large or too small is closed: the share of the pace for each second of it."""
SLOWEST_MPS = 6.0
"""Nobody reckons with gaps in time at less."""
NOTICES_S, NOTICES_M = 3.0, 12.0
"""A driver sets out to pass whom it reaches so soon, or who is so near."""
FASTER_BY = 0.02
"""A lane is worth taking where its pace is so much above that of the car ahead."""
FEET_S = 0.08
"""How far ahead drivers read the speed, as alone on the road."""
LOOKS_S = np.arange(0.0, 1.6, 0.3)
"""When a lane must be faster, and on the road."""
HOLD_PER_S2 = 4.0
"""The side force that the driver asks for, for each metre that it is off its line, over the mass."""
GRIP_SHARE = 0.9
"""Of its side grip a driver uses in all while it changes lanes."""
LEAST_SWERVE_M, MOST_SWERVE_M = 0.25, 3.0
"""How far aside of where it is a driver steers, whatever grip is left."""
REACH_M = 0.6
"""Who is so much further from a lane than it may steer aside still changes to it."""
EDGE_LOOKS_S = np.array([0.0, 0.3, 0.6, 0.9])
"""When it must still be on the road."""
CREEPS_MPS = 4.0
"""How fast it goes at least where nobody is straight ahead: from rest a car gets around another only by moving."""


class Manners(NamedTuple):
    """How a driver treats others."""

    room_m: float = ROOM_M
    """Between the middles of two in a row."""
    clear_m: float = 2.15
    """Cars this far aside of each other pass without touching."""
    meets_m: float = 1.7
    """Who will be less far aside when it is reached is in the way: it makes room, too."""
    touches_m: float = 1.95
    """Cars side by side that are nearer touch soon: the one behind falls back."""
    wanted_m: float = 2.5
    """What it keeps from those beside it."""
    kept_m: float = 2.0
    """Between bumpers, where the car ahead is slowest."""
    braking_mps2: float = 15.0
    """How hard it plans to brake behind others."""
    foresees_s: float = 0.0
    """How far ahead it reckons with where others move sideways, before they touch."""


USUAL_MANNERS = Manners()


class Seen(NamedTuple):
    """The drivers' own place, (n, 1), and that of those they see, (n, slots)."""

    track: Array
    arc_m: FloatArray
    offset_m: FloatArray
    speed_mps: FloatArray
    accel_mps2: FloatArray
    """Gained a second, below 0 on the brakes."""
    length_m: FloatArray
    """Of a car."""
    is_there: Array
    gap_m: FloatArray
    """Along the road, below 0 behind."""
    beside_m: FloatArray
    """To the left of the driver, for two that follow the line of one car side by side."""
    drift_mps: FloatArray
    """To the left, against the driver."""
    closing_mps: FloatArray
    pace: FloatArray
    """Its speed as a share of what the driver plans where the other is."""
    lane_offset_m: FloatArray
    """Of the other, to the left of the line of one car."""


class Choice(NamedTuple):
    """What drivers do, (n,) each."""

    lane: Array
    aside_m: FloatArray
    most_mps: FloatArray


def seen_cars(observation: Array, race: "RaceBatch", rows: Array, tables: LaneTables) -> Seen:
    """What the last numbers of the observations (n, size) say."""
    seen = np.asarray(observation[:, -OTHERS_SIZE:], np.float64).reshape(-1, 2 * SEEN_EACH_WAY, NUMBERS_OF_A_CAR)
    track, arc_m = race.fleet.track[rows][:, None], race.fleet.arc_u[rows][:, None]
    offset_m, along_mps = race.work.offset_u[rows][:, None], race.work.along_ups[rows][:, None]
    gap_m, sign = seen[:, :, 0] * SIGHT_U, np.sign(seen[:, :, 0])
    closing_mps = seen[:, :, 2] * race.rules.speed_scale_ups
    there_m, other_m = arc_m + gap_m, offset_m + seen[:, :, 1] * race.rules.side_scale_u
    lane_offset_m = other_m - at_arc(tables.offset_m, tables, track, 0, there_m)
    own_m = offset_m - at_arc(tables.offset_m, tables, track, 0, arc_m)
    return Seen(
        track=track,
        arc_m=arc_m,
        offset_m=offset_m,
        speed_mps=np.maximum(race.fleet.speed_ups[rows][:, None], 0.1),
        accel_mps2=race.fleet.accel_ups2[rows][:, None],
        length_m=2.0 * race.contenders.half_length_u[rows][:, None],
        is_there=np.abs(seen[:, :, 0]) < 1.0,
        gap_m=gap_m,
        beside_m=lane_offset_m - own_m,
        drift_mps=seen[:, :, 3] * race.rules.speed_scale_ups,
        closing_mps=closing_mps,
        pace=np.maximum(along_mps - sign * closing_mps, 0.0) / at_arc(tables.speed_mps, tables, track, 0, there_m),
        lane_offset_m=lane_offset_m,
    )


def choose(seen: Seen, tables: LaneTables, manners: Manners = USUAL_MANNERS) -> Choice:
    """What every driver does."""
    beside, swerve_m = is_beside(seen), _swerve(seen, tables)
    lane, passes = _lanes(seen, beside, swerve_m, tables)
    side = _sides(seen, lane, passes)
    aside_m = _aside(seen, beside | _is_slot(seen, passes), lane, side, tables, manners)
    most_mps = _most_speed(seen, lane, aside_m, side, tables, manners)
    own_m = (seen.offset_m - at_arc(tables.offset_m, tables, seen.track, lane[:, None], seen.arc_m))[:, 0]
    return Choice(lane, np.clip(aside_m, own_m - swerve_m, own_m + swerve_m), most_mps)


def is_beside(seen: Seen) -> Array:
    """Who is alongside, or about to be: both make room."""
    reach_m = BESIDE_LENGTHS * seen.length_m + BESIDE_S * np.maximum(seen.closing_mps, 0.0)
    near = seen.is_there & (np.abs(seen.gap_m) < reach_m)
    return np.asarray(near & ((np.abs(seen.beside_m) > ASIDE_M) | (np.abs(seen.gap_m) < seen.length_m)))


def _lanes(seen: Seen, beside: Array, swerve_m: FloatArray, tables: LaneTables) -> tuple[Array, Array]:
    """The lane of every driver (n,), and the slot of the car ahead that it sets out to pass; -1 for none."""
    left, right = (_columns(seen, beside & (side * seen.beside_m > 0.0)) for side in (1.0, -1.0))
    count = np.minimum(1 + left + right, 3)
    place = np.where(left == 0, count - 1, np.where(right == 0, 0, 1))
    lane = np.asarray(FIRST_OF)[count] + place
    alone = count == 1
    passing, passed = _way_past(seen, swerve_m, tables)
    back = _way_back(seen, swerve_m, tables)
    return np.where(alone, np.where(passed < 0, back, passing), lane), np.where(alone, passed, -1)


def _way_back(seen: Seen, swerve_m: FloatArray, tables: LaneTables) -> Array:
    """The lane of one car where it is within reach, else the nearest that is."""
    lanes = np.arange(LEFT_OF_TWO + 1)
    apart_m = np.abs(seen.offset_m - at_arc(tables.offset_m, tables, seen.track, lanes, seen.arc_m))
    return np.where(apart_m[:, 0] < swerve_m + REACH_M, 0, np.argmin(apart_m, axis=1))


def _is_slot(seen: Seen, slot: Array) -> Array:
    """The chosen slot of each driver, (n, slots)."""
    return np.asarray(np.arange(seen.gap_m.shape[1]) == slot[:, None])


def _sides(seen: Seen, lane: Array, passes: Array) -> FloatArray:
    """On which side of the others each drives: 1 left of them, -1 right."""
    chosen = np.where(lane == LEFT_OF_TWO, 1.0, -1.0)[:, None]
    return np.where(_is_slot(seen, passes), chosen, -np.sign(seen.beside_m))


def _columns(seen: Seen, chosen: Array) -> Array:
    """How many abreast some cars are, (n,): none, one or two."""
    least = np.where(chosen, seen.beside_m, np.inf).min(axis=1)
    most = np.where(chosen, seen.beside_m, -np.inf).max(axis=1)
    return np.where(chosen.any(axis=1), np.where(most - least > COLUMN_M, 2, 1), 0)


def _way_past(seen: Seen, swerve_m: FloatArray, tables: LaneTables) -> tuple[Array, Array]:
    """The lane that leads past the next car ahead, where it is slower and there is room; else the lane of one car."""
    speed_mps = seen.speed_mps
    notices_m = seen.length_m + NOTICES_M + NOTICES_S * np.maximum(seen.closing_mps, 0.0)
    ahead = seen.is_there & (seen.gap_m > 0.0) & (seen.gap_m < notices_m)
    gap_m = np.where(ahead, seen.gap_m, np.inf)
    next_one = np.argmin(gap_m, axis=1)[:, None]
    is_slower = np.take_along_axis(ahead & (seen.closing_mps > -0.5) & (seen.pace < 1.0), next_one, axis=1)
    closing_mps = np.maximum(np.take_along_axis(seen.closing_mps, next_one, axis=1), 3.0)
    gap_m = np.take_along_axis(seen.gap_m, next_one, axis=1)
    meets_s = np.clip((gap_m - seen.length_m) / closing_mps, 0.3, 2.0)
    meets_m = seen.arc_m + speed_mps * meets_s
    line_m = at_arc(tables.offset_m, tables, seen.track, 0, meets_m)
    counts = ahead & (seen.gap_m < gap_m + 15.0)
    best, least = np.zeros(len(speed_mps), np.intp), np.full(len(speed_mps), 0.9)
    pace = np.take_along_axis(seen.pace, next_one, axis=1)[:, 0]
    beside_m = np.take_along_axis(seen.beside_m, next_one, axis=1)[:, 0]
    for lane, side in ((RIGHT_OF_TWO, -1.0), (LEFT_OF_TWO, 1.0)):
        lane_m = at_arc(tables.offset_m, tables, seen.track, lane, meets_m)
        apart_m = np.where(counts, side * (lane_m - line_m - seen.lane_offset_m), np.inf).min(axis=1)
        room_m = apart_m - 0.4 * side * beside_m
        worth = _is_worth(seen, lane, pace, tables) & (apart_m > 0.9) & is_slower[:, 0] & (room_m > least)
        worth &= (side * beside_m < ASIDE_M) & _is_in_reach(seen, lane, swerve_m, tables)
        best, least = np.where(worth, lane, best), np.where(worth, room_m, least)
    return best, np.where(best > 0, next_one[:, 0], -1)


def _is_in_reach(seen: Seen, lane: int, swerve_m: FloatArray, tables: LaneTables) -> Array:
    """Whether a driver can change to a lane now."""
    apart_m = np.abs(seen.offset_m - at_arc(tables.offset_m, tables, seen.track, lane, seen.arc_m))[:, 0]
    return np.asarray(apart_m < swerve_m + REACH_M)


def _is_worth(seen: Seen, lane: int, pace: FloatArray, tables: LaneTables) -> Array:
    """Whether a lane is on the road and faster than the car ahead for a while, and not too slow to change to now."""
    ahead_m = seen.arc_m + seen.speed_mps * LOOKS_S
    alone_mps, lane_mps = (at_arc(tables.speed_mps, tables, seen.track, each, ahead_m) for each in (0, lane))
    on_road = at_arc(tables.is_road, tables, seen.track, lane, ahead_m).all(axis=1)
    can_change = seen.speed_mps[:, 0] < 1.03 * lane_mps[:, 0]
    return np.asarray(on_road & can_change & ((lane_mps / alone_mps).min(axis=1) > pace + FASTER_BY))


def _aside(
    seen: Seen, counts: Array, lane: Array, side: FloatArray, tables: LaneTables, manners: Manners
) -> FloatArray:
    """Where each drives, to the left of its lane: clear of those that count, on the road for the next moments."""
    lane_m = at_arc(tables.offset_m, tables, seen.track, lane[:, None], seen.arc_m)[:, 0]
    other_m = seen.offset_m + seen.beside_m + 0.15 * seen.drift_mps - lane_m[:, None]
    low_m = np.where(counts & (side > 0.0), other_m + manners.wanted_m, -np.inf).max(axis=1)
    high_m = np.where(counts & (side < 0.0), other_m - manners.wanted_m, np.inf).min(axis=1)
    both = low_m > high_m
    middle_m = 0.5 * (np.where(both, low_m, 0.0) + np.where(both, high_m, 0.0))
    aside_m = np.where(both, middle_m, np.clip(0.0, low_m, high_m))
    ahead_m = seen.arc_m + seen.speed_mps * EDGE_LOOKS_S
    edge_m = at_arc(tables.half_width_m, tables, seen.track, 0, ahead_m) - EDGE_M
    lanes_m = at_arc(tables.offset_m, tables, seen.track, lane[:, None], ahead_m)
    right_m = np.minimum(-edge_m - lanes_m, 0.0).max(axis=1)
    left_m = np.maximum(edge_m - lanes_m, 0.0).min(axis=1)
    return np.clip(aside_m, right_m, left_m)


def _most_speed(
    seen: Seen, lane: Array, aside_m: FloatArray, side: FloatArray, tables: LaneTables, manners: Manners
) -> FloatArray:
    """How fast each may be behind those ahead: they come to be as far apart in time as their slowest spot needs."""
    speed_mps, length_m = seen.speed_mps, seen.length_m
    feet_m = seen.arc_m + FEET_S * speed_mps
    kept_s = (length_m + manners.kept_m) / np.maximum(
        at_arc(tables.slowest_mps, tables, seen.track, 0, feet_m) * np.minimum(seen.pace, 1.0), SLOWEST_MPS
    )
    apart_s = seen.gap_m / np.maximum(speed_mps, SLOWEST_MPS)
    pace = np.maximum(seen.pace + CLOSES_PER_S * (apart_s - kept_s), 0.0)
    theirs_mps = np.maximum(speed_mps - seen.closing_mps, 0.0)
    room_m = np.maximum(seen.gap_m - length_m - manners.kept_m, 0.0)
    braking_mps = np.sqrt(theirs_mps**2 + 2.0 * manners.braking_mps2 * room_m)
    allowed_mps = np.minimum(pace * at_arc(tables.speed_mps, tables, seen.track, 0, feet_m), braking_mps)
    allowed_mps = np.maximum(allowed_mps, np.where(np.abs(seen.beside_m) > manners.clear_m, CREEPS_MPS, 0.0))
    in_the_way = _in_the_way(seen, lane, aside_m, side, tables, manners)
    return np.asarray(np.where(in_the_way, allowed_mps, np.inf).min(axis=1))


def _in_the_way(
    seen: Seen, lane: Array, aside_m: FloatArray, side: FloatArray, tables: LaneTables, manners: Manners
) -> Array:
    """Who ahead is where the driver is, or where it will be when it gets there."""
    meets_s = np.clip((seen.gap_m - seen.length_m) / np.maximum(seen.closing_mps, 3.0), 0.0, 1.5)
    meets_m = seen.arc_m + seen.speed_mps * meets_s
    lane_m, line_m = (at_arc(tables.offset_m, tables, seen.track, each, meets_m) for each in (lane[:, None], 0))
    will_be = side * (lane_m + aside_m[:, None] - line_m - seen.lane_offset_m) < manners.meets_m
    overlaps = seen.gap_m < seen.length_m
    now_m = -side * seen.beside_m
    soon_m = np.minimum(now_m, now_m - side * manners.foresees_s * seen.drift_mps)
    is_now = soon_m < np.where(overlaps, manners.touches_m, manners.clear_m)
    return np.asarray(seen.is_there & (seen.gap_m > 0.0) & (is_now | (will_be & ~overlaps)))


def _swerve(seen: Seen, tables: LaneTables) -> FloatArray:
    """How far aside of where it is each may steer: what the bend and the pedals leave of the grip."""
    speed_mps, arc_m = seen.speed_mps[:, 0], seen.arc_m[:, 0]
    grip = np.interp(speed_mps, np.linspace(0.0, FASTEST_MPS, SPEEDS), tables.side_grip_mps2)
    bend = speed_mps**2 * np.abs(at_arc(tables.curvature_per_m, tables, seen.track[:, 0], 0, arc_m))
    side = np.sqrt(np.maximum(grip**2 - seen.accel_mps2[:, 0] ** 2, 0.0))
    return np.clip((GRIP_SHARE * side - bend) / HOLD_PER_S2, LEAST_SWERVE_M, MOST_SWERVE_M)
