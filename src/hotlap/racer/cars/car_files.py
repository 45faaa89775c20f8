"""Car files: read, and refused with the reason where the numbers make no car."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotlap.errors import CarError, ConfigError, did_you_mean
from hotlap.racer.cars.drives import spins_at_low_speed
from hotlap.racer.grip_car import CarData
from hotlap.settings import read_toml
from hotlap.units import KMH_PER_MPS

LONGEST_NAME = 60
RANGES: dict[str, tuple[float, float]] = {
    "mass_kg": (100.0, 10_000.0),
    "yaw_inertia_kgm2": (10.0, 100_000.0),
    "front_axle_m": (0.1, 5.0),
    "rear_axle_m": (0.1, 5.0),
    "centre_height_m": (0.0, 2.0),
    "max_wheel_angle_rad": (0.05, 1.0),
    "wheel_rate_rps": (0.1, 10.0),
    "power_kw": (1.0, 3_000.0),
    "drive_force_n": (100.0, 100_000.0),
    "drive_share_front": (0.0, 1.0),
    "drag": (0.05, 10.0),
    "downforce_front": (0.0, 10.0),
    "downforce_rear": (0.0, 10.0),
    "rolling_force_n": (0.0, 5_000.0),
    "brake_force_n": (100.0, 200_000.0),
    "brake_share_front": (0.0, 1.0),
    "friction": (0.1, 3.0),
    "load_sensitivity": (0.0, 0.2),
    "stiffness_factor": (2.0, 30.0),
    "shape_factor": (1.0, 2.0),
}
"""By key, the lowest and highest number that can be a car."""
SPIN_INERTIA = (0.25, 4.0)
"""Yaw inertia against mass x front axle x rear axle: below, a car whirls like a top; above, it will not turn."""
HIGHEST_SPEED_MPS = 150.0
"""No wall lets a faster car pass through it unnoticed."""


def read_car_file(path: Path) -> tuple[str, CarData]:
    """The name and the numbers of a car file; a file that makes no car is refused with the reason."""
    try:
        content = read_toml(path)
    except ConfigError as error:
        raise CarError(f"{error} Give a file with the keys of a built-in car.") from error
    name = content.pop("name", path.stem)
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        raise CarError(f"{path}: name must be a text of 1 to {LONGEST_NAME} characters, not {name!r}.")
    return name, checked_car(content, str(path))


def checked_car(numbers: Mapping[str, Any], where: str) -> CarData:
    """The numbers of a car by key, all of them and no others, within range, and fit to be driven."""
    for key in numbers:
        if key not in RANGES:
            raise CarError(f'{where}: no key "{key}".{did_you_mean(key, RANGES)} Known: name, {", ".join(RANGES)}.')
    missing = [key for key in RANGES if key not in numbers]
    if missing:
        raise CarError(f"{where}: {', '.join(missing)} missing. A car file has every key of a built-in car.")
    car = CarData(**{key: _number(key, numbers[key], where) for key in CarData._fields})
    _check_axles(car, where)
    for key, (low, high) in RANGES.items():
        if not low <= getattr(car, key) <= high:
            raise CarError(f"{where}: {key} must be from {low:g} to {high:g}, not {getattr(car, key):g}.")
    _check_motion(car, where)
    return car


def _number(key: str, value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CarError(f"{where}: {key} must be a finite number, not {value!r}.")
    return float(value)


def _check_axles(car: CarData, where: str) -> None:
    """Both axles must carry some of the weight."""
    for axle, key in (("rear", "front_axle_m"), ("front", "rear_axle_m")):
        if getattr(car, key) <= 0.0:
            raise CarError(
                f"{where}: the {axle} axle carries no load at rest, since {key} is {getattr(car, key):g}. "
                "The centre of gravity lies between the axles: both distances are above 0."
            )


def _check_motion(car: CarData, where: str) -> None:
    """The car must turn like a car, stay within the speed that walls can stop, and not spin at low speed."""
    usual = car.mass_kg * car.front_axle_m * car.rear_axle_m
    low, high = (usual * share for share in SPIN_INERTIA)
    if not low <= car.yaw_inertia_kgm2 <= high:
        raise CarError(
            f"{where}: yaw_inertia_kgm2 {car.yaw_inertia_kgm2:g} does not fit this mass and these axles: "
            f"it must be from {low:.0f} to {high:.0f}, or the car spins at walking pace or does not turn."
        )
    top = (1000.0 * car.power_kw / car.drag) ** (1.0 / 3.0)
    if top > HIGHEST_SPEED_MPS:
        raise CarError(
            f"{where}: with this power_kw and drag it would reach {top * KMH_PER_MPS:.0f} km/h; the most is "
            f"{HIGHEST_SPEED_MPS * KMH_PER_MPS:.0f} km/h. Less power or more drag."
        )
    if spins_at_low_speed(car):
        raise CarError(
            f"{where}: the car spins in a slow corner with the feet off the pedals. "
            "Give it longer axle distances or more yaw_inertia_kgm2."
        )
