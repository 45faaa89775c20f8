"""One decision of one road, in the order of the rules, and the loop over many roads."""

from typing import Any, NamedTuple

from hotlap.episodes import Episodes, Rollout, is_out_of_time, write_draws, write_end, write_seen
from hotlap.highway.collisions import forgive_entry, is_egos_fault, touched_by_ego
from hotlap.highway.ego import (
    abort_change,
    advance_ego,
    advance_traffic,
    begin_change,
    can_change,
    is_changing,
    reachable_accel_mps2,
    requested_direction,
)
from hotlap.highway.expert import write_expert_action
from hotlap.highway.fleet import (
    RULE_COUNT,
    Actions,
    Orders,
    Roads,
    Rules,
    Scratch,
    Starts,
    StepOutputs,
    Vehicles,
    dice_size,
)
from hotlap.highway.mission_plan import begin_next
from hotlap.highway.mission_rules import evaluate_mission, give_mission, leads_away, write_speed_error
from hotlap.highway.physics import HARD_BRAKE_MPS2, MAX_ACCEL_MPS2, TICKS_PER_DECISION
from hotlap.highway.rescue import is_rescued
from hotlap.highway.resets import begin_anew, clear_end
from hotlap.highway.rewards import write_reward
from hotlap.highway.road import clamp, gap_m, nearest_ahead, nearest_behind, neighbours, sort_order
from hotlap.highway.sensors import OBSERVATION_SIZE, own_lane, write_observation
from hotlap.highway.starts import recycle
from hotlap.highway.supervisor import (
    ABORT,
    EDGE,
    MINIMAL_RISK,
    RANGE,
    change_became_unsafe,
    refused_change,
    supervised_accel,
)
from hotlap.highway.traffic import consider_changes, leaves_safe_gap, write_accelerations
from hotlap.kernel import kernel, numbers_at, pointers_at

# Slots of the address table: each group of arrays in turn, then the array of numbers.
VEHICLES_SLOT = 0
ROADS_SLOT = VEHICLES_SLOT + len(Vehicles._fields)
SCRATCH_SLOT = ROADS_SLOT + len(Roads._fields)
ACTIONS_SLOT = SCRATCH_SLOT + len(Scratch._fields)
ORDERS_SLOT = ACTIONS_SLOT + len(Actions._fields)
OUTPUTS_SLOT = ORDERS_SLOT + len(Orders._fields)
STARTS_SLOT = OUTPUTS_SLOT + len(StepOutputs._fields)
EPISODES_SLOT = STARTS_SLOT + len(Starts._fields)
ROLLOUT_SLOT = EPISODES_SLOT + len(Episodes._fields)
RULES_SLOT = ROLLOUT_SLOT + len(Rollout._fields)

LOOK, DRIVE, BEGIN, GIVE, RESET, AUTORESET, ADVISE = range(7)
MODES = {
    "look": LOOK,
    "drive": DRIVE,
    "begin": BEGIN,
    "give": GIVE,
    "reset": RESET,
    "autoreset": AUTORESET,
    "advise": ADVISE,
}


class Highway(NamedTuple):
    """Everything that a decision reads or writes, in the order of the address table."""

    vehicles: Vehicles
    roads: Roads
    notes: Scratch
    actions: Actions
    orders: Orders
    out: StepOutputs
    starts: Starts
    episodes: Episodes
    rollout: Rollout
    rules: Rules


@kernel
def note_rule(out: StepOutputs, road: int, rule: int) -> None:
    """Remember that a rule was used in this decision."""
    if rule >= 0:
        out.rules[road] |= 1 << rule


@kernel
def taken(value: float, low: float, high: float, out: StepOutputs, road: int) -> float:
    """A part of the action within its range; what is no number at all counts as nothing."""
    if value >= low and value <= high:
        return value
    note_rule(out, road, RANGE)
    return clamp(value, low, high) if value == value else 0.0  # noqa: PLR0124 - the test for "not a number"


@kernel
def steer_ego(
    vehicles: Vehicles, first: int, roads: Roads, road: int, direction: int, out: StepOutputs, rules: Rules
) -> int:
    """Begin or abort a lane change as asked for, if the rules allow it; 1 when that leads away from the mission."""
    if direction == 0:
        return 0
    if is_changing(vehicles, first):
        if direction * (vehicles.target_lane[first] - vehicles.lane[first]) < 0:
            abort_change(vehicles, first, roads, road)
        return 0
    if not can_change(vehicles, first, roads, road, direction, rules):
        if rules.supervised != 0.0:
            note_rule(out, road, EDGE)
        return 0
    lane = vehicles.lane[first] + direction
    if rules.supervised != 0.0:
        rule = refused_change(vehicles, first, lane, rules)
        note_rule(out, road, rule)
        if rule >= 0:
            return 0
    front, rear = neighbours(vehicles, first, int(rules.slots), first, lane, False)
    if not leaves_safe_gap(vehicles, first, rear, first):
        roads.unsafe_entry[road] = 1
    if roads.unsafe_entry[road] or not leaves_safe_gap(vehicles, first, first, front):
        out.unsafe_changes[road] = 1
    begin_change(vehicles, first, roads, road, direction)
    out.changes_begun[road] = 1
    return leads_away(roads, road, direction, lane)


@kernel
def ego_accel_mps2(
    vehicles: Vehicles, first: int, roads: Roads, road: int, wanted_mps2: float, out: StepOutputs, rules: Rules
) -> float:
    """The ego's acceleration in a tick: what is asked for, what the car can do, what the supervisor lets it do."""
    slots, lane, target = int(rules.slots), vehicles.lane[first], vehicles.target_lane[first]
    accel = reachable_accel_mps2(vehicles.accel_mps2[first], vehicles.speed_mps[first], wanted_mps2)
    if rules.supervised == 0.0:
        return accel
    front = nearest_ahead(vehicles, first, slots, first, lane, False)
    target_front = front
    if lane != target:
        target_front = nearest_ahead(vehicles, first, slots, first, target, False)
        if change_became_unsafe(vehicles, first, front, target_front, rules) and abort_change(
            vehicles, first, roads, road
        ):
            note_rule(out, road, ABORT)
    supervised = supervised_accel(vehicles, first, front, target_front, accel, rules)
    note_rule(out, road, supervised.rule)
    return supervised.accel_mps2


@kernel
def drive_tick(
    vehicles: Vehicles,
    first: int,
    roads: Roads,
    road: int,
    wanted_mps2: float,
    tick: int,
    notes: Scratch,
    out: StepOutputs,
    rules: Rules,
) -> None:
    """One tick of a road: others change lanes, all choose an acceleration, all move, boxes are compared."""
    slots = int(rules.slots)
    consider_changes(vehicles, first, tick, rules)
    accel = ego_accel_mps2(vehicles, first, roads, road, wanted_mps2, out, rules)
    write_accelerations(vehicles, first, road, tick, notes, rules)
    advance_ego(vehicles, first, roads, road, accel)
    advance_traffic(vehicles, first, slots)
    sort_order(vehicles, first, slots)
    other = touched_by_ego(vehicles, first, slots, roads.change_rate_per_s[road])
    if other >= 0:
        roads.crashed[road] = 1
        roads.ego_fault[road] = is_egos_fault(vehicles, first, other, roads, road)
    elif roads.unsafe_entry[road]:
        rear = nearest_behind(vehicles, first, slots, first, vehicles.target_lane[first], False)
        forgive_entry(vehicles, first, rear, roads, road)


@kernel
def clear_outputs(out: StepOutputs, road: int) -> None:
    """Nothing has happened yet in this decision."""
    out.rules[road] = out.changes_begun[road] = out.unsafe_changes[road] = out.mission_ended[road] = 0
    out.ended_mode[road] = out.ended_reason[road] = out.ended_decisions[road] = out.is_free[road] = 0
    out.tracking[road] = out.lane_keeping[road] = out.distance[road] = out.comfort[road] = 0.0
    out.legality[road] = out.mission[road] = out.crash[road] = out.reward[road] = out.speed_error_mps[road] = 0.0


@kernel
def drive_road(
    vehicles: Vehicles,
    first: int,
    roads: Roads,
    road: int,
    notes: Scratch,
    actions: Actions,
    out: StepOutputs,
    rules: Rules,
) -> None:
    """One decision: take the action, drive its ticks, look after the mission and the traffic, pay."""
    throttle = taken(actions.throttle[road], 0.0, 1.0, out, road)
    brake = taken(actions.brake[road], 0.0, 1.0, out, road)
    direction = requested_direction(taken(actions.lane[road], -1.0, 1.0, out, road))
    needless = steer_ego(vehicles, first, roads, road, direction, out, rules)
    wanted = MAX_ACCEL_MPS2 * throttle - HARD_BRAKE_MPS2 * brake
    roughest = 0.0
    for n in range(TICKS_PER_DECISION):
        if not roads.crashed[road]:
            tick = roads.decision[road] * TICKS_PER_DECISION + n
            drive_tick(vehicles, first, roads, road, wanted, tick, notes, out, rules)
            roughest = max(roughest, abs(roads.jerk_mps3[road]))
    roads.decision[road] += 1
    front = nearest_ahead(vehicles, first, int(rules.slots), first, own_lane(vehicles, first), False)
    write_speed_error(vehicles, first, front, roads, road, out, rules)
    evaluate_mission(vehicles, first, front, roads, road, out, rules)
    write_reward(vehicles, first, front, roads, road, roughest, needless, out, rules)
    if out.mission_ended[road]:
        begin_next(vehicles, first, roads, road, notes, rules)
    recycle(vehicles, first, roads, road, rules)
    for rule in range(RULE_COUNT):
        roads.interventions[road * RULE_COUNT + rule] += (out.rules[road] >> rule) & 1
    out.terminated[road] = roads.crashed[road]


@kernel
def count_decision(roads: Roads, road: int, episodes: Episodes, out: StepOutputs, rules: Rules) -> None:
    """Add the reward to the return, and tell whether the episode is out of time."""
    episodes.episode_return[road] += out.reward[road]
    out.truncated[road] = 1 if is_out_of_time(episodes, road, roads.decision[road], rules.max_decisions) else 0


@kernel
def close_step(roads: Roads, road: int, episodes: Episodes, out: StepOutputs, rollout: Rollout) -> bool:
    """Hand a step to the learner, and keep what is known of an episode that ended; whether it did."""
    rollout.reward[road] = out.reward[road]
    rollout.ended[road] = out.terminated[road] | out.truncated[road]
    if not rollout.ended[road]:
        return False
    write_end(rollout, road, out.observation, OBSERVATION_SIZE, episodes.episode_return[road])
    rollout.final_length[road] = roads.decision[road]
    rollout.final_count[road] = roads.mission_number[road]
    return True


@kernel
def update_road(highway: Highway, road: int, mode: int) -> None:
    """One road in one of the modes.

    LOOK shows drivers where they are; DRIVE is a decision; a road with a crash stays as it is. BEGIN begins an episode
    by the road's dice, GIVE gives the ego its orders: `ended_reason` says why one was refused. RESET begins the first
    episode, and AUTORESET is a decision after which episodes that ended are followed by the next; both draw the dice by
    seed, stream and episode. ADVISE writes what the expert would do, as it is done for a driver that failed.
    """
    vehicles, roads, notes, out, rules = highway.vehicles, highway.roads, highway.notes, highway.out, highway.rules
    starts, episodes, slots = highway.starts, highway.episodes, int(rules.slots)
    first = road * slots
    clear_outputs(out, road)
    if mode in (BEGIN, RESET):
        clear_end(out, road)
    if mode == RESET:
        episodes.episode[road] = 0
    if mode == GIVE:
        out.ended_reason[road] = give_mission(vehicles, first, roads, road, highway.orders, rules)
    if mode == LOOK:
        sort_order(vehicles, first, slots)
    drives = (mode in (DRIVE, AUTORESET)) and not roads.crashed[road]
    rescued = drives and is_rescued(vehicles, first, roads, road, highway.actions, rules)
    if rescued or mode == ADVISE:
        write_expert_action(out.observation, road, highway.actions)
    if rescued:
        note_rule(out, road, MINIMAL_RISK)
    if drives:
        drive_road(vehicles, first, roads, road, notes, highway.actions, out, rules)
        count_decision(roads, road, episodes, out, rules)
    doing = mode
    while True:
        if doing == RESET:
            write_draws(notes.dice, road * dice_size(slots), dice_size(slots), episodes, road)
        if doing in (BEGIN, RESET):
            begin_anew(vehicles, roads, road, notes, starts, episodes, rules)
        front = nearest_ahead(vehicles, first, slots, first, own_lane(vehicles, first), False)
        if doing == mode:
            out.gap_ahead_m[road] = gap_m(vehicles, first, front)
        write_observation(vehicles, first, roads, road, rules, out)
        if doing != AUTORESET or not close_step(roads, road, episodes, out, highway.rollout):
            break
        doing = RESET
    if mode in (AUTORESET, RESET):
        write_seen(highway.rollout, road, out.observation, OBSERVATION_SIZE)


@kernel
def update_roads(highway: Highway, first_road: int, last_road: int, mode: int) -> None:
    """The roads from the first up to the last, in place."""
    for road in range(first_road, last_road):
        update_road(highway, road, mode)


def update_entry(addresses: Any, first: int, last: int, mode: int) -> None:
    """`update_roads` over an address table: what is compiled for every machine."""
    highway = Highway(
        vehicles=pointers_at(addresses, VEHICLES_SLOT, Vehicles),
        roads=pointers_at(addresses, ROADS_SLOT, Roads),
        notes=pointers_at(addresses, SCRATCH_SLOT, Scratch),
        actions=pointers_at(addresses, ACTIONS_SLOT, Actions),
        orders=pointers_at(addresses, ORDERS_SLOT, Orders),
        out=pointers_at(addresses, OUTPUTS_SLOT, StepOutputs),
        starts=pointers_at(addresses, STARTS_SLOT, Starts),
        episodes=pointers_at(addresses, EPISODES_SLOT, Episodes),
        rollout=pointers_at(addresses, ROLLOUT_SLOT, Rollout),
        rules=numbers_at(addresses, RULES_SLOT, Rules),
    )
    update_roads(highway, first, last, mode)
