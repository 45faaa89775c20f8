"""Rewards follow the mission: what is asked for pays best."""

import numpy as np
import pytest

from hotlap.highway.missions import Mission, Mode
from hotlap.highway.physics import EASY_ACCEL_MPS2, EASY_BRAKE_MPS2, LANE_REQUEST, MPH
from hotlap.highway.sensors import gap_seen_m, seen_gap
from hotlap.highway.world import HighwayWorld


def steady_pay(speed_mph: float, lane: int = 0, *, supervisor: bool = False) -> float:
    """What a minute at a steady speed earns on a free road with a mission of 60 mph."""
    world = HighwayWorld(1, vehicles=0, supervisor=supervisor)
    options = {"lane": lane, "speed_mps": speed_mph * MPH, "mission": Mission(Mode.CRUISE, target_speed_mps=60 * MPH)}
    world.begin(0, np.random.default_rng(0), options)
    earned = 0.0
    for _ in range(300):
        world.advance(np.zeros((1, 3)))
        earned += float(world.reward[0])
    return earned


@pytest.mark.parametrize("lane", range(3))
def test_sixty_beats_fifty_and_ninety_on_a_mission_of_sixty(lane):
    """Lanes 0 to 2 allow 60 mph and more."""
    pays = {speed: steady_pay(speed, lane) for speed in (50, 55, 58, 60, 62, 65, 85)}
    assert max(pays, key=pays.__getitem__) == 60
    assert pays[60] > pays[58] > pays[55] > pays[50]
    assert pays[60] > pays[62] > pays[65] > pays[85]


def one_decision(speed_mps: float, action: list[float], mission: Mission) -> dict[str, float]:
    """The parts of the reward of the third decision with an action, once the pedal has followed."""
    world = HighwayWorld(1, vehicles=0, supervisor=False)
    world.begin(0, np.random.default_rng(0), {"lane": 1, "speed_mps": speed_mps, "mission": mission})
    for _ in range(3):
        world.advance(np.array([action]))
    return {key: float(world.step_views[key][0]) for key in ("tracking", "comfort", "legality")}


@pytest.mark.parametrize(
    ("speed_mps", "target_mps", "action"),
    [(10.0, 25.0, [EASY_ACCEL_MPS2 / 3.6, 0.0, 0.0]), (28.0, 15.0, [0.0, EASY_BRAKE_MPS2 / 8.0, 0.0])],
)
def test_comfortable_way_to_a_speed_is_paid_in_full(speed_mps, target_mps, action):
    mission = Mission(Mode.CRUISE, target_speed_mps=target_mps)
    best = one_decision(25.0, [0.0, 0.0, 0.0], Mission(Mode.CRUISE, target_speed_mps=25.0))
    assert one_decision(speed_mps, action, mission)["tracking"] == pytest.approx(best["tracking"], rel=1e-6)
    assert one_decision(speed_mps, [0.0, 0.0, 0.0], mission)["tracking"] < 0.3 * best["tracking"]


def test_change_into_a_gap_that_is_not_safe_costs_at_once():
    """Over many roads: whoever asks for a lane pays where the gap there was not safe, and only there."""
    world = HighwayWorld(200, vehicles=40, supervisor=False)
    for road in range(world.count):
        world.begin(road, np.random.default_rng(road), {"lane": 2, "missions": "lane_change"})
    free = world.observation[:, 22 + 1] + world.observation[:, 22 + 3] > 1.9
    world.advance(np.tile([0.0, 0.0, -2.0 * LANE_REQUEST], (world.count, 1)))
    unsafe = world.out.unsafe_changes == 1
    assert world.out.changes_begun.all()
    assert 5 < unsafe.sum() < 150
    assert not unsafe[free].any()
    assert (world.out.distance[unsafe] <= -5.0).all()
    assert (world.out.distance[~unsafe] > -1.0).all()


def test_gap_can_be_read_back_from_how_it_is_seen():
    for gap_m in (-12.0, -0.5, 0.0, 3.0, 21.4, 80.0, 299.0):
        assert gap_seen_m(seen_gap(gap_m)) == pytest.approx(gap_m, abs=1e-9)
    assert seen_gap(1e9) == 1.0
    assert seen_gap(25.0) == pytest.approx(0.5, abs=1e-3)
