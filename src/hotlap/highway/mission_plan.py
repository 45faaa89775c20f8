"""The plan: one mission after the other, drawn from everything that an order can ask for."""

from hotlap.highway.fleet import (
    DICE_PER_MISSION,
    DICE_PER_VEHICLE,
    EGO_DICE,
    PLANNED_MISSIONS,
    Roads,
    Rules,
    Scratch,
    Vehicles,
    dice_size,
)
from hotlap.highway.mission_rules import (
    CRUISE,
    HOLD,
    LANE_CHANGE,
    NO_REASON,
    OVERTAKE,
    SLOWEST_CRUISE_MPS,
    STOP,
    USUAL_GAP_S,
    begin_overtake,
    set_mission,
    set_time_limit,
)
from hotlap.highway.road import clamp, fraction, lane_limit_mps
from hotlap.kernel import kernel

HOLDS, CRUISES, LANE_CHANGES, OVERTAKES = 0.06, 0.36, 0.58, 0.84
"""Draws below the first are holds, then cruises, lane changes, overtakes, and stops from the last one on."""
SLOWEST_PLANNED_MPS, BRISK = 5.0, 0.75
"""Half of the speeds are from the first to the highest limit, the others from this share of it on."""
USUAL_GAPS, USUAL_GAPS_TO_S, SHORTEST_GAP_S, LONGEST_GAP_S = 0.6, 3.0, 1.0, 10.0
"""The share of gaps up to 3 s, as people mostly keep them; the others are longer."""
ELSEWHERE = 0.25
"""The share of cruises that name a lane, and of lane changes that name a speed."""
ONE_LANE = 0.5
"""The share of lane changes by one lane; the others go anywhere."""
STOPS_HERE, STOPS_ON_LANES = 0.3, 0.6
"""Draws below the first stop in the ego's lane, then in any lane, else on the shoulder."""
RETURNS, STAYS = 0.6, 0.8
"""Draws below the first return to the ego's lane after an overtake, then stay where it passed, else go anywhere."""
CALLED_OFF, CALLED_OFF_FROM_S, CALLED_OFF_TO_S = 0.2, 1.0, 15.0
"""The share of missions that are called off for the next one, and when."""


@kernel
def planned_speed_mps(draw: float, rules: Rules) -> float:
    """Any speed up to the highest limit of the road, half of the time a brisk one."""
    highest = max(rules.limit_left_mps, rules.limit_right_mps)
    slowest = SLOWEST_PLANNED_MPS if draw < 0.5 else BRISK * highest
    return slowest + (highest - slowest) * fraction(2.0 * draw)


@kernel
def planned_gap_s(draw: float) -> float:
    """Any gap, mostly a usual one."""
    if draw < USUAL_GAPS:
        return SHORTEST_GAP_S + (USUAL_GAPS_TO_S - SHORTEST_GAP_S) * draw / USUAL_GAPS
    return USUAL_GAPS_TO_S + (LONGEST_GAP_S - USUAL_GAPS_TO_S) * (draw - USUAL_GAPS) / (1.0 - USUAL_GAPS)


@kernel
def planned_mode(draw: float, wanted: int, on_shoulder: bool) -> int:
    """The mode of the next mission; from the shoulder the way leads back to the lanes."""
    if wanted < 0:
        wanted = (
            HOLD if draw < HOLDS else CRUISE if draw < CRUISES else LANE_CHANGE if draw < LANE_CHANGES else OVERTAKE
        )
        wanted = STOP if draw >= OVERTAKES else wanted
    return LANE_CHANGE if on_shoulder and wanted != CRUISE else wanted


@kernel
def other_lane(draw: float, here: int, lanes: int) -> int:
    """Any lane but the one the ego is in."""
    lane = int(draw * (lanes - 1))
    return lane + 1 if lane >= here else lane


@kernel
def planned_lane(mode: int, share: float, draw: float, here: int, direction: int, lanes: int) -> int:
    """The lane of a mission that is no overtake."""
    if mode == LANE_CHANGE:
        return min(here + direction, lanes - 1) if share < ONE_LANE else other_lane(draw, here, lanes)
    if mode == CRUISE:
        return int(draw * lanes) if share < ELSEWHERE else min(here, lanes - 1)
    if mode == STOP and share >= STOPS_HERE:
        return int(draw * lanes) if share < STOPS_ON_LANES else lanes
    return here


@kernel
def planned_return(share: float, draw: float, here: int, direction: int, lanes: int) -> int:
    """The lane after an overtake."""
    return here if share < RETURNS else here + direction if share < STAYS else int(draw * lanes)


@kernel
def begin_planned(vehicles: Vehicles, first: int, roads: Roads, road: int, notes: Scratch, rules: Rules) -> None:
    """The next mission of the plan, from its draws."""
    slots, lanes = int(rules.slots), int(rules.lanes)
    number = PLANNED_MISSIONS - roads.planned[road]
    at = road * dice_size(slots) + EGO_DICE + DICE_PER_VEHICLE * (slots - 1) + DICE_PER_MISSION * number
    roads.planned[road] -= 1
    roads.mission_number[road] += 1
    toward, pace, gap = notes.dice[at + 1], notes.dice[at + 2], planned_gap_s(notes.dice[at + 3])
    share, draw, told, off = notes.dice[at + 4], notes.dice[at + 5], notes.dice[at + 6], notes.dice[at + 7]
    here = vehicles.target_lane[first]
    mode = planned_mode(notes.dice[at], roads.plan_mode[road], here == lanes)
    direction = -1 if (toward < 0.5 and here > 0) or here >= lanes - 1 else 1
    limit = lane_limit_mps(here, rules)
    speed = planned_speed_mps(pace, rules)
    if mode == HOLD or (mode != CRUISE and told >= ELSEWHERE):
        speed = clamp(vehicles.speed_mps[first], SLOWEST_CRUISE_MPS, limit)
    if mode == OVERTAKE:
        back = planned_return(share, draw, here, direction, lanes)
        if begin_overtake(vehicles, first, roads, road, direction, back, -1.0, USUAL_GAP_S, rules) != NO_REASON:
            # Nobody to be overtaken: half of the time it goes and catches up with somebody, else it changes lanes.
            mode = CRUISE if fraction(2.0 * toward) < 0.5 else LANE_CHANGE
            speed, gap = limit, USUAL_GAP_S
    if mode != OVERTAKE:
        lane = planned_lane(mode, share, draw, here, direction, lanes)
        set_mission(roads, road, mode, lane, 0.0 if mode == STOP else speed, gap)
        roads.mission_direction[road] = int(lane > here) - int(lane < here)
        set_time_limit(roads, road, abs(lane - here))
    roads.mission_cut_s[road] = 0.0
    if off < CALLED_OFF and mode != HOLD:
        roads.mission_cut_s[road] = CALLED_OFF_FROM_S + (CALLED_OFF_TO_S - CALLED_OFF_FROM_S) * off / CALLED_OFF


@kernel
def begin_next(vehicles: Vehicles, first: int, roads: Roads, road: int, notes: Scratch, rules: Rules) -> None:
    """After a mission: the next one of the plan, or hold on to its speed and gap in the lane there is."""
    if roads.planned[road] > 0:
        begin_planned(vehicles, first, roads, road, notes, rules)
    else:
        speed, gap = roads.mission_speed_mps[road], roads.mission_gap_s[road]
        set_mission(roads, road, HOLD, vehicles.target_lane[first], speed, gap)
