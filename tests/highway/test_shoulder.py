"""The shoulder: who stops may go there, nobody drives along it, and a driver that fails is brought there."""

import numpy as np
import pytest

from highway.roads import drive, road_with
from hotlap.errors import MissionError, PolicyError
from hotlap.highway.mission_rules import DONE, HOLD, STOP
from hotlap.highway.missions import Ending, Mission, Mode
from hotlap.highway.ordered_drive import OrderedDrive
from hotlap.highway.rescue import MISSING_DECISIONS
from hotlap.highway.scene import Scene
from hotlap.highway.supervisor import RULE_NAMES
from hotlap.highway.world import HighwayWorld
from hotlap.policies.highway_expert import HighwayExpert

SHOULDER = 5


def world_with(mission, *, lane=2, speed_mps=25.0, vehicles=0, seed=0) -> HighwayWorld:
    world = HighwayWorld(1, vehicles=vehicles)
    world.begin(0, np.random.default_rng(seed), {"lane": lane, "speed_mps": speed_mps, "mission": mission})
    return world


def test_expert_pulls_over_and_stands_on_the_shoulder():
    world, expert = world_with(Mission(Mode.STOP, target_lane=SHOULDER)), HighwayExpert()
    ended = 0
    for _ in range(300):
        world.advance(expert.act(world.observation))
        ended = ended or int(world.out.mission_ended[0])
    assert ended == DONE
    assert world.step_views["lane"][0] == SHOULDER
    assert world.step_views["speed_mps"][0] == 0.0


def test_only_a_stop_may_name_the_shoulder():
    world = world_with(Mission())
    for mode in (Mode.CRUISE, Mode.LANE_CHANGE, Mode.HOLD):
        with pytest.raises(MissionError, match="to stop on"):
            world.give(0, Mission(mode, target_lane=SHOULDER))


def test_request_onto_the_shoulder_without_a_stop_is_refused():
    world = world_with(Mission(), lane=4)
    for _ in range(10):
        world.advance(np.array([[0.0, 0.0, 1.0]]))
    assert world.step_views["lane"][0] == 4
    assert world.batch.interventions[0, RULE_NAMES.index("edge")] > 0


def test_car_on_the_shoulder_drives_off_into_the_lane_beside():
    world, expert = world_with(Mission(), lane=SHOULDER, speed_mps=0.0), HighwayExpert()
    world.give(0, Mission(Mode.CRUISE, target_speed_mps=20.0))
    for _ in range(200):
        world.advance(expert.act(world.observation))
    assert world.step_views["lane"][0] == 4
    assert world.step_views["speed_mps"][0] == pytest.approx(20.0, abs=0.3)


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_driver_that_gives_no_numbers_is_brought_to_a_stop_on_the_shoulder(broken):
    batch = road_with([])
    drive(batch, broken, decisions=MISSING_DECISIONS - 1)
    assert not batch.roads.rescued[0]
    drive(batch, broken, decisions=1)
    assert batch.roads.rescued[0]
    assert (batch.roads.mission_mode[0], batch.roads.mission_lane[0]) == (STOP, SHOULDER)
    for _ in range(300):
        drive(batch, broken)
    assert batch.vehicles.lane[0] == SHOULDER
    assert batch.vehicles.speed_mps[0] == 0.0


def test_decision_now_and_then_missed_is_no_failure():
    batch = road_with([])
    for decision in range(40):
        drive(batch, np.nan if decision % 3 else 0.2)
    assert not batch.roads.rescued[0]


def test_without_the_supervisor_nobody_takes_over():
    batch = road_with([], supervised=False)
    drive(batch, np.nan, decisions=20)
    assert not batch.roads.rescued[0]


def test_order_gives_the_wheel_back_to_the_driver():
    world, lost = world_with(Mission()), np.array([True])
    for _ in range(10):
        world.advance(np.zeros((1, 3)), lost)
    assert world.roads.rescued[0]
    world.give(0, Mission(Mode.CRUISE, target_speed_mps=20.0))
    assert not world.roads.rescued[0]
    assert world.roads.mission_mode[0] != HOLD


@pytest.mark.parametrize("failure", [PolicyError("gone"), ValueError("no"), None])
def test_ordered_drive_ends_on_the_shoulder_when_its_driver_fails(failure):
    expert, decisions = HighwayExpert(), []

    def decide(observation, _world):
        decisions.append(1)
        if len(decisions) < 10:
            return expert.act(observation)
        if failure is not None:
            raise failure
        return np.full((1, 3), np.nan)

    drive_ = OrderedDrive(decide, Scene(vehicles=8))
    answer = drive_.order("cruise at 60")
    moments = list(drive_.drive())
    assert moments[-1].lane == SHOULDER
    assert moments[-1].speed_mph < 0.5
    assert "minimal_risk" in moments[-1].rules
    assert drive_.outcome(answer.mission).ending is Ending.DONE
