"""The car with grip: single track, combined slip, load transfer and downforce, in SI units, for one car.

Frames: x forward, y to the left, angles counter-clockwise. Four substeps of 1/240 s make a tick.
"""

import math
from typing import NamedTuple

from hotlap.kernel import kernel
from hotlap.racer.car import clamp
from hotlap.racer.fleet import Controls
from hotlap.racer.physics import ROAD, RUNOFF, TICKS_PER_SECOND

SUBSTEPS = 4
SUBSTEP_S = 1.0 / (TICKS_PER_SECOND * SUBSTEPS)
GRAVITY_MPS2 = 9.81
THROTTLE_UP_PER_S, THROTTLE_DOWN_PER_S = 6.0, 12.0
BRAKE_UP_PER_S, BRAKE_DOWN_PER_S = 12.0, 15.0
ACCEL_FILTER_S = 0.027
ACCEL_BLEND = 1.0 - math.exp(-SUBSTEP_S / ACCEL_FILTER_S)
USABLE_GRIP = 0.98
LEAST_FORCE_N = 1.0
SLOWEST_SLIP_MPS = 2.0
KINEMATIC_BELOW_MPS, DYNAMIC_ABOVE_MPS = 1.0, 4.0
KERB_GRIP, RUNOFF_GRIP = 0.95, 0.6
RUNOFF_DRAG_PER_S = 0.35
"""What the run-off takes of the speed each second: it stops a coasting car from 200 km/h in about 150 m."""


class CarData(NamedTuple):
    """A car in numbers; the keys of a car file. The centre is the centre of gravity."""

    mass_kg: float
    yaw_inertia_kgm2: float
    front_axle_m: float
    rear_axle_m: float
    centre_height_m: float
    max_wheel_angle_rad: float
    wheel_rate_rps: float
    power_kw: float
    drive_force_n: float
    drive_share_front: float
    drag: float
    downforce_front: float
    downforce_rear: float
    rolling_force_n: float
    brake_force_n: float
    brake_share_front: float
    friction: float
    load_sensitivity: float
    stiffness_factor: float
    shape_factor: float


class GripState(NamedTuple):
    """The motion of one car: place and heading in the world, speeds and accelerations in the frame of the car."""

    x_m: float
    y_m: float
    heading_rad: float
    forward_mps: float
    sideways_mps: float
    yaw_rate_rps: float
    wheel_angle_rad: float
    throttle: float
    brake: float
    forward_accel_mps2: float
    """Filtered, as load transfer follows it."""
    sideways_accel_mps2: float
    grip_used_front: float
    """Share of the largest force of an axle that was asked of it, 0 to 1."""
    grip_used_rear: float


class Assists(NamedTuple):
    """Which helpers are on, 0 or 1: traction control eases the throttle, anti-lock the brake."""

    traction_control: float
    anti_lock: float


class Axles(NamedTuple):
    """One quantity at both axles."""

    front: float
    rear: float


class Direction(NamedTuple):
    """Cosine and sine of an angle."""

    cosine: float
    sine: float


class WheelMotion(NamedTuple):
    """How the contact of an axle moves: along its wheels, and across them to the left."""

    along_mps: float
    across_mps: float


@kernel
def towards(value: float, wanted: float, up: float, down: float) -> float:
    """The value, moved to the wanted one by at most `up` or `down`."""
    return clamp(wanted, value - down, value + up)


@kernel
def ground_grip(surface: int) -> float:
    """How much of its friction a tyre has on a surface."""
    if surface == ROAD:
        return 1.0
    return RUNOFF_GRIP if surface == RUNOFF else KERB_GRIP


@kernel
def vertical_loads(forward_mps: float, forward_accel_mps2: float, car: CarData) -> Axles:
    """What presses each axle on the road, in N: weight, downforce and what braking or driving moves between them."""
    wheelbase = car.front_axle_m + car.rear_axle_m
    weight = car.mass_kg * GRAVITY_MPS2
    moved = car.mass_kg * forward_accel_mps2 * car.centre_height_m / wheelbase
    squared = forward_mps * forward_mps
    return Axles(
        front=max(weight * car.rear_axle_m / wheelbase + car.downforce_front * squared - moved, 0.0),
        rear=max(weight * car.front_axle_m / wheelbase + car.downforce_rear * squared + moved, 0.0),
    )


@kernel
def largest_force(load_n: float, still_load_n: float, grip: float, car: CarData) -> float:
    """The largest force of an axle in N: a tyre pressed harder holds more, yet not in proportion."""
    friction = car.friction * grip * (1.0 - car.load_sensitivity * (load_n / still_load_n - 1.0))
    return max(friction * load_n, LEAST_FORCE_N)


@kernel
def tyre_force(motion: WheelMotion, largest_n: float, car: CarData) -> float:
    """Side force of an axle in N, to the left, that nothing is asked along: D sin(C atan(B slip))."""
    slip = -math.atan(motion.across_mps / max(abs(motion.along_mps), SLOWEST_SLIP_MPS))
    return largest_n * math.sin(car.shape_factor * math.atan(car.stiffness_factor * slip))


@kernel
def drive_and_brake(state: GripState, throttle: float, brake: float, front_mps: float, car: CarData) -> Axles:
    """What engine and brakes ask of each axle, in N forward; the brake never does more than stop the wheels."""
    speed = state.forward_mps
    drive = throttle * min(car.drive_force_n, 1000.0 * car.power_kw / max(speed, 1.0))
    direction = 1.0 if speed >= 0.0 else -1.0
    front_direction = 1.0 if front_mps >= 0.0 else -1.0
    stopping = max(car.mass_kg * abs(speed) / SUBSTEP_S + direction * drive - car.rolling_force_n, 0.0)
    braking = min(brake * car.brake_force_n, stopping)
    front = drive * car.drive_share_front - braking * car.brake_share_front * front_direction
    rear = drive * (1.0 - car.drive_share_front) - braking * (1.0 - car.brake_share_front) * direction
    return Axles(front=front, rear=rear)


@kernel
def along_force(asked_n: float, side_n: float, largest_n: float, assists: Assists) -> float:
    """The force along an axle's wheels in N: what is asked, within what the tyre can give."""
    limit = USABLE_GRIP * largest_n
    helped = assists.traction_control if asked_n > 0.0 else assists.anti_lock
    if helped > 0.0:
        limit = min(limit, math.sqrt(max(largest_n * largest_n - side_n * side_n, 0.0)))
    return clamp(asked_n, -limit, limit)


@kernel
def across_force(side_n: float, along_n: float, largest_n: float, motion: WheelMotion, softness_per_kg: float) -> float:
    """The side force in N that is left beside the force along, at most what ends the sliding within a substep."""
    share = along_n / largest_n
    left = side_n * math.sqrt(max(1.0 - share * share, 0.0))
    ending = abs(motion.across_mps) / (SUBSTEP_S * softness_per_kg)
    return clamp(left, -ending, ending)


@kernel
def resistance(speed_mps: float, surface: int, car: CarData) -> float:
    """Drag, rolling resistance and the run-off in N, against the motion; rolling never does more than end it."""
    size = abs(speed_mps)
    ground = car.mass_kg * RUNOFF_DRAG_PER_S * size if surface == RUNOFF else 0.0
    against = car.drag * size * size + ground + min(car.rolling_force_n, car.mass_kg * size / SUBSTEP_S)
    return against if speed_mps > 0.0 else -against


@kernel
def motion_energy(forward: float, sideways: float, yaw_rate: float, car: CarData) -> float:
    """Energy of the motion in J."""
    return 0.5 * (car.mass_kg * (forward * forward + sideways * sideways) + car.yaw_inertia_kgm2 * yaw_rate * yaw_rate)


@kernel
def held_to_kinematics(state: GripState, car: CarData) -> GripState:
    """Near walking pace a car goes where its wheels point, without slip; that costs the energy it gains by turning."""
    forward, sideways, yaw_rate = state.forward_mps, state.sideways_mps, state.yaw_rate_rps
    squared = forward * forward + sideways * sideways
    if squared >= DYNAMIC_ABOVE_MPS * DYNAMIC_ABOVE_MPS:
        return state
    speed = math.sqrt(squared)
    share = min((DYNAMIC_ABOVE_MPS - speed) / (DYNAMIC_ABOVE_MPS - KINEMATIC_BELOW_MPS), 1.0)
    energy = motion_energy(forward, sideways, yaw_rate, car)
    rolling = forward * math.tan(state.wheel_angle_rad) / (car.front_axle_m + car.rear_axle_m)
    sideways += share * (car.rear_axle_m * rolling - sideways)
    yaw_rate += share * (rolling - yaw_rate)
    after = motion_energy(forward, sideways, yaw_rate, car)
    kept = math.sqrt(energy / after) if after > energy else 1.0
    return GripState(
        x_m=state.x_m,
        y_m=state.y_m,
        heading_rad=state.heading_rad,
        forward_mps=forward * kept,
        sideways_mps=sideways * kept,
        yaw_rate_rps=yaw_rate * kept,
        wheel_angle_rad=state.wheel_angle_rad,
        throttle=state.throttle,
        brake=state.brake,
        forward_accel_mps2=state.forward_accel_mps2,
        sideways_accel_mps2=state.sideways_accel_mps2,
        grip_used_front=state.grip_used_front,
        grip_used_rear=state.grip_used_rear,
    )


@kernel
def turn_of(yaw_rate_rps: float) -> Direction:
    """How far a car turns in a substep, exactly a turn: by twice the angle whose tangent is half of rate times time."""
    half = 0.5 * yaw_rate_rps * SUBSTEP_S
    size = 1.0 + half * half
    return Direction(cosine=(1.0 - half * half) / size, sine=2.0 * half / size)


@kernel
def advance_substep(state: GripState, controls: Controls, surface: int, assists: Assists, car: CarData) -> GripState:
    """One substep: hands and feet, loads, tyres, Newton, and the way."""
    dt = SUBSTEP_S
    turn = car.wheel_rate_rps * dt
    angle = towards(state.wheel_angle_rad, -controls.steer * car.max_wheel_angle_rad, turn, turn)
    throttle = towards(state.throttle, controls.throttle, THROTTLE_UP_PER_S * dt, THROTTLE_DOWN_PER_S * dt)
    brake = towards(state.brake, controls.brake, BRAKE_UP_PER_S * dt, BRAKE_DOWN_PER_S * dt)

    # How hard each axle is pressed on the road, and the largest force it can give.
    still = vertical_loads(0.0, 0.0, car)
    loads = vertical_loads(state.forward_mps, state.forward_accel_mps2, car)
    grip = ground_grip(surface)
    largest_front = largest_force(loads.front, still.front, grip, car)
    largest_rear = largest_force(loads.rear, still.rear, grip, car)

    # How the contacts move: the front one seen along and across its turned wheels.
    cos_angle, sin_angle = math.cos(angle), math.sin(angle)
    front_side = state.sideways_mps + car.front_axle_m * state.yaw_rate_rps
    front = WheelMotion(
        along_mps=state.forward_mps * cos_angle + front_side * sin_angle,
        across_mps=front_side * cos_angle - state.forward_mps * sin_angle,
    )
    rear_side = state.sideways_mps - car.rear_axle_m * state.yaw_rate_rps
    rear = WheelMotion(along_mps=state.forward_mps, across_mps=rear_side)

    # What the tyres give: along as asked within the limit, across what that leaves.
    side_front = tyre_force(front, largest_front, car)
    side_rear = tyre_force(rear, largest_rear, car)
    asked = drive_and_brake(state, throttle, brake, front.along_mps, car)
    along_front = along_force(asked.front, side_front, largest_front, assists)
    along_rear = along_force(asked.rear, side_rear, largest_rear, assists)
    soft_front = 1.0 / car.mass_kg + car.front_axle_m * car.front_axle_m / car.yaw_inertia_kgm2
    soft_rear = 1.0 / car.mass_kg + car.rear_axle_m * car.rear_axle_m / car.yaw_inertia_kgm2
    across_front = across_force(side_front, along_front, largest_front, front, soft_front)
    across_rear = across_force(side_rear, along_rear, largest_rear, rear, soft_rear)

    # Newton in the frame of the car, then the frame turns: a turn of the velocity that keeps its size.
    pull = along_front * cos_angle - across_front * sin_angle + along_rear - resistance(state.forward_mps, surface, car)
    left_front = across_front * cos_angle + along_front * sin_angle
    forward = state.forward_mps + pull / car.mass_kg * dt
    sideways = state.sideways_mps + (left_front + across_rear) / car.mass_kg * dt
    twist = car.front_axle_m * left_front - car.rear_axle_m * across_rear
    yaw_rate = state.yaw_rate_rps + twist / car.yaw_inertia_kgm2 * dt
    turned = turn_of(yaw_rate)
    used_front = math.sqrt(along_front * along_front + across_front * across_front) / largest_front
    used_rear = math.sqrt(along_rear * along_rear + across_rear * across_rear) / largest_rear

    return held_to_kinematics(
        GripState(
            x_m=state.x_m,
            y_m=state.y_m,
            heading_rad=state.heading_rad,
            forward_mps=forward * turned.cosine + sideways * turned.sine,
            sideways_mps=sideways * turned.cosine - forward * turned.sine,
            yaw_rate_rps=yaw_rate,
            wheel_angle_rad=angle,
            throttle=throttle,
            brake=brake,
            forward_accel_mps2=state.forward_accel_mps2 + (pull / car.mass_kg - state.forward_accel_mps2) * ACCEL_BLEND,
            sideways_accel_mps2=(left_front + across_rear) / car.mass_kg,
            grip_used_front=min(used_front, 1.0),
            grip_used_rear=min(used_rear, 1.0),
        ),
        car,
    )


@kernel
def turned_heading(heading: Direction, yaw_rate_rps: float) -> Direction:
    """Where a car heads a substep later."""
    turn = turn_of(yaw_rate_rps)
    return Direction(
        cosine=heading.cosine * turn.cosine - heading.sine * turn.sine,
        sine=heading.sine * turn.cosine + heading.cosine * turn.sine,
    )


@kernel
def moved(state: GripState, heading: Direction) -> GripState:
    """The car a substep further along its velocity, its heading turned."""
    half = 0.5 * state.yaw_rate_rps * SUBSTEP_S
    squared = half * half
    return GripState(
        x_m=state.x_m + (state.forward_mps * heading.cosine - state.sideways_mps * heading.sine) * SUBSTEP_S,
        y_m=state.y_m + (state.forward_mps * heading.sine + state.sideways_mps * heading.cosine) * SUBSTEP_S,
        heading_rad=state.heading_rad + 2.0 * half * (1.0 - squared / 3.0 + squared * squared / 5.0),
        forward_mps=state.forward_mps,
        sideways_mps=state.sideways_mps,
        yaw_rate_rps=state.yaw_rate_rps,
        wheel_angle_rad=state.wheel_angle_rad,
        throttle=state.throttle,
        brake=state.brake,
        forward_accel_mps2=state.forward_accel_mps2,
        sideways_accel_mps2=state.sideways_accel_mps2,
        grip_used_front=state.grip_used_front,
        grip_used_rear=state.grip_used_rear,
    )


@kernel
def advance_grip_car(state: GripState, controls: Controls, surface: int, assists: Assists, car: CarData) -> GripState:
    """One tick of the car, before any wall."""
    heading = Direction(cosine=math.cos(state.heading_rad), sine=math.sin(state.heading_rad))
    for _ in range(SUBSTEPS):
        state = advance_substep(state, controls, surface, assists, car)
        heading = turned_heading(heading, state.yaw_rate_rps)
        state = moved(state, heading)
    return state
