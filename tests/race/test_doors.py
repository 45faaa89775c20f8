"""The doors to a race: Gymnasium, stable-baselines3, PettingZoo, and the batch; and what they refuse."""

import json
import warnings

import gymnasium as gym
import numpy as np
import onnx
import pytest
from gymnasium.utils.env_checker import check_env as check_for_gymnasium
from pettingzoo.test import parallel_api_test, parallel_seed_test
from stable_baselines3.common.env_checker import check_env as check_for_sb3

import hotlap
from hotlap.errors import ConfigError, PolicyError
from hotlap.policies.bundled import BUNDLED, RACE_DRIVER
from hotlap.race.grid import RETIRED
from hotlap.racer.grip_starts import fastest_start
from hotlap.worlds import make_world

SETTINGS = [{}, {"observation": "full", "start": "spread"}, {"cars": 2, "opponents": "line-90", "start": "rolling"}]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_both_checkers_find_nothing_to_complain_about(setting):
    check_for_gymnasium(gym.make("hotlap/Race-v0", **setting).unwrapped)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="We recommend you to use a symmetric and normalized Box action space")
        check_for_sb3(gym.make("hotlap/Race-v0", **setting).unwrapped)


def test_pettingzoo_finds_nothing_to_complain_about():
    parallel_api_test(hotlap.parallel_env("race", cars=4, laps=1), num_cycles=300)
    parallel_seed_test(lambda: hotlap.parallel_env("race", cars=4, start="spread"), num_cycles=100)


def test_race_of_a_vector_env_is_the_race_of_a_single_one():
    many, one = gym.make_vec("hotlap/Race-v0", num_envs=3), gym.make("hotlap/Race-v0")
    seen, _ = many.reset(seed=[5, 6, 7])
    assert seen[1].tobytes() == one.reset(seed=6)[0].tobytes()
    for _ in range(100):
        results = many.step(np.tile(np.float32([0.0, 1.0, 0.0]), (3, 1)))
        result = one.step([0.0, 1.0, 0.0])
        assert results[0][1].tobytes() == result[0].tobytes()
        assert results[1][1] == result[1]


def test_line_drivers_finish_in_the_order_of_their_pace():
    env = gym.make("hotlap/Race-v0", cars=4, laps=2, opponents=["line-90", "line-80", "line-98"], slot=3)
    env.reset(seed=1)
    for _ in range(18_000):
        results = env.unwrapped.world.results()
        if all(result["status"] == "finished" for result in results if result["driver"] != "learner"):
            break
        env.step([0.0, 0.0, 1.0])
    drivers = [result["driver"] for result in results if result["driver"] != "learner"]
    assert drivers == ["line-98", "line-90", "line-80"]


class Broken:
    name = "broken"

    def __init__(self, answer) -> None:
        self.answer = answer

    def act(self, observation, race, rows):
        return self.answer(len(rows))


def fail(_count):
    raise RuntimeError("the dog ate the weights")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (fail, "raised RuntimeError: the dog ate the weights"),
        (lambda count: np.full((count, 3), np.nan), "answered with NaN or infinity"),
        (lambda count: np.zeros((count, 2)), "answered with shape"),
    ],
)
def test_driver_that_fails_is_parked_and_named_and_the_race_goes_on(answer, why):
    env = gym.make("hotlap/Race-v0", cars=3, opponents=["line-90", Broken(answer)])
    env.reset(seed=0)
    for _ in range(60):
        env.step([0.0, 1.0, 0.0])
    world = env.unwrapped.world
    assert world.contenders.status.tolist() == [0, 0, RETIRED]
    parked = next(result for result in world.results() if result["driver"] == "broken")
    assert parked["parked"].startswith(f"broken {why}")
    assert world.contenders.distance_u[1] > 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cars": 21}, "1 to 20 cars, not 21"),
        ({"cars": 2.5}, "1 to 20 cars"),
        ({"laps": -1}, "laps must be"),
        ({"start": "stnding"}, 'Did you mean "standing"'),
        ({"car": ["classic", "gt"]}, "one or more cars with grip"),
        ({"opponents": ["line-200"]}, 'no opponent "line-200"'),
        ({"cars": 2, "opponents": ["line-90", "line-80"]}, "2 opponents for 1 seats"),
        ({"opponents": []}, "have no driver"),
        ({"slot": 8}, "slot must be from 0 to 7"),
        ({"observation": "grip"}, "does not fit"),
    ],
)
def test_race_that_cannot_be_is_refused(options, words):
    with pytest.raises(ConfigError, match=words):
        gym.make("hotlap/Race-v0", **options)


@pytest.mark.parametrize(("key", "value"), [("world", "highway"), ("physics_fingerprint", "0123456789abcdef")])
def test_opponent_of_another_world_or_other_physics_is_refused(key, value, tmp_path):
    model = onnx.load(str(BUNDLED / f"{RACE_DRIVER}.onnx"))
    (said,) = [entry for entry in model.metadata_props if entry.key == key]
    said.value = json.dumps(value)
    onnx.save(model, str(tmp_path / "policy.onnx"))
    with pytest.raises(PolicyError, match=value):
        gym.make("hotlap/Race-v0", observation="full", opponents=str(tmp_path / "policy.onnx"))


def test_all_cars_of_all_grids_are_rows_of_one_array_for_self_play():
    world = make_world("race", 16, cars=8, learners=8, opponents=(), laps=0, config={"episode": {"maxSteps": 50}})
    world.reset(3)
    for tick in range(1, 51):
        world.advance_and_reset(np.tile([0.0, 1.0, 0.0], (16, 1)))
        assert bool(world.rollout.ended.all()) == (tick == 50)
    assert world.observation.shape == (16, 50)
    with pytest.raises(ConfigError, match="do not fill grids"):
        make_world("race", 12, cars=8, learners=8, opponents=())


def test_cars_with_grip_that_are_spread_along_the_lap_begin_no_faster_than_bends_allow():
    world = make_world("race", 64, track="quarry", car="gt", cars=8, learners=8, opponents=(), start="spread")
    world.reset(0)
    alone = world.batch.alone
    allowed = [fastest_start(arc, 0, alone.tables, alone.physics) for arc in world.fleet.arc_u]
    assert (world.fleet.speed_ups <= np.array(allowed) + 0.5).all()  # they are placed a little beside the arc
    assert world.fleet.speed_ups.max() > 20.0
