"""What the driver sees: named numbers in a fixed order, each scaled to about [-1, 1]."""

from hotlap.highway.fleet import Float64Array, Roads, Rules, StepOutputs, Vehicles
from hotlap.highway.physics import HARD_BRAKE_MPS2, LANE_WIDTH_M, TOP_SPEED_MPS
from hotlap.highway.road import clamp, gap_m, lane_limit_mps, lane_position, neighbours, shift_rate
from hotlap.kernel import kernel

RANGE_M = 300.0
NEAR_M = 30.0
"""Gaps are seen the finer the shorter they are: half of the scale is spent on the first 25 metres."""
RELATIVE_SPEED_MPS = 20.0
LATERAL_SPEED_MPS = 2.5
TARGET_GAP_S = 10.0
LANES_SCALE = 5.0
LONGEST_M = 12.0
FINE_SPEED_MPS, FINE_GAP_M = 2.0, 15.0
"""What is missing of speed and gap is seen the finer the less it is: half of the scale is spent on this much."""

EGO_FIELDS = ("lane_position", "lateral_offset", "lateral_speed", "speed", "acceleration", "lane_limit")
MISSION_FIELDS = (
    "mission_hold",
    "mission_cruise",
    "mission_lane_change",
    "mission_overtake",
    "mission_stop",
    "target_speed",
    "target_gap",
    "target_lane_offset",
    "direction",
    "return_lane_offset",
    "speed_to_go",
    "gap_to_go",
)
LANE_FIELDS = ("exists", "gap_ahead", "speed_ahead", "gap_behind", "speed_behind", "length_ahead")
FIELDS = (
    *EGO_FIELDS,
    *MISSION_FIELDS,
    *(f"{lane}_{field}" for lane in ("own", "left", "right") for field in LANE_FIELDS),
)
OBSERVATION_SIZE = len(FIELDS)
MISSION_AT = len(EGO_FIELDS)
TARGETS_AT = MISSION_AT + 5
LANES_AT = TARGETS_AT + 7
FIELDS_PER_LANE = len(LANE_FIELDS)


@kernel
def seen_gap(gap_m: float) -> float:
    """A gap as a driver sees it: 0 bumper to bumper, 1 from the end of the range on, negative when side by side."""
    gap = clamp(gap_m, -RANGE_M, RANGE_M)
    return (1.0 + NEAR_M / RANGE_M) * gap / (abs(gap) + NEAR_M)


@kernel
def gap_seen_m(seen: float) -> float:
    """The gap again, from how a driver sees it."""
    return seen * NEAR_M / (1.0 + NEAR_M / RANGE_M - abs(seen))


@kernel
def own_lane(vehicles: Vehicles, ego: int) -> int:
    """The lane the ego is in for its driver: the new one from half way of a change on."""
    return vehicles.lane[ego] if vehicles.progress[ego] < 0.5 else vehicles.target_lane[ego]


@kernel
def write_lane(vehicles: Vehicles, first: int, lane: int, last: int, at: int, rules: Rules, out: StepOutputs) -> None:
    """The six numbers of a lane: whether there is one up to the last, who is ahead in it and who behind."""
    seen = out.observation
    exists = 0 <= lane <= last
    seen[at] = 1.0 if exists else 0.0
    for k in range(1, FIELDS_PER_LANE):
        seen[at + k] = 0.0
    if not exists:
        return
    slots, speed = int(rules.slots), vehicles.speed_mps[first]
    front, rear = neighbours(vehicles, first, slots, first, lane, False)
    seen[at + 1] = seen_gap(gap_m(vehicles, first, front))
    seen[at + 3] = seen_gap(gap_m(vehicles, rear, first))
    if front >= 0 and seen[at + 1] < 1.0:
        seen[at + 2] = clamp((vehicles.speed_mps[front] - speed) / RELATIVE_SPEED_MPS, -1.0, 1.0)
        seen[at + 5] = vehicles.length_m[front] / LONGEST_M
    if rear >= 0 and seen[at + 3] < 1.0:
        seen[at + 4] = clamp((vehicles.speed_mps[rear] - speed) / RELATIVE_SPEED_MPS, -1.0, 1.0)


@kernel
def squashed(value: float, half: float) -> float:
    """From -1 to 1, and a half where the value is `half`."""
    return value / (abs(value) + half)


@kernel
def write_to_go(vehicles: Vehicles, first: int, roads: Roads, road: int, limit_mps: float, out: StepOutputs) -> None:
    """What is missing of the mission's speed, as far as the lane allows it, and of its gap; 1 when nobody is ahead."""
    seen, at, speed = out.observation, road * OBSERVATION_SIZE, vehicles.speed_mps[first]
    wanted = min(roads.mission_speed_mps[road], limit_mps)
    ahead = seen[at + LANES_AT + 1]
    spare = gap_seen_m(ahead) - roads.mission_gap_s[road] * speed
    seen[at + TARGETS_AT + 5] = squashed(wanted - speed, FINE_SPEED_MPS)
    seen[at + TARGETS_AT + 6] = squashed(spare, FINE_GAP_M) if ahead < 1.0 else 1.0


@kernel
def write_mission(roads: Roads, road: int, position: float, at: int, out: StepOutputs) -> None:
    """The first ten numbers of the mission; lanes as seen from the ego."""
    seen = out.observation
    for mode in range(5):
        seen[at + mode] = 1.0 if roads.mission_mode[road] == mode else 0.0
    seen[at + 5] = roads.mission_speed_mps[road] / TOP_SPEED_MPS
    seen[at + 6] = min(roads.mission_gap_s[road] / TARGET_GAP_S, 1.0)
    seen[at + 7] = (roads.mission_lane[road] - position) / LANES_SCALE
    seen[at + 8] = float(roads.mission_direction[road])
    back = roads.mission_return[road]
    seen[at + 9] = (back - position) / LANES_SCALE if back >= 0 else 0.0


@kernel
def is_taken(seen: Float64Array, at: int) -> bool:
    """Whether somebody is beside the ego in a lane that it sees."""
    return (seen[at] > 0.5) & (min(seen[at + 1], seen[at + 3]) <= 0.0)


@kernel
def write_observation(vehicles: Vehicles, first: int, roads: Roads, road: int, rules: Rules, out: StepOutputs) -> None:
    """All fields of a road's driver, in the order of FIELDS."""
    seen, at = out.observation, road * OBSERVATION_SIZE
    lane, position = own_lane(vehicles, first), lane_position(vehicles, first)
    sideways = (vehicles.target_lane[first] - vehicles.lane[first]) * shift_rate(vehicles.progress[first])
    limit = lane_limit_mps(lane, rules)
    last = max(int(rules.lanes) - 1, roads.mission_lane[road], lane)
    seen[at] = min(2.0 * position / (rules.lanes - 1.0) - 1.0, 1.0)
    seen[at + 1] = 2.0 * (position - lane)
    seen[at + 2] = sideways * roads.change_rate_per_s[road] * LANE_WIDTH_M / LATERAL_SPEED_MPS
    seen[at + 3] = vehicles.speed_mps[first] / TOP_SPEED_MPS
    seen[at + 4] = vehicles.accel_mps2[first] / HARD_BRAKE_MPS2
    seen[at + 5] = limit / TOP_SPEED_MPS
    write_mission(roads, road, position, at + MISSION_AT, out)
    for side in range(3):
        seen_lane = lane if side == 0 else lane - 1 if side == 1 else lane + 1
        write_lane(vehicles, first, seen_lane, last, at + LANES_AT + FIELDS_PER_LANE * side, rules, out)
    write_to_go(vehicles, first, roads, road, limit, out)
    out.left_taken[road] = is_taken(seen, at + LANES_AT + FIELDS_PER_LANE)
    out.right_taken[road] = is_taken(seen, at + LANES_AT + 2 * FIELDS_PER_LANE)
