"""WorldVecEnv: what SB3 gets from a native batch is what a DummyVecEnv of single environments would give it."""

import copy
import pickle
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

import hotlap
from hotlap.errors import ActionError, ConfigError, EnvironmentStateError
from hotlap.policies import ReferenceDriver
from hotlap.racer.env import RacerEnv
from hotlap.vector.sb3 import WorldVecEnv, make_vec_env

# Short episodes that end in both ways, on two tracks, from anywhere: much happens in few steps.
RULES = {
    "track": ["track-01", "track-02"],
    "start": "random",
    "action_delay": "random",
    "config": {"episode": {"maxSteps": 60, "stillnessTimeoutTicks": 20}},
}
STEP_KEYS = (
    *("progress", "speed", "wall", "offTrack", "backward", "stillness", "tick", "rawSpeed", "lap", "checkpoint"),
    *("stepCount", "wallContact", "stillnessCounter"),
)
CARS = 5


def dummy(count: int = CARS, seed: int = 7) -> DummyVecEnv:
    env = DummyVecEnv([lambda: Monitor(RacerEnv(**RULES)) for _ in range(count)])
    env.seed(seed)
    return env


def native(count: int = CARS, seed: int = 7) -> WorldVecEnv:
    return make_vec_env("racer", count, seed=seed, **RULES)


def actions_for(count: int, ticks: int) -> np.ndarray:
    """Full throttle with some steering; the first car brakes until its episode is ended for standing still."""
    actions = np.random.default_rng(1).uniform([-1, 0.5, 0], [1, 1, 0.2], (ticks, count, 3)).astype(np.float32)
    actions[:, 0] = 0.0, 0.0, 1.0
    return actions


def without_clock(info) -> dict:
    """An info as a plain dict; the seconds since the environment was made are the clock's."""
    values = dict(info)
    if "episode" in values:
        values["episode"] = {key: value for key, value in values["episode"].items() if key != "t"}
    return values


def assert_same_infos(one, two) -> None:
    for ours, theirs in zip(map(without_clock, one), map(without_clock, two), strict=True):
        last, wanted = ours.pop("terminal_observation", None), theirs.pop("terminal_observation", None)
        assert (last is None) == (wanted is None)
        assert last is None or (last.dtype == wanted.dtype and np.array_equal(last, wanted))
        assert ours == theirs
        assert {key: type(value) for key, value in ours.items()} == {key: type(value) for key, value in theirs.items()}


def test_batch_equals_a_dummy_vec_env_of_monitored_environments_bit_for_bit():
    ours, theirs = native(), dummy()
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert np.array_equal(ours.reset(), theirs.reset())
    terminated = truncated = 0
    for actions in actions_for(CARS, 450):
        a, b = ours.step(actions), theirs.step(actions)
        for one, two in zip(a[:3], b[:3], strict=True):
            assert one.dtype == two.dtype
            assert np.array_equal(one, two)
        assert_same_infos(a[3], b[3])
        assert ours.reset_infos == theirs.reset_infos
        truncated += sum(info["TimeLimit.truncated"] for info in a[3])
        terminated += int(a[2].sum()) - sum(info["TimeLimit.truncated"] for info in a[3])
    assert terminated >= 3
    assert truncated > 5


def test_laps_are_told_as_single_environments_tell_them():
    rules = {"start": "gate", "action_delay": 0}
    ours, theirs = make_vec_env("racer", 2, seed=0, **rules), DummyVecEnv([lambda: RacerEnv(**rules)])
    theirs.seed(0)
    assert np.array_equal(ours.reset()[:1], theirs.reset())
    driver = ReferenceDriver(ours.world.tracks[0])
    told = []
    for _ in range(900):
        actions = driver.act(ours.world.observation, ours.world)
        ours_now, theirs_now = ours.step(actions)[3][0], theirs.step(actions[:1])[3][0]
        assert without_clock(ours_now) == theirs_now
        told += [ours_now["lapTicks"]] if "lapTicks" in ours_now else []
    assert len(told) == 2


def test_observations_are_never_overwritten_later():
    env = native()
    kept = [env.reset()]
    copies = [kept[0].copy()]
    for actions in actions_for(CARS, 80):
        observation, reward, done, _ = env.step(actions)
        for array in (observation, reward, done):
            assert not any(np.shares_memory(array, other) for other in env.world.state_columns().values())
            assert not any(np.shares_memory(array, other) for other in kept)
        kept += [observation, reward, done]
        copies += [observation.copy(), reward.copy(), done.copy()]
    for array, wanted in zip(kept, copies, strict=True):
        assert np.array_equal(array, wanted)


def test_documented_info_keys_are_readable_at_every_step_in_both_ways():
    env = native()
    env.reset()
    for actions in actions_for(CARS, 80):
        infos = env.step(actions)[3]
        assert len(infos) == CARS
        for info in infos:
            for key in (*STEP_KEYS, "TimeLimit.truncated"):
                assert info[key] == info.get(key)
                assert key in info
            assert set(STEP_KEYS) < set(info)
            assert info.get("no such key") is None
            assert info.get("no such key", 3) == 3
            with pytest.raises(KeyError):
                info["no such key"]


def test_infos_kept_from_earlier_steps_do_not_change():
    env = native()
    env.reset()
    kept, copies = [], []
    for actions in actions_for(CARS, 80):
        infos = env.step(actions)[3]
        kept.append(infos)
        copies.append([dict(info) for info in infos])
    for infos, wanted in zip(kept, copies, strict=True):
        assert_same_infos(infos, wanted)


def test_infos_can_be_copied_and_pickled():
    env = native()
    env.reset()
    info = env.step(actions_for(CARS, 1)[0])[3][1]
    for other in (info.copy(), copy.deepcopy(info), pickle.loads(pickle.dumps(info))):  # noqa: S301 - our own bytes
        assert dict(other) == dict(info)


def test_same_seed_gives_the_same_bytes_and_another_seed_others():
    def drive(seed: int) -> bytes:
        env = native(seed=seed)
        seen = [env.reset()]
        seen += [env.step(actions)[0] for actions in actions_for(CARS, 130)]
        return np.stack(seen).tobytes()

    assert drive(3) == drive(3)
    assert drive(3) != drive(4)


def test_car_i_of_a_batch_is_the_single_car_with_seed_plus_i():
    many, single = native(4, seed=10), native(1, seed=12)
    assert np.array_equal(many.reset()[2], single.reset()[0])
    for actions in actions_for(4, 130):
        assert np.array_equal(many.step(actions)[0][2], single.step(actions[2:3])[0][0])


def test_dice_go_on_over_resets_without_a_seed():
    env = native(seed=3)
    first = env.reset()
    assert not np.array_equal(first, env.reset())
    env.seed(3)
    assert np.array_equal(first, env.reset())


def test_reset_options_count_once():
    env = native()
    env.set_options({"start": "grid", "track": 1, "action_delay": 0})
    observation = env.reset()
    assert all(np.array_equal(row, observation[0]) for row in observation)
    assert not np.array_equal(env.reset()[0], env.reset()[1])


def test_normaliser_and_monitor_of_sb3_work_on_top():
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        ours = VecNormalize(VecMonitor(native()))
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        theirs = VecNormalize(VecMonitor(dummy()))
    assert np.array_equal(ours.reset(), theirs.reset())
    ended = 0
    for actions in actions_for(CARS, 130):
        a, b = ours.step(actions), theirs.step(actions)
        for one, two in zip(a[:3], b[:3], strict=True):
            assert np.array_equal(one, two)
        assert_same_infos(a[3], b[3])
        ended += int(a[2].sum())
    assert ended > 5
    assert np.array_equal(ours.obs_rms.mean, theirs.obs_rms.mean)
    assert np.array_equal(ours.obs_rms.var, theirs.obs_rms.var)
    assert ours.ret_rms.var == theirs.ret_rms.var


def test_step_before_reset_is_refused():
    with pytest.raises(EnvironmentStateError, match="before reset"):
        native().step(np.zeros((CARS, 3), np.float32))


def test_after_close_everything_is_refused_but_closing():
    env = native()
    env.reset()
    env.close()
    env.close()
    for call in (env.reset, lambda: env.step(np.zeros((CARS, 3), np.float32))):
        with pytest.raises(EnvironmentStateError, match=r"^Environment is closed$"):
            call()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_action_that_is_no_number_is_refused_and_nothing_moves(value):
    env = native()
    env.reset()
    before = {name: column.copy() for name, column in env.world.state_columns().items()}
    actions = np.zeros((CARS, 3), np.float32)
    actions[2, 1] = value
    with pytest.raises(ActionError, match="finite"):
        env.step(actions)
    assert all(np.array_equal(before[name], column) for name, column in env.world.state_columns().items())


def test_attributes_belong_to_all_cars():
    env = native()
    assert env.get_attr("layout") == ["classic"] * CARS
    assert env.get_attr("layout", indices=[0, 2]) == ["classic"] * 2
    env.set_attr("start", "grid")
    assert env.get_attr("start") == ["grid"] * CARS
    with pytest.raises(ValueError, match="share start"):
        env.set_attr("start", "grid", indices=0)
    assert env.env_method("noteworthy", indices=[1])[0].shape == (CARS,)
    assert env.env_is_wrapped(Monitor) == [True] * CARS
    assert env.env_is_wrapped(VecNormalize, indices=0) == [False]


def test_unknown_world_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match='Did you mean "racer"'):
        make_vec_env("racr", 2)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("hotlap/Racer-v0", {"world": "racer"}),
        ("hotlap/Highway-v0", {"world": "highway"}),
        ("hotlap/HighwayDiscrete-v0", {"world": "highway", "discrete": True}),
    ],
)
def test_registered_id_makes_the_world_it_stands_for(name, plain):
    env, same = make_vec_env(name, 2, seed=3), make_vec_env(**plain, count=2, seed=3)
    assert env.action_space == same.action_space
    assert env.reset().tobytes() == same.reset().tobytes()


def test_unknown_id_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match='Did you mean "hotlap/Racer-v0"'):
        make_vec_env("hotlap/Racer-v1", 2)


@pytest.mark.parametrize("name", ["racer", "highway"])
def test_cars_are_drawn_when_asked_for(name):
    env = make_vec_env(name, 2, seed=0, render_mode="rgb_array")
    env.reset()
    pictures = env.get_images()
    assert len(pictures) == 2
    assert all(picture.dtype == np.uint8 and picture.ndim == 3 for picture in pictures)
    tiled = env.render()
    assert tiled.shape[0] * tiled.shape[1] >= 2 * pictures[0].shape[0] * pictures[0].shape[1]
    env.close()
    with pytest.raises(EnvironmentStateError):
        env.get_images()


def test_nothing_is_drawn_unless_asked_for():
    assert make_vec_env("racer", 2).get_images() == [None, None]
    with pytest.raises(ConfigError, match="rgb_array"):
        make_vec_env("racer", 2, render_mode="human")


MAKERS = {
    "make_vec_env": lambda **options: make_vec_env("racer", 2, **options),
    "make_vec_env by id": lambda **options: make_vec_env("hotlap/Racer-v0", 2, **options),
    "gym.make": lambda **options: gym.make("hotlap/Racer-v0", **options),
    "gym.make_vec": lambda **options: gym.make_vec("hotlap/Racer-v0", 2, **options),
    "RacerEnv": RacerEnv,
    "gym.make of the highway": lambda **options: gym.make("hotlap/Highway-v0", **options),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_unknown_option_is_refused_with_the_known_ones(maker):
    with pytest.raises(ConfigError) as refusal:
        MAKERS[maker](confg={})
    assert 'option "confg". Did you mean "config"? Known: ' in str(refusal.value)
    assert "render_mode" in str(refusal.value)


def test_package_exports_make_vec_env_without_loading_torch():
    assert hotlap.make_vec_env is make_vec_env
    script = "import sys, hotlap; print('torch' in sys.modules); hotlap.make_vec_env; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=240, check=True)
    assert done.stdout.split() == ["False", "True"]
