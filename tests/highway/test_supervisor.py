"""The supervisor: each rule by a scene of its own, and the proof by distance that nobody makes the ego crash."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from highway.roads import drive, road_with, roads_by_dice
from hotlap import cli
from hotlap.benchmark.highway_safety import DENSITIES, DRIVERS, Case, SafetyDrive, cases, drive_everything
from hotlap.highway.distances import ego_stopping_m, is_safe
from hotlap.highway.physics import MPH
from hotlap.highway.road import gap_m, is_in_lane, nearest_ahead
from hotlap.highway.supervisor import RULE_NAMES

TWO_LANES = {"road": {"lanes": 2}}
TRAINED = Path(str(files("hotlap.web") / "data" / "bundled" / "motorist.onnx"))


def rules_used(batch, road=0) -> set[str]:
    return {name for number, name in enumerate(RULE_NAMES) if batch.interventions[road, number]}


def test_value_out_of_range_is_clipped_and_said():
    batch = road_with([])
    drive(batch, 7.0, 0.0, 0.0)
    assert rules_used(batch) == {"range"}
    assert batch.vehicles.accel_mps2[0] <= 3.6


def test_number_that_is_none_counts_as_nothing():
    batch = road_with([])
    drive(batch, np.nan, np.inf, np.nan, decisions=2)
    assert "range" in rules_used(batch)
    assert "minimal_risk" not in rules_used(batch)
    assert np.isfinite(batch.observation).all()


@pytest.mark.parametrize(("lane", "request_"), [(0, -1.0), (4, 1.0)])
def test_request_beyond_the_edge_is_refused(lane, request_):
    batch = road_with([], ego=(lane, 25.0))
    drive(batch, 0.0, 0.0, request_)
    assert rules_used(batch) == {"edge"}
    assert batch.vehicles.target_lane[0] == lane


@pytest.mark.parametrize("x_m", [-6.0, 0.5, 6.0])
def test_request_into_a_vehicle_alongside_is_refused(x_m):
    batch = road_with([(1, x_m, 25.0)])
    drive(batch, 0.0, 0.0, -1.0)
    assert rules_used(batch) == {"occupied"}
    assert batch.vehicles.target_lane[0] == 2


def test_request_into_a_free_lane_is_granted():
    batch = road_with([(1, -80.0, 25.0), (1, 80.0, 25.0)])
    drive(batch, 0.0, 0.0, -1.0)
    assert not rules_used(batch)
    assert batch.vehicles.target_lane[0] == 1


def test_request_in_front_of_somebody_fast_is_refused():
    batch = road_with([(1, -75.0, 40.0)], ego=(2, 15.0), supervised=True)
    drive(batch, 0.0, 0.0, -1.0)
    assert rules_used(batch) & {"closing", "occupied"}
    assert batch.vehicles.target_lane[0] == 2


def test_request_next_to_somebody_coming_into_the_same_lane_is_refused():
    batch = road_with([(0, 60.0, 25.0)])
    batch.vehicles.target_lane[1] = 1
    drive(batch, 0.0, 0.0, -1.0)
    assert rules_used(batch) == {"closing"}


def test_change_that_became_unsafe_is_aborted_before_half_way():
    batch = road_with([(1, 60.0, 25.0)])
    drive(batch, 0.0, 0.0, -1.0, decisions=3)
    assert batch.vehicles.target_lane[0] == 1
    batch.vehicles.speed_mps[1] = 4.0
    drive(batch, 0.0, decisions=15)
    assert "abort" in rules_used(batch)
    assert (batch.vehicles.lane[0], batch.vehicles.target_lane[0]) == (2, 2)


def test_ego_at_full_throttle_stops_behind_a_standing_vehicle():
    batch = road_with([(2, 200.0, 0.0)], ego=(2, 25.0), config={"road": {"lanes": 3}})
    batch.vehicles.pace[1] = 1e-3
    drive(batch, 1.0, decisions=100)
    assert "emergency" in rules_used(batch)
    assert not batch.roads.crashed[0]
    assert gap_m(batch.vehicles, 0, 1) >= 1.0 - 1e-6


def test_ego_at_full_throttle_keeps_the_limit_of_its_lane():
    batch = road_with([], ego=(4, 20.0))
    drive(batch, 1.0, decisions=150)
    assert rules_used(batch) == {"speed_limit"}
    assert 55 * MPH - 0.5 < batch.vehicles.speed_mps[0] <= 55 * MPH + 0.6


def test_without_the_supervisor_nothing_is_refused_and_it_crashes():
    batch = road_with([(2, 60.0, 0.0)], supervised=False)
    batch.vehicles.pace[1], batch.vehicles.politeness[1] = 1e-3, 0.0
    drive(batch, 1.0, decisions=50)
    assert not rules_used(batch)
    assert batch.roads.crashed[0]
    assert batch.roads.ego_fault[0]


def test_moving_into_someone_is_the_egos_fault():
    batch = road_with([(0, 1.0, 25.0)], ego=(1, 25.0), supervised=False, config=TWO_LANES)
    drive(batch, 0.0, 0.0, -1.0, decisions=20)
    assert batch.roads.crashed[0]
    assert batch.roads.ego_fault[0]


def test_cutting_in_too_closely_is_the_egos_fault_though_it_is_hit_from_behind():
    batch = road_with([(0, -34.0, 38.0)], ego=(1, 12.0), supervised=False, config=TWO_LANES)
    drive(batch, 0.0, 0.0, -1.0, decisions=20)
    assert batch.roads.crashed[0]
    assert batch.roads.ego_fault[0]


def test_being_run_into_is_not_the_egos_fault():
    batch = road_with([(2, -14.0, 38.0)], ego=(2, 12.0), supervised=False)
    drive(batch, 0.0, decisions=20)
    assert batch.roads.crashed[0]
    assert not batch.roads.ego_fault[0]


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), vehicles=st.sampled_from([10, 40]), lanes=st.integers(2, 6), data=st.data())
def test_egos_gaps_are_safe_after_every_decision(seed, vehicles, lanes, data):
    batch = roads_by_dice(4, vehicles, seed, lanes=lanes)
    for _ in range(25):
        action = data.draw(st.tuples(st.sampled_from([0.0, 1.0, 9.0]), st.sampled_from([0.0, 0.0, 1.0])))
        drive(batch, *action, data.draw(st.sampled_from([-1.0, 0.0, 1.0])), decisions=4)
        assert not batch.roads.crashed.any()
        for road in range(4):
            assert_safe(batch, road)


def assert_safe(batch, road) -> None:
    vehicles, first = batch.vehicles, road * batch.slots
    stopping = ego_stopping_m(vehicles.speed_mps[first], vehicles.accel_mps2[first])
    for lane in {int(vehicles.lane[first]), int(vehicles.target_lane[first])}:
        front = nearest_ahead(vehicles, first, batch.slots, first, lane, False)
        if front >= 0:
            assert is_in_lane(vehicles, front, lane)
            assert is_safe(gap_m(vehicles, first, front) + 1e-6, stopping, vehicles.speed_mps[front])


@pytest.mark.parametrize("km", [1_000.0, pytest.param(10_000.0, marks=pytest.mark.soak)])
def test_nobody_makes_the_ego_crash_in_thousands_of_kilometres(km):
    found = drive_everything(km, seed=7, roads=128, chosen=cases(["expert", str(TRAINED)]))
    assert sum(figures.km for figures in found) >= km
    drivers = [*DRIVERS, "expert", str(TRAINED)]
    assert {(figures.driver, figures.vehicles) for figures in found} == {(d, v) for d in drivers for v in DENSITIES}
    assert [figures for figures in found if figures.collisions] == []
    assert all(sum(figures.rules[name] for figures in found) for name in RULE_NAMES if name != "abort")


HOSTILE = Case("hostile", DRIVERS["hostile"], 20, 5)


def test_same_seed_drives_the_same_figures():
    first, second, other = (SafetyDrive(HOSTILE, 16, seed).run(20.0) for seed in (1, 1, 2))
    assert first == second
    assert first.km != other.km


def test_collisions_by_the_egos_fault_are_the_exit_code(monkeypatch, capsys):
    assert cli.main(["benchmark", "highway-safety", "--km", "20", "--roads", "8", "--json"]) == 0
    assert '"ego_fault": 0' in capsys.readouterr().out
    monkeypatch.setattr(SafetyDrive, "_count", count_a_fault)
    assert cli.main(["benchmark", "highway-safety", "--km", "20", "--roads", "8"]) == 1
    with pytest.raises(SystemExit, match="2"):
        cli.main(["benchmark", "highway-safety", "--km", "-3"])


def test_drivers_that_mean_well_are_driven_too(capsys):
    quick = ["benchmark", "highway-safety", "--km", "20", "--roads", "8"]
    assert cli.main([*quick, "--policy", "expert", "--threads", "1"]) == 0
    printed = capsys.readouterr()
    assert "expert" in printed.out
    assert "24 of 24: expert, 40 vehicles" in printed.err
    assert cli.main([*quick, "--policy", "reference"]) == 2
    assert "drivers of the highway" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        cli.main([*quick, "--threads", "0"])


def count_a_fault(drive_, road) -> None:
    drive_.figures.km += 1.0
    drive_.figures.ego_fault += 1
