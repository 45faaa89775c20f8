"""A driver for cars with grip: follows a line at planned speeds by turning the car's own laws round.

From the bend it wants comes the side force of the front axle, from that the slip of its tyres, from that the angle of
the wheels. Pedals give the planned acceleration, as far as the tyres have it to spare.
"""

import math
from typing import NamedTuple

from hotlap.kernel import kernel
from hotlap.policies.policy import FloatArray
from hotlap.racer.car import clamp, wrap_angle
from hotlap.racer.fleet import Controls
from hotlap.racer.grip_car import CarData, GripState, largest_force, vertical_loads

ANY_SPEED_MPS = 1e9
"""No limit beside the planned speed."""

FAST_MPS = 40.0
"""From here on all its foresight is needed."""


class PlannedLine(NamedTuple):
    """A closed line of n points, (n,) each."""

    x_m: FloatArray
    y_m: FloatArray
    step_m: FloatArray
    heading_rad: FloatArray
    """Direction of the line at each point."""
    curvature_per_m: FloatArray
    speed_mps: FloatArray
    """The planned speed."""
    accel_mps2: FloatArray
    """The planned gain of speed from each point to the next."""


class Manner(NamedTuple):
    """How the driver drives."""

    look_s: float
    """Time over which it comes back to its line."""
    hands_s: float
    """How far ahead it reads the bend."""
    feet_s: float
    """How far ahead it reads the speed."""
    yaw_gain_per_s: float
    """How firmly it corrects the turning of the car."""
    grip_share: float
    """Share of the front grip that steering may ask for."""
    rear_braking: float
    """How far the brake may go beyond what the rear axle has to spare; 1 is not at all."""
    foresight: float = 0.0
    """How far it reckons, at speed, with the turning that the bend asks for, not with that of the moment; 0 to 1."""


class LineSpot(NamedTuple):
    """Where on its line a car is: the point before it, the share of the way to the next, how far left of it."""

    point: int
    share: float
    left_m: float


@kernel
def find_spot(x: float, y: float, point: int, line: PlannedLine) -> LineSpot:
    """The nearest piece of the line, searched on from a point."""
    count = len(line.x_m)
    share, left = 0.0, 0.0
    for _ in range(40):
        after = point + 1 if point + 1 < count else 0
        along_x, along_y = line.x_m[after] - line.x_m[point], line.y_m[after] - line.y_m[point]
        off_x, off_y = x - line.x_m[point], y - line.y_m[point]
        squared = along_x * along_x + along_y * along_y
        share = (off_x * along_x + off_y * along_y) / squared
        left = (along_x * off_y - along_y * off_x) / math.sqrt(squared)
        if share < 1.0:
            break
        point = after
    return LineSpot(point=point, share=clamp(share, 0.0, 1.0), left_m=left)


@kernel
def read_ahead(column: FloatArray, spot: LineSpot, ahead_m: float, line: PlannedLine) -> float:
    """A column of the line, so far ahead of a spot, linear between its points."""
    count = len(line.x_m)
    point = spot.point
    place = spot.share + ahead_m / line.step_m[point]
    while place >= 1.0:
        ahead_m = (place - 1.0) * line.step_m[point]
        point = point + 1 if point + 1 < count else 0
        place = ahead_m / line.step_m[point]
    after = point + 1 if point + 1 < count else 0
    value: float = column[point] + (column[after] - column[point]) * place
    return value


@kernel
def line_heading(spot: LineSpot, line: PlannedLine) -> float:
    """Direction of the line at a spot."""
    after = spot.point + 1 if spot.point + 1 < len(line.x_m) else 0
    turn = wrap_angle(line.heading_rad[after] - line.heading_rad[spot.point])
    heading: float = line.heading_rad[spot.point] + turn * spot.share
    return heading


@kernel
def slip_for(share: float, car: CarData) -> float:
    """The slip angle at which a tyre gives a share of its largest side force: its curve, turned round."""
    return math.tan(math.asin(share) / car.shape_factor) / car.stiffness_factor


@kernel
def steer_along(state: GripState, spot: LineSpot, line: PlannedLine, manner: Manner, car: CarData) -> float:
    """The angle of the front wheels in rad that keeps the car on its line."""
    speed = max(state.forward_mps, 3.0)
    look_m = max(speed * manner.look_s, 5.0)
    course = state.heading_rad + math.atan2(state.sideways_mps, speed)
    off_course = wrap_angle(course - line_heading(spot, line))
    bend = read_ahead(line.curvature_per_m, spot, speed * manner.hands_s, line)
    bend -= 2.0 * off_course / look_m + spot.left_m / (look_m * look_m)

    # Newton for the bend: the front axle carries its part of the side force and turns the car.
    wheelbase = car.front_axle_m + car.rear_axle_m
    twist = manner.yaw_gain_per_s * (speed * bend - state.yaw_rate_rps)
    side = (car.mass_kg * speed * speed * bend * car.rear_axle_m + car.yaw_inertia_kgm2 * twist) / wheelbase
    still = vertical_loads(0.0, 0.0, car)
    loads = vertical_loads(state.forward_mps, state.forward_accel_mps2, car)
    largest = largest_force(loads.front, still.front, 1.0, car)
    braking = min(state.brake * car.brake_force_n * car.brake_share_front / largest, 0.95)
    room = largest * math.sqrt(1.0 - braking * braking)
    slip = slip_for(clamp(side / room, -manner.grip_share, manner.grip_share), car)
    foresight = manner.foresight * min(speed / FAST_MPS, 1.0)
    turning = state.yaw_rate_rps + foresight * (speed * bend - state.yaw_rate_rps)
    return slip + math.atan2(state.sideways_mps + car.front_axle_m * turning, speed)


@kernel
def spare_force(largest_n: float, side_share: float) -> float:
    """What an axle has to spare along, beside a share of its grip sideways."""
    return 0.97 * largest_n * math.sqrt(max(1.0 - side_share * side_share, 0.0))


@kernel
def wanted_gain(state: GripState, spot: LineSpot, line: PlannedLine, manner: Manner, most_mps: float) -> float:
    """The gain of speed in m/s2 that keeps a car at its planned speed, or at what it may have where that is less."""
    speed = max(state.forward_mps, 3.0)
    planned = read_ahead(line.speed_mps, spot, speed * manner.feet_s, line)
    share = min(most_mps / planned, 1.0)
    return share * share * read_ahead(line.accel_mps2, spot, speed * manner.feet_s, line) + 5.0 * (
        share * planned - speed
    )


@kernel
def press_pedals(state: GripState, gain: float, manner: Manner, car: CarData) -> Controls:
    """Throttle and brake for a gain of speed, within what the axles have to spare; the steering is left at 0."""
    speed = max(state.forward_mps, 3.0)
    front_slip = state.wheel_angle_rad - math.atan2(state.sideways_mps + car.front_axle_m * state.yaw_rate_rps, speed)
    rear_slip = -math.atan2(state.sideways_mps - car.rear_axle_m * state.yaw_rate_rps, speed)
    front_share = abs(math.sin(car.shape_factor * math.atan(car.stiffness_factor * front_slip)))
    rear_share = abs(math.sin(car.shape_factor * math.atan(car.stiffness_factor * rear_slip)))
    still = vertical_loads(0.0, 0.0, car)
    loads = vertical_loads(state.forward_mps, state.forward_accel_mps2, car)
    front_n = largest_force(loads.front, still.front, 1.0, car)
    rear_n = largest_force(loads.rear, still.rear, 1.0, car)
    slip_drag = front_n * front_share * abs(front_slip) + rear_n * rear_share * abs(rear_slip)
    force = car.mass_kg * gain + car.drag * speed * speed + car.rolling_force_n + slip_drag
    front_n, rear_n = spare_force(front_n, front_share), spare_force(rear_n, rear_share)
    if force >= 0.0:
        force = min(force, front_n / max(car.drive_share_front, 1e-6), rear_n / max(1.0 - car.drive_share_front, 1e-6))
        engine = min(car.drive_force_n, 1000.0 * car.power_kw / speed)
        return Controls(steer=0.0, throttle=clamp(force / engine, 0.0, 1.0), brake=0.0)
    force = min(
        -force,
        front_n / max(car.brake_share_front, 1e-6),
        manner.rear_braking * rear_n / max(1.0 - car.brake_share_front, 1e-6),
    )
    return Controls(steer=0.0, throttle=0.0, brake=clamp(force / car.brake_force_n, 0.0, 1.0))


@kernel
def drive_line(
    state: GripState, spot: LineSpot, line: PlannedLine, manner: Manner, car: CarData, most_mps: float
) -> Controls:
    """What the driver does now, no faster than it may."""
    pedals = press_pedals(state, wanted_gain(state, spot, line, manner, most_mps), manner, car)
    angle = steer_along(state, spot, line, manner, car)
    steer = clamp(-angle / car.max_wheel_angle_rad, -1.0, 1.0)
    return Controls(steer=steer, throttle=pedals.throttle, brake=pedals.brake)
