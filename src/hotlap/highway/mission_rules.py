"""Missions as a state machine: when one begins, when it is done, and when its time is over."""

import math

from hotlap.highway.fleet import NOBODY, Orders, Roads, Rules, StepOutputs, Vehicles
from hotlap.highway.missions import MODE_NAMES
from hotlap.highway.physics import DECISION_S, EASY_ACCEL_MPS2, MPH
from hotlap.highway.road import clamp, gap_m, lane_limit_mps, lane_position, nearest_ahead
from hotlap.highway.traffic import wanted_speed_mps
from hotlap.kernel import kernel

HOLD, CRUISE, LANE_CHANGE, OVERTAKE, STOP = range(len(MODE_NAMES))
OUTCOME_NAMES = ("running", "done", "timed_out", "refused", "cancelled")
RUNNING, DONE, TIMED_OUT, REFUSED, CANCELLED = range(5)
REASON_NAMES = (
    "",
    "no such lane",
    "no vehicle ahead",
    "the vehicle got away",
    "the vehicle ahead is too fast",
    "the vehicle left its lane",
    "somebody slower is in the way in the lane to pass in",
)
NO_REASON, NO_SUCH_LANE, NO_VEHICLE_AHEAD, GOT_AWAY, TOO_FAST, LEFT_ITS_LANE, IN_THE_WAY = range(7)

TIME_LIMIT_S = (10.0, 60.0, 30.0, 90.0, 60.0)
"""Of each mode; a hold of the plan is done when its time is over, any other one lasts until something else comes."""
TIME_PER_LANE_S = 20.0
"""What is added for every lane beyond the first that has to be crossed."""
CLOSE_ENOUGH_MPS = 1.5 * MPH
REACHED_S = 5.0
"""A driver has so long, and twice the time of an easy acceleration, to reach the speed of a mission."""
FREE_ROAD_M = 100.0
"""With nobody in its lane so far ahead, an ego can drive the speed of its mission."""
HELD_S = 5.0
STILL_MPS = 0.1
FOLLOWING_S = 2.0
"""A speed is adapted to the vehicle ahead so quickly, or as slowly as the gap is long."""
FALLING_BACK = 0.75
"""A gap opens at this share of the speed of the vehicle ahead, or above it; a shorter one than this is urgent:"""
URGENT_GAP_S = 1.0
PASS_WITHIN_M = 150.0
PASSED_S = 1.0
"""A vehicle is overtaken when it is so far behind, in time, and the ego back in its lane."""
PASSING_MPS = 5.0
PASS_WITHIN_S = 45.0
"""An overtake begins only where the ego, from the speed it has, can be past the vehicle so soon."""
IN_THE_WAY_GAPS = 2.0
"""Who is to pass is held up by somebody slower who is nearer than so many of the mission's gaps."""
USUAL_GAP_S = 1.5
SLOWEST_CRUISE_MPS = 15.0
SLOWEST_TO_LANE_MPS = 8.0
TO_LANE_PACE = 0.8
"""Who is to stop in another lane goes there at this share of the limit: whoever crawls is let in nowhere."""


@kernel
def set_mission(roads: Roads, road: int, mode: int, lane: int, speed_mps: float, gap_s: float) -> None:
    """Begin a mission that needs nothing but a lane, a speed and a gap."""
    roads.mission_mode[road] = mode
    roads.mission_lane[road] = lane
    roads.mission_speed_mps[road] = speed_mps
    roads.mission_gap_s[road] = gap_s
    roads.mission_direction[road] = 0
    roads.mission_return[road] = NOBODY
    roads.mission_vehicle[road] = NOBODY
    roads.mission_passed[road] = 0
    roads.mission_decisions[road] = 0
    roads.mission_held[road] = 0
    roads.mission_limit_s[road] = TIME_LIMIT_S[mode]
    roads.mission_cut_s[road] = 0.0


@kernel
def set_time_limit(roads: Roads, road: int, lanes: int) -> None:
    """Give a mission the time for the lanes it has to cross."""
    roads.mission_limit_s[road] = TIME_LIMIT_S[roads.mission_mode[road]] + TIME_PER_LANE_S * max(lanes - 1, 0)


@kernel
def pace_of_mps(vehicles: Vehicles, i: int, lane: int, rules: Rules) -> float:
    """As fast as a vehicle is, or will be when nobody holds it up."""
    return float(max(vehicles.speed_mps[i], wanted_speed_mps(vehicles, i, lane, rules)))


@kernel
def seconds_to_pass(vehicles: Vehicles, first: int, front: int, theirs: float, speed: float) -> float:
    """How long the ego needs to be past a vehicle that drives as fast as it likes to: it speeds up, then keeps on."""
    if speed <= theirs:
        return math.inf
    slower = max(speed - vehicles.speed_mps[first], 0.0)
    lost = 0.5 * slower * slower / EASY_ACCEL_MPS2
    way = gap_m(vehicles, first, front) + vehicles.length_m[front] + vehicles.length_m[first] + PASSED_S * theirs
    return float((way + lost) / (speed - theirs))


@kernel
def begin_overtake(
    vehicles: Vehicles,
    first: int,
    roads: Roads,
    road: int,
    direction: int,
    back_to: int,
    speed_mps: float,
    gap_s: float,
    rules: Rules,
) -> int:
    """Begin to pass the vehicle ahead on a side and return; the reason when it is refused, else 0.

    A speed below 0 leaves it to the ego how much faster it passes.
    """
    lane = vehicles.target_lane[first]
    front = nearest_ahead(vehicles, first, int(rules.slots), first, lane, False)
    passing = lane + direction
    if front < 0 or gap_m(vehicles, first, front) > PASS_WITHIN_M:
        return NO_VEHICLE_AHEAD
    if passing < 0 or passing >= int(rules.lanes):
        return NO_SUCH_LANE
    theirs = pace_of_mps(vehicles, front, lane, rules)
    speed = max(theirs + PASSING_MPS, SLOWEST_CRUISE_MPS) if speed_mps < 0.0 else speed_mps
    if seconds_to_pass(vehicles, first, front, theirs, min(speed, lane_limit_mps(passing, rules))) > PASS_WITHIN_S:
        return TOO_FAST
    speed = min(speed, max(lane_limit_mps(passing, rules), lane_limit_mps(lane, rules)))
    set_mission(roads, road, OVERTAKE, passing, speed, gap_s)
    set_time_limit(roads, road, abs(back_to - passing))
    roads.mission_direction[road] = direction
    roads.mission_return[road] = back_to
    roads.mission_vehicle[road] = front - first
    return NO_REASON


@kernel
def passing_side(direction: int, lane: int, here: int) -> int:
    """-1 for left, 1 for right: as said, else towards the named lane, else left where there is a lane."""
    if direction != 0:
        return direction
    if lane >= 0 and lane != here:
        return 1 if lane > here else -1
    return -1 if here > 0 else 1


@kernel
def give_mission(vehicles: Vehicles, first: int, roads: Roads, road: int, orders: Orders, rules: Rules) -> int:
    """Take an order over in place of the plan and of the mission; the reason when it is refused: nothing changes."""
    here, mode, lane, back = vehicles.target_lane[first], orders.mode[road], orders.lane[road], orders.return_lane[road]
    if lane >= int(rules.lanes) + int(mode == STOP) or back >= int(rules.lanes):
        return NO_SUCH_LANE
    if mode == OVERTAKE:
        side = passing_side(orders.direction[road], lane, here)
        back = here + side if back < 0 else back
        speed, gap = orders.speed_mps[road], orders.gap_s[road]
        gap = USUAL_GAP_S if gap < 0.0 else gap
        reason = begin_overtake(vehicles, first, roads, road, side, back, speed, gap, rules)
        if reason != NO_REASON:
            return reason
    else:
        # What was not said stays as it was; nobody drives along the shoulder.
        lane = here if lane < 0 else lane
        lane = lane if mode in (STOP, HOLD) else min(lane, int(rules.lanes) - 1)
        speed = roads.mission_speed_mps[road] if orders.speed_mps[road] < 0.0 else orders.speed_mps[road]
        gap = roads.mission_gap_s[road] if orders.gap_s[road] < 0.0 else orders.gap_s[road]
        set_mission(roads, road, mode, lane, 0.0 if mode == STOP else speed, gap)
        set_time_limit(roads, road, abs(lane - here))
        roads.mission_direction[road] = int(lane > here) - int(lane < here)
    roads.planned[road] = roads.missing[road] = roads.rescued[road] = 0
    roads.mission_number[road] += 1
    return NO_REASON


@kernel
def goal_speed_mps(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int, rules: Rules) -> float:
    """The speed the mission asks for now: what it says, what the lanes allow, what the vehicle ahead leaves."""
    here, there = lane_limit_mps(vehicles.lane[first], rules), lane_limit_mps(vehicles.target_lane[first], rules)
    goal = min(roads.mission_speed_mps[road], max(here, there))
    if roads.mission_mode[road] == STOP and vehicles.lane[first] != roads.mission_lane[road]:
        goal = TO_LANE_PACE * max(here, there)
    if front < 0:
        return goal
    gap, wanted_s, theirs = gap_m(vehicles, first, front), roads.mission_gap_s[road], vehicles.speed_mps[front]
    following = theirs + (gap - wanted_s * vehicles.speed_mps[first]) / max(FOLLOWING_S, wanted_s)
    if gap > URGENT_GAP_S * vehicles.speed_mps[first]:
        following = max(following, FALLING_BACK * theirs)
    return clamp(following, 0.0, goal)


@kernel
def settling_time_s(left_s: float, error_mps: float, begins: bool) -> float:
    """How long a driver may still be on its way to a speed: 0 once it was there, or should have been."""
    if abs(error_mps) <= CLOSE_ENOUGH_MPS:
        return 0.0
    return REACHED_S + 2.0 * abs(error_mps) / EASY_ACCEL_MPS2 if begins else max(left_s - DECISION_S, 0.0)


@kernel
def write_speed_error(
    vehicles: Vehicles, first: int, front: int, roads: Roads, road: int, out: StepOutputs, rules: Rules
) -> None:
    """How far the speed is from that of a hold or cruise, and whether nothing but the driver is to blame for it.

    That is so in the mission's lane, with nobody near ahead, once the speed was reached or should have been.
    """
    error = vehicles.speed_mps[first] - goal_speed_mps(vehicles, first, NOBODY, roads, road, rules)
    drives_on = roads.mission_mode[road] == HOLD or roads.mission_mode[road] == CRUISE
    room = front < 0 or gap_m(vehicles, first, front) > FREE_ROAD_M
    free = drives_on and room and is_settled_in(vehicles, first, roads.mission_lane[road])
    begins = roads.mission_decisions[road] == 0 or not free
    roads.settling_s[road] = settling_time_s(roads.settling_s[road], error, begins)
    out.speed_error_mps[road] = error
    out.is_free[road] = 1 if free and roads.settling_s[road] <= 0.0 else 0


@kernel
def is_settled_in(vehicles: Vehicles, first: int, lane: int) -> bool:
    """Whether the ego is in a lane and nowhere else."""
    return (vehicles.lane[first] == lane) & (vehicles.target_lane[first] == lane)


@kernel
def watch_overtaking(vehicles: Vehicles, first: int, roads: Roads, road: int) -> None:
    """Note when the vehicle has been passed; then the way leads back."""
    vehicle = roads.mission_vehicle[road]
    if vehicle >= 0 and not roads.mission_passed[road]:
        behind = gap_m(vehicles, first + vehicle, first)
        if behind > PASSED_S * vehicles.speed_mps[first + vehicle]:
            roads.mission_passed[road] = 1
            roads.mission_lane[road] = roads.mission_return[road]


@kernel
def is_passing(roads: Roads, road: int) -> bool:
    """Whether the ego is to get past a vehicle and has not yet."""
    return (
        (roads.mission_mode[road] == OVERTAKE) & (roads.mission_vehicle[road] >= 0) & (not roads.mission_passed[road])
    )


@kernel
def lanes_off(vehicles: Vehicles, first: int, roads: Roads, road: int) -> float:
    """Lanes between the ego and the lane of its mission; to get past somebody, any lane further out will do."""
    beyond = lane_position(vehicles, first) - roads.mission_lane[road]
    if is_passing(roads, road) and beyond * roads.mission_direction[road] > 0.0:
        return 0.0
    return float(abs(beyond))


@kernel
def leads_away(roads: Roads, road: int, direction: int, lane: int) -> int:
    """1 for a change to a lane that is further from the mission's, unless it is to get past somebody."""
    if is_passing(roads, road) and direction == roads.mission_direction[road]:
        return 0
    return int(direction * (roads.mission_lane[road] - lane) < 0)


@kernel
def gained_m(vehicles: Vehicles, first: int, roads: Roads, road: int) -> float:
    """How much nearer a decision brought the ego to the vehicle to be overtaken, and past it."""
    if not is_passing(roads, road):
        return 0.0
    vehicle = first + roads.mission_vehicle[road]
    return float((vehicles.speed_mps[first] - vehicles.speed_mps[vehicle]) * DECISION_S)


@kernel
def lost_vehicle(vehicles: Vehicles, first: int, roads: Roads, road: int) -> int:
    """Why there is nothing left to overtake, or NO_REASON: the vehicle is gone, or in another lane by itself."""
    vehicle = first + roads.mission_vehicle[road]
    if roads.mission_passed[road]:
        return NO_REASON
    if vehicle < first:
        return GOT_AWAY
    its_lane = roads.mission_lane[road] - roads.mission_direction[road]
    settled = vehicles.lane[vehicle] == vehicles.target_lane[vehicle]
    return LEFT_ITS_LANE if settled and vehicles.lane[vehicle] != its_lane else NO_REASON


@kernel
def is_held_up(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int) -> bool:
    """Whether the ego is where it is to pass and somebody slower than its mission is close ahead."""
    if front < 0 or not is_passing(roads, road) or lanes_off(vehicles, first, roads, road) > 0.0:
        return False
    near_m = IN_THE_WAY_GAPS * roads.mission_gap_s[road] * vehicles.speed_mps[first]
    slower = vehicles.speed_mps[front] < roads.mission_speed_mps[road] - CLOSE_ENOUGH_MPS
    return bool(slower and gap_m(vehicles, first, front) < near_m)


@kernel
def vain_overtake(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int) -> int:
    """Why an overtake comes to nothing, or NO_REASON: the vehicle is lost, or the time is over behind another one."""
    lost = lost_vehicle(vehicles, first, roads, road)
    late = roads.mission_decisions[road] * DECISION_S >= roads.mission_limit_s[road]
    if lost == NO_REASON and late and is_held_up(vehicles, first, front, roads, road):
        return IN_THE_WAY
    return lost


@kernel
def forget_vehicle(roads: Roads, road: int, slot: int, left_behind: bool) -> None:
    """A vehicle leaves the stretch of road around the ego: if it was to be overtaken, it was, or it got away."""
    if roads.mission_vehicle[road] == slot and roads.mission_mode[road] == OVERTAKE:
        roads.mission_vehicle[road] = NOBODY
        if left_behind and not roads.mission_passed[road]:
            roads.mission_passed[road] = 1
            roads.mission_lane[road] = roads.mission_return[road]


@kernel
def count_held(held: int, holds: bool) -> int:
    """For how many decisions in a row something has held."""
    return held + 1 if holds else 0


@kernel
def mission_outcome(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int, rules: Rules) -> int:
    """How the mission stands after a decision."""
    mode = roads.mission_mode[road]
    speed = vehicles.speed_mps[first]
    settled = is_settled_in(vehicles, first, roads.mission_lane[road])
    spent_s = roads.mission_decisions[road] * DECISION_S
    late = spent_s >= roads.mission_limit_s[road]
    if roads.mission_cut_s[road] > 0.0 and spent_s >= roads.mission_cut_s[road] and roads.planned[road] > 0:
        return CANCELLED
    done = False
    if mode == CRUISE:
        goal = goal_speed_mps(vehicles, first, front, roads, road, rules)
        close = abs(speed - goal) <= CLOSE_ENOUGH_MPS and settled
        roads.mission_held[road] = count_held(roads.mission_held[road], close)
        done = roads.mission_held[road] * DECISION_S >= HELD_S
    elif mode == LANE_CHANGE:
        done = settled
    elif mode == OVERTAKE:
        watch_overtaking(vehicles, first, roads, road)
        settled = is_settled_in(vehicles, first, roads.mission_lane[road])
        done = roads.mission_passed[road] and settled
        if vain_overtake(vehicles, first, front, roads, road) != NO_REASON:
            return REFUSED
    elif mode == STOP:
        done = settled and speed <= STILL_MPS
    elif mode == HOLD:
        done = late and roads.planned[road] > 0
        late = False
    return DONE if done else TIMED_OUT if late else RUNNING


@kernel
def evaluate_mission(
    vehicles: Vehicles, first: int, front: int, roads: Roads, road: int, out: StepOutputs, rules: Rules
) -> None:
    """Count a decision of the mission; if that ends it, say how."""
    roads.mission_decisions[road] += 1
    outcome = mission_outcome(vehicles, first, front, roads, road, rules)
    if outcome == RUNNING:
        return
    out.mission_ended[road] = outcome
    out.ended_mode[road] = roads.mission_mode[road]
    out.ended_reason[road] = NO_REASON
    if outcome == REFUSED:
        out.ended_reason[road] = vain_overtake(vehicles, first, front, roads, road)
    out.ended_decisions[road] = roads.mission_decisions[road]
