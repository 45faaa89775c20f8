"""The intelligent-driver model against highway-env's, which others wrote: `pip install "hotlap[peers]"` brings it."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from hotlap.highway.physics import HARD_BRAKE_MPS2, STANDSTILL_GAP_M, TEMPERAMENTS
from hotlap.highway.traffic import idm_accel_mps2

with warnings.catch_warnings():
    # Its drawing complains about its own dependencies when imported.
    warnings.simplefilter("ignore")
    pytest.importorskip("highway_env", reason='needs "hotlap[peers]"')
    from highway_env.road.road import Road, RoadNetwork
    from highway_env.vehicle.behavior import IDMVehicle


def theirs(speed: float, wanted: float, gap: float, front_speed: float, driver: SimpleNamespace) -> float:
    """What highway-env's vehicle wants on a straight lane; its distances are from middle to middle."""
    road = Road(RoadNetwork.straight_road_network(1, length=10_000, speed_limit=None))
    me = IDMVehicle(road, np.array([0.0, 0.0]), speed=speed, target_speed=wanted)
    front = IDMVehicle(road, np.array([gap, 0.0]), speed=front_speed)
    me.DISTANCE_WANTED, me.TIME_WANTED = STANDSTILL_GAP_M, driver.headway_s
    me.COMFORT_ACC_MAX, me.COMFORT_ACC_MIN, me.DELTA = driver.accel_mps2, -driver.brake_mps2, 4.0
    return float(me.acceleration(me, front))


def ours(speed: float, wanted: float, gap: float, front_speed: float, driver: SimpleNamespace) -> float:
    vehicle = SimpleNamespace(
        speed_mps=[speed],
        approach=[0.5 / np.sqrt(driver.accel_mps2 * driver.brake_mps2)],
        headway_s=[driver.headway_s],
        max_accel_mps2=[driver.accel_mps2],
    )
    return float(idm_accel_mps2(vehicle, 0, wanted, gap, front_speed))


@pytest.mark.parametrize("temperament", range(3))
def test_acceleration_is_what_highway_env_computes(temperament):
    """Where the wanted gap is positive: highway-env lets it become negative behind somebody who runs away."""
    driver = SimpleNamespace(**TEMPERAMENTS[temperament]._asdict())
    rng = np.random.default_rng(temperament)
    compared = 0
    for _ in range(300):
        speed, front_speed = rng.uniform(0.5, 38.0, 2)
        wanted, gap = rng.uniform(15.0, 38.0), rng.uniform(2.0, 200.0)
        closing = speed * (speed - front_speed) / (2.0 * np.sqrt(driver.accel_mps2 * driver.brake_mps2))
        if speed * driver.headway_s + closing > 0.0:
            expected = np.clip(theirs(speed, wanted, gap, front_speed, driver), -HARD_BRAKE_MPS2, driver.accel_mps2)
            assert ours(speed, wanted, gap, front_speed, driver) == pytest.approx(expected, abs=1e-9)
            compared += 1
    assert compared > 150
