"""The ego: bounds on what it can do, lane changes as continuous motion, and a mirrored road that mirrors everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highway.roads import drive, road_with, roads_by_dice, rows
from hotlap.highway.batch import HighwayBatch
from hotlap.highway.config import HighwayConfig
from hotlap.highway.road import lane_position
from hotlap.highway.sensors import FIELDS

ACTIONS = st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(-1.0, 1.0))


@given(st.lists(ACTIONS, min_size=30, max_size=60))
def test_speed_acceleration_and_jerk_are_bounded(actions):
    batch = road_with([], supervised=False)
    for throttle, brake, lane in actions:
        drive(batch, throttle, brake, lane)
        assert 0.0 <= batch.vehicles.speed_mps[0] <= 40.0
        assert -8.0 <= batch.vehicles.accel_mps2[0] <= 3.6
        assert -40.0 - 1e-9 <= batch.roads.jerk_mps3[0] <= 10.0 + 1e-9


def test_full_throttle_ends_at_top_speed_and_full_brake_at_rest():
    batch = road_with([], supervised=False)
    drive(batch, 1.0, decisions=100)
    assert batch.vehicles.speed_mps[0] == pytest.approx(40.0, abs=0.05)
    drive(batch, 0.0, 1.0, decisions=40)
    assert batch.vehicles.speed_mps[0] == 0.0
    assert batch.vehicles.accel_mps2[0] == 0.0


def positions(batch, decisions, lane) -> np.ndarray:
    seen = [lane_position(batch.vehicles, 0)]
    for _ in range(decisions):
        drive(batch, 0.0, 0.0, lane)
        seen.append(lane_position(batch.vehicles, 0))
    return np.array(seen)


def test_lane_change_is_a_smooth_motion_of_about_three_seconds():
    batch = road_with([])
    drive(batch, 0.0, 0.0, 1.0)
    seen = positions(batch, 20, 0.0)
    assert np.abs(np.diff(seen)).max() < 0.15
    assert (np.diff(seen) >= 0.0).all()
    assert 14 <= int(np.argmax(seen == 3.0)) <= 17
    assert batch.vehicles.lane[0] == 3


def test_opposite_request_turns_back_before_half_way():
    batch = road_with([])
    drive(batch, 0.0, 0.0, 1.0, decisions=6)
    drive(batch, 0.0, 0.0, -1.0)
    seen = positions(batch, 15, 0.0)
    assert seen.max() < 2.5
    assert seen[-1] == 2.0
    assert np.abs(np.diff(seen)).max() < 0.15


def test_opposite_request_after_half_way_is_too_late():
    batch = road_with([])
    drive(batch, 0.0, 0.0, 1.0, decisions=11)
    drive(batch, 0.0, 0.0, -1.0)
    assert positions(batch, 15, 0.0)[-1] == 3.0


@pytest.mark.parametrize("request_", [-1 / 3, 0.0, 0.2, 1 / 3])
def test_nothing_but_a_clear_request_changes_lanes(request_):
    batch = road_with([], ego=(2, 30.0))
    drive(batch, 0.3, 0.0, request_, decisions=100)
    assert lane_position(batch.vehicles, 0) == 2.0


def test_standing_car_does_not_slide_sideways():
    batch = road_with([], ego=(2, 0.0))
    assert (positions(batch, 50, 1.0) == 2.0).all()


def test_road_with_a_crash_stays_as_it_is():
    batch = road_with([(2, 20.0, 0.0)], supervised=False)
    drive(batch, 1.0, decisions=20)
    assert batch.out.terminated[0]
    before = batch.vehicles.x_m.copy()
    drive(batch, 1.0, decisions=5)
    assert (batch.vehicles.x_m == before).all()
    assert batch.out.terminated[0]
    assert batch.out.reward[0] == 0.0


def mirrored(batch: HighwayBatch, lanes: int) -> HighwayBatch:
    """The same roads seen in a mirror: lanes, limits and favourite sides the other way round."""
    road = {"lanes": lanes, "left_limit_mph": 55.0, "right_limit_mph": 70.0}
    other = HighwayBatch(batch.count, batch.slots, HighwayConfig.load({"road": road}), threads=1)
    for ours, theirs in ((batch.vehicles, other.vehicles), (batch.roads, other.roads)):
        for name in ours._fields:
            getattr(theirs, name)[:] = getattr(ours, name)
    for group, names in ((other.vehicles, ("lane", "target_lane")), (other.roads, ("mission_lane", "mission_return"))):
        for name in names:
            column = getattr(group, name)
            column[:] = np.where(column >= 0, lanes - 1 - column, column)
    for column in (other.vehicles.side, other.roads.mission_direction):
        column[:] = -column
    return other


@given(seed=st.integers(0, 2**32), lanes=st.integers(2, 6))
def test_mirrored_road_mirrors(seed, lanes):
    batch = roads_by_dice(4, 20, seed, lanes=lanes)
    batch.roads.planned[:] = 0  # planned missions are drawn by side, and the shoulder lies on the right
    batch.roads.mission_lane[:] = np.minimum(batch.roads.mission_lane, lanes - 1)
    other = mirrored(batch, lanes)
    rng = np.random.default_rng(seed)
    for _ in range(60):
        throttle, lane = rng.random(4), rng.uniform(-1.0, 1.0, 4)
        drive(batch, throttle, 0.0, lane)
        drive(other, throttle, 0.0, -lane)
        # Limits are interpolated from the other end, which rounds differently; nothing else may differ.
        np.testing.assert_allclose(rows(batch, "x_m"), rows(other, "x_m"), atol=1e-6)
        here = rows(batch, "lane")
        assert (rows(other, "lane") == np.where(here >= 0, lanes - 1 - here, here)).all()
    left, right = FIELDS.index("left_exists"), FIELDS.index("right_exists")
    np.testing.assert_allclose(batch.observation[:, left:right], other.observation[:, right:], atol=1e-6)
    np.testing.assert_allclose(batch.out.reward, other.out.reward, atol=1e-6)
