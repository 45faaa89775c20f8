"""The ego: acceleration with bounded jerk, a lane change as a continuous motion, and the motion of everybody."""

import math

from hotlap.highway.distances import moved_m
from hotlap.highway.fleet import Roads, Rules, Vehicles
from hotlap.highway.physics import (
    BRAKE_JERK_MPS3,
    CHANGE_RATE_PER_S2,
    HARD_BRAKE_MPS2,
    LANE_REQUEST,
    MAX_ACCEL_MPS2,
    RELEASE_JERK_MPS3,
    TICK_S,
    TOP_SPEED_MPS,
)
from hotlap.highway.road import clamp, pace_of_change_per_s
from hotlap.kernel import kernel


@kernel
def requested_direction(lane_request: float) -> int:
    """-1 to the left, 1 to the right, 0 for requests up to a third."""
    return int(lane_request > LANE_REQUEST) - int(lane_request < -LANE_REQUEST)


@kernel
def reachable_accel_mps2(accel_mps2: float, speed_mps: float, wanted_mps2: float) -> float:
    """The acceleration after a tick: towards the wanted one as fast as the jerk allows, easing off before top speed."""
    easing = math.sqrt(2.0 * RELEASE_JERK_MPS3 * max(TOP_SPEED_MPS - speed_mps, 0.0))
    wanted = clamp(min(wanted_mps2, easing), -HARD_BRAKE_MPS2, MAX_ACCEL_MPS2)
    return clamp(wanted, accel_mps2 - BRAKE_JERK_MPS3 * TICK_S, accel_mps2 + RELEASE_JERK_MPS3 * TICK_S)


@kernel
def is_changing(vehicles: Vehicles, i: int) -> bool:
    """Whether a vehicle is between lanes."""
    return vehicles.lane[i] != vehicles.target_lane[i]


@kernel
def can_change(vehicles: Vehicles, ego: int, roads: Roads, road: int, direction: int, rules: Rules) -> bool:
    """Whether there is a lane on that side, or the shoulder to stop on, and no change underway."""
    lane = vehicles.lane[ego] + direction
    last = max(int(rules.lanes) - 1, roads.mission_lane[road])
    return (vehicles.lane[ego] == vehicles.target_lane[ego]) & (lane >= 0) & (lane <= last)


@kernel
def begin_change(vehicles: Vehicles, ego: int, roads: Roads, road: int, direction: int) -> None:
    """From now on the ego is in both lanes."""
    vehicles.target_lane[ego] = vehicles.lane[ego] + direction
    roads.change_rate_per_s[road] = 0.0
    roads.aborting[road] = 0


@kernel
def abort_change(vehicles: Vehicles, ego: int, roads: Roads, road: int) -> bool:
    """Turn back, if the change is not half done yet."""
    if is_changing(vehicles, ego) and vehicles.progress[ego] < 0.5 and not roads.aborting[road]:
        roads.aborting[road] = 1
        return True
    return False


@kernel
def advance_ego_sideways(vehicles: Vehicles, ego: int, roads: Roads, road: int) -> None:
    """One tick of a lane change, or of the way back from one."""
    if not is_changing(vehicles, ego):
        return
    pace = pace_of_change_per_s(vehicles.speed_mps[ego], vehicles.length_m[ego])
    wanted = -pace if roads.aborting[road] else pace
    rate, most = roads.change_rate_per_s[road], CHANGE_RATE_PER_S2 * TICK_S
    rate = clamp(rate + clamp(wanted - rate, -most, most), -pace, pace)
    roads.change_rate_per_s[road] = rate
    progress = vehicles.progress[ego] + rate * TICK_S
    vehicles.progress[ego] = progress
    if progress >= 1.0:
        vehicles.lane[ego] = vehicles.target_lane[ego]
    elif progress <= 0.0 and roads.aborting[road]:
        vehicles.target_lane[ego] = vehicles.lane[ego]
    if not is_changing(vehicles, ego):
        vehicles.progress[ego] = 0.0
        roads.change_rate_per_s[road] = 0.0
        roads.aborting[road] = 0


@kernel
def advance_ego(vehicles: Vehicles, ego: int, roads: Roads, road: int, accel_mps2: float) -> None:
    """One tick of the ego at an acceleration that the jerk allows."""
    speed = vehicles.speed_mps[ego]
    after = clamp(speed + accel_mps2 * TICK_S, 0.0, TOP_SPEED_MPS)
    vehicles.x_m[ego] += moved_m(speed, accel_mps2)
    roads.jerk_mps3[road] = (accel_mps2 - vehicles.accel_mps2[ego]) / TICK_S
    vehicles.speed_mps[ego] = after
    # A car that stands does not accelerate backwards.
    vehicles.accel_mps2[ego] = max(accel_mps2, 0.0) if after == 0.0 else accel_mps2
    advance_ego_sideways(vehicles, ego, roads, road)


@kernel
def advance_traffic(vehicles: Vehicles, first: int, slots: int) -> None:
    """One tick of everybody else at the acceleration chosen."""
    for i in range(first + 1, first + slots):
        if vehicles.lane[i] < 0:
            continue
        speed, accel = vehicles.speed_mps[i], vehicles.accel_mps2[i]
        vehicles.x_m[i] += moved_m(speed, accel)
        vehicles.speed_mps[i] = max(speed + accel * TICK_S, 0.0)
        if vehicles.lane[i] != vehicles.target_lane[i]:
            vehicles.progress[i] += TICK_S * pace_of_change_per_s(vehicles.speed_mps[i], vehicles.length_m[i])
            if vehicles.progress[i] >= 1.0:
                vehicles.lane[i] = vehicles.target_lane[i]
                vehicles.progress[i] = 0.0
