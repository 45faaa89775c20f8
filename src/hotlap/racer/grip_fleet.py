"""What a fleet of cars with grip has beyond any fleet, and the cars it drives, as structs of arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hotlap.kernel import kernel
from hotlap.racer.fleet import Float64Array, Int32Array
from hotlap.racer.grip_car import CarData

CAR_NUMBERS = len(CarData._fields)
SEEN_AGAINST = CarData(
    mass_kg=1300.0,
    yaw_inertia_kgm2=1900.0,
    front_axle_m=1.46,
    rear_axle_m=1.19,
    centre_height_m=0.45,
    max_wheel_angle_rad=0.5,
    wheel_rate_rps=1.2,
    power_kw=400.0,
    drive_force_n=9500.0,
    drive_share_front=1.0,
    drag=0.66,
    downforce_front=0.55,
    downforce_rear=0.77,
    rolling_force_n=200.0,
    brake_force_n=26000.0,
    brake_share_front=0.58,
    friction=1.6,
    load_sensitivity=0.06,
    stiffness_factor=11.0,
    shape_factor=1.45,
)
"""What the numbers of a car are divided by before a driver sees them."""


class GripFleet(NamedTuple):
    """What a car with grip carries from tick to tick beside the state of any car."""

    car: Int32Array
    """Which of the cars it is."""
    first_car: Int32Array
    car_count: Int32Array
    """From which an episode draws the car: so many, from the first."""
    traction_control: Int32Array
    anti_lock: Int32Array
    sideways_accel_mps2: Float64Array
    grip_used_front: Float64Array
    grip_used_rear: Float64Array


class CarTable(NamedTuple):
    """The numbers of every car, by key, and as drivers see them."""

    mass_kg: Float64Array
    yaw_inertia_kgm2: Float64Array
    front_axle_m: Float64Array
    rear_axle_m: Float64Array
    centre_height_m: Float64Array
    max_wheel_angle_rad: Float64Array
    wheel_rate_rps: Float64Array
    power_kw: Float64Array
    drive_force_n: Float64Array
    drive_share_front: Float64Array
    drag: Float64Array
    downforce_front: Float64Array
    downforce_rear: Float64Array
    rolling_force_n: Float64Array
    brake_force_n: Float64Array
    brake_share_front: Float64Array
    friction: Float64Array
    load_sensitivity: Float64Array
    stiffness_factor: Float64Array
    shape_factor: Float64Array
    seen: Float64Array
    """Flat: a row of all numbers for each car."""


def build_car_table(cars: Sequence[CarData]) -> CarTable:
    """The cars of a fleet as one table; with no car at all, one row of zeros that nobody reads."""
    numbers = np.array(cars, np.float64).reshape(-1, CAR_NUMBERS) if cars else np.zeros((1, CAR_NUMBERS))
    columns = {key: np.ascontiguousarray(column) for key, column in zip(CarData._fields, numbers.T, strict=True)}
    return CarTable(**columns, seen=(numbers / np.array(SEEN_AGAINST) - 1.0).ravel())


@kernel
def car_data(cars: CarTable, number: int) -> CarData:
    """One car out of the table."""
    return CarData(
        mass_kg=cars.mass_kg[number],
        yaw_inertia_kgm2=cars.yaw_inertia_kgm2[number],
        front_axle_m=cars.front_axle_m[number],
        rear_axle_m=cars.rear_axle_m[number],
        centre_height_m=cars.centre_height_m[number],
        max_wheel_angle_rad=cars.max_wheel_angle_rad[number],
        wheel_rate_rps=cars.wheel_rate_rps[number],
        power_kw=cars.power_kw[number],
        drive_force_n=cars.drive_force_n[number],
        drive_share_front=cars.drive_share_front[number],
        drag=cars.drag[number],
        downforce_front=cars.downforce_front[number],
        downforce_rear=cars.downforce_rear[number],
        rolling_force_n=cars.rolling_force_n[number],
        brake_force_n=cars.brake_force_n[number],
        brake_share_front=cars.brake_share_front[number],
        friction=cars.friction[number],
        load_sensitivity=cars.load_sensitivity[number],
        stiffness_factor=cars.stiffness_factor[number],
        shape_factor=cars.shape_factor[number],
    )
