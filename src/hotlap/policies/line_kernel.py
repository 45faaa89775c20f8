"""The follower of lines as a kernel, for learners that are shown the way while their cars are driven without Python.

The same hands and feet as in `line_follower`. Where an action waits for a tick, that tick is driven ahead on the road:
no wall is looked for, and the car is taken to move along its line.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hotlap.kernel import kernel, numbers_at, pointers_at, zeros
from hotlap.learning.teacher_kernel import TeacherKernel
from hotlap.policies.policy import FloatArray
from hotlap.racer.car import advance_car, clamp
from hotlap.racer.fleet import Actions, CarState, Controls, FleetState
from hotlap.racer.physics import Physics
from hotlap.racer.tick import car_at

if TYPE_CHECKING:
    from hotlap.policies.line_follower import LineFollower
    from hotlap.racer.world import RacerWorld

TURN_RAD = 2.0 * math.pi
SLOWEST_STEP_U = 0.3
SHARPEST_TURN_RAD = 1.0
NEAR_THE_LINE_U = 1.0
LOOK_PER_GAP = 2.0
FEET_LEAD_S = 0.12
THROTTLE_SPAN_UPS = 8.0
BRAKE_SPAN_UPS = 6.0


class Lines(NamedTuple):
    """A line for each track, one after the other."""

    x_u: FloatArray
    y_u: FloatArray
    distance_at_arc_u: FloatArray
    speed_limit_ups: FloatArray
    length_u: FloatArray
    track_length_u: FloatArray
    look_ticks: FloatArray
    gain: FloatArray


class Sizes(NamedTuple):
    """Points of each line, and sections of each track that distances along the line are known for."""

    points: float
    sections: float


class Showing(NamedTuple):
    """All that the kernel works on."""

    fleet: FleetState
    lines: Lines
    shown: Actions
    sizes: Sizes
    physics: Physics


LINES_SLOT = len(FleetState._fields)
SHOWN_SLOT = LINES_SLOT + len(Lines._fields)
SIZES_SLOT = SHOWN_SLOT + len(Actions._fields)


@kernel
def wrapped(angle_rad: float) -> float:
    """The same angle in [-pi, pi)."""
    return (angle_rad + math.pi) % TURN_RAD - math.pi


@kernel
def place_on(lines: Lines, sizes: Sizes, track: int, distance_u: float) -> float:
    """Which point of a line is at a distance along it, with the share of the way to the next."""
    place: float = distance_u / lines.length_u[track] % 1.0 * sizes.points
    return place


@kernel
def distance_along_u(lines: Lines, sizes: Sizes, track: int, arc_u: float) -> float:
    """How far along its line a car is, from how far along the track it is."""
    place = arc_u / lines.track_length_u[track] * sizes.sections
    index = min(int(place), int(sizes.sections) - 1)
    first = track * (int(sizes.sections) + 1) + index
    before, after = lines.distance_at_arc_u[first], lines.distance_at_arc_u[first + 1]
    along_u: float = before + (place - index) * (after - before)
    return along_u


@kernel
def point_at(lines: Lines, sizes: Sizes, track: int, distance_u: float) -> tuple[float, float]:
    """The spot of a line at a distance along it."""
    place, points = place_on(lines, sizes, track, distance_u), int(sizes.points)
    index, first = min(int(place), points - 1), track * points
    share, here, after = place - index, first + index, first + (index + 1) % points
    x = lines.x_u[here] + share * (lines.x_u[after] - lines.x_u[here])
    return x, lines.y_u[here] + share * (lines.y_u[after] - lines.y_u[here])


@kernel
def motion_of(car: CarState) -> float:
    """Direction of the velocity; of the nose when the car stands."""
    return math.atan2(car.vy_ups, car.vx_ups) if car.speed_ups > 1.0 else car.heading_rad


@kernel
def steering_to(car: CarState, motion_rad: float, physics: Physics) -> float:
    """The raw steering that comes nearest to moving in a given direction after the next tick, on the road."""
    speed, now_rad = car.speed_ups, motion_of(car)
    fade = physics.traction_lost_at_max_speed * min(speed / physics.max_speed_ups, 1.0)
    traction = (physics.traction_at_rest - fade) * physics.road_grip
    turn = wrapped(motion_rad - now_rad) / traction - wrapped(car.heading_rad - now_rad)
    turn = clamp(turn, -SHARPEST_TURN_RAD, SHARPEST_TURN_RAD)
    step_u = max(speed * physics.tick_s, 1e-3)
    sine = math.sin(turn) * (2.0 * physics.half_wheelbase_u - step_u) / step_u
    front = turn + math.asin(clamp(sine, -1.0, 1.0))
    smoothed = -front * (1.0 + physics.steer_fade_per_ups * speed) / physics.max_front_angle_rad
    return clamp((smoothed - (1.0 - physics.steer_blend) * car.steer) / physics.steer_blend, -1.0, 1.0)


@kernel
def steer_for_line(car: CarState, showing: Showing, track: int, here_u: float) -> float:
    """Steer for a spot some ticks ahead on the line; farther ahead when the line is far to the side."""
    lines, sizes = showing.lines, showing.sizes
    line_x, line_y = point_at(lines, sizes, track, here_u)
    gap_u = math.hypot(line_x - car.x_u, line_y - car.y_u)
    step_u = car.speed_ups * showing.physics.tick_s
    look_u = step_u + lines.look_ticks[track] * max(step_u, SLOWEST_STEP_U)
    look_u += LOOK_PER_GAP * max(gap_u - NEAR_THE_LINE_U, 0.0)
    aim_x, aim_y = point_at(lines, sizes, track, here_u + look_u)
    motion_rad = motion_of(car)
    off_rad = wrapped(math.atan2(aim_y - car.y_u, aim_x - car.x_u) - motion_rad)
    return steering_to(car, motion_rad + lines.gain[track] * off_rad, showing.physics)


@kernel
def show_car(showing: Showing, number: int) -> None:
    """What the follower would do now with a car."""
    fleet, lines, sizes, shown = showing.fleet, showing.lines, showing.sizes, showing.shown
    car, track = car_at(fleet, number), fleet.track[number]
    here_u = distance_along_u(lines, sizes, track, fleet.arc_u[number])
    if fleet.delay[number] > 0:
        held = Controls(
            steer=fleet.held_steer[number], throttle=fleet.held_throttle[number], brake=fleet.held_brake[number]
        )
        car = advance_car(car, held, fleet.surface[number], showing.physics)
        here_u += car.speed_ups * showing.physics.tick_s
    feet_at = min(int(place_on(lines, sizes, track, here_u + car.speed_ups * FEET_LEAD_S)), int(sizes.points) - 1)
    spare_ups = lines.speed_limit_ups[track * int(sizes.points) + feet_at] - car.speed_ups
    shown.steer[number] = steer_for_line(car, showing, track, here_u)
    shown.throttle[number] = clamp(spare_ups / THROTTLE_SPAN_UPS, 0.0, 1.0)
    shown.brake[number] = clamp(-spare_ups / BRAKE_SPAN_UPS, 0.0, 1.0)


@kernel
def show_cars(showing: Showing, first: int, last: int) -> None:
    """The same for the cars from the first up to the last."""
    for number in range(first, last):
        show_car(showing, number)


def show_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`show_cars` over an address table: what is compiled for every machine."""
    showing = Showing(
        fleet=pointers_at(addresses, 0, FleetState),
        lines=pointers_at(addresses, LINES_SLOT, Lines),
        shown=pointers_at(addresses, SHOWN_SLOT, Actions),
        sizes=numbers_at(addresses, SIZES_SLOT, Sizes),
        physics=numbers_at(addresses, SIZES_SLOT + 1, Physics),
    )
    show_cars(showing, first, last)


def lines_of(follower: "LineFollower", track_length_u: FloatArray) -> Lines:
    """The lines of a follower, one for each track."""
    tables = follower.tables
    return Lines(
        x_u=tables.x_u.ravel(),
        y_u=tables.y_u.ravel(),
        distance_at_arc_u=tables.distance_at_arc_u.ravel(),
        speed_limit_ups=tables.speed_limit_ups.ravel(),
        length_u=tables.length_u,
        track_length_u=track_length_u,
        look_ticks=follower.look_ticks,
        gain=follower.gain,
    )


def showing_of(follower: "LineFollower", world: "RacerWorld") -> Showing:
    """A follower of the line of each track, for the cars of a world of these tracks."""
    tables = follower.tables
    lines = lines_of(follower, np.array([track.length_u for track in world.tracks]))
    sizes = Sizes(tables.x_u.shape[1], tables.distance_at_arc_u.shape[1] - 1)
    return Showing(world.fleet, lines, zeros(Actions, world.count), sizes, follower.physics)


def line_kernel(follower: "LineFollower", world: "RacerWorld") -> TeacherKernel:
    """The same as what a learner is shown by."""
    showing = showing_of(follower, world)
    numbers = (np.array(showing.sizes, np.float64), np.array(showing.physics, np.float64))
    return TeacherKernel(show_entry, (*showing[:3], numbers), showing.shown, np.eye(len(Actions._fields)))
