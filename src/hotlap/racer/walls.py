"""Walls: whether a car touches one during its tick, and what that does to it."""

import math
from typing import NamedTuple

from hotlap.kernel import kernel
from hotlap.racer.car import clamp, wrap_angle
from hotlap.racer.fleet import CarState
from hotlap.racer.physics import Physics
from hotlap.racer.tables import TrackTables


class WallRun(NamedTuple):
    """The wall segments within reach of a tick: a run of the near-wall list, and the track's first wall point."""

    first: int
    length: int
    points: int


class WallHit(NamedTuple):
    """The nearest spot of any wall: how far, and the direction from it to the car."""

    distance_u: float
    normal_x: float
    normal_y: float


@kernel
def walls_near(cell: int, track: int, tables: TrackTables) -> WallRun:
    """What a car that starts its tick in this cell could touch; nothing at all outside the grid."""
    first, length = 0, 0
    if cell >= 0:
        first, length = tables.cell_wall_first[cell], tables.cell_wall_count[cell]
    return WallRun(first=first, length=length, points=tables.wall_first[track])


@kernel
def nearest_wall(x: float, y: float, run: WallRun, tables: TrackTables) -> WallHit:
    """The nearest wall spot among a run of segments; the first of equals, inner wall before outer."""
    best_squared = math.inf
    best_x, best_y = 0.0, 0.0
    for k in range(run.first, run.first + run.length):
        i = run.points + tables.near_wall[k]
        ax, ay = tables.wall_x_u[i], tables.wall_y_u[i]
        ex, ey = tables.wall_x_u[i + 1] - ax, tables.wall_y_u[i + 1] - ay
        squared = ex * ex + ey * ey
        t = 0.0
        if squared >= 1e-10:
            t = clamp(((x - ax) * ex + (y - ay) * ey) / squared, 0.0, 1.0)
        dx, dy = x - (ax + ex * t), y - (ay + ey * t)
        if dx * dx + dy * dy < best_squared:
            best_squared = dx * dx + dy * dy
            best_x, best_y = dx, dy
    distance = math.sqrt(best_squared)
    if distance < 1e-10:
        return WallHit(distance_u=distance, normal_x=0.0, normal_y=1.0)
    return WallHit(distance_u=distance, normal_x=best_x / distance, normal_y=best_y / distance)


@kernel
def respond_to_wall(car: CarState, x: float, y: float, hit: WallHit, physics: Physics) -> CarState:
    """Push the car off the wall; slide along it, bounce a little, and turn with it when the hit was hard."""
    nx, ny = hit.normal_x, hit.normal_y
    penetration = physics.car_radius_u - hit.distance_u
    into = car.vx_ups * nx + car.vy_ups * ny
    vx, vy, speed = car.vx_ups, car.vy_ups, car.speed_ups
    heading, yaw_rate = car.heading_rad, car.yaw_rate_rps
    push = penetration + physics.wall_rest_push_u
    if into < 0.0:
        push = penetration + physics.wall_push_u
        along_x, along_y = vx - nx * into, vy - ny * into
        along = math.sqrt(along_x * along_x + along_y * along_y)
        vx = physics.wall_slide * along_x + nx * (physics.wall_bounce * speed)
        vy = physics.wall_slide * along_y + ny * (physics.wall_bounce * speed)
        ratio = along / speed if speed > 1e-6 else 0.0
        impact = math.acos(clamp(ratio, 0.0, 1.0)) / (math.pi / 2.0)
        if impact > 0.5:
            hardness = 2.0 * (impact - 0.5)
            side = 1.0 if along_x * -ny + along_y * nx >= 0.0 else -1.0
            wall_heading = math.atan2(side * nx, side * -ny)
            heading += wrap_angle(wall_heading - heading) * (physics.wall_turn * hardness)
            yaw_rate *= 1.0 - physics.wall_yaw_loss * hardness
        speed = math.sqrt(vx * vx + vy * vy)
    return CarState(
        x_u=x + nx * push,
        y_u=y + ny * push,
        vx_ups=vx,
        vy_ups=vy,
        heading_rad=heading,
        yaw_rate_rps=yaw_rate,
        speed_ups=speed,
        steer=car.steer,
        throttle=car.throttle,
        brake=car.brake,
        front_angle_rad=car.front_angle_rad,
        accel_ups2=car.accel_ups2,
        slip_rad=car.slip_rad,
    )


@kernel
def sweep_walls(
    car: CarState, from_x: float, from_y: float, run: WallRun, tables: TrackTables, physics: Physics
) -> tuple[CarState, bool]:
    """Follow the tick's motion in small steps and respond at the first touch; the rest of the motion is dropped."""
    if run.length == 0:
        return car, False
    dx, dy = car.x_u - from_x, car.y_u - from_y
    moved = math.sqrt(dx * dx + dy * dy)
    steps = 1
    if moved > physics.sweep_step_u:
        steps = int(math.ceil(moved / physics.sweep_step_u))
    for i in range(1, steps + 1):
        x = car.x_u if i == steps else from_x + dx * i / steps
        y = car.y_u if i == steps else from_y + dy * i / steps
        hit = nearest_wall(x, y, run, tables)
        if hit.distance_u < physics.car_radius_u:
            return respond_to_wall(car, x, y, hit, physics), True
    return car, False


@kernel
def touches_wall(x: float, y: float, run: WallRun, tables: TrackTables, physics: Physics) -> bool:
    """Whether a wall is within the contact radius."""
    return run.length > 0 and nearest_wall(x, y, run, tables).distance_u < physics.contact_radius_u
