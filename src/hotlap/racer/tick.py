"""One tick of one car, in the order of the rules, and the loop over a fleet."""

from typing import Any

from hotlap.kernel import arrays_at, kernel, numbers_at
from hotlap.racer.car import advance_car, clamp
from hotlap.racer.fleet import Actions, CarState, Controls, FleetState, Rules, StepOutputs
from hotlap.racer.gates import Move, accumulate_race
from hotlap.racer.physics import ROAD, Physics
from hotlap.racer.projection import cell_of_car, locate
from hotlap.racer.rewards import accumulate_episode, lap_progress, write_reward
from hotlap.racer.sensors import write_classic, write_full
from hotlap.racer.tables import TrackTables
from hotlap.racer.walls import sweep_walls, touches_wall, walls_near

# Slots of the address table: each group of arrays in turn, then the two arrays of numbers.
FLEET_SLOT = 0
TABLES_SLOT = FLEET_SLOT + len(FleetState._fields)
ACTIONS_SLOT = TABLES_SLOT + len(TrackTables._fields)
OUTPUTS_SLOT = ACTIONS_SLOT + len(Actions._fields)
RULES_SLOT = OUTPUTS_SLOT + len(StepOutputs._fields)
PHYSICS_SLOT = RULES_SLOT + 1


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
def write_observation(
    fleet: FleetState, car: int, tables: TrackTables, rules: Rules, out: StepOutputs, physics: Physics
) -> None:
    """What the driver sees, in the layout the rules name."""
    if rules.layout == 0.0:
        write_classic(fleet, car, tables, out, physics)
    else:
        write_full(fleet, car, tables, out, physics)


@kernel
def drive_car(
    fleet: FleetState, car: int, tables: TrackTables, actions: Actions, out: StepOutputs, physics: Physics
) -> Move:
    """Drive for a tick and meet the walls; the surface the car stands on is known from the tick before."""
    before = car_at(fleet, car)
    track = fleet.track[car]
    controls = take_controls(fleet, car, actions)
    driven = advance_car(before, controls, fleet.surface[car], physics)
    walls = walls_near(cell_of_car(fleet, car, tables), track, tables)
    after, collided = sweep_walls(driven, before.x_u, before.y_u, walls, tables, physics)
    write_car(fleet, car, after)
    out.collided[car] = collided
    out.wall_contact[car] = touches_wall(after.x_u, after.y_u, walls, tables, physics)
    return Move(from_x_u=before.x_u, from_y_u=before.y_u, to_x_u=after.x_u, to_y_u=after.y_u)


@kernel
def update_fleet(
    fleet: FleetState,
    tables: TrackTables,
    actions: Actions,
    out: StepOutputs,
    rules: Rules,
    physics: Physics,
    first: int,
    last: int,
    drives: int,
) -> None:
    """Advance the cars from `first` up to `last` by one tick, in place.

    With `drives` 0 nothing moves: cars put somewhere by hand are placed on their tracks and their drivers shown it.
    """
    move = Move(from_x_u=0.0, from_y_u=0.0, to_x_u=0.0, to_y_u=0.0)
    for car in range(first, last):
        arc_before = fleet.arc_u[car]
        if drives:
            move = drive_car(fleet, car, tables, actions, out, physics)
        write_place(fleet, car, tables, physics)
        if drives:
            fleet.lap_off_road_ticks[car] += fleet.surface[car] != ROAD
            fleet.lap_wall_ticks[car] += out.wall_contact[car] | out.collided[car]
            accumulate_race(fleet, car, move, tables, out)
        write_observation(fleet, car, tables, rules, out, physics)
        if drives:
            length = tables.length_u[fleet.track[car]]
            write_reward(fleet, car, lap_progress(arc_before, fleet.arc_u[car], length), length, rules, out, physics)
            accumulate_episode(fleet, car, rules, out)


def update_entry(addresses: Any, first: int, last: int, drives: int) -> None:
    """`update_fleet` over an address table: what is compiled for every machine."""
    update_fleet(
        arrays_at(addresses, FLEET_SLOT, FleetState),
        arrays_at(addresses, TABLES_SLOT, TrackTables),
        arrays_at(addresses, ACTIONS_SLOT, Actions),
        arrays_at(addresses, OUTPUTS_SLOT, StepOutputs),
        numbers_at(addresses, RULES_SLOT, Rules),
        numbers_at(addresses, PHYSICS_SLOT, Physics),
        first,
        last,
        drives,
    )
