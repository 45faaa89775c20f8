"""Environments that are kept, copied and sent to other processes drive on like the original, to the bit."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv

import hotlap
from hotlap.errors import EnvironmentStateError, StateError
from hotlap.racer.tracks import load_track
from hotlap.vector.racer_env import RacerVectorEnv
from hotlap.worlds import WORLDS, make_world

SHORT = {"episode": {"maxSteps": 40}}
MADE = {
    "classic car": lambda: hotlap.RacerEnv(
        ["track-01", "track-02"], SHORT, start="random", action_delay="random", observation="full"
    ),
    "cars with grip": lambda: hotlap.RacerEnv(
        "quarry", SHORT, car=["gt", "formula"], start="random", assists="traction-control"
    ),
    "highway": lambda: hotlap.HighwayEnv({"episode": {"decisions": 40}}, (3, 25)),
    "highway by choices": lambda: hotlap.HighwayEnv(vehicles=12, discrete=True, supervisor=False),
}
QUICK = {"race": {"config": {"episode": {"maxSteps": 300}}, "cars": 3}}
COPIES = {
    "deep copy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),  # noqa: S301 - our own bytes
}
everyone = pytest.mark.parametrize("name", MADE)


def driven(name: str, steps: int = 25) -> gym.Env:
    """An environment in the middle of its second episode."""
    env = MADE[name]()
    env.reset(seed=5)
    env.reset()
    told(env, steps)
    return env


def told(env: gym.Env, steps: int = 120) -> list:
    """Everything an environment says over some steps, resets at the ends of episodes included, as bytes and values."""
    rng, said = np.random.default_rng(1), []
    for _ in range(steps):
        choose = getattr(env.action_space, "n", None)
        action = int(rng.integers(choose)) if choose else rng.uniform(env.action_space.low, env.action_space.high)
        observation, reward, terminated, truncated, info = env.step(action)
        said.append((observation.tobytes(), reward, terminated, truncated, info))
        if terminated or truncated:
            observation, info = env.reset()
            said.append((observation.tobytes(), info))
    return said


@everyone
def test_restored_environment_drives_on_like_the_original(name):
    env = driven(name)
    kept = env.snapshot()
    first = told(env)
    assert any(len(entry) == 2 for entry in first) or name == "highway by choices"  # an episode ended on the way
    for _ in range(2):
        env.restore(kept)
        assert told(env) == first


@everyone
def test_restoring_says_what_the_driver_saw(name):
    env = driven(name)
    seen, kept = env.world.observation[0].astype(np.float32), env.snapshot()
    told(env)
    assert env.restore(kept).tobytes() == seen.tobytes()


@everyone
def test_snapshot_goes_into_another_environment_that_was_never_reset(name):
    env, other = driven(name), MADE[name]()
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))  # noqa: S301 - our own bytes
    assert told(other) == told(env)


@everyone
def test_snapshot_does_not_change_what_comes_after_it(name):
    env, twin = driven(name), driven(name)
    env.snapshot()
    assert told(env) == told(twin)


@everyone
@pytest.mark.parametrize("way", COPIES)
def test_copy_drives_on_like_the_original_and_apart_from_it(name, way):
    env = driven(name)
    other = COPIES[way](env)
    assert told(other) == told(env)
    env.reset(seed=9)
    assert told(env) != told(other)


@everyone
@pytest.mark.parametrize("way", COPIES)
def test_copy_of_an_environment_that_was_never_reset_begins_like_it(name, way):
    env = MADE[name]()
    other = COPIES[way](env)
    with pytest.raises(EnvironmentStateError):
        other.step(other.action_space.sample())
    assert other.reset(seed=3)[0].tobytes() == env.reset(seed=3)[0].tobytes()
    assert told(other) == told(env)


def test_copy_keeps_what_a_subclass_added():
    class Counting(hotlap.RacerEnv):
        steps = 0

        def step(self, action):
            self.steps += 1
            return super().step(action)

    env = Counting()
    env.reset(seed=0)
    env.step([0, 1, 0])
    assert copy.deepcopy(env).steps == 1


def test_copy_of_an_environment_that_was_drawn_draws_the_same():
    env = gym.make("hotlap/Racer-v0", render_mode="rgb_array")
    env.reset(seed=0)
    picture = env.render()
    assert np.array_equal(copy.deepcopy(env).render(), picture)


def test_deep_copies_share_the_tables_of_their_track(tmp_path):
    env = hotlap.RacerEnv(load_track("track-03"))
    assert copy.deepcopy(env).world.batch.tables is env.world.batch.tables


def test_copy_needs_no_file_the_original_was_made_from(tmp_path):
    path = tmp_path / "rules.json"
    path.write_text('{"weights": {"progress": 3}}', encoding="utf-8")
    env = hotlap.RacerEnv(config=path)
    kept = pickle.dumps(env)
    path.unlink()
    assert pickle.loads(kept).world.config.weights.progress == 3.0  # noqa: S301 - our own bytes


@pytest.mark.parametrize("name", WORLDS)
def test_copied_batch_goes_on_with_episodes_of_its_own(name):
    world = make_world(name, 5, threads=1, stagger=True, **QUICK.get(name, {}))
    world.reset(4)
    actions = np.tile([0.2, 0.9, 0.0], (5, 1))
    for _ in range(30):
        world.advance_and_reset(actions)
    other = copy.deepcopy(world)
    for _ in range(400):
        world.advance_and_reset(actions)
        other.advance_and_reset(actions)
    assert other.rollout.observation.tobytes() == world.rollout.observation.tobytes()
    assert (world.batch.episodes.episode > 1).any()


def test_copied_vector_environment_drives_on():
    env = RacerVectorEnv(3, start="random")
    env.reset(seed=0)
    other = copy.deepcopy(env)
    actions = np.tile(np.float32([0.1, 1.0, 0.0]), (3, 1))
    assert other.step(actions)[0].tobytes() == env.step(actions)[0].tobytes()
    assert other.reset()[0].tobytes() == env.reset()[0].tobytes()


# What cannot be kept or brought back


def test_snapshot_before_the_first_reset_is_refused():
    with pytest.raises(EnvironmentStateError, match="reset"):
        hotlap.RacerEnv().snapshot()


def test_closed_environment_is_not_restored():
    env = driven("highway")
    kept = env.snapshot()
    env.close()
    with pytest.raises(EnvironmentStateError, match="closed"):
        env.restore(kept)


@pytest.mark.parametrize("wrong", [None, {}, "step 12", ({}, {})])
def test_anything_but_a_snapshot_is_refused(wrong):
    with pytest.raises(StateError, match="snapshot"):
        driven("classic car").restore(wrong)


def test_snapshot_of_another_world_or_of_other_options_is_refused():
    one, other = driven("classic car"), driven("highway")
    before = told(one.unwrapped, 0), one.snapshot().columns["x_u"]
    for kept in (other.snapshot(), driven("cars with grip").snapshot()._replace(columns={})):
        with pytest.raises(StateError):
            one.restore(kept)
    assert np.array_equal(one.snapshot().columns["x_u"], before[1])
    with pytest.raises(StateError):
        hotlap.HighwayEnv(vehicles=4).restore(other.snapshot())


@pytest.mark.parametrize("generator", [{}, {"bit_generator": "MT19937"}, None, {"bit_generator": "PCG64", "state": 7}])
def test_snapshot_with_broken_random_numbers_is_refused_and_nothing_moves(generator):
    env = driven("classic car")
    kept, twin = env.snapshot(), driven("classic car")
    env.step([0, 1, 0])
    twin.step([0, 1, 0])
    with pytest.raises(StateError, match="random numbers"):
        env.restore(kept._replace(generator=generator))
    assert told(env) == told(twin)


# In other processes


@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.parametrize("name", ["hotlap/Racer-v0", "hotlap/Highway-v0"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # fork beside threads, which is what is tested
def test_environments_in_other_processes_say_the_same(name, context):
    apart = {"vectorization_mode": "async", "vector_kwargs": {"context": context}}
    there, here = gym.make_vec(name, 2, **apart), gym.make_vec(name, 2, vectorization_mode="sync")
    try:
        assert np.array_equal(there.reset(seed=2)[0], here.reset(seed=2)[0])
        there.action_space.seed(0)
        for _ in range(20):
            actions = there.action_space.sample()
            assert np.array_equal(there.step(actions)[0], here.step(actions)[0])
    finally:
        there.close()


def test_forked_batch_drives_on_with_threads_of_its_own():
    """A batch that has already used its threads is taken into a forked process, where those do not exist."""
    env = RacerVectorEnv(256, start="random", threads=2)
    env.reset(seed=0)
    actions = np.tile(np.float32([0.1, 1.0, 0.0]), (256, 1))
    env.step(actions)

    def forked():
        return Holder(env, actions)

    there = AsyncVectorEnv([forked], context="fork")
    try:
        seen = there.reset()[0][0]
        assert seen.tobytes() == env.step(actions)[0][7].tobytes()
    finally:
        there.close()


class Holder(gym.Env):
    """An environment whose reset steps a batch that was made before the fork, and shows what its car 7 sees."""

    def __init__(self, batch: RacerVectorEnv, actions: np.ndarray) -> None:
        self.batch, self.actions = batch, actions
        self.observation_space, self.action_space = batch.single_observation_space, batch.single_action_space

    def reset(self, *, seed=None, options=None):
        return self.batch.step(self.actions)[0][7], {}
