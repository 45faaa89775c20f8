"""Walls for cars with grip: little bounce, some friction, and the car is turned along the wall."""

import math

from hotlap.kernel import kernel
from hotlap.racer.car import wrap_angle
from hotlap.racer.fleet import CarState
from hotlap.racer.physics import Physics
from hotlap.racer.walls import WallHit


@kernel
def glance_off_wall(car: CarState, x: float, y: float, hit: WallHit, physics: Physics) -> CarState:
    """The car where it met a wall: pushed off it, slowed by what it ran into, turned along it."""
    nx, ny = hit.normal_x, hit.normal_y
    vx, vy = car.vx_ups, car.vy_ups
    heading, yaw_rate = car.heading_rad, car.yaw_rate_rps
    into = vx * nx + vy * ny
    if into < 0.0:
        # The wall gives a little of the speed back, and rubs in proportion to how hard it was met.
        along_x, along_y = vx - nx * into, vy - ny * into
        along = math.sqrt(along_x * along_x + along_y * along_y)
        rubbed = min((1.0 - physics.wall_slide) * (1.0 + physics.wall_bounce) * -into, along)
        kept = 1.0 - rubbed / along if along > 0.0 else 0.0
        vx = along_x * kept - nx * physics.wall_bounce * into
        vy = along_y * kept - ny * physics.wall_bounce * into
        side = 1.0 if math.cos(heading) * -ny + math.sin(heading) * nx >= 0.0 else -1.0
        heading += wrap_angle(math.atan2(side * nx, side * -ny) - heading) * physics.wall_turn
        yaw_rate *= 1.0 - physics.wall_yaw_loss
    push = physics.car_radius_u - hit.distance_u + physics.wall_push_u
    return CarState(
        x_u=x + nx * push,
        y_u=y + ny * push,
        vx_ups=vx,
        vy_ups=vy,
        heading_rad=heading,
        yaw_rate_rps=yaw_rate,
        speed_ups=math.sqrt(vx * vx + vy * vy),
        steer=car.steer,
        throttle=car.throttle,
        brake=car.brake,
        front_angle_rad=car.front_angle_rad,
        accel_ups2=car.accel_ups2,
        slip_rad=car.slip_rad,
    )
