"""The minimal-risk manoeuvre: when the driver fails, the supervisor stops the ego on the shoulder by itself."""

from hotlap.highway.fleet import Actions, Roads, Rules, Vehicles
from hotlap.highway.mission_rules import STOP, set_mission, set_time_limit
from hotlap.kernel import kernel

MISSING_DECISIONS = 3
"""So many decisions in a row, 0.6 s, a driver may miss."""
RESCUE_GAP_S = 2.0


@kernel
def is_missing(actions: Actions, road: int) -> bool:
    """Whether a decision is no numbers: its driver failed, was late, or saw nothing."""
    total = actions.throttle[road] + actions.brake[road] + actions.lane[road]
    return not total - total == 0.0  # noqa: SIM201 - neither infinite nor "not a number"


@kernel
def begin_rescue(vehicles: Vehicles, first: int, roads: Roads, road: int, rules: Rules) -> None:
    """Take the place of the driver's mission: stop on the shoulder. What the expert sees of it comes with the step."""
    shoulder = int(rules.lanes)
    set_mission(roads, road, STOP, shoulder, 0.0, max(roads.mission_gap_s[road], RESCUE_GAP_S))
    set_time_limit(roads, road, shoulder - vehicles.target_lane[first])
    roads.mission_direction[road] = int(vehicles.target_lane[first] != shoulder)
    roads.planned[road] = 0
    roads.rescued[road] = 1


@kernel
def is_rescued(vehicles: Vehicles, first: int, roads: Roads, road: int, actions: Actions, rules: Rules) -> bool:
    """Count what the driver misses; whether the supervisor decides in its place, until the ego is given an order."""
    roads.missing[road] = roads.missing[road] + 1 if is_missing(actions, road) else 0
    if roads.rescued[road]:
        return True
    if rules.supervised != 0.0 and roads.missing[road] >= MISSING_DECISIONS:
        begin_rescue(vehicles, first, roads, road, rules)
    return False
