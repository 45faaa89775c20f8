"""The fingerprint of a car with grip: its numbers, those of the model, and a fixed drive that the rules decide."""

import math

from hotlap.racer import grip_car
from hotlap.racer.cars.drives import driven, rolling
from hotlap.racer.fleet import Controls
from hotlap.racer.grip_car import CarData, GripState
from hotlap.worlds import ROUNDED_TO, fingerprint_of

MODEL = "grip-1"
DRIVE_TICKS = 240
START_MPS = 30.0
CONSTANTS = (
    "SUBSTEPS",
    "GRAVITY_MPS2",
    "THROTTLE_UP_PER_S",
    "THROTTLE_DOWN_PER_S",
    "BRAKE_UP_PER_S",
    "BRAKE_DOWN_PER_S",
    "ACCEL_FILTER_S",
    "USABLE_GRIP",
    "LEAST_FORCE_N",
    "SLOWEST_SLIP_MPS",
    "KINEMATIC_BELOW_MPS",
    "DYNAMIC_ABOVE_MPS",
    "KERB_GRIP",
    "RUNOFF_GRIP",
    "RUNOFF_DRAG_PER_S",
)
"""Every number of the model that is not one of the car."""


def car_fingerprint(car: CarData) -> str:
    """The model's name and sixteen hexadecimal digits that change with any number and with any rule."""
    facts = {
        "numbers": [f"{value:.12g}" for value in car],
        "constants": [getattr(grip_car, name) for name in CONSTANTS],
        "drive": fixed_drive(car),
    }
    return fingerprint_of(MODEL, facts)


def fixed_drive(car: CarData) -> list[int]:
    """Where a drive of four seconds through a slalom ends, in hundred-thousandths: no machine's sines differ by that.

    The feet work and the wheel swings gently: a slide would double the last digit's difference again and again.
    """
    drive = driven(rolling(START_MPS), car, _slalom)
    states = [next(drive) for _ in range(DRIVE_TICKS)]
    return [round(value / ROUNDED_TO) for value in states[-1]]


def _slalom(state: GripState) -> Controls:
    """A driver that swings the wheel, and brakes between two swings."""
    stretch = math.floor(state.x_m / 20.0) % 4
    braking = stretch == 2
    steer = (0.0, 0.1, 0.0, -0.1)[stretch]
    return Controls(steer=steer, throttle=0.0 if braking else 0.6, brake=0.5 if braking else 0.0)
