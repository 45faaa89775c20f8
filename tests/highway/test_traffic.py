"""Traffic: its models against slow twins from the papers, its gaps, its bounds, and that it never overlaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from highway.highway_twins import Driver, idm, mobil_gain
from highway.roads import drive, road_with, roads_by_dice, rows
from hotlap.highway.collisions import boxes_touch, vehicles_touch
from hotlap.highway.distances import ego_stopping_m, is_safe, moved_m, safe_accel_mps2, stopping_m
from hotlap.highway.physics import HARD_BRAKE_MPS2, SAFE_MARGIN_M, SIZES, TEMPERAMENTS, TICK_S
from hotlap.highway.road import heading_rad, lane_limit_mps, lane_position, pace_of_change_per_s
from hotlap.highway.starts import put_driver
from hotlap.highway.traffic import TOO_BAD, accel_behind, change_gain_mps2, staying

SPEEDS = st.floats(0.0, 40.0)


def as_driver(batch, slot) -> Driver:
    vehicles = batch.vehicles
    temperament, size = TEMPERAMENTS[vehicles.temperament[slot]], SIZES[vehicles.kind[slot]]
    limits = [lane_limit_mps(lane, batch.rules) for lane in range(5)]
    return Driver(
        x_m=float(vehicles.x_m[slot]),
        speed_mps=float(vehicles.speed_mps[slot]),
        length_m=float(vehicles.length_m[slot]),
        lane=int(vehicles.lane[slot]),
        v0_of_lane=[temperament.pace * size.pace * limit for limit in limits],
        headway_s=temperament.headway_s,
        a=temperament.accel_mps2 * size.pep,
        b=temperament.brake_mps2,
        politeness=temperament.politeness,
    )


@given(speed=SPEEDS, ahead=SPEEDS, x=st.floats(10.0, 300.0), temperament=st.integers(0, 2), size=st.integers(0, 3))
def test_acceleration_is_the_papers(speed, ahead, x, temperament, size):
    batch = road_with([(1, 0.0, speed), (1, x, ahead)])
    put_driver(batch.vehicles, 1, temperament, size)
    ours = accel_behind(batch.vehicles, 1, 2, 1, batch.rules)
    assert ours == pytest.approx(idm(as_driver(batch, 1), as_driver(batch, 2), 1), abs=1e-9)


@given(speed=SPEEDS, lane=st.integers(0, 4))
def test_acceleration_on_a_free_road_is_the_papers(speed, lane):
    batch = road_with([(lane, 0.0, speed)])
    ours = accel_behind(batch.vehicles, 1, -1, lane, batch.rules)
    assert ours == pytest.approx(idm(as_driver(batch, 1), None, lane), abs=1e-9)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-150, 150), st.floats(5.0, 35.0)), min_size=2, max_size=8),
    st.integers(0, 2),
)
def test_gain_of_a_lane_change_is_the_papers(others, temperament):
    batch = road_with([(lane, x + 0.01 * k, speed) for k, (lane, x, speed) in enumerate(others, 1)])
    put_driver(batch.vehicles, 1, temperament, 1)
    drivers = [as_driver(batch, slot) for slot in range(batch.slots)]
    now = staying(batch.vehicles, 0, 1, batch.rules)
    for lane in (drivers[1].lane - 1, drivers[1].lane + 1):
        if 0 <= lane < 5:
            ours = change_gain_mps2(batch.vehicles, 0, 1, lane, now, batch.rules)
            theirs = mobil_gain(drivers, drivers[1], lane)
            assert ours == pytest.approx(TOO_BAD if theirs is None else theirs, abs=1e-9)


@given(gap=st.floats(SAFE_MARGIN_M, 200.0), rear=SPEEDS, front=SPEEDS, wanted=st.floats(-8.0, 3.6))
def test_safe_gap_stays_safe_for_ever_however_hard_the_front_one_brakes(gap, rear, front, wanted):
    if not is_safe(gap, stopping_m(rear), front):
        return
    for tick in range(200):
        accel = safe_accel_mps2(gap, rear, front, wanted if tick % 3 else 3.6)
        assert -HARD_BRAKE_MPS2 <= accel <= max(wanted, 3.6)
        gap += moved_m(front, -HARD_BRAKE_MPS2) - moved_m(rear, accel)
        rear, front = max(rear + accel * TICK_S, 0.0), max(front - HARD_BRAKE_MPS2 * TICK_S, 0.0)
        assert gap >= SAFE_MARGIN_M - 1e-6


@given(speed=SPEEDS, accel=st.floats(-8.0, 3.6))
def test_egos_stopping_distance_is_driven_tick_by_tick(speed, accel):
    way, v, a = 0.0, speed, accel
    for _ in range(400):
        a = max(a - 40.0 * TICK_S, -HARD_BRAKE_MPS2)
        way += moved_m(v, a)
        v = max(v + a * TICK_S, 0.0)
    assert ego_stopping_m(speed, accel) == pytest.approx(way, abs=1e-9)


def overlapping(batch, road) -> list[tuple[int, int]]:
    """Pairs of the traffic whose oriented boxes overlap."""
    first = road * batch.slots
    here = [first + k for k in range(1, batch.slots) if batch.vehicles.lane[first + k] >= 0]
    rates = {i: pace_of_change_per_s(batch.vehicles.speed_mps[i], batch.vehicles.length_m[i]) for i in here}
    return [(a, b) for a in here for b in here if a < b and vehicles_touch(batch.vehicles, a, b, rates[a], rates[b])]


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**32),
    vehicles=st.sampled_from([6, 15, 40]),
    lanes=st.integers(2, 6),
    supervised=st.booleans(),
    data=st.data(),
)
def test_traffic_never_overlaps_whatever_the_ego_does(seed, vehicles, lanes, supervised, data):
    batch = roads_by_dice(3, vehicles, seed, lanes=lanes, supervised=supervised)
    for _ in range(20):
        throttle, brake = data.draw(st.sampled_from([(1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.5, 0.0)]))
        drive(batch, throttle, brake, data.draw(st.sampled_from([-1.0, 0.0, 1.0])), decisions=10)
        assert [overlapping(batch, road) for road in range(3)] == [[], [], []]


def test_speeds_and_accelerations_stay_within_their_bounds_for_three_minutes():
    batch = roads_by_dice(8, 30, 5)
    rng = np.random.default_rng(0)
    for _ in range(900):
        drive(batch, rng.random(8), 0.0, rng.uniform(-1.0, 1.0, 8))
        speed, accel = rows(batch, "speed_mps"), rows(batch, "accel_mps2")
        assert (speed >= 0.0).all()
        assert (speed <= 40.0).all()
        assert (accel[:, 1:] >= -8.0).all()
        assert (accel[:, 1:] <= 2.0).all()
    assert rows(batch, "lane")[:, 1:].max() <= 4


def test_vehicles_stay_within_the_lanes_they_are_said_to_be_in():
    """So two of them that share no lane cannot touch, however long they are and however they are turned."""
    batch = roads_by_dice(6, 40, 3)
    seen = 0
    for _ in range(300):
        drive(batch, 0.5)
        for i in np.flatnonzero(batch.vehicles.lane != batch.vehicles.target_lane):
            if i % batch.slots == 0:
                continue
            vehicles = batch.vehicles
            angle = abs(heading_rad(vehicles, i, pace_of_change_per_s(vehicles.speed_mps[i], vehicles.length_m[i])))
            reach = (vehicles.length_m[i] * np.sin(angle) + vehicles.width_m[i] * np.cos(angle)) / 2 / 3.6
            low, high = sorted((vehicles.lane[i], vehicles.target_lane[i]))
            position = lane_position(vehicles, i)
            assert low - 0.5 <= position - reach
            assert position + reach <= high + 0.5
            seen += 1
    assert seen > 100


def test_vehicle_behind_a_slow_one_changes_lanes_and_passes():
    batch = road_with([(1, 30.0, 26.0), (1, 60.0, 12.0)], ego=(4, 20.0))
    batch.vehicles.pace[2] = 0.4
    lanes = []
    for _ in range(100):
        drive(batch, 0.0)
        lanes.append(int(batch.vehicles.lane[1]))
    assert lanes[-1] != 1
    assert batch.vehicles.x_m[1] > batch.vehicles.x_m[2]


def test_traffic_brakes_for_an_ego_that_stands():
    batch = road_with([(2, -120.0, 28.0)], ego=(2, 0.0), config={"road": {"lanes": 3}})
    drive(batch, 0.0, 1.0, decisions=100)
    assert not batch.roads.crashed[0]


def test_vehicles_that_leave_come_back():
    batch = roads_by_dice(4, 20, 1)
    drive(batch, 1.0, decisions=600)
    x, here = rows(batch, "x_m"), rows(batch, "lane") >= 0
    away = x - x[:, :1]
    assert here[:, 1:].mean() > 0.9
    assert (away[here] <= 310.0).all()
    assert (away[here] >= -210.0).all()


@given(st.floats(-8.0, 8.0), st.floats(-4.0, 4.0), st.floats(-0.3, 0.3), st.floats(-0.3, 0.3))
def test_boxes_touch_exactly_when_a_point_is_in_both(dx, dy, heading_a, heading_b):
    half_a, half_b = (2.4, 0.9), (2.6, 1.0)
    grid = np.stack(np.meshgrid(np.linspace(-2.4, 2.4, 97), np.linspace(-0.9, 0.9, 37)), -1).reshape(-1, 2)
    cos, sin = np.cos(heading_a), np.sin(heading_a)
    points = grid @ np.array([[cos, sin], [-sin, cos]]) - [dx, dy]
    cos, sin = np.cos(heading_b), np.sin(heading_b)
    inside = points @ np.array([[cos, -sin], [sin, cos]])
    depth = (half_b - np.abs(inside)).min(axis=1).max()
    touch = boxes_touch(dx, dy, heading_a, heading_b, half_a, half_b)
    if abs(depth) > 0.15:  # nearer than that the grid cannot tell
        assert touch == (depth > 0.0)
