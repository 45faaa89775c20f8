"""The rule-based expert: it drives a mission by the intelligent-driver model and MOBIL, from what a policy sees.

Lengthwise it takes the weaker of two wishes of the intelligent-driver model, a (1 - (v / v0)⁸) on a free road and
a (1 - (s* / s)²) behind a vehicle, s* = max(s0, v T + v Δv / 2√(a b)): the mission gives v0 and T, so that the gap of
an even drive is the mission's. Sideways MOBIL weighs a change by what it brings the driver and costs the others; the
mission's lane is worth a bonus. A change also needs gaps that the supervisor would call safe.
"""

from typing import Any, NamedTuple

from hotlap.highway.distances import ego_stopping_m, is_safe, stopping_m
from hotlap.highway.fleet import Actions, Float64Array
from hotlap.highway.mission_rules import SLOWEST_TO_LANE_MPS, TO_LANE_PACE
from hotlap.highway.physics import (
    DECISION_S,
    HARD_BRAKE_MPS2,
    MAX_ACCEL_MPS2,
    SAFE_BRAKE_MPS2,
    STANDSTILL_GAP_M,
    TOP_SPEED_MPS,
)
from hotlap.highway.road import clamp
from hotlap.highway.sensors import (
    FIELDS_PER_LANE,
    LANES_AT,
    LANES_SCALE,
    MISSION_AT,
    OBSERVATION_SIZE,
    RANGE_M,
    RELATIVE_SPEED_MPS,
    TARGET_GAP_S,
    TARGETS_AT,
    gap_seen_m,
)
from hotlap.highway.supervisor import RESPONSE_S, closes_too_fast
from hotlap.kernel import arrays_at, kernel

ACCEL_MPS2 = 1.8
BRAKE_MPS2 = 2.0
APPROACH = 0.5 / (ACCEL_MPS2 * BRAKE_MPS2) ** 0.5
FREE_BRAKE_MPS2 = 2.5
"""The hardest braking for a slower speed when nobody is in the way."""
SLOWEST_MPS = 0.1
EASY_JERK_MPS3 = 3.0
"""Acceleration changes no faster than this, unless it must brake harder than comfortable."""
POLITENESS = 0.3
CHANGE_GAIN_MPS2 = 0.2
MISSION_BONUS_MPS2 = 4.0
"""What it is worth to come nearer to the lane of the mission."""
OTHERS_HEADWAY_S = 1.5
LEAVING_HEADWAY_S = 0.5
"""The gap to keep to the vehicle ahead in a lane that is being left."""
DUE_HEADWAY_S = 1.0
"""A gap below this one is made up for at once; a longer one that the mission asks for opens gently."""
OPENING_BRAKE_MPS2 = 1.2
MAKE_ROOM_MPS = 3.0
"""So much slower than who is in the way it drives to find a gap."""
SIGHTLESS = 0.999
"""From this share of the sensors' range on there is nobody to be seen, or a speed is beyond what they tell."""
STOP_MODE = 4


class View(NamedTuple):
    """What the driver knows about itself and its mission, in SI units; lanes are counted from where it is."""

    speed_mps: float
    accel_mps2: float
    limit_mps: float
    offset: float
    """From the middle of its lane, to the right positive; exactly 0 when it is in no lane change."""
    drift: float
    """Which way it moves sideways: negative to the left."""
    stops: bool
    target_speed_mps: float
    headway_s: float
    lanes_to_go: float


class LaneView(NamedTuple):
    """Who is ahead and behind in a lane; with nobody there the gap is beyond sight and the speed the ego's."""

    exists: bool
    gap_ahead_m: float
    ahead_mps: float
    gap_behind_m: float
    behind_mps: float


class Sight(NamedTuple):
    """The observations of every road, flat."""

    observation: Float64Array


@kernel
def view_of(seen: Float64Array, at: int) -> View:
    """Read the ego and its mission out of the observation that begins at an element."""
    return View(
        speed_mps=seen[at + 3] * TOP_SPEED_MPS,
        accel_mps2=seen[at + 4] * HARD_BRAKE_MPS2,
        limit_mps=seen[at + 5] * TOP_SPEED_MPS,
        offset=seen[at + 1],
        drift=seen[at + 2],
        stops=seen[at + MISSION_AT + STOP_MODE] > 0.5,
        target_speed_mps=seen[at + TARGETS_AT] * TOP_SPEED_MPS,
        headway_s=seen[at + TARGETS_AT + 1] * TARGET_GAP_S,
        lanes_to_go=seen[at + TARGETS_AT + 2] * LANES_SCALE,
    )


@kernel
def lane_view(seen: Float64Array, at: int, side: int) -> LaneView:
    """Read a lane out of an observation: 0 is the ego's own, -1 the one to the left, 1 to the right."""
    lane = at + LANES_AT + FIELDS_PER_LANE * (0 if side == 0 else 1 if side < 0 else 2)
    speed = seen[at + 3] * TOP_SPEED_MPS
    faster = seen[lane + 4]
    # Somebody so much faster that the sensor no longer says how much may be as fast as can be.
    behind = TOP_SPEED_MPS if faster > SIGHTLESS else speed + faster * RELATIVE_SPEED_MPS
    return LaneView(
        exists=seen[lane] > 0.5,
        gap_ahead_m=gap_seen_m(seen[lane + 1]),
        ahead_mps=max(speed + seen[lane + 2] * RELATIVE_SPEED_MPS, 0.0),
        gap_behind_m=gap_seen_m(seen[lane + 3]),
        behind_mps=behind,
    )


@kernel
def free_accel_mps2(speed_mps: float, wanted_mps: float) -> float:
    """What the model wants on a free road; to stand, the brake, gently at last."""
    if wanted_mps < SLOWEST_MPS:
        return max(-FREE_BRAKE_MPS2, -speed_mps - SLOWEST_MPS)
    share = min(speed_mps / max(wanted_mps, SLOWEST_MPS), 2.0)
    square = share * share
    accel = ACCEL_MPS2 * (1.0 - square * square * square * square)
    return max(accel, -FREE_BRAKE_MPS2)


@kernel
def follow_accel_mps2(speed_mps: float, gap_m: float, front_mps: float, headway_s: float) -> float:
    """What the model wants behind a vehicle."""
    if gap_m >= SIGHTLESS * RANGE_M:
        return ACCEL_MPS2
    closing: float = speed_mps * (speed_mps - front_mps) * APPROACH
    desired = max(STANDSTILL_GAP_M, speed_mps * headway_s + closing)
    crowding = desired / max(gap_m, 0.1)
    return max(ACCEL_MPS2 * (1.0 - crowding * crowding), -HARD_BRAKE_MPS2)


@kernel
def keep_gap_mps2(speed_mps: float, gap_m: float, front_mps: float, headway_s: float) -> float:
    """What the model wants for the mission's gap: gently, as long as a usual one is there."""
    wanted = follow_accel_mps2(speed_mps, gap_m, front_mps, headway_s)
    if headway_s <= DUE_HEADWAY_S or wanted >= -OPENING_BRAKE_MPS2:
        return wanted
    return min(follow_accel_mps2(speed_mps, gap_m, front_mps, DUE_HEADWAY_S), -OPENING_BRAKE_MPS2)


@kernel
def has_safe_gaps(view: View, lane: LaneView) -> bool:
    """Whether the gaps of a lane are safe with a response time to spare, and nobody closes them too fast."""
    speed = view.speed_mps
    if lane.gap_ahead_m < SIGHTLESS * RANGE_M:
        needs = ego_stopping_m(speed, view.accel_mps2) + RESPONSE_S * speed
        if not is_safe(lane.gap_ahead_m, needs, lane.ahead_mps):
            return False
        if closes_too_fast(lane.gap_ahead_m, speed, lane.ahead_mps):
            return False
    if lane.gap_behind_m >= SIGHTLESS * RANGE_M:
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
    if lane.gap_behind_m < SIGHTLESS * RANGE_M:
        pushed = follow_accel_mps2(lane.behind_mps, lane.gap_behind_m, speed, OTHERS_HEADWAY_S)
        if pushed < -SAFE_BRAKE_MPS2:
            return -HARD_BRAKE_MPS2
        others += min(pushed - ACCEL_MPS2, 0.0)
    if own.gap_behind_m < SIGHTLESS * RANGE_M:
        others += ACCEL_MPS2 - follow_accel_mps2(own.behind_mps, own.gap_behind_m, speed, OTHERS_HEADWAY_S)
    return after - before + POLITENESS * others + MISSION_BONUS_MPS2


@kernel
def is_between_lanes(view: View) -> bool:
    """Whether a lane change is underway."""
    return view.offset != 0.0


@kernel
def wished_side(view: View) -> int:
    """Which way the mission's lane lies, 0 when the ego is in it."""
    return int(view.lanes_to_go > 0.5) - int(view.lanes_to_go < -0.5)


@kernel
def lane_request(view: View, own: LaneView, beside: LaneView, side: int) -> float:
    """Ask for the side of the mission's lane when MOBIL and the gaps say so; turn back from a gap that closes."""
    if is_between_lanes(view):
        began = view.offset * view.drift > 0.0
        shuts = closes_too_fast(beside.gap_behind_m, beside.behind_mps, view.speed_mps)
        shuts = shuts or closes_too_fast(beside.gap_ahead_m, view.speed_mps, beside.ahead_mps)
        return -1.0 * side if began and beside.exists and shuts else 0.0
    if side == 0 or not beside.exists or not has_safe_gaps(view, beside):
        return 0.0
    return 1.0 * side if change_gain_mps2(view, own, beside) > CHANGE_GAIN_MPS2 else 0.0


@kernel
def speed_for_a_gap_mps(view: View, beside: LaneView) -> float:
    """The speed at which a gap opens beside: slower than who is in the way, if that one does not fall back."""
    if closes_too_fast(beside.gap_ahead_m, view.speed_mps, beside.ahead_mps):
        return max(beside.ahead_mps - MAKE_ROOM_MPS, 0.0)
    needs = ego_stopping_m(view.speed_mps, view.accel_mps2) + RESPONSE_S * view.speed_mps
    if not is_safe(beside.gap_ahead_m, needs, beside.ahead_mps):
        return max(beside.ahead_mps - MAKE_ROOM_MPS, SLOWEST_TO_LANE_MPS)
    if beside.behind_mps > view.speed_mps - 0.5:
        return max(beside.behind_mps - MAKE_ROOM_MPS, SLOWEST_TO_LANE_MPS)
    return TOP_SPEED_MPS


@kernel
def speed_to_merge_mps(view: View, beside: LaneView) -> float:
    """The speed of who comes up beside, when that one is much faster: a crawling car is let in nowhere; else 0."""
    nobody = beside.gap_behind_m >= SIGHTLESS * RANGE_M
    if nobody or beside.behind_mps < view.speed_mps + MAKE_ROOM_MPS:
        return 0.0
    return min(beside.behind_mps, beside.ahead_mps + MAKE_ROOM_MPS, view.limit_mps)


@kernel
def wanted_speed_mps(view: View, beside: LaneView, side: int, waits: bool) -> float:
    """The speed of the mission where the lane allows it; slower or faster while it waits for a gap beside."""
    wanted = min(view.target_speed_mps, view.limit_mps)
    if view.stops and (side != 0 or is_between_lanes(view)):
        wanted = TO_LANE_PACE * view.limit_mps
    if waits:
        wanted = max(min(wanted, speed_for_a_gap_mps(view, beside)), speed_to_merge_mps(view, beside))
    return wanted


@kernel
def wanted_accel_mps2(view: View, own: LaneView, beside: LaneView, wanted_mps: float) -> float:
    """The weakest of what the model wants: for the speed, behind the vehicle ahead, and beside while between lanes."""
    speed = view.speed_mps
    between = is_between_lanes(view)
    leaves = between and view.offset * view.drift > 0.0
    own_headway = LEAVING_HEADWAY_S if leaves else view.headway_s
    accel = min(free_accel_mps2(speed, wanted_mps), keep_gap_mps2(speed, own.gap_ahead_m, own.ahead_mps, own_headway))
    if between and beside.exists:
        headway = view.headway_s if leaves else LEAVING_HEADWAY_S
        accel = min(accel, keep_gap_mps2(speed, beside.gap_ahead_m, beside.ahead_mps, headway))
    most = EASY_JERK_MPS3 * DECISION_S
    if accel < -SAFE_BRAKE_MPS2:
        return accel
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
    waits = side != 0 and request == 0.0 and beside.exists and not is_between_lanes(view)
    accel = wanted_accel_mps2(view, own, beside, wanted_speed_mps(view, beside, side, waits))
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
    drive_experts(arrays_at(addresses, 0, Sight), arrays_at(addresses, 1, Actions), first, last)
