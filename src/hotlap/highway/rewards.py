"""Rewards: weighted facts of one decision, all about the mission and how it is carried out."""

from hotlap.highway.fleet import Roads, Rules, StepOutputs, Vehicles
from hotlap.highway.mission_rules import DONE, TIMED_OUT, goal_speed_mps
from hotlap.highway.physics import HARD_BRAKE_MPS2, MAX_ACCEL_MPS2
from hotlap.highway.road import clamp, gap_m, lane_limit_mps, lane_position
from hotlap.kernel import kernel

HALF_PAID_MPS = 1.0
"""A speed so far from the goal earns half of the part that is paid for precision."""
UNPAID_MPS = 15.0
"""A speed so far from the goal earns nothing."""
PRECISION_SHARE = 0.5
SAFE_SHARE = 0.6
"""Below this share of the mission's gap a vehicle ahead is too close."""
COMFORT_JERK_MPS3 = 10.0
MOST_LANES_OFF = 2.0
MOST_OVER_MPS = 10.0


@kernel
def tracking(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int, rules: Rules) -> float:
    """1 at the speed the mission asks for, less and less away from it: evenly from afar, steeply near it."""
    error = abs(vehicles.speed_mps[first] - goal_speed_mps(vehicles, first, front, roads, road, rules))
    near = HALF_PAID_MPS / (HALF_PAID_MPS + error)
    return PRECISION_SHARE * near + (1.0 - PRECISION_SHARE) * max(1.0 - error / UNPAID_MPS, 0.0)


@kernel
def shortfall(vehicles: Vehicles, first: int, front: int, roads: Roads, road: int) -> float:
    """The share of a decent gap to the vehicle ahead that is missing, 0 to 1."""
    decent = SAFE_SHARE * roads.mission_gap_s[road] * vehicles.speed_mps[first]
    if front < 0 or decent <= 0.0:
        return 0.0
    return clamp(1.0 - gap_m(vehicles, first, front) / decent, 0.0, 1.0)


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
    off = min(abs(lane_position(vehicles, first) - roads.mission_lane[road]), MOST_LANES_OFF)
    accel = vehicles.accel_mps2[first] / (HARD_BRAKE_MPS2 if vehicles.accel_mps2[first] < 0.0 else MAX_ACCEL_MPS2)
    rough = clamp(jerk_mps3 / COMFORT_JERK_MPS3, -1.0, 1.0)
    ended = out.mission_ended[road]
    out.tracking[road] = rules.tracking * tracking(vehicles, first, front, roads, road, rules)
    out.lane_keeping[road] = rules.lane_keeping * off
    out.distance[road] = rules.distance * shortfall(vehicles, first, front, roads, road)
    out.comfort[road] = rules.comfort * (rough * rough + accel * accel) + rules.needless_change * needless
    out.legality[road] = rules.legality * over_limit_mps(vehicles, first, rules)
    out.mission[road] = rules.mission_done if ended == DONE else rules.mission_timed_out if ended == TIMED_OUT else 0.0
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
