"""What several runners see, put together as if one had seen it all; and cars scaled and controlled for a learner."""

import gymnasium as gym
import numpy as np
import pytest

from hotlap.scaleout.rllib.environment import make_environment, scaling_of
from hotlap.scaleout.rllib.scaling import ScaledVectorEnv, Seen, put_together
from hotlap.settings import merged
from hotlap.training.config import TrainConfig, config_document, load_preset
from hotlap.training.session import open_session
from hotlap.vector.gymnasium_env import WorldVectorEnv
from hotlap.worlds import make_world

CARS, SIZE = 4, 14


class Replay(gym.vector.VectorEnv):
    """Shows what it was given, a row of cars at a time."""

    def __init__(self, observations, rewards=None, ends=()):
        self.num_envs = CARS
        self.single_observation_space = gym.spaces.Box(-np.inf, np.inf, (SIZE,), np.float64)
        self.single_action_space = gym.spaces.Box(-1.0, 1.0, (3,))
        self.rows = iter(observations)
        self.rewards = iter(np.zeros((len(observations), CARS)) if rewards is None else rewards)
        self.ends = iter(ends)

    def step(self, _actions):
        nobody = np.zeros(CARS, np.bool_)
        return next(self.rows), next(self.rewards), next(self.ends, nobody), nobody, {}


@pytest.fixture
def normalizer():
    return open_session(merged(TrainConfig(), {"cars": 2, "ppo": {"n_steps": 4}}, "small")).normalizer


def test_what_two_runners_saw_in_many_rounds_adds_up_to_the_statistics_of_all_of_it(normalizer):
    rng = np.random.default_rng(0)
    # Rounds, runners, steps, cars: the runners see different things, and both change as they learn.
    seen = rng.normal(size=(5, 2, 50, CARS, SIZE)) * np.geomspace(0.01, 100, SIZE)
    seen += 3.0 * np.arange(2)[:, None, None, None] + np.arange(5)[:, None, None, None, None]
    runners = [ScaledVectorEnv(Replay(seen[:, each].reshape(-1, CARS, SIZE)), gamma=0.9) for each in range(2)]
    for _ in range(5):
        for runner in runners:
            runner.begin_with(Seen.by_run(normalizer))
            for _ in range(50):
                runner.step(None)
        put_together(normalizer, [runner.seen_since() for runner in runners])
    everything = seen.reshape(-1, SIZE)
    # A run begins with a ten-thousandth of an observation of zeros.
    assert normalizer.obs_rms.count == pytest.approx(len(everything), rel=1e-6)
    assert normalizer.obs_rms.mean == pytest.approx(everything.mean(axis=0), rel=1e-6)
    assert normalizer.obs_rms.var == pytest.approx(everything.var(axis=0), rel=1e-5)


def test_a_runner_scales_as_the_run_does(normalizer):
    rng = np.random.default_rng(1)
    first, seen, rewards = rng.normal(size=(100, SIZE)), rng.normal(3, 2, size=(CARS, SIZE)), rng.normal(size=CARS)
    normalizer.obs_rms.update(first)
    normalizer.ret_rms.update(first[:, 0])
    runner = ScaledVectorEnv(Replay([seen], [rewards]), gamma=0.9)
    runner.begin_with(Seen.by_run(normalizer))
    scaled, paid, *_ = runner.step(None)
    normalizer.obs_rms.update(seen)
    normalizer.ret_rms.update(rewards)
    assert np.array_equal(scaled, normalizer.normalize_obs(seen).astype(np.float32))
    assert paid == pytest.approx(normalizer.normalize_reward(rewards), rel=1e-6)  # that one is rounded to float32


def test_returns_are_discounted_and_cars_that_begin_again_are_not_counted():
    rewards = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    runner = ScaledVectorEnv(
        Replay(np.zeros((3, CARS, SIZE)), rewards, ends=[np.array([False, False, False, True])]), gamma=0.5
    )
    for _ in rewards:
        runner.step(None)
    returns = [1, 2, 3, 4, 1.5, 2, 2.5, 1.75, 2, 2.25, 1]
    statistics = runner.seen_since().returns
    assert (statistics.count, statistics.mean) == (len(returns), pytest.approx(np.mean(returns)))
    assert statistics.var == pytest.approx(np.var(returns))


def test_a_highway_with_one_pedal_is_driven_with_two_numbers():
    config = load_preset("highway-ppo")
    env = make_environment({"config": config_document(config), "num_envs": 2})
    options = {"config": config.highway.config, "vehicles": config.highway.vehicles}
    plain = WorldVectorEnv(make_world("highway", 2, threads=1, supervisor=True, **options))
    assert env.single_action_space.shape == (2,)
    env.reset(seed=3)
    plain.reset(seed=3)
    env.step(np.array([[0.5, 0.0], [-0.6, 1.0]], np.float32))
    braking = -env.single_action_space.low[0]
    plain.step(np.array([[0.5, 0.0, 0.0], [0.0, 0.6 / braking, 1.0]], np.float32))
    inner = scaling_of(env).env.env
    assert np.array_equal(inner.world.observation, plain.world.observation)
