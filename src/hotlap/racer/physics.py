"""The numbers of the racing world: frozen, because a trained driver is only valid in the physics it was trained in."""

import math
from typing import NamedTuple

TICKS_PER_SECOND = 60
GATE_COUNT = 30
RAY_COUNT = 9
ROAD, RUNOFF, SHOULDER = 0, 1, 2


class Physics(NamedTuple):
    """Every constant the kernels read, as plain numbers; lengths in game units (u), times in seconds."""

    tick_s: float
    mass: float
    half_wheelbase_u: float
    engine_force: float
    brake_force: float
    drag: float
    rolling_force: float
    max_speed_ups: float
    steer_blend: float
    throttle_blend: float
    brake_blend: float
    max_front_angle_rad: float
    steer_fade_per_ups: float
    traction_at_rest: float
    traction_lost_at_max_speed: float
    road_grip: float
    runoff_grip: float
    shoulder_grip: float
    road_pace: float
    runoff_pace: float
    shoulder_pace: float
    shoulder_width_u: float
    car_radius_u: float
    contact_radius_u: float
    sweep_step_u: float
    wall_slide: float
    wall_bounce: float
    wall_push_u: float
    wall_rest_push_u: float
    wall_turn: float
    wall_yaw_loss: float
    ray_range_u: float
    yaw_rate_scale_rps: float
    centre_distance_scale_u: float


def blend(rate_per_s: float) -> float:
    """Share of the way a smoothed input moves in one tick: 1 - e^(-rate dt)."""
    return 1.0 - math.exp(-rate_per_s / TICKS_PER_SECOND)


PHYSICS = Physics(
    tick_s=1.0 / TICKS_PER_SECOND,
    mass=800.0,
    half_wheelbase_u=0.75,
    engine_force=55_000.0,
    brake_force=50_000.0,
    drag=2.0,
    rolling_force=150.0,
    max_speed_ups=160.0,
    steer_blend=blend(24.0),
    throttle_blend=blend(6.0),
    brake_blend=blend(10.0),
    max_front_angle_rad=0.37,
    steer_fade_per_ups=0.025,
    traction_at_rest=0.85,
    traction_lost_at_max_speed=0.30,
    road_grip=1.0,
    runoff_grip=0.5,
    shoulder_grip=0.7,
    road_pace=1.0,
    runoff_pace=0.4,
    shoulder_pace=0.85,
    shoulder_width_u=24.0,
    car_radius_u=1.0,
    contact_radius_u=2.0,
    sweep_step_u=0.75,
    wall_slide=0.7,
    wall_bounce=0.08,
    wall_push_u=0.8,
    wall_rest_push_u=0.5,
    wall_turn=0.4,
    wall_yaw_loss=0.5,
    ray_range_u=200.0,
    yaw_rate_scale_rps=5.0,
    centre_distance_scale_u=80.0,
)

# How far from where a tick began a wall can still matter in it: the longest move, the push out, the contact test.
WALL_REACH_U = (
    PHYSICS.max_speed_ups * PHYSICS.tick_s
    + PHYSICS.car_radius_u
    + PHYSICS.wall_push_u
    + PHYSICS.contact_radius_u
    + 0.05
)
