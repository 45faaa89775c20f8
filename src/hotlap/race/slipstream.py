"""Slipstream: how much less air a car meets behind another."""

import math

from hotlap.kernel import kernel
from hotlap.race.grid import Race
from hotlap.race.neighbours import is_racing, onward_gap
from hotlap.racer.fleet import FleetState
from hotlap.racer.grip_car import CarData
from hotlap.racer.physics import Physics
from hotlap.racer.tick import Racer

WAKE_U = 25.0
"""How far behind a car its wake ends."""
LESS_DRAG = 0.35
LESS_FRONT_DOWNFORCE = 0.2
ALONG_LAP_U = 60.0
"""Cars further apart along the lap are not looked at: on the inside of a bend the lap is longer than the way."""


@kernel
def wake_share(fleet: FleetState, car: int, other: int, width_u: float) -> float:
    """How deep a car is in the wake of another, 0 to 1: fading over the length and to both sides."""
    cosine, sine = math.cos(fleet.heading_rad[other]), math.sin(fleet.heading_rad[other])
    dx, dy = fleet.x_u[other] - fleet.x_u[car], fleet.y_u[other] - fleet.y_u[car]
    behind, aside = dx * cosine + dy * sine, abs(dy * cosine - dx * sine)
    if behind <= 0.0 or behind >= WAKE_U or aside >= width_u:
        return 0.0
    return float((1.0 - behind / WAKE_U) * (1.0 - aside / width_u))


@kernel
def write_drafts(race: Race, first: int, last: int) -> None:
    """How deep each car of a grid is in the deepest wake ahead of it."""
    fleet, work = race.racer.fleet, race.work
    count = last - first
    length = race.racer.tables.length_u[fleet.track[first]]
    for place in range(count):
        car = work.order[first + place]
        deepest = 0.0
        for step in range(1, count):
            other = work.order[first + (place + step) % count]
            if onward_gap(fleet.arc_u[car], fleet.arc_u[other], length) > ALONG_LAP_U:
                break
            if is_racing(race, other):
                width = 2.0 * race.contenders.half_width_u[other]
                deepest = max(deepest, wake_share(fleet, car, other, width))
        work.draft[car] = deepest


@kernel
def in_wake(racer: Racer, draft: float) -> Racer:
    """The classic car's world with the air that is left in a wake; without a wake it is the same to the bit."""
    return Racer(
        fleet=racer.fleet,
        tables=racer.tables,
        actions=racer.actions,
        out=racer.out,
        starts=racer.starts,
        episodes=racer.episodes,
        rollout=racer.rollout,
        grip=racer.grip,
        cars=racer.cars,
        rules=racer.rules,
        physics=thinner_air(racer.physics, 1.0 - LESS_DRAG * draft),
    )


@kernel
def car_in_wake(car: CarData, draft: float) -> CarData:
    """A car with grip in a wake: less drag, and less downforce in front."""
    return CarData(
        mass_kg=car.mass_kg,
        yaw_inertia_kgm2=car.yaw_inertia_kgm2,
        front_axle_m=car.front_axle_m,
        rear_axle_m=car.rear_axle_m,
        centre_height_m=car.centre_height_m,
        max_wheel_angle_rad=car.max_wheel_angle_rad,
        wheel_rate_rps=car.wheel_rate_rps,
        power_kw=car.power_kw,
        drive_force_n=car.drive_force_n,
        drive_share_front=car.drive_share_front,
        drag=car.drag * (1.0 - LESS_DRAG * draft),
        downforce_front=car.downforce_front * (1.0 - LESS_FRONT_DOWNFORCE * draft),
        downforce_rear=car.downforce_rear,
        rolling_force_n=car.rolling_force_n,
        brake_force_n=car.brake_force_n,
        brake_share_front=car.brake_share_front,
        friction=car.friction,
        load_sensitivity=car.load_sensitivity,
        stiffness_factor=car.stiffness_factor,
        shape_factor=car.shape_factor,
    )


@kernel
def thinner_air(physics: Physics, drag_share: float) -> Physics:
    """The same numbers with a share of the drag."""
    return Physics(
        tick_s=physics.tick_s,
        mass=physics.mass,
        half_wheelbase_u=physics.half_wheelbase_u,
        engine_force=physics.engine_force,
        brake_force=physics.brake_force,
        drag=physics.drag * drag_share,
        rolling_force=physics.rolling_force,
        max_speed_ups=physics.max_speed_ups,
        steer_blend=physics.steer_blend,
        throttle_blend=physics.throttle_blend,
        brake_blend=physics.brake_blend,
        max_front_angle_rad=physics.max_front_angle_rad,
        steer_fade_per_ups=physics.steer_fade_per_ups,
        traction_at_rest=physics.traction_at_rest,
        traction_lost_at_max_speed=physics.traction_lost_at_max_speed,
        road_grip=physics.road_grip,
        runoff_grip=physics.runoff_grip,
        shoulder_grip=physics.shoulder_grip,
        road_pace=physics.road_pace,
        runoff_pace=physics.runoff_pace,
        shoulder_pace=physics.shoulder_pace,
        shoulder_width_u=physics.shoulder_width_u,
        car_radius_u=physics.car_radius_u,
        contact_radius_u=physics.contact_radius_u,
        sweep_step_u=physics.sweep_step_u,
        wall_slide=physics.wall_slide,
        wall_bounce=physics.wall_bounce,
        wall_push_u=physics.wall_push_u,
        wall_rest_push_u=physics.wall_rest_push_u,
        wall_turn=physics.wall_turn,
        wall_yaw_loss=physics.wall_yaw_loss,
        ray_range_u=physics.ray_range_u,
        yaw_rate_scale_rps=physics.yaw_rate_scale_rps,
        centre_distance_scale_u=physics.centre_distance_scale_u,
    )
