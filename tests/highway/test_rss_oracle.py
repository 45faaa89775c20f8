"""The supervisor against an independent oracle, Intel's ad-rss: it is never laxer than responsibility-sensitive safety.

Lengthwise the ego keeps at least the RSS distance to whoever is ahead in its lanes, with the response time of a tick,
its strongest acceleration during it, and the brakes of this world. Sideways RSS asks for a safe distance lengthwise
before two vehicles may share a lane: a lane change begins only where that holds ahead, and behind with the 0.5 s that
the supervisor gives others to respond. One assumption differs from the book: others do not speed up while they respond,
since they keep their own gaps safe from tick to tick.
"""

import warnings
from typing import Any

import numba
import numpy as np
import pytest

from hotlap.benchmark.highway_safety import DRIVERS
from hotlap.highway.fleet import Vehicles
from hotlap.highway.physics import HARD_BRAKE_MPS2, MAX_ACCEL_MPS2, TICK_S, TOP_SPEED_MPS
from hotlap.highway.road import FREE_GAP_M, gap_m, nearest_ahead, nearest_behind
from hotlap.highway.supervisor import RESPONSE_S
from hotlap.highway.world import HighwayWorld
from hotlap.kernel import compile_kernel, kernel

ROADS, VEHICLES = 64, 30
ROUNDING_M = 1e-6


def load_oracle() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its binding registers a converter twice
        return pytest.importorskip("ad_rss", reason="ad-rss has no wheel for this Python")


@pytest.fixture(scope="module")
def rss():
    """The safe distance between a rear and a front vehicle, by the library's own formulas."""
    library = load_oracle()
    physics, structured, core = library.physics, library.rss.structured, library.rss.core
    top, brake = physics.Speed(TOP_SPEED_MPS), physics.Acceleration(-HARD_BRAKE_MPS2)

    def safe_m(rear_mps: float, front_mps: float, response_s: float, accel_mps2: float) -> float:
        way, front_way = physics.Distance(0.0), physics.Distance(0.0)
        speed, response = physics.Speed(min(rear_mps, TOP_SPEED_MPS)), physics.Duration(response_s)
        accel = physics.Acceleration(accel_mps2)
        assert structured.calculateLongitudinalDistanceOffsetAfterStatedBrakingPattern(
            speed, top, response, accel, brake, way
        )
        assert core.calculateStoppingDistance(physics.Speed(front_mps), brake, front_way)
        return max(way.mDistance - front_way.mDistance, 0.0)

    return safe_m


@kernel
def write_neighbours(vehicles: Vehicles, slots: int, found: Any) -> None:
    """Ego speed, gap and speed ahead, gap and speed behind, (roads, 4, 5).

    In the lane to the left, in the ego's own, in the one to the right, and in the one that it is changing to.
    """
    for road in range(len(found)):
        ego = road * slots
        lane, target = vehicles.lane[ego], vehicles.target_lane[ego]
        for row in range(4):
            look = lane - 1 + row if row < 3 else target
            front = nearest_ahead(vehicles, ego, slots, ego, look, False)
            rear = nearest_behind(vehicles, ego, slots, ego, look, False)
            found[road, row, 0] = vehicles.speed_mps[ego]
            found[road, row, 1] = gap_m(vehicles, ego, front)
            found[road, row, 2] = vehicles.speed_mps[front] if front >= 0 else 0.0
            found[road, row, 3] = gap_m(vehicles, rear, ego)
            found[road, row, 4] = vehicles.speed_mps[rear] if rear >= 0 else 0.0


OWN, TARGET = 1, 3


def drive_against(rss, states: int, seed: int) -> None:
    """Hostile and random drivers with the supervisor on, until so many states were held against the oracle."""
    drivers = [DRIVERS["hostile"], DRIVERS["undecided"], DRIVERS["brake_tapping"]]
    world, rng = HighwayWorld(ROADS, vehicles=VEHICLES, threads=1), np.random.default_rng(seed)
    generators = [np.random.default_rng([seed, road]) for road in range(ROADS)]
    look = compile_kernel(write_neighbours, numba.njit(error_model="numpy"))
    for road in range(ROADS):
        world.begin(road, generators[road])
    before, after = np.zeros((2, ROADS, 4, 5))
    egos = np.arange(ROADS) * world.batch.slots
    checked = decision = 0
    while checked < states:
        look(world.vehicles, world.batch.slots, before)
        lanes = world.vehicles.lane[egos]
        world.advance(drivers[decision // 100 % 3](world, decision, rng))
        decision += 1
        look(world.vehicles, world.batch.slots, after)
        sides = world.vehicles.target_lane[egos] - lanes
        for road in np.flatnonzero(world.out.changes_begun).tolist():
            check_entry(rss, before[road, OWN + sides[road]].tolist())
        changes = world.vehicles.lane[egos] != world.vehicles.target_lane[egos]
        checked += check_ahead(rss, after[:, OWN]) + check_ahead(rss, after[changes, TARGET])
        for road in np.flatnonzero(world.terminated | world.truncated).tolist():
            world.begin(road, generators[road])


def check_ahead(rss, seen) -> int:
    """The ego keeps the distance of RSS to the next vehicle in each of its lanes."""
    for speed, gap, ahead_mps, _, _ in seen[seen[:, 1] < FREE_GAP_M].tolist():
        assert gap >= rss(speed, ahead_mps, TICK_S, MAX_ACCEL_MPS2) - ROUNDING_M, (speed, gap, ahead_mps)
    return len(seen)


def check_entry(rss, seen) -> None:
    """A lane change began where the gaps ahead and behind were safe by RSS."""
    speed, ahead_m, ahead_mps, behind_m, behind_mps = seen
    assert ahead_m >= rss(speed, ahead_mps, RESPONSE_S, 0.0) - ROUNDING_M
    assert behind_m >= rss(behind_mps, speed, RESPONSE_S, 0.0) - ROUNDING_M


@pytest.mark.parametrize("rear_mps", [0.0, 10.0, 25.0, 40.0])
def test_oracle_is_the_published_formula(rss, rear_mps):
    fastest = min(rear_mps + MAX_ACCEL_MPS2 * TICK_S, TOP_SPEED_MPS)
    way = rear_mps * TICK_S + 0.5 * (fastest - rear_mps) * TICK_S + fastest**2 / (2.0 * HARD_BRAKE_MPS2)
    front_mps = 12.0
    expected = max(way - front_mps**2 / (2.0 * HARD_BRAKE_MPS2), 0.0)
    assert rss(rear_mps, front_mps, TICK_S, MAX_ACCEL_MPS2) == pytest.approx(expected, abs=1e-3)


def test_supervisor_is_never_laxer_than_rss(rss):
    drive_against(rss, 20_000, seed=5)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_supervisor_is_never_laxer_than_rss_in_ten_million_states(rss):
    drive_against(rss, 10_000_000, seed=6)
