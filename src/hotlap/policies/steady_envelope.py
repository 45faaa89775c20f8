"""What a car with grip can do at each speed: how hard it corners, and how hard it drives or brakes while cornering.

Everything is steady: loads have settled, no axle turns the car faster than its line does. Each axle has its own
ellipse: what it must hold sideways it cannot give along.
"""

import math
from typing import NamedTuple

import numpy as np

from hotlap.kernel import builder
from hotlap.policies.policy import FloatArray
from hotlap.racer.grip_car import GRAVITY_MPS2, USABLE_GRIP, CarData

SPEEDS = 120
FASTEST_MPS = 130.0
SHARES = 40
ROUNDS = 12
"""Rounds of settling the load transfer against the acceleration that causes it."""


class Envelope(NamedTuple):
    """Tables over speed (SPEEDS,), even up to FASTEST_MPS, and over the share of the side grip in use (SHARES + 1,)."""

    cornering_mps2: FloatArray
    """(SPEEDS,) the hardest a corner can be taken."""
    driving_mps2: FloatArray
    """(SPEEDS, SHARES + 1) the most a car gains while it corners so hard; negative where drag wins."""
    braking_mps2: FloatArray
    """(SPEEDS, SHARES + 1) the most it loses."""


class AxleLimits(NamedTuple):
    """What each axle can give along while it holds its part sideways, in N; negative where it cannot hold it."""

    front_n: float
    rear_n: float
    slip_drag_n: float
    """What the slip of the tyres costs along the line."""


def steady_envelope(car: CarData, grip: float = 1.0) -> Envelope:
    """The envelope of a car, or of one with that share of its friction."""
    return _tabulated(car._replace(friction=car.friction * grip))


@builder
def _axle_room(load_n: float, still_n: float, side_n: float, car: CarData) -> float:
    """What is left along an axle beside a side force, in N; negative what is missing."""
    friction = car.friction * (1.0 - car.load_sensitivity * (load_n / still_n - 1.0))
    largest = friction * load_n
    if side_n >= largest:
        return largest - side_n
    return min(math.sqrt(largest * largest - side_n * side_n), USABLE_GRIP * largest)


@builder
def _axle_slip(load_n: float, still_n: float, side_n: float, car: CarData) -> float:
    """The slip angle at which an axle gives a side force, as far as it can."""
    friction = car.friction * (1.0 - car.load_sensitivity * (load_n / still_n - 1.0))
    share = min(side_n / (friction * load_n), 0.995)
    return math.tan(math.asin(share) / car.shape_factor) / car.stiffness_factor


@builder
def _limits(speed: float, side_mps2: float, forward_mps2: float, car: CarData) -> AxleLimits:
    wheelbase = car.front_axle_m + car.rear_axle_m
    weight = car.mass_kg * GRAVITY_MPS2
    still_front, still_rear = weight * car.rear_axle_m / wheelbase, weight * car.front_axle_m / wheelbase
    moved = car.mass_kg * forward_mps2 * car.centre_height_m / wheelbase
    front = max(still_front + car.downforce_front * speed * speed - moved, 1.0)
    rear = max(still_rear + car.downforce_rear * speed * speed + moved, 1.0)
    side_front = car.mass_kg * side_mps2 * car.rear_axle_m / wheelbase
    side_rear = car.mass_kg * side_mps2 * car.front_axle_m / wheelbase
    slip_drag = side_front * _axle_slip(front, still_front, side_front, car)
    slip_drag += side_rear * _axle_slip(rear, still_rear, side_rear, car)
    return AxleLimits(
        _axle_room(front, still_front, side_front, car), _axle_room(rear, still_rear, side_rear, car), slip_drag
    )


@builder
def _resistance(speed: float, limits: AxleLimits, car: CarData) -> float:
    return car.drag * speed * speed + car.rolling_force_n + limits.slip_drag_n


@builder
def _can_corner(speed: float, side_mps2: float, car: CarData) -> bool:
    """Whether both axles hold the car while it corners so hard, with nothing asked along."""
    limits = _limits(speed, side_mps2, 0.0, car)
    return limits.front_n >= 0.0 and limits.rear_n >= 0.0


@builder
def _hardest_corner(speed: float, car: CarData) -> float:
    low, high = 0.0, 100.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        if _can_corner(speed, middle, car):
            low = middle
        else:
            high = middle
    return low


@builder
def _most_driving(speed: float, side_mps2: float, car: CarData) -> float:
    """The most speed gained a second: engine and driven axles at their limit."""
    gained = 0.0
    engine = min(car.drive_force_n, 1000.0 * car.power_kw / max(speed, 1.0))
    share = car.drive_share_front
    for _ in range(ROUNDS):
        limits = _limits(speed, side_mps2, gained, car)
        pull = min(engine * share, max(limits.front_n, 0.0)) + min(engine * (1.0 - share), max(limits.rear_n, 0.0))
        gained = 0.5 * (gained + (pull - _resistance(speed, limits, car)) / car.mass_kg)
    return gained


@builder
def _most_braking(speed: float, side_mps2: float, car: CarData) -> float:
    """The most speed lost a second, with one pedal for both axles: until the first of them is at its limit."""
    lost = 0.0
    share = car.brake_share_front
    for _ in range(ROUNDS):
        limits = _limits(speed, side_mps2, -lost, car)
        hold = min(car.brake_force_n, max(limits.front_n, 0.0) / max(share, 1e-6))
        hold = min(hold, max(limits.rear_n, 0.0) / max(1.0 - share, 1e-6))
        lost = 0.5 * (lost + (hold + _resistance(speed, limits, car)) / car.mass_kg)
    return lost


@builder
def _tabulated(car: CarData) -> Envelope:
    cornering = np.zeros(SPEEDS)
    driving, braking = np.zeros((SPEEDS, SHARES + 1)), np.zeros((SPEEDS, SHARES + 1))
    for i in range(SPEEDS):
        speed = FASTEST_MPS * i / (SPEEDS - 1)
        cornering[i] = _hardest_corner(speed, car)
        for k in range(SHARES + 1):
            side = cornering[i] * k / SHARES
            driving[i, k] = _most_driving(speed, side, car)
            braking[i, k] = _most_braking(speed, side, car)
    return Envelope(cornering, driving, braking)
