"""The car: one tick of motion before any wall, for one car."""

import math

from hotlap.kernel import kernel
from hotlap.racer.fleet import CarState, Controls
from hotlap.racer.physics import ROAD, RUNOFF, Physics


@kernel
def clamp(value: float, low: float, high: float) -> float:
    """The value, held between two bounds."""
    return min(max(value, low), high)


@kernel
def wrap_angle(angle_rad: float) -> float:
    """The same angle in [-pi, pi]."""
    while angle_rad > math.pi:
        angle_rad -= 2.0 * math.pi
    while angle_rad < -math.pi:
        angle_rad += 2.0 * math.pi
    return angle_rad


@kernel
def surface_grip(surface: int, physics: Physics) -> float:
    """How well the tyres hold on a surface."""
    if surface == ROAD:
        return physics.road_grip
    return physics.runoff_grip if surface == RUNOFF else physics.shoulder_grip


@kernel
def surface_pace(surface: int, physics: Physics) -> float:
    """How much of its speed a surface lets the car keep."""
    if surface == ROAD:
        return physics.road_pace
    return physics.runoff_pace if surface == RUNOFF else physics.shoulder_pace


@kernel
def forward_speed(
    speed_ups: float, throttle: float, brake: float, pace: float, physics: Physics
) -> tuple[float, float]:
    """New forward speed and the acceleration that gave it. Speed is the full magnitude: turning costs none."""
    force = throttle * physics.engine_force * pace
    resistance = brake * physics.brake_force + physics.drag * speed_ups * speed_ups / pace + physics.rolling_force
    if speed_ups > 1.0:
        force -= resistance
    elif speed_ups > 0.01:
        force -= min(resistance, speed_ups / physics.tick_s * physics.mass)
    accel = force / physics.mass
    return clamp(speed_ups + accel * physics.tick_s, 0.0, physics.max_speed_ups), accel


@kernel
def advance_car(car: CarState, controls: Controls, surface: int, physics: Physics) -> CarState:
    """One tick of the car, before any wall: smooth the inputs, turn, accelerate, slide, move."""
    dt = physics.tick_s
    speed = car.speed_ups

    # Inputs follow the driver's hands with a first-order lag.
    steer = car.steer + (controls.steer - car.steer) * physics.steer_blend
    throttle = car.throttle + (controls.throttle - car.throttle) * physics.throttle_blend
    brake = car.brake + (controls.brake - car.brake) * physics.brake_blend
    front_angle = -steer * physics.max_front_angle_rad * (1.0 / (1.0 + physics.steer_fade_per_ups * speed))

    # The rear axle moves along the heading, the front axle along the wheels; the line between them is the new heading.
    if speed > 1.0:
        cos_old = math.cos(car.heading_rad)
        sin_old = math.sin(car.heading_rad)
        moved = speed * dt
        wheelbase = 2.0 * physics.half_wheelbase_u
        ahead = wheelbase * cos_old + moved * (math.cos(car.heading_rad + front_angle) - cos_old)
        aside = wheelbase * sin_old + moved * (math.sin(car.heading_rad + front_angle) - sin_old)
        heading = math.atan2(aside, ahead)
        reach = math.sqrt(ahead * ahead + aside * aside)
        cos_new = ahead / reach
        sin_new = aside / reach
    else:
        heading = car.heading_rad + front_angle * speed * dt
        cos_new = math.cos(heading)
        sin_new = math.sin(heading)
    yaw_rate = wrap_angle(heading - car.heading_rad) / dt

    forward, accel = forward_speed(speed, throttle, brake, surface_pace(surface, physics), physics)

    # Tyres take away most of the sideways speed; less of it the faster the car.
    fade = physics.traction_lost_at_max_speed * min(speed / physics.max_speed_ups, 1.0)
    traction = (physics.traction_at_rest - fade) * surface_grip(surface, physics)
    sideways = (-car.vx_ups * sin_new + car.vy_ups * cos_new) * (1.0 - traction)
    vx = forward * cos_new - sideways * sin_new
    vy = forward * sin_new + sideways * cos_new
    new_speed = math.sqrt(vx * vx + vy * vy)
    if new_speed > physics.max_speed_ups:
        vx *= physics.max_speed_ups / new_speed
        vy *= physics.max_speed_ups / new_speed
        new_speed = physics.max_speed_ups
    if vx * cos_new + vy * sin_new < 0.0 and new_speed < 1.0:
        vx, vy, new_speed = 0.0, 0.0, 0.0

    return CarState(
        x_u=car.x_u + vx * dt,
        y_u=car.y_u + vy * dt,
        vx_ups=vx,
        vy_ups=vy,
        heading_rad=heading,
        yaw_rate_rps=yaw_rate,
        speed_ups=new_speed,
        steer=steer,
        throttle=throttle,
        brake=brake,
        front_angle_rad=front_angle,
        accel_ups2=accel,
        slip_rad=abs(math.atan2(sideways, forward)) if new_speed > 1.0 else 0.0,
    )
