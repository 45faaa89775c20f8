"""The road: limits of its lanes, the path of a lane change across it, who is in which lane."""

import math
from typing import NamedTuple

from hotlap.highway.fleet import ABSENT_X_M, NOBODY, Rules, Vehicles
from hotlap.highway.physics import CHANGE_LENGTHS, CHANGE_ROAD_M, CHANGE_S, FREE_GAP_M, LANE_WIDTH_M
from hotlap.kernel import kernel


class Neighbours(NamedTuple):
    """The next vehicles in a lane, as elements of the vehicles, or NOBODY."""

    ahead: int
    behind: int


@kernel
def clamp(value: float, low: float, high: float) -> float:
    """The value, or the bound it is beyond."""
    return min(max(value, low), high)


@kernel
def fraction(value: float) -> float:
    """What follows the point of a number that is not negative; exact, and no function that a browser lacks."""
    return value - int(value)


@kernel
def lane_limit_mps(lane: int, rules: Rules) -> float:
    """The speed limit of a lane: evenly from the leftmost to the rightmost, whose limit holds on the shoulder."""
    across = min(lane, rules.lanes - 1.0)
    return rules.limit_left_mps + (rules.limit_right_mps - rules.limit_left_mps) * across / (rules.lanes - 1.0)


@kernel
def shift(progress: float) -> float:
    """How far across a lane change is, 0 to 1: begins and ends without sideways speed or acceleration."""
    return progress * progress * progress * (10.0 - 15.0 * progress + 6.0 * progress * progress)


@kernel
def shift_rate(progress: float) -> float:
    """The slope of `shift`."""
    rest = 1.0 - progress
    return 30.0 * progress * progress * rest * rest


@kernel
def pace_of_change_per_s(speed_mps: float, length_m: float) -> float:
    """The share of a lane change done in a second: three seconds in all, longer for the slow and the long."""
    return min(1.0 / CHANGE_S, speed_mps / (CHANGE_ROAD_M + CHANGE_LENGTHS * length_m))


@kernel
def lane_position(vehicles: Vehicles, i: int) -> float:
    """Where a vehicle is across the road, in lanes: 0 is the middle of the leftmost."""
    lane = vehicles.lane[i]
    return float(lane + (vehicles.target_lane[i] - lane) * shift(vehicles.progress[i]))


@kernel
def heading_rad(vehicles: Vehicles, i: int, rate_per_s: float) -> float:
    """Which way a vehicle points against the road, to the right positive, at a pace of its lane change."""
    sideways = (vehicles.target_lane[i] - vehicles.lane[i]) * LANE_WIDTH_M * shift_rate(vehicles.progress[i])
    return math.atan2(sideways * rate_per_s, max(vehicles.speed_mps[i], 0.1))


@kernel
def is_in_lane(vehicles: Vehicles, i: int, lane: int) -> bool:
    """Whether a vehicle is in a lane, or on its way into or out of it."""
    return (vehicles.lane[i] == lane) | (vehicles.target_lane[i] == lane)


@kernel
def gap_m(vehicles: Vehicles, rear: int, front: int) -> float:
    """Bumper to bumper; a free road when there is nobody."""
    if front < 0 or rear < 0:
        return FREE_GAP_M
    between = vehicles.x_m[front] - vehicles.x_m[rear]
    return float(between - 0.5 * (vehicles.length_m[front] + vehicles.length_m[rear]))


@kernel
def nearest_ahead(vehicles: Vehicles, first: int, slots: int, me: int, lane: int, with_ego: bool) -> int:
    """The next vehicle in a lane ahead of a vehicle, or NOBODY; `first` is the road's first element."""
    found, nearest = NOBODY, math.inf
    x = vehicles.x_m[me]
    for i in range(first if with_ego else first + 1, first + slots):
        ahead = vehicles.x_m[i] - x
        if is_in_lane(vehicles, i, lane) and (ahead > 0.0 or (ahead == 0.0 and i > me)) and ahead < nearest:
            found, nearest = i, ahead
    return found


@kernel
def nearest_behind(vehicles: Vehicles, first: int, slots: int, me: int, lane: int, with_ego: bool) -> int:
    """The next vehicle in a lane behind a vehicle, or NOBODY."""
    found, nearest = NOBODY, -ABSENT_X_M / 2.0
    x = vehicles.x_m[me]
    for i in range(first if with_ego else first + 1, first + slots):
        behind = x - vehicles.x_m[i]
        if is_in_lane(vehicles, i, lane) and (behind > 0.0 or (behind == 0.0 and i < me)) and behind < nearest:
            found, nearest = i, behind
    return found


@kernel
def neighbours(vehicles: Vehicles, first: int, slots: int, me: int, lane: int, with_ego: bool) -> Neighbours:
    """The next vehicles in a lane ahead of and behind a vehicle, in one go."""
    ahead, behind = NOBODY, NOBODY
    nearest_front, nearest_rear = math.inf, -ABSENT_X_M / 2.0
    x = vehicles.x_m[me]
    for i in range(first if with_ego else first + 1, first + slots):
        if is_in_lane(vehicles, i, lane):
            away = vehicles.x_m[i] - x
            if away > 0.0 or (away == 0.0 and i > me):
                if away < nearest_front:
                    ahead, nearest_front = i, away
            elif i != me and -away < nearest_rear:
                behind, nearest_rear = i, -away
    return Neighbours(ahead=ahead, behind=behind)


@kernel
def sort_order(vehicles: Vehicles, first: int, slots: int) -> None:
    """Put the slots of a road in order from front to back; they hardly change from tick to tick."""
    for k in range(1, slots):
        slot = vehicles.order[first + k]
        x = vehicles.x_m[first + slot]
        place = k
        while place > 0 and vehicles.x_m[first + vehicles.order[first + place - 1]] < x:
            vehicles.order[first + place] = vehicles.order[first + place - 1]
            place -= 1
        vehicles.order[first + place] = slot
