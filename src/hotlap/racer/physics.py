"""The numbers of the racing world: frozen, because a trained driver is only valid in the physics it was trained in."""

import math
from typing import NamedTuple

TICKS_PER_SECOND = 60
"""Ticks of the world in one second."""
GATE_COUNT = 30
"""Gates of a track, evenly spaced along a lap."""
RAY_COUNT = 9
"""Distance sensors of a car, fanned out from its left to its right."""
ROAD, RUNOFF, SHOULDER = 0, 1, 2
"""What a car can stand on."""


class Physics(NamedTuple):
    """Every constant the kernels read, as plain numbers; lengths in game units (u), times in seconds."""

    tick_s: float
    """Seconds of one tick."""
    mass: float
    """Mass of the car, in units of mass (um)."""
    half_wheelbase_u: float
    """From the middle of the car to either axle, u."""
    engine_force: float
    """Force at full throttle, um·u/s²."""
    brake_force: float
    """Force at full brake, um·u/s²."""
    drag: float
    """Air resistance per squared speed, um/u."""
    rolling_force: float
    """Resistance of a rolling car, um·u/s²."""
    max_speed_ups: float
    """No car is faster, u/s."""
    steer_blend: float
    """Share of the way to the asked steering that one tick moves, 0 to 1."""
    throttle_blend: float
    """The same of the throttle."""
    brake_blend: float
    """The same of the brake."""
    max_front_angle_rad: float
    """Angle of the front wheels at full steering and no speed, rad."""
    steer_fade_per_ups: float
    """How much less they turn with speed, s/u: the angle is divided by 1 + this · speed."""
    traction_at_rest: float
    """Share of the sideways speed that the tyres take away in a tick at no speed, 0 to 1."""
    traction_lost_at_max_speed: float
    """How much smaller that share is at the highest speed, 0 to 1."""
    road_grip: float
    """Factor of the traction on the road, no unit."""
    runoff_grip: float
    """The same beyond the shoulder."""
    shoulder_grip: float
    """The same on the shoulder."""
    road_pace: float
    """Factor of the engine's force on the road, and divisor of the air resistance, no unit."""
    runoff_pace: float
    """The same beyond the shoulder."""
    shoulder_pace: float
    """The same on the shoulder."""
    shoulder_width_u: float
    """Width of the shoulder on either side of the road, u."""
    car_radius_u: float
    """A wall nearer to the middle of the car than this is hit, u."""
    contact_radius_u: float
    """A wall nearer than this counts as touched, u."""
    sweep_step_u: float
    """Longest piece of a tick's motion that is tested for walls at once, u."""
    wall_slide: float
    """Share of the speed along a wall that is kept after a hit, 0 to 1."""
    wall_bounce: float
    """Share of the speed that bounces off the wall, 0 to 1."""
    wall_push_u: float
    """How far beyond contact a car that drove into a wall is put, u."""
    wall_rest_push_u: float
    """The same for one that was already leaving it, u."""
    wall_turn: float
    """Share of the way to the wall's direction that the hardest hit turns the car, 0 to 1."""
    wall_yaw_loss: float
    """Share of the yaw rate that the hardest hit takes away, 0 to 1."""
    ray_range_u: float
    """How far a distance sensor sees, u."""
    yaw_rate_scale_rps: float
    """The yaw rate that is observed as 1, rad/s."""
    centre_distance_scale_u: float
    """The distance from the centre line that is observed as 1, u."""


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
