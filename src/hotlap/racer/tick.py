"""One tick of one car, in the order of the rules, and the loop over a fleet."""

from typing import Any, NamedTuple

from hotlap.episodes import Episodes, Rollout, write_draws, write_end, write_seen
from hotlap.kernel import kernel, numbers_at, pointers_at
from hotlap.racer.car import advance_car, clamp
from hotlap.racer.fleet import Actions, CarState, Controls, FleetState, Rules, Starts, StepOutputs
from hotlap.racer.gates import Move, accumulate_race
from hotlap.racer.grip_fleet import CarTable, GripFleet
from hotlap.racer.physics import GATE_COUNT, ROAD, Physics
from hotlap.racer.projection import cell_of_car, locate
from hotlap.racer.rewards import accumulate_episode, lap_progress, write_reward
from hotlap.racer.sensors import CLASSIC_SIZE, FULL_SIZE, write_classic, write_full
from hotlap.racer.starts import (
    DRAWS,
    chosen_start,
    clear_outputs,
    count_respawn,
    gate_arc_u,
    moving_car,
    start_at_gate,
    write_episode,
    write_new_race,
    write_stretch,
)
from hotlap.racer.tables import TrackTables
from hotlap.racer.walls import sweep_walls, touches_wall, walls_near

# Slots of the address table: each group of arrays in turn, then the two arrays of numbers.
FLEET_SLOT = 0
TABLES_SLOT = FLEET_SLOT + len(FleetState._fields)
ACTIONS_SLOT = TABLES_SLOT + len(TrackTables._fields)
OUTPUTS_SLOT = ACTIONS_SLOT + len(Actions._fields)
STARTS_SLOT = OUTPUTS_SLOT + len(StepOutputs._fields)
EPISODES_SLOT = STARTS_SLOT + len(Starts._fields)
ROLLOUT_SLOT = EPISODES_SLOT + len(Episodes._fields)
GRIP_SLOT = ROLLOUT_SLOT + len(Rollout._fields)
CARS_SLOT = GRIP_SLOT + len(GripFleet._fields)
RULES_SLOT = CARS_SLOT + len(CarTable._fields)
PHYSICS_SLOT = RULES_SLOT + 1

LOOK, DRIVE, PLACE, RESPAWN, RESET, AUTORESET = range(6)
MODES = {"look": LOOK, "drive": DRIVE, "place": PLACE, "respawn": RESPAWN, "reset": RESET, "autoreset": AUTORESET}


class Racer(NamedTuple):
    """Everything that a tick reads or writes, in the order of the address table."""

    fleet: FleetState
    tables: TrackTables
    actions: Actions
    out: StepOutputs
    starts: Starts
    episodes: Episodes
    rollout: Rollout
    grip: GripFleet
    cars: CarTable
    rules: Rules
    physics: Physics


@kernel
def car_at(fleet: FleetState, car: int) -> CarState:
    """One car out of the fleet."""
    return CarState(
        x_u=fleet.x_u[car],
        y_u=fleet.y_u[car],
        vx_ups=fleet.vx_ups[car],
        vy_ups=fleet.vy_ups[car],
        heading_rad=fleet.heading_rad[car],
        yaw_rate_rps=fleet.yaw_rate_rps[car],
        speed_ups=fleet.speed_ups[car],
        steer=fleet.steer[car],
        throttle=fleet.throttle[car],
        brake=fleet.brake[car],
        front_angle_rad=fleet.front_angle_rad[car],
        accel_ups2=fleet.accel_ups2[car],
        slip_rad=fleet.slip_rad[car],
    )


@kernel
def write_car(fleet: FleetState, car: int, state: CarState) -> None:
    """One car back into the fleet."""
    fleet.x_u[car] = state.x_u
    fleet.y_u[car] = state.y_u
    fleet.vx_ups[car] = state.vx_ups
    fleet.vy_ups[car] = state.vy_ups
    fleet.heading_rad[car] = state.heading_rad
    fleet.yaw_rate_rps[car] = state.yaw_rate_rps
    fleet.speed_ups[car] = state.speed_ups
    fleet.steer[car] = state.steer
    fleet.throttle[car] = state.throttle
    fleet.brake[car] = state.brake
    fleet.front_angle_rad[car] = state.front_angle_rad
    fleet.accel_ups2[car] = state.accel_ups2
    fleet.slip_rad[car] = state.slip_rad


@kernel
def take_controls(fleet: FleetState, car: int, actions: Actions) -> Controls:
    """The clamped action that counts this tick: the one just given, or with a delay the one given before it."""
    steer = clamp(actions.steer[car], -1.0, 1.0)
    throttle = clamp(actions.throttle[car], 0.0, 1.0)
    brake = clamp(actions.brake[car], 0.0, 1.0)
    if fleet.delay[car] == 0:
        return Controls(steer=steer, throttle=throttle, brake=brake)
    held = Controls(steer=fleet.held_steer[car], throttle=fleet.held_throttle[car], brake=fleet.held_brake[car])
    fleet.held_steer[car], fleet.held_throttle[car], fleet.held_brake[car] = steer, throttle, brake
    return held


@kernel
def write_place(fleet: FleetState, car: int, tables: TrackTables, physics: Physics) -> None:
    """Project the car on its track: distance along the lap, distance from the centre line, surface."""
    x, y, track = fleet.x_u[car], fleet.y_u[car], fleet.track[car]
    place = locate(x, y, cell_of_car(fleet, car, tables), track, tables, physics)
    fleet.arc_u[car] = place.arc_u
    fleet.centre_distance_u[car] = place.centre_distance_u
    fleet.surface[car] = place.surface


@kernel
def observation_size(racer: Racer) -> int:
    """How many numbers a driver sees."""
    return CLASSIC_SIZE if racer.rules.layout == 0.0 else FULL_SIZE


@kernel
def write_observation(racer: Racer, car: int) -> None:
    """What the driver sees, in the layout the rules name."""
    if racer.rules.layout == 0.0:
        write_classic(racer.fleet, car, racer.tables, racer.out, racer.physics)
    else:
        write_full(racer.fleet, car, racer.tables, racer.out, racer.physics)


@kernel
def drive_car(racer: Racer, car: int) -> Move:
    """Drive for a tick and meet the walls; the surface the car stands on is known from the tick before."""
    fleet, tables, out, physics = racer.fleet, racer.tables, racer.out, racer.physics
    before = car_at(fleet, car)
    track = fleet.track[car]
    controls = take_controls(fleet, car, racer.actions)
    driven = advance_car(before, controls, fleet.surface[car], physics)
    walls = walls_near(cell_of_car(fleet, car, tables), track, tables)
    after, collided = sweep_walls(driven, before.x_u, before.y_u, walls, tables, physics)
    write_car(fleet, car, after)
    out.collided[car] = collided
    out.wall_contact[car] = touches_wall(after.x_u, after.y_u, walls, tables, physics)
    return Move(from_x_u=before.x_u, from_y_u=before.y_u, to_x_u=after.x_u, to_y_u=after.y_u)


@kernel
def advance(racer: Racer, car: int, drives: bool) -> None:
    """One tick of a car; one that does not drive is only placed on its track, and its driver shown it."""
    fleet, tables, out, rules = racer.fleet, racer.tables, racer.out, racer.rules
    move = Move(from_x_u=0.0, from_y_u=0.0, to_x_u=0.0, to_y_u=0.0)
    arc_before = fleet.arc_u[car]
    if drives:
        move = drive_car(racer, car)
    write_place(fleet, car, tables, racer.physics)
    if drives:
        fleet.lap_off_road_ticks[car] += fleet.surface[car] != ROAD
        fleet.lap_wall_ticks[car] += out.wall_contact[car] | out.collided[car]
        accumulate_race(fleet, car, move, tables, out)
    write_observation(racer, car)
    if drives:
        length = tables.length_u[fleet.track[car]]
        gained = lap_progress(arc_before, fleet.arc_u[car], length)
        write_reward(fleet, car, gained, length, rules, out, racer.physics)
        accumulate_episode(fleet, car, racer.episodes, rules, out)


@kernel
def renew_model(racer: Racer, car: int, begins: bool) -> None:
    """What a model of a car keeps beyond the fleet, as new, where an episode begins or a car respawns: here nothing."""


@kernel
def place_car(racer: Racer, car: int) -> None:
    """Begin an episode by the car's draws: everything as new, the car at its start."""
    track = write_episode(racer.starts, racer.episodes, racer.fleet, car, racer.rules)
    start = chosen_start(racer.starts, car, track, racer.tables, racer.physics)
    write_car(racer.fleet, car, moving_car(start))
    write_stretch(racer.fleet, car, gate_arc_u(start.gate, track, racer.tables))
    renew_model(racer, car, True)
    write_new_race(racer.fleet, car, start.gate)


@kernel
def respawn_car(racer: Racer, car: int) -> None:
    """Put a car to rest on the last gate it passed; its race goes on."""
    gate, track = racer.fleet.gate[car], racer.fleet.track[car]
    start = start_at_gate(gate, track * GATE_COUNT + gate, racer.tables)
    write_car(racer.fleet, car, moving_car(start))
    write_stretch(racer.fleet, car, gate_arc_u(gate, track, racer.tables))
    renew_model(racer, car, False)
    count_respawn(racer.fleet, car)


@kernel
def prepare(racer: Racer, car: int, mode: int) -> None:
    """What a mode does to a car before it drives or looks."""
    if mode == RESPAWN:
        respawn_car(racer, car)
    if mode == RESET:
        write_draws(racer.starts.draws, car * DRAWS, DRAWS, racer.episodes, car)
    if mode in (RESET, PLACE):
        place_car(racer, car)


@kernel
def close_step(racer: Racer, car: int) -> bool:
    """Hand a step to the learner, and keep what is known of an episode that ended; whether it did."""
    out, rollout = racer.out, racer.rollout
    rollout.reward[car] = out.reward[car]
    rollout.ended[car] = out.terminated[car] | out.truncated[car]
    if not rollout.ended[car]:
        return False
    write_end(rollout, car, out.observation, observation_size(racer), racer.episodes.episode_return[car])
    rollout.final_length[car] = racer.fleet.tick[car]
    rollout.final_count[car] = racer.fleet.lap[car] - 1
    return True


@kernel
def update_car(racer: Racer, car: int, mode: int) -> None:
    """One car in one of the modes.

    LOOK shows drivers where they are, after their state was written by hand; DRIVE is a tick. PLACE begins an episode
    by the draws in `starts`, RESPAWN puts a car back on the road. RESET begins the first episode, and AUTORESET is a
    tick after which episodes that ended are followed by the next; both draw by seed, stream and episode.
    """
    if mode in (PLACE, RESET):
        clear_outputs(racer.out, car)
    if mode == RESET:
        racer.episodes.episode[car] = 0
    doing = mode
    while True:
        prepare(racer, car, doing)
        advance(racer, car, doing in (DRIVE, AUTORESET))
        if doing != AUTORESET or not close_step(racer, car):
            break
        doing = RESET
    if mode in (AUTORESET, RESET):
        write_seen(racer.rollout, car, racer.out.observation, observation_size(racer))


@kernel
def update_fleet(racer: Racer, first: int, last: int, mode: int) -> None:
    """The cars from `first` up to `last`, in place."""
    for car in range(first, last):
        update_car(racer, car, mode)


@kernel
def racer_at(addresses: Any) -> Racer:
    """Everything that a tick reads or writes, from an address table."""
    return Racer(
        fleet=pointers_at(addresses, FLEET_SLOT, FleetState),
        tables=pointers_at(addresses, TABLES_SLOT, TrackTables),
        actions=pointers_at(addresses, ACTIONS_SLOT, Actions),
        out=pointers_at(addresses, OUTPUTS_SLOT, StepOutputs),
        starts=pointers_at(addresses, STARTS_SLOT, Starts),
        episodes=pointers_at(addresses, EPISODES_SLOT, Episodes),
        rollout=pointers_at(addresses, ROLLOUT_SLOT, Rollout),
        grip=pointers_at(addresses, GRIP_SLOT, GripFleet),
        cars=pointers_at(addresses, CARS_SLOT, CarTable),
        rules=numbers_at(addresses, RULES_SLOT, Rules),
        physics=numbers_at(addresses, PHYSICS_SLOT, Physics),
    )


def update_entry(addresses: Any, first: int, last: int, mode: int) -> None:
    """`update_fleet` over an address table: what is compiled for every machine."""
    update_fleet(racer_at(addresses), first, last, mode)
