"""The rule-based expert: it drives a mission by the intelligent-driver model and MOBIL, from what a policy sees.

Lengthwise it takes the weakest of what `following` wants: for the mission's speed, for its gap, and beside while it is
between lanes. Sideways `merging` says whether a gap will do, and how fast to drive to get into one.
"""

from typing import Any, NamedTuple

from hotlap.highway.expert_view import (
    LaneView,
    View,
    is_between_lanes,
    is_leaving,
    lane_view,
    view_of,
    wished_side,
)
from hotlap.highway.fleet import Actions, Float64Array
from hotlap.highway.following import FREE_BRAKE_MPS2, free_accel_mps2, keep_gap_mps2
from hotlap.highway.merging import LEAVING_HEADWAY_S, change_gain_mps2, has_safe_gaps, speed_to_merge_mps
from hotlap.highway.mission_rules import SLOWEST_TO_LANE_MPS, TO_LANE_PACE
from hotlap.highway.physics import (
    CHANGE_GAIN_MPS2,
    DECISION_S,
    EASY_ACCEL_MPS2,
    HARD_BRAKE_MPS2,
    MAX_ACCEL_MPS2,
    SAFE_BRAKE_MPS2,
)
from hotlap.highway.road import clamp
from hotlap.highway.sensors import OBSERVATION_SIZE
from hotlap.highway.supervisor import closes_too_fast
from hotlap.kernel import kernel, pointers_at

EASY_JERK_MPS3 = 3.0
"""Acceleration changes no faster than this, unless it must brake harder than comfortable."""
MERGE_HEADWAY_S = 1.0
"""The longest gap to keep to the vehicle ahead while it looks for a gap beside."""
SWIFT_S = 1.2
"""How soon the speed for a gap beside is to be reached."""


class Sight(NamedTuple):
    """The observations of every road, flat."""

    observation: Float64Array


@kernel
def lane_request(view: View, own: LaneView, beside: LaneView, side: int) -> float:
    """Ask for the side of the mission's lane when MOBIL and the gaps say so; turn back from a gap that closes."""
    if is_between_lanes(view):
        shuts = closes_too_fast(beside.gap_behind_m, beside.behind_mps, view.speed_mps)
        shuts = shuts or closes_too_fast(beside.gap_ahead_m, view.speed_mps, beside.ahead_mps)
        return -1.0 * side if is_leaving(view) and beside.exists and shuts else 0.0
    if side == 0 or not beside.exists or not has_safe_gaps(view, beside):
        return 0.0
    return 1.0 * side if change_gain_mps2(view, own, beside) > CHANGE_GAIN_MPS2 else 0.0


@kernel
def wanted_speed_mps(view: View, own: LaneView, beside: LaneView, side: int, merges: bool) -> float:
    """The speed of the mission where the lane allows it; another one while it merges, and no crawling between lanes."""
    wanted = min(view.target_speed_mps, view.limit_mps)
    if view.stops and (side != 0 or is_between_lanes(view)):
        wanted = TO_LANE_PACE * view.limit_mps
    if merges:
        return speed_to_merge_mps(view, own, beside, wanted)
    return max(wanted, SLOWEST_TO_LANE_MPS) if is_between_lanes(view) else wanted


@kernel
def own_headway_s(view: View, merges: bool) -> float:
    """The gap to keep to the vehicle ahead in the ego's own lane."""
    if is_leaving(view):
        return LEAVING_HEADWAY_S
    return min(view.headway_s, MERGE_HEADWAY_S) if merges else view.headway_s


@kernel
def wanted_accel_mps2(view: View, own: LaneView, beside: LaneView, wanted_mps: float, merges: bool) -> float:
    """The weakest of what the model wants: for the speed, behind the vehicle ahead, and beside while between lanes."""
    speed = view.speed_mps
    accel = free_accel_mps2(speed, wanted_mps)
    if merges:
        accel = clamp((wanted_mps - speed) / SWIFT_S, -FREE_BRAKE_MPS2, EASY_ACCEL_MPS2)
    accel = min(accel, keep_gap_mps2(speed, own.gap_ahead_m, own.ahead_mps, own_headway_s(view, merges)))
    if is_between_lanes(view) and beside.exists:
        headway = view.headway_s if is_leaving(view) else LEAVING_HEADWAY_S
        accel = min(accel, keep_gap_mps2(speed, beside.gap_ahead_m, beside.ahead_mps, headway))
    if accel < -SAFE_BRAKE_MPS2:
        return accel
    most = EASY_JERK_MPS3 * DECISION_S
    return clamp(accel, view.accel_mps2 - most, view.accel_mps2 + most)


@kernel
def write_expert_action(seen: Float64Array, road: int, actions: Actions) -> None:
    """Decide for one ego, from its observation to its action."""
    at = road * OBSERVATION_SIZE
    view, own = view_of(seen, at), lane_view(seen, at, 0)
    side = wished_side(view)
    if is_between_lanes(view):
        # The lane it is going to, up to half way; then the one it comes from.
        side = 1 if view.offset > 0.0 else -1
    beside = lane_view(seen, at, side)
    request = lane_request(view, own, beside, side)
    merges = side != 0 and beside.exists and (is_leaving(view) or not is_between_lanes(view))
    accel = wanted_accel_mps2(view, own, beside, wanted_speed_mps(view, own, beside, side, merges), merges)
    actions.throttle[road] = clamp(accel / MAX_ACCEL_MPS2, 0.0, 1.0)
    actions.brake[road] = clamp(-accel / HARD_BRAKE_MPS2, 0.0, 1.0)
    actions.lane[road] = request


@kernel
def drive_experts(sight: Sight, actions: Actions, first: int, last: int) -> None:
    """Decide for the egos from the first up to the last."""
    for road in range(first, last):
        write_expert_action(sight.observation, road, actions)


def expert_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`drive_experts` over an address table of four slots: observations, throttle, brake, lane request."""
    drive_experts(pointers_at(addresses, 0, Sight), pointers_at(addresses, 1, Actions), first, last)
