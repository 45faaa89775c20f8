"""The supervisor: rules that turn any action into a safe one, and say so.

Lengthwise it lets the ego accelerate only as far as it can still stop behind whatever is ahead in its lanes, however
hard that brakes: `hotlap.highway.distances` says why that is enough. Sideways it lets the ego into a lane only where
the gaps ahead and behind are safe with a response time to spare, and nobody else is entering it there. Since a vehicle
counts as being in both lanes while it changes, whoever is let in stays safe, and turning back is safe too.
"""

from typing import NamedTuple

from hotlap.highway.distances import ego_stopping_m, is_safe, is_safe_after, moved_m, stopping_m
from hotlap.highway.fleet import Rules, Vehicles
from hotlap.highway.physics import (
    BRAKE_JERK_MPS3,
    COMFORT_BRAKE_MPS2,
    HARD_BRAKE_MPS2,
    TICK_S,
)
from hotlap.highway.road import gap_m, lane_limit_mps, nearest_behind, neighbours
from hotlap.kernel import kernel

RULE_NAMES = ("range", "edge", "occupied", "closing", "abort", "distance", "emergency", "speed_limit", "minimal_risk")
RANGE, EDGE, OCCUPIED, CLOSING, ABORT, DISTANCE, EMERGENCY, SPEED_LIMIT, MINIMAL_RISK = range(9)
"""In the order of the counts: a value out of its range; no lane there; no safe gap there; somebody approaches it too
fast or is entering it too; a change that became unsafe; too close; so close that it must brake hard; too fast; a
driver that failed, in whose place the supervisor stops on the shoulder."""

RESPONSE_S = 0.5
"""What others are given to notice the ego coming in, on top of the distance their brakes need."""
OVER_LIMIT_MPS = 0.5
"""So much over the limit nobody minds."""
SLOWING_MPS2 = 1.5
WORTH_SAYING_MPS2 = 0.3
"""A smaller difference to what was asked for counts as nothing."""
HALVINGS = 5


class SupervisedAccel(NamedTuple):
    """An acceleration that may be used, and the rule that made it another than was asked for, or -1."""

    accel_mps2: float
    rule: int


@kernel
def keeps_distance(speed_mps: float, accel_mps2: float, gap: float, front_speed_mps: float) -> bool:
    """Whether the ego's gap is safe after a tick at an acceleration."""
    way = moved_m(speed_mps, accel_mps2)
    after = max(speed_mps + accel_mps2 * TICK_S, 0.0)
    return is_safe_after(gap, front_speed_mps, way, ego_stopping_m(after, accel_mps2))


@kernel
def keep_distance(vehicles: Vehicles, ego: int, front: int, accel_mps2: float) -> float:
    """The most acceleration up to the given one that keeps the gap to a vehicle ahead safe."""
    if front < 0:
        return accel_mps2
    speed, gap, front_speed = vehicles.speed_mps[ego], gap_m(vehicles, ego, front), vehicles.speed_mps[front]
    if keeps_distance(speed, accel_mps2, gap, front_speed):
        return accel_mps2
    # Braking as hard as possible is always safe; look for something gentler.
    safe = max(vehicles.accel_mps2[ego] - BRAKE_JERK_MPS3 * TICK_S, -HARD_BRAKE_MPS2)
    unsafe = max(accel_mps2, safe)
    for _ in range(HALVINGS):
        between = 0.5 * (safe + unsafe)
        if keeps_distance(speed, between, gap, front_speed):
            safe = between
        else:
            unsafe = between
    return safe


@kernel
def keep_limit(vehicles: Vehicles, ego: int, accel_mps2: float, rules: Rules) -> float:
    """The most acceleration up to the given one that keeps the speed limit, of the faster lane when between two."""
    here = lane_limit_mps(vehicles.lane[ego], rules)
    most = max(here, lane_limit_mps(vehicles.target_lane[ego], rules)) + OVER_LIMIT_MPS
    left = most - vehicles.speed_mps[ego]
    cap = left / (2.0 * TICK_S) if left > 0.0 else -SLOWING_MPS2
    # Slowing for a sign is no reason for a jerk.
    floor = vehicles.accel_mps2[ego] - BRAKE_JERK_MPS3 * TICK_S
    return min(accel_mps2, max(cap, floor))


@kernel
def supervised_accel(
    vehicles: Vehicles, ego: int, front: int, target_front: int, accel_mps2: float, rules: Rules
) -> SupervisedAccel:
    """The acceleration of a tick behind the vehicles ahead in the ego's lane and in the lane it is going to."""
    legal = keep_limit(vehicles, ego, accel_mps2, rules)
    safe = legal
    for n in range(2):
        safe = keep_distance(vehicles, ego, front if n == 0 else target_front, safe)
    if safe < min(legal, -COMFORT_BRAKE_MPS2) - WORTH_SAYING_MPS2:
        return SupervisedAccel(accel_mps2=safe, rule=EMERGENCY)
    if safe < legal - WORTH_SAYING_MPS2:
        return SupervisedAccel(accel_mps2=safe, rule=DISTANCE)
    if legal < accel_mps2 - WORTH_SAYING_MPS2:
        return SupervisedAccel(accel_mps2=safe, rule=SPEED_LIMIT)
    return SupervisedAccel(accel_mps2=safe, rule=-1)


@kernel
def closes_too_fast(gap: float, rear_speed_mps: float, front_speed_mps: float) -> bool:
    """Whether the rear one would have to brake more than comfortably not to run into the front one."""
    closing = rear_speed_mps - front_speed_mps
    return (closing > 0.0) and (closing * closing > 2.0 * COMFORT_BRAKE_MPS2 * gap)


@kernel
def refused_change(vehicles: Vehicles, first: int, lane: int, rules: Rules) -> int:
    """The rule that forbids the ego a lane now, or -1."""
    slots = int(rules.slots)
    front, rear = neighbours(vehicles, first, slots, first, lane, False)
    speed, accel = vehicles.speed_mps[first], vehicles.accel_mps2[first]
    if front >= 0:
        gap, front_speed = gap_m(vehicles, first, front), vehicles.speed_mps[front]
        if not is_safe(gap, ego_stopping_m(speed, accel) + RESPONSE_S * speed, front_speed):
            return OCCUPIED
        if closes_too_fast(gap, speed, front_speed) or vehicles.lane[front] != vehicles.target_lane[front]:
            return CLOSING
    if rear >= 0:
        gap, rear_speed = gap_m(vehicles, rear, first), vehicles.speed_mps[rear]
        if not is_safe(gap, stopping_m(rear_speed) + RESPONSE_S * rear_speed, speed):
            return OCCUPIED
        if closes_too_fast(gap, rear_speed, speed) or vehicles.lane[rear] != vehicles.target_lane[rear]:
            return CLOSING
    return -1


@kernel
def change_became_unsafe(vehicles: Vehicles, first: int, front: int, target_front: int, rules: Rules) -> bool:
    """Whether a change would now force the ego, or who follows in the new lane, to brake hard, and turning back not."""
    speed = vehicles.speed_mps[first]
    if front >= 0 and closes_too_fast(gap_m(vehicles, first, front), speed, vehicles.speed_mps[front]):
        return False
    if target_front >= 0 and closes_too_fast(
        gap_m(vehicles, first, target_front), speed, vehicles.speed_mps[target_front]
    ):
        return True
    lane = vehicles.target_lane[first]
    rear = nearest_behind(vehicles, first, int(rules.slots), first, lane, False)
    return rear >= 0 and closes_too_fast(gap_m(vehicles, rear, first), vehicles.speed_mps[rear], speed)
