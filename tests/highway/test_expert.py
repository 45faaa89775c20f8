"""The rule-based expert: carries out every kind of mission, from the same numbers a policy sees, on every machine."""

import numpy as np
import pytest

from hotlap.export.wasm import object_imports, wasm_object
from hotlap.highway.expert import Sight, drive_experts, expert_entry
from hotlap.highway.fleet import Actions
from hotlap.highway.mission_rules import DONE
from hotlap.highway.missions import MODE_NAMES, Mission, Mode
from hotlap.highway.physics import MPH
from hotlap.highway.world import HighwayWorld
from hotlap.kernel import zeros
from hotlap.policies.highway_expert import HighwayExpert
from hotlap.policies.policy import Policy

ROADS = 64


def roads_of_experts(vehicles, decisions, *, seed=0, **options):
    """Experts on many roads; yields the world after each decision, episodes begin again by themselves."""
    world, expert = HighwayWorld(ROADS, vehicles=vehicles, **options), HighwayExpert()
    generators = [np.random.default_rng([seed, road]) for road in range(ROADS)]
    for road, generator in enumerate(generators):
        world.begin(road, generator)
    for _ in range(decisions):
        world.advance(expert.act(world.observation, world))
        yield world
        for road in np.flatnonzero(world.terminated | world.truncated):
            world.begin(int(road), generators[road])


def driven_alone(mission, seconds, lane=2, speed_mps=25.0):
    """One expert on an empty road with one mission; the world afterwards, and the mission's ending if it ended."""
    world, expert, ended = HighwayWorld(1, vehicles=0), HighwayExpert(), None
    world.begin(0, np.random.default_rng(0), {"lane": lane, "speed_mps": speed_mps, "mission": mission})
    for _ in range(round(seconds * 5)):
        world.advance(expert.act(world.observation, world))
        if world.out.mission_ended[0]:
            ended = int(world.out.mission_ended[0])
    return world, ended


def test_expert_is_a_driver_like_any_other():
    assert isinstance(HighwayExpert(), Policy)


def test_expert_cruises_at_the_speed_asked_for():
    world, ended = driven_alone(Mission(Mode.CRUISE, target_speed_mps=60 * MPH), 30)
    assert ended == DONE
    assert world.step_views["speed_mps"][0] == pytest.approx(60 * MPH, abs=0.2 * MPH)


def test_expert_keeps_the_limit_of_its_lane():
    world, _ = driven_alone(Mission(Mode.CRUISE, target_speed_mps=85 * MPH), 30)
    assert world.step_views["speed_mps"][0] == pytest.approx(62.5 * MPH, abs=0.2 * MPH)


def test_expert_holds_what_it_has():
    world, _ = driven_alone(Mission(Mode.HOLD), 20, speed_mps=24.0)
    assert world.step_views["lane"][0] == 2
    assert abs(world.step_views["accel_mps2"][0]) < 0.1


@pytest.mark.parametrize("lane", [0, 4])
def test_expert_crosses_two_lanes_one_after_the_other(lane):
    world, ended = driven_alone(Mission(Mode.LANE_CHANGE, target_lane=lane), 25)
    assert ended == DONE
    assert world.step_views["lane"][0] == lane


def test_expert_stops_in_the_lane_asked_for():
    world, ended = driven_alone(Mission(Mode.STOP, target_lane=4), 50)
    assert ended == DONE
    assert world.step_views["speed_mps"][0] == 0.0
    assert world.step_views["lane"][0] == 4


def test_expert_ends_missions_of_every_mode_well_and_without_a_crash():
    done = np.zeros(len(MODE_NAMES), int)
    crashes = 0
    for world in roads_of_experts(20, 1800, seed=1, supervisor=False):
        modes = world.out.ended_mode[world.out.mission_ended == DONE]
        done += np.bincount(modes, minlength=len(MODE_NAMES))
        crashes += int(world.roads.crashed.sum())
    assert crashes == 0
    assert (done > 10).all(), dict(zip(MODE_NAMES, done, strict=True))


def test_compiled_expert_decides_as_its_python_does():
    expert = HighwayExpert()
    for number, world in enumerate(roads_of_experts(20, 60, seed=2)):
        if number % 20 == 19:
            seen, actions = Sight(observation=world.observation.ravel().copy()), zeros(Actions, ROADS)
            drive_experts(seen, actions, 0, ROADS)
            np.testing.assert_allclose(expert.act(world.observation), np.column_stack(actions), atol=1e-12)


def test_expert_decides_the_same_for_one_road_and_for_many():
    expert = HighwayExpert()
    *_, world = roads_of_experts(20, 50, seed=3)
    single = np.concatenate([expert.act(row[np.newaxis]) for row in world.observation])
    np.testing.assert_array_equal(single, expert.act(world.observation))


def test_expert_compiles_for_the_browser():
    imports = object_imports(wasm_object("advise", expert_entry))
    assert {name for name in imports if not name.startswith("__")} <= {"sqrt", "pow", "fmin", "fmax"}, imports
