"""Evaluating drivers of the highway: known drivers, held-out seeds, figures that follow from episodes."""

from functools import cache

import numpy as np
import pytest

import hotlap.evaluation.highway.evaluate as evaluate_module
from evaluation.highway.tiny_highway import highway_model
from hotlap.errors import ConfigError
from hotlap.evaluation import HighwaySetup, evaluate_highway
from hotlap.evaluation.highway.driving import driven_again
from hotlap.evaluation.highway.evaluate import BASELINES, SCRIPTED
from hotlap.evaluation.highway.figures import QUANTITIES, figures_of
from hotlap.evaluation.highway.setup import HELD_OUT_SEED
from hotlap.highway.env import HighwayEnv
from hotlap.policies.highway_baselines import ZeroDriver
from hotlap.policies.highway_expert import HighwayExpert
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.policy import Policy
from hotlap.training.config import MOST_CARS, MOST_SEED

SMALL = HighwaySetup(vehicles=(12,), episodes=6)


@cache
def small(name):
    return evaluate_highway(SCRIPTED[name], SMALL, with_baselines=False, name=name)


@pytest.mark.parametrize("name", SCRIPTED)
def test_every_scripted_driver_is_a_policy(name):
    driver = SCRIPTED[name](SMALL.seeds())
    assert isinstance(driver, Policy)
    assert driver.name == name


def test_expert_carries_out_missions_and_crashes_into_nobody():
    [density] = small("expert").densities
    for figures in (density.alone, density.guarded):
        assert (figures.episodes, figures.crashes, figures.ego_fault) == (6, 0, 0)
        assert figures.hours == pytest.approx(6 * 180.0 / 3600.0)
        assert figures.modes["cruise"].done > 10
        assert figures.estimates["lane_change_done_percent"].value > 90.0
        assert figures.estimates["ego_fault_per_1000_km"].low == 0.0
        assert figures.estimates["ego_fault_per_1000_km"].high > 0.0
    assert sum(density.alone.rules.values()) == 0


def test_driver_that_touches_nothing_does_not_change_its_speed_nor_lane():
    [density] = small("zero").densities
    assert density.alone.estimates["jerk_rms_mps3"].value == pytest.approx(0.0, abs=1e-9)
    assert density.alone.modes["lane_change"].done == 0


def test_random_driver_is_kept_from_crashing_by_the_supervisor_alone():
    setup = HighwaySetup(vehicles=(30,), episodes=12)
    [density] = evaluate_highway(SCRIPTED["random"], setup, with_baselines=False).densities
    assert density.alone.ego_fault > 3
    assert density.guarded.ego_fault == 0
    assert density.guarded.estimates["interventions_per_hour"].value > 1000.0


def test_same_driver_and_setup_give_the_same_document():
    again = evaluate_highway(SCRIPTED["expert"], SMALL, with_baselines=False, name="expert")
    assert again.plain() == small("expert").plain()


@pytest.mark.parametrize("name", ["random", "expert"])
def test_every_episode_can_be_driven_again_from_its_seed_alone(name):
    for record in small(name).records[2:9:3]:
        assert driven_again(record, SCRIPTED[name]) == record


def test_episodes_of_a_policy_file_can_be_driven_again():
    policy = OnnxPolicy(highway_model().SerializeToString(), world="highway")
    evaluation = evaluate_highway(lambda _seeds: policy, SMALL, with_baselines=False)
    for record in evaluation.records[1:12:5]:
        assert driven_again(record, lambda _seeds: policy) == record


def test_episode_is_the_one_that_the_environment_drives_from_that_seed():
    record, expert = small("expert").records[0], HighwayExpert()
    env = HighwayEnv(vehicles=12, supervisor=False)
    observation, info = env.reset(seed=record.seed)
    ended, reward = [], 0.0
    for _ in range(900):
        observation, paid, terminated, truncated, info = env.step(expert.act(observation[np.newaxis])[0])
        reward += paid
        if info["mission_ended"]:
            ended.append((info["ended_mode"], info["outcome"]))
        if terminated or truncated:
            break
    env.close()
    # The environment shows float32, so the drives part ways in the end.
    assert info["x_m"] == pytest.approx(record.metres, rel=0.02)
    assert ended[:3] == [(end.mode, end.outcome) for end in record.missions][:3]


def test_no_training_seed_can_be_a_seed_of_the_evaluation():
    seeds = HighwaySetup(episodes=100_000).seeds()
    assert min(seeds) == HELD_OUT_SEED > MOST_SEED + MOST_CARS
    assert HighwaySetup(episodes=3, first_episode=7).seeds() == range(HELD_OUT_SEED + 7, HELD_OUT_SEED + 10)


def test_episodes_are_the_same_however_many_are_driven_at_once(monkeypatch):
    monkeypatch.setattr(evaluate_module, "AT_ONCE", 4)
    again = evaluate_highway(SCRIPTED["random"], SMALL, with_baselines=False, name="random")
    assert again.records == small("random").records


def test_different_episodes_differ():
    metres = {record.metres for record in small("expert").records if not record.supervised}
    assert len(metres) == 6


def test_figures_follow_from_the_episodes_alone():
    evaluation = small("expert")
    alone = [record for record in evaluation.records if not record.supervised]
    assert figures_of(alone) == evaluation.densities[0].alone
    measures = evaluation.measures()
    assert {measure.place for measure in measures} == {
        "12 vehicles", "12 vehicles, supervised", "all traffic", "all traffic, supervised",
    }  # fmt: skip
    assert len(measures) == 4 * len(QUANTITIES)


def test_baselines_are_driven_in_the_same_episodes_and_the_driver_itself_only_once():
    setup = HighwaySetup(vehicles=(4,), episodes=2)
    [density] = evaluate_highway(SCRIPTED["zero"], setup, name="zero").densities
    assert list(density.baselines) == [each.name for each in BASELINES if each.driver != "zero"]
    [expert] = evaluate_highway(SCRIPTED["expert"], setup, with_baselines=False).densities
    assert density.baselines["expert"] == expert.alone


def test_a_driver_that_has_only_the_name_of_a_baseline_is_compared_with_it():
    setup = HighwaySetup(vehicles=(0,), episodes=1)
    [density] = evaluate_highway(lambda _seeds: ZeroDriver(), setup, name="expert").densities
    assert "expert" in density.baselines


@pytest.mark.parametrize("wrong", [{"vehicles": ()}, {"episodes": 0}, {"first_episode": -1}, {"missions": "fly"}])
def test_setup_with_nothing_to_drive_is_refused(wrong):
    with pytest.raises(ConfigError):
        HighwaySetup(**wrong)
