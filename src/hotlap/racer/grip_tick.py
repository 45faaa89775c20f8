"""One tick of a car with grip: the parts that take the place of the classic car's in the tick of the racing world."""

import math
from typing import Any

from hotlap.kernel import kernel, with_parts
from hotlap.racer.fleet import CarState, Controls, FleetState
from hotlap.racer.gates import Move
from hotlap.racer.grip_car import Assists, CarData, GripState, advance_grip_car
from hotlap.racer.grip_fleet import GripFleet, car_data
from hotlap.racer.grip_sensors import (
    GRIP_AND_CAR_SIZE,
    GRIP_SIZE,
    write_car_numbers,
    write_grip,
)
from hotlap.racer.grip_starts import grip_start_motion
from hotlap.racer.grip_walls import glance_off_wall
from hotlap.racer.projection import cell_of_car
from hotlap.racer.starts import TRACK_DRAW, drawn, start_motion
from hotlap.racer.tick import (
    Racer,
    car_at,
    drive_car,
    observation_size,
    racer_at,
    renew_model,
    take_controls,
    update_fleet,
    write_car,
    write_observation,
)
from hotlap.racer.walls import respond_to_wall, sweep_walls, touches_wall, walls_near

GRIP_LAYOUT, GRIP_AND_CAR_LAYOUT = 2.0, 3.0


@kernel
def grip_state(car: CarState, grip: GripFleet, number: int) -> GripState:
    """A car's motion in its own frame."""
    cos_heading, sin_heading = math.cos(car.heading_rad), math.sin(car.heading_rad)
    return GripState(
        x_m=car.x_u,
        y_m=car.y_u,
        heading_rad=car.heading_rad,
        forward_mps=car.vx_ups * cos_heading + car.vy_ups * sin_heading,
        sideways_mps=car.vy_ups * cos_heading - car.vx_ups * sin_heading,
        yaw_rate_rps=car.yaw_rate_rps,
        wheel_angle_rad=car.front_angle_rad,
        throttle=car.throttle,
        brake=car.brake,
        forward_accel_mps2=car.accel_ups2,
        sideways_accel_mps2=grip.sideways_accel_mps2[number],
        grip_used_front=grip.grip_used_front[number],
        grip_used_rear=grip.grip_used_rear[number],
    )


@kernel
def car_state(state: GripState, data: CarData) -> CarState:
    """The same motion seen from the world."""
    cos_heading, sin_heading = math.cos(state.heading_rad), math.sin(state.heading_rad)
    speed = math.sqrt(state.forward_mps * state.forward_mps + state.sideways_mps * state.sideways_mps)
    return CarState(
        x_u=state.x_m,
        y_u=state.y_m,
        vx_ups=state.forward_mps * cos_heading - state.sideways_mps * sin_heading,
        vy_ups=state.forward_mps * sin_heading + state.sideways_mps * cos_heading,
        heading_rad=state.heading_rad,
        yaw_rate_rps=state.yaw_rate_rps,
        speed_ups=speed,
        steer=-state.wheel_angle_rad / data.max_wheel_angle_rad,
        throttle=state.throttle,
        brake=state.brake,
        front_angle_rad=state.wheel_angle_rad,
        accel_ups2=state.forward_accel_mps2,
        slip_rad=abs(math.atan2(state.sideways_mps, state.forward_mps)) if speed > 1.0 else 0.0,
    )


@kernel
def advance_in_fleet(fleet: FleetState, grip: GripFleet, car: int, controls: Controls, data: CarData) -> CarState:
    """One tick of a car of the fleet, before any wall; what its tyres did is written down."""
    assists = Assists(traction_control=grip.traction_control[car], anti_lock=grip.anti_lock[car])
    before = grip_state(car_at(fleet, car), grip, car)
    after = advance_grip_car(before, controls, fleet.surface[car], assists, data)
    grip.sideways_accel_mps2[car] = after.sideways_accel_mps2
    grip.grip_used_front[car], grip.grip_used_rear[car] = after.grip_used_front, after.grip_used_rear
    return car_state(after, data)


@kernel
def drive_grip_car(racer: Racer, car: int) -> Move:
    """Drive for a tick and meet the walls."""
    fleet, tables, out, physics = racer.fleet, racer.tables, racer.out, racer.physics
    from_x, from_y = fleet.x_u[car], fleet.y_u[car]
    controls = take_controls(fleet, car, racer.actions)
    driven = advance_in_fleet(fleet, racer.grip, car, controls, car_data(racer.cars, racer.grip.car[car]))
    walls = walls_near(cell_of_car(fleet, car, tables), fleet.track[car], tables)
    after, collided = sweep_walls(driven, from_x, from_y, walls, tables, physics)
    write_car(fleet, car, after)
    out.collided[car] = collided
    out.wall_contact[car] = touches_wall(after.x_u, after.y_u, walls, tables, physics)
    return Move(from_x_u=from_x, from_y_u=from_y, to_x_u=after.x_u, to_y_u=after.y_u)


@kernel
def renew_grip(racer: Racer, car: int, begins: bool) -> None:
    """Nothing is asked of the tyres yet; where an episode begins, what the draw of the track leaves chooses the car."""
    grip, starts = racer.grip, racer.starts
    grip.sideways_accel_mps2[car] = grip.grip_used_front[car] = grip.grip_used_rear[car] = 0.0
    if begins:
        share = drawn(starts, car, TRACK_DRAW) * starts.track_count[car]
        grip.car[car] = grip.first_car[car] + int((share - int(share)) * grip.car_count[car])


@kernel
def grip_observation_size(racer: Racer) -> int:
    """How many numbers a driver sees."""
    return GRIP_SIZE if racer.rules.layout == GRIP_LAYOUT else GRIP_AND_CAR_SIZE


@kernel
def write_grip_observation(racer: Racer, car: int) -> None:
    """What the driver sees, with the numbers of the car where the layout has them."""
    row = car * grip_observation_size(racer)
    write_grip(racer.fleet, racer.grip, car, row, racer.tables, racer.out)
    if racer.rules.layout == GRIP_AND_CAR_LAYOUT:
        write_car_numbers(racer.grip.car[car], row + GRIP_SIZE, racer.cars, racer.out)


@with_parts(
    {
        drive_car: drive_grip_car,
        renew_model: renew_grip,
        observation_size: grip_observation_size,
        write_observation: write_grip_observation,
        respond_to_wall: glance_off_wall,
        start_motion: grip_start_motion,
    }
)
def update_grip_entry(addresses: Any, first: int, last: int, mode: int) -> None:
    """The tick of the racing world with these parts, over an address table: what is compiled for every machine."""
    update_fleet(racer_at(addresses), first, last, mode)
