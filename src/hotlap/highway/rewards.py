"""Rewards: weighted facts of one decision, all about the mission and how it is carried out."""

from hotlap.highway.fleet import Roads, Rules, StepOutputs, Vehicles
from hotlap.highway.mission_rules import DONE, TIMED_OUT, gained_m, goal_speed_mps, lanes_off
from hotlap.highway.physics import EASY_ACCEL_MPS2, EASY_BRAKE_MPS2, HARD_BRAKE_MPS2, MAX_ACCEL_MPS2
from hotlap.highway.road import clamp, gap_m, lane_limit_mps, nearest_ahead
from hotlap.highway.sensors import own_lane
from hotlap.kernel import kernel

REACTING_S = 1.5
"""Near its goal, a speed is to approach it so quickly."""
UNPAID_MPS2 = 2.5
"""An acceleration so far from the wanted one earns nothing."""
SAFE_SHARE, LONGEST_SAFE_S = 0.6, 2.0
"""Below this share of the mission's gap, of this one at most, a vehicle ahead is too close."""
COMFORT_JERK_MPS3 = 10.0
MOST_LANES_OFF = 2.0
MOST_OVER_MPS = 10.0


@kernel
def tracking(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int, rules: Rules) -> float:
    """1 for driving the speed the mission asks for, or on the comfortable way there; less the further from that."""
    missing = goal_speed_mps(vehicles, first, front, roads, road, rules) - vehicles.speed_mps[first]
    wanted_mps2 = clamp(missing / REACTING_S, -EASY_BRAKE_MPS2, EASY_ACCEL_MPS2)
    return max(1.0 - abs(vehicles.accel_mps2[first] - wanted_mps2) / UNPAID_MPS2, 0.0)


@kernel
def crowding(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int) -> float:
    """How much too close a vehicle ahead is, 0 to 1: what a decent gap lacks, or the brakes it takes to stop."""
    if front < 0:
        return 0.0
    gap, speed = max(gap_m(vehicles, first, front), 0.1), vehicles.speed_mps[first]
    decent = max(SAFE_SHARE * min(roads.mission_gap_s[road], LONGEST_SAFE_S) * speed, 0.1)
    closing = max(speed - vehicles.speed_mps[front], 0.0)
    braking_mps2 = 0.5 * closing * closing / gap
    return clamp(max(1.0 - gap / decent, braking_mps2 / HARD_BRAKE_MPS2), 0.0, 1.0)


@kernel
def crowding_ahead(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int, rules: Rules) -> float:
    """The same in the ego's lane and, while it changes, in both of its lanes."""
    most = crowding(vehicles, first, front, roads, road)
    if vehicles.lane[first] != vehicles.target_lane[first]:
        here, there = vehicles.lane[first], vehicles.target_lane[first]
        other = there if own_lane(vehicles, first) == here else here
        ahead = nearest_ahead(vehicles, first, int(rules.slots), first, other, False)
        most = max(most, crowding(vehicles, first, ahead, roads, road))
    return most


@kernel
def over_limit_mps(vehicles: Vehicles, first: int, rules: Rules) -> float:
    """How much faster than the limit of its lane, of the faster one between two, the ego is."""
    here = lane_limit_mps(vehicles.lane[first], rules)
    limit = max(here, lane_limit_mps(vehicles.target_lane[first], rules))
    return clamp(vehicles.speed_mps[first] - limit, 0.0, MOST_OVER_MPS)


@kernel
def write_reward(
    vehicles: Vehicles,
    first: int,
    front: int,
    roads: Roads,
    road: int,
    jerk_mps3: float,
    needless: int,
    out: StepOutputs,
    rules: Rules,
) -> None:
    """The parts of the reward and their sum; the facts are those of the mission that was driven."""
    off = min(lanes_off(vehicles, first, roads, road), MOST_LANES_OFF)
    accel = vehicles.accel_mps2[first] / (HARD_BRAKE_MPS2 if vehicles.accel_mps2[first] < 0.0 else MAX_ACCEL_MPS2)
    rough = clamp(jerk_mps3 / COMFORT_JERK_MPS3, -1.0, 1.0)
    ended = out.mission_ended[road]
    out.tracking[road] = rules.tracking * tracking(vehicles, first, front, roads, road, rules)
    out.lane_keeping[road] = rules.lane_keeping * off
    out.distance[road] = rules.distance * crowding_ahead(vehicles, first, front, roads, road, rules)
    out.distance[road] += rules.unsafe_change * out.unsafe_changes[road]
    out.comfort[road] = rules.comfort * (rough * rough + accel * accel) + rules.needless_change * needless
    out.legality[road] = rules.legality * over_limit_mps(vehicles, first, rules)
    out.mission[road] = rules.mission_done if ended == DONE else rules.mission_timed_out if ended == TIMED_OUT else 0.0
    out.mission[road] += rules.passing * gained_m(vehicles, first, roads, road)
    out.crash[road] = rules.crash if roads.crashed[road] else 0.0
    if out.rules[road] != 0:
        out.legality[road] += rules.intervention
    out.reward[road] = (
        out.tracking[road]
        + out.lane_keeping[road]
        + out.distance[road]
        + out.comfort[road]
        + out.legality[road]
        + out.mission[road]
        + out.crash[road]
    )
