"""What a road with its vehicles carries and what a step puts out, as structs of arrays.

A road has a slot for the ego, slot 0, and for every vehicle of its traffic: the vehicle in slot k of a road is element
`road * slots + k` of each array of `Vehicles`. Lane 0 is the leftmost. A vehicle between two lanes has a target lane
that is not its lane, and counts as being in both of them until it has arrived.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.highway.physics import MOST_LANES_AND_SHOULDER
from hotlap.kernel import kernel

Float64Array = NDArray[np.float64]
Int32Array = NDArray[np.int32]
ByteArray = NDArray[np.uint8]

EGO = 0
NOBODY = -1
ABSENT_X_M = -1e9
"""Where a vehicle is that is waiting for room on the road."""
DICE_PER_VEHICLE = 5
PLANNED_MISSIONS = 32
DICE_PER_MISSION = 8
EGO_DICE = 3
RULE_COUNT = 9


class Vehicles(NamedTuple):
    """Every vehicle of every road, the ego in slot 0; `order` lists the slots of a road from front to back."""

    x_m: Float64Array
    speed_mps: Float64Array
    accel_mps2: Float64Array
    lane: Int32Array
    target_lane: Int32Array
    progress: Float64Array
    """How much of a lane change is done, 0 to 1."""
    length_m: Float64Array
    width_m: Float64Array
    # The driver.
    pace: Float64Array
    headway_s: Float64Array
    max_accel_mps2: Float64Array
    approach: Float64Array
    """1 / (2 √(a b)) of the intelligent-driver model."""
    politeness: Float64Array
    side: Int32Array
    """Where this driver turns when left and right are equally good: -1 or 1."""
    kind: Int32Array
    temperament: Int32Array
    manner: Int32Array
    cut_in: Int32Array
    """Ticks for which a vehicle that cut in still answers for the gap."""
    order: Int32Array


class Roads(NamedTuple):
    """The rest of what a road carries, one element per road: the ego's controls, its mission, its episode."""

    vehicle_count: Int32Array
    jerk_mps3: Float64Array
    change_rate_per_s: Float64Array
    aborting: ByteArray
    unsafe_entry: ByteArray
    """Whether the ego moved in so closely that who follows it is not to blame yet."""
    start_x_m: Float64Array
    # The mission.
    mission_mode: Int32Array
    mission_lane: Int32Array
    mission_speed_mps: Float64Array
    mission_gap_s: Float64Array
    mission_direction: Int32Array
    mission_return: Int32Array
    mission_vehicle: Int32Array
    mission_passed: ByteArray
    mission_decisions: Int32Array
    mission_held: Int32Array
    mission_number: Int32Array
    mission_limit_s: Float64Array
    mission_cut_s: Float64Array
    """When the plan calls a mission off to go on with the next one; 0 for never."""
    settling_s: Float64Array
    """How long the driver may still be on its way to the mission's speed; from 0 on its speed error counts."""
    planned: Int32Array
    """How many missions the plan still holds; 0 leaves it to whoever gives missions."""
    plan_mode: Int32Array
    """The one mode that is planned, or -1 for all of them."""
    missing: Int32Array
    """Decisions in a row that the driver failed to give."""
    rescued: ByteArray
    """Whether the supervisor is bringing the ego to a stop on the shoulder, since its driver failed."""
    # The episode.
    decision: Int32Array
    crashed: ByteArray
    ego_fault: ByteArray
    interventions: Int32Array
    """Decisions changed by each rule of the supervisor, flat: one row of the rules per road."""


class Scratch(NamedTuple):
    """Notes that a tick takes, of no meaning afterwards: the last vehicle seen in each lane, whether the ego is it."""

    front: Int32Array
    ego_front: Int32Array
    dice: Float64Array
    """What was drawn for a road's episode before it began, flat."""


class Actions(NamedTuple):
    """One request per road, raw: clamping is a rule of the world."""

    throttle: Float64Array
    brake: Float64Array
    lane: Float64Array


class Orders(NamedTuple):
    """A mission to be given to each road's ego; numbers below 0, and the direction 0, say nothing."""

    mode: Int32Array
    lane: Int32Array
    speed_mps: Float64Array
    gap_s: Float64Array
    direction: Int32Array
    return_lane: Int32Array


class Starts(NamedTuple):
    """How each road's episodes begin; a lane or a speed below 0 is left to the dice."""

    lane: Int32Array
    speed_mps: Float64Array
    fewest: Int32Array
    """Vehicles around the ego: the dice choose from the fewest to the most."""
    most: Int32Array
    planned: Int32Array
    """How many missions are planned, and of which mode; -1 plans all of them."""
    plan_mode: Int32Array


class StepOutputs(NamedTuple):
    """What one step says about every road. `observation` is flat: one row per road."""

    observation: Float64Array
    reward: Float64Array
    tracking: Float64Array
    lane_keeping: Float64Array
    distance: Float64Array
    comfort: Float64Array
    legality: Float64Array
    mission: Float64Array
    crash: Float64Array
    terminated: ByteArray
    truncated: ByteArray
    rules: Int32Array
    """The rules the supervisor used in this step, bit by bit."""
    gap_ahead_m: Float64Array
    left_taken: ByteArray
    right_taken: ByteArray
    """Whether somebody is beside the ego on that side."""
    is_free: ByteArray
    """Whether nothing but the mission decided the speed in this step, and how far from that speed the ego was."""
    speed_error_mps: Float64Array
    changes_begun: Int32Array
    """Lane changes begun in this step, and those of them into a gap that was not safe."""
    unsafe_changes: Int32Array
    mission_ended: Int32Array
    """The outcome of a mission that ended in this step, else 0, and its mode, reason and duration."""
    ended_mode: Int32Array
    ended_reason: Int32Array
    ended_decisions: Int32Array


class Rules(NamedTuple):
    """The road, the switches and the reward weights, as numbers for the kernel."""

    lanes: float
    limit_left_mps: float
    limit_right_mps: float
    slots: float
    supervised: float
    max_decisions: float
    tracking: float
    lane_keeping: float
    distance: float
    comfort: float
    legality: float
    mission_done: float
    mission_timed_out: float
    crash: float
    needless_change: float
    unsafe_change: float
    intervention: float
    passing: float
    tailgaters: float
    hard_brakers: float
    cutters: float
    adversaries: float
    stagger: float
    """1 cuts each road's first episode off at a drawn decision."""


@kernel
def dice_size(slots: int) -> int:
    """How many dice an episode takes on a road with so many slots."""
    return EGO_DICE + DICE_PER_VEHICLE * (slots - 1) + DICE_PER_MISSION * PLANNED_MISSIONS


def row_sizes(slots: int, observation: int) -> dict[str, int]:
    """The arrays that hold more than one element per road, and how many."""
    rows = dict.fromkeys(Vehicles._fields, slots)
    rows.update(
        interventions=RULE_COUNT,
        front=MOST_LANES_AND_SHOULDER,
        ego_front=MOST_LANES_AND_SHOULDER,
        dice=dice_size(slots),
    )
    return {**rows, "observation": observation, "final_observation": observation}
