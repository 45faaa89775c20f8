"""How a road's next episode begins: nothing is left of the last one, and the dice choose what was not asked for."""

from hotlap.episodes import Episodes, begin_episode
from hotlap.highway.fleet import RULE_COUNT, Roads, Rules, Scratch, Starts, StepOutputs, Vehicles, dice_size
from hotlap.highway.road import fraction, lane_limit_mps
from hotlap.highway.starts import begin_road
from hotlap.kernel import kernel

SLOWEST_START, BRISK_START = 0.0, 0.6
"""Half of the episodes begin at the second share of the lane's limit or faster, the others at any speed."""


@kernel
def start_pace(draw: float) -> float:
    """The share of the limit at which an episode begins."""
    slowest = SLOWEST_START if draw < 0.5 else BRISK_START
    return slowest + (1.0 - slowest) * fraction(2.0 * draw)


@kernel
def clear_road(roads: Roads, road: int) -> None:
    """Nothing has happened on this road."""
    roads.vehicle_count[road] = 0
    roads.jerk_mps3[road] = roads.change_rate_per_s[road] = roads.start_x_m[road] = 0.0
    roads.aborting[road] = roads.unsafe_entry[road] = roads.mission_passed[road] = 0
    roads.mission_mode[road] = roads.mission_lane[road] = roads.mission_direction[road] = 0
    roads.mission_return[road] = roads.mission_vehicle[road] = 0
    roads.mission_speed_mps[road] = roads.mission_gap_s[road] = 0.0
    roads.mission_decisions[road] = roads.mission_held[road] = roads.mission_number[road] = 0
    roads.planned[road] = roads.plan_mode[road] = roads.decision[road] = 0
    roads.mission_limit_s[road] = roads.mission_cut_s[road] = roads.settling_s[road] = 0.0
    roads.crashed[road] = roads.ego_fault[road] = roads.missing[road] = roads.rescued[road] = 0
    for rule in range(RULE_COUNT):
        roads.interventions[road * RULE_COUNT + rule] = 0


@kernel
def clear_end(out: StepOutputs, road: int) -> None:
    """The episode has not ended."""
    out.terminated[road] = out.truncated[road] = 0


@kernel
def write_start(
    vehicles: Vehicles, first: int, roads: Roads, road: int, notes: Scratch, starts: Starts, rules: Rules
) -> None:
    """The ego's lane and speed, how many vehicles there are and what is planned."""
    dice = road * dice_size(int(rules.slots))
    lane, speed = starts.lane[road], starts.speed_mps[road]
    if lane < 0:
        lane = int(notes.dice[dice] * rules.lanes)
    if speed < 0.0:
        speed = lane_limit_mps(lane, rules) * start_pace(notes.dice[dice + 1])
    fewest, most = starts.fewest[road], starts.most[road]
    vehicles.lane[first], vehicles.speed_mps[first] = lane, speed
    roads.vehicle_count[road] = fewest + int(notes.dice[dice + 2] * (most - fewest + 1))
    roads.planned[road], roads.plan_mode[road] = starts.planned[road], starts.plan_mode[road]


@kernel
def begin_anew(
    vehicles: Vehicles, roads: Roads, road: int, notes: Scratch, starts: Starts, episodes: Episodes, rules: Rules
) -> None:
    """Begin an episode by the road's dice."""
    first = road * int(rules.slots)
    begin_episode(episodes, road, rules.stagger, rules.max_decisions)
    clear_road(roads, road)
    write_start(vehicles, first, roads, road, notes, starts, rules)
    begin_road(vehicles, first, roads, road, notes, rules)
