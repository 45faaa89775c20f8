"""How the expert gets into another lane: whether a gap will do, and the speed that brings the ego into one.

A change needs gaps that the supervisor would call safe, and MOBIL, which weighs what it brings the driver against what
it costs the others; the mission's lane is worth a bonus. Most gaps of dense traffic are long enough for that once the
ego is as fast as they move and in the right place: so it drives at their speed and a little faster or slower, to where
there is room ahead and behind. From a gap that is too short, or out of its reach, it falls back to the next.
"""

from hotlap.highway.distances import ego_stopping_m, is_safe, stopping_m
from hotlap.highway.expert_view import LaneView, View, is_in_sight
from hotlap.highway.following import ACCEL_MPS2, APPROACH, follow_accel_mps2
from hotlap.highway.mission_rules import SLOWEST_TO_LANE_MPS
from hotlap.highway.physics import HARD_BRAKE_MPS2, SAFE_MARGIN_M
from hotlap.highway.sensors import RANGE_M
from hotlap.highway.supervisor import RESPONSE_S, closes_too_fast
from hotlap.kernel import kernel

POLITENESS = 0.3
MISSION_BONUS_MPS2 = 4.0
"""What it is worth to come nearer to the lane of the mission."""
OTHERS_HEADWAY_S = 1.5
OTHERS_BRAKE_MPS2 = 6.0
"""Nobody is made to brake harder than this by a change, as the model has it for an even drive 1.5 s apart."""
PRESSING: float = (1.0 + OTHERS_BRAKE_MPS2 / ACCEL_MPS2) ** 0.5
"""So much shorter than its usual gap is the one at which the model brakes as hard as that."""
LEAVING_HEADWAY_S = 0.5
"""The gap to keep to the vehicle ahead in a lane that is being left."""
LEAST_HEADWAY_S = 0.8
"""The gap to the vehicle ahead that is left when the ego goes forward in its lane to get beside a gap."""
BRAKES_BITE_S = 0.15
SPARE_M = 1.0
"""A gap is sought with so much to spare at either end."""
MERGE_S, MOST_SHIFT_MPS = 2.5, 6.0
"""How soon the ego is to be in the right place of a gap, and how much faster or slower it drives to get there."""
REACH_S = 5.0
"""For so long it would go forward to get there."""
FALL_BACK_MPS = 5.0
"""So much slower than who is beside it drives to let the next gap come up."""


@kernel
def has_safe_gaps(view: View, lane: LaneView) -> bool:
    """Whether the gaps of a lane are safe with a response time to spare, and nobody closes them too fast."""
    speed = view.speed_mps
    if is_in_sight(lane.gap_ahead_m):
        needs = ego_stopping_m(speed, view.accel_mps2) + RESPONSE_S * speed
        if not is_safe(lane.gap_ahead_m, needs, lane.ahead_mps):
            return False
        if closes_too_fast(lane.gap_ahead_m, speed, lane.ahead_mps):
            return False
    if not is_in_sight(lane.gap_behind_m):
        return True
    needs = stopping_m(lane.behind_mps) + RESPONSE_S * lane.behind_mps
    return is_safe(lane.gap_behind_m, needs, speed) and not closes_too_fast(lane.gap_behind_m, lane.behind_mps, speed)


@kernel
def change_gain_mps2(view: View, own: LaneView, lane: LaneView) -> float:
    """MOBIL for a change towards the mission's lane: ã_c - a_c + p (ã_n - a_n + ã_o - a_o) + the mission's bonus."""
    speed = view.speed_mps
    before = follow_accel_mps2(speed, own.gap_ahead_m, own.ahead_mps, view.headway_s)
    after = follow_accel_mps2(speed, lane.gap_ahead_m, lane.ahead_mps, LEAVING_HEADWAY_S)
    others = 0.0
    if is_in_sight(lane.gap_behind_m):
        pushed = follow_accel_mps2(lane.behind_mps, lane.gap_behind_m, speed, OTHERS_HEADWAY_S)
        if pushed < -OTHERS_BRAKE_MPS2:
            return -HARD_BRAKE_MPS2
        others += min(pushed - ACCEL_MPS2, 0.0)
    if is_in_sight(own.gap_behind_m):
        others += ACCEL_MPS2 - follow_accel_mps2(own.behind_mps, own.gap_behind_m, speed, OTHERS_HEADWAY_S)
    return after - before + POLITENESS * others + MISSION_BONUS_MPS2


@kernel
def room_ahead_m(pace_mps: float) -> float:
    """The gap ahead that the supervisor asks for in a lane that moves at a pace, for who is as fast, and some."""
    return max((RESPONSE_S + BRAKES_BITE_S) * pace_mps, 0.0) + SAFE_MARGIN_M + SPARE_M


@kernel
def room_behind_m(pace_mps: float, behind_mps: float) -> float:
    """The gap behind that is safe at a pace, makes nobody brake hard, and some."""
    stopping = stopping_m(behind_mps) - stopping_m(pace_mps) + RESPONSE_S * behind_mps
    closing = behind_mps * (behind_mps - pace_mps) * APPROACH
    polite = (behind_mps * OTHERS_HEADWAY_S + closing) / PRESSING
    return max(max(stopping, 0.0) + SAFE_MARGIN_M, polite) + SPARE_M


@kernel
def reach_m(view: View, own: LaneView, behind_mps: float, pace_mps: float) -> float:
    """How far forward the ego can get beside a lane: the vehicle ahead and the limit are in its way."""
    fast = REACH_S * (view.limit_mps - behind_mps) + SPARE_M
    if not is_in_sight(own.gap_ahead_m):
        return min(RANGE_M + REACH_S * (own.ahead_mps - pace_mps), fast)
    near = own.gap_ahead_m - LEAST_HEADWAY_S * own.ahead_mps
    return min(near + REACH_S * (own.ahead_mps - pace_mps), fast)


@kernel
def speed_to_merge_mps(view: View, own: LaneView, beside: LaneView, wanted_mps: float) -> float:
    """The speed to drive beside a lane: the wanted one as far as that brings the ego into the gap, or to the next."""
    most, least = view.limit_mps, SLOWEST_TO_LANE_MPS
    spare_ahead = RANGE_M
    if is_in_sight(beside.gap_ahead_m):
        spare_ahead = beside.gap_ahead_m - room_ahead_m(beside.ahead_mps)
        most = min(beside.ahead_mps + max(spare_ahead / MERGE_S, -MOST_SHIFT_MPS), most)
    if is_in_sight(beside.gap_behind_m):
        pace = min(beside.behind_mps, view.limit_mps, beside.ahead_mps)
        spare_behind = beside.gap_behind_m - room_behind_m(pace, beside.behind_mps)
        if spare_ahead + spare_behind < 0.0 or -spare_behind > reach_m(view, own, beside.behind_mps, pace):
            # Too short, or out of reach: let who is behind go by.
            return max(min(beside.ahead_mps, beside.behind_mps) - FALL_BACK_MPS, SLOWEST_TO_LANE_MPS)
        least = min(max(pace - max(spare_behind / MERGE_S, -MOST_SHIFT_MPS), least), view.limit_mps)
    if least > most:
        return 0.5 * (least + most)
    return max(min(max(wanted_mps, least), most), 0.0)
