"""Many cars as a Gymnasium VectorEnv: the same as single environments bit for bit, and no memory handed out twice."""

import math
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st

from hotlap import RacerEnv
from hotlap.errors import ActionError, ConfigError, EnvironmentStateError
from hotlap.vector.racer_env import RacerVectorEnv

MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
SHORT_EPISODES = {"episode": {"maxSteps": 41, "stillnessTimeoutTicks": 9}}
MIXED = {
    "track": ["track-01", "track-02", "track-03"],
    "config": SHORT_EPISODES,
    "start": "random",
    "action_delay": "random",
}


def batch_and_singles(count: int, mode: AutoresetMode, **rules) -> tuple[RacerVectorEnv, SyncVectorEnv]:
    batch = RacerVectorEnv(count, autoreset_mode=mode, **rules)
    return batch, SyncVectorEnv([lambda: RacerEnv(**rules)] * count, autoreset_mode=mode)


def assert_same_infos(ours: dict, theirs: dict) -> None:
    """Every key of single environments with its values and mask; a key that holds for no car may be there or not."""
    for key, expected in theirs.items():
        if isinstance(expected, dict):
            assert_same_infos(ours[key], expected)
        elif expected.dtype == object:
            assert [None if x is None else x.tobytes() for x in ours[key]] == [
                None if x is None else x.tobytes() for x in expected
            ]
        else:
            assert ours[key].dtype == expected.dtype, key
            assert ours[key].tobytes() == expected.tobytes(), key
    for key in ours.keys() - theirs.keys():
        mask = ours[f"_{key.removeprefix('_')}"]
        assert not mask.any(), key


def assert_same_step(ours: tuple, theirs: tuple) -> None:
    for one, other in zip(ours[:-1], theirs[:-1], strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()
    assert_same_infos(ours[-1], theirs[-1])


def restless_actions(rng: np.random.Generator, count: int, steps: int) -> np.ndarray:
    """Cars that steer at random and mostly push on, and some that stand still for a while."""
    actions = rng.uniform(-1.0, 1.0, (steps, count, 3))
    actions[:, :, 1] = rng.uniform(0.2, 1.0, (steps, count))
    lazy = rng.uniform(size=(steps // 20 + 1, count)).repeat(20, axis=0)[:steps] < 0.2
    actions[lazy] = [0.0, 0.0, 1.0]
    return actions.astype(np.float32)


def open_side(observations: np.ndarray) -> np.ndarray:
    """Sensible drivers: away from the nearer wall, slower before a wall ahead."""
    steer = 1.5 * (observations[:, 0:4].sum(axis=1) - observations[:, 5:9].sum(axis=1))
    ahead = observations[:, 4]
    return np.stack([steer, np.where(ahead > 0.3, 1.0, 0.2), np.where(ahead < 0.2, 0.6, 0.0)], axis=1)


# The same as single environments


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_batch_equals_singles_over_thousands_of_steps_and_hundreds_of_episodes(mode):
    batch, singles = batch_and_singles(6, mode, **MIXED)
    assert_same_step(batch.reset(seed=11), singles.reset(seed=11))
    ended = 0
    for actions in restless_actions(np.random.default_rng(1), 6, 3000):
        ours = batch.step(actions)
        assert_same_step(ours, singles.step(actions))
        ended += int((ours[2] | ours[3]).sum())
    assert ended > 300


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_batch_equals_singles_through_laps(mode):
    batch, singles = batch_and_singles(4, mode, config={"episode": {"maxSteps": 1500}}, start="gate")
    observations, _ = ours = batch.reset(seed=5)
    assert_same_step(ours, singles.reset(seed=5))
    laps = 0
    for _ in range(2000):
        actions = open_side(observations)
        ours = batch.step(actions)
        assert_same_step(ours, singles.step(actions))
        observations = ours[0]
        laps += int(ours[4].get("_lapTicks", np.zeros(4)).sum())
    assert laps >= 4


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_lap_finished_in_the_last_tick_is_told_as_singles_tell_it(mode):
    """The first lap of the sensible driver sets the limit, so that lap and episode end in the same tick."""
    env = RacerEnv()
    observation, info = env.reset()
    while "lapTicks" not in info:
        observation, _, _, _, info = env.step(open_side(observation[np.newaxis])[0])
    rules = {"config": {"episode": {"maxSteps": info["stepCount"]}}}
    batch, singles = batch_and_singles(2, mode, **rules)
    observations, _ = batch.reset()
    singles.reset()
    for _ in range(info["stepCount"] + 3):
        actions = open_side(observations)
        ours = batch.step(actions)
        assert_same_step(ours, singles.step(actions))
        observations = ours[0]


@given(
    count=st.integers(1, 5),
    seed=st.integers(0, 2**31),
    mode=st.sampled_from(MODES),
    layout=st.sampled_from(["classic", "full"]),
    precision=st.sampled_from([np.float32, np.float64]),
    limit=st.integers(1, 12),
)
def test_batch_of_any_kind_equals_singles(count, seed, mode, layout, precision, limit):
    rules = {**MIXED, "observation": layout, "config": {"episode": {"maxSteps": limit, "stillnessTimeoutTicks": 4}}}
    batch, singles = batch_and_singles(count, mode, **rules)
    assert_same_step(batch.reset(seed=seed), singles.reset(seed=seed))
    actions = np.random.default_rng(seed).uniform(-2.0, 2.0, (30, count, 3)).astype(precision)
    for action in actions:
        assert_same_step(batch.step(action), singles.step(action))
    assert_same_step(batch.reset(), singles.reset())


@pytest.mark.parametrize("count", [64, 300])
def test_first_car_does_the_same_alone_and_among_many(count):
    """300 cars are spread over threads; 64 are not."""
    alone, among = RacerVectorEnv(1, **MIXED), RacerVectorEnv(count, **MIXED, threads=2)
    assert alone.reset(seed=3)[0].tobytes() == among.reset(seed=3)[0][:1].tobytes()
    for actions in restless_actions(np.random.default_rng(2), count, 200):
        lonely, crowded = alone.step(actions[:1]), among.step(actions)
        assert lonely[0].tobytes() == crowded[0][:1].tobytes()
        assert lonely[1].tobytes() == crowded[1][:1].tobytes()


def test_same_seed_gives_the_same_bytes_and_other_seeds_differ():
    def first(seed):
        return RacerVectorEnv(8, start="random").reset(seed=seed)[0]

    assert first(1).tobytes() == first(1).tobytes()
    assert len({row.tobytes() for row in np.concatenate([first(1), first(100)])}) == 16


def test_list_of_seeds_gives_each_car_its_own_and_none_keeps_its_dice():
    batch, singles = batch_and_singles(3, AutoresetMode.NEXT_STEP, **MIXED)
    for seeds in ([7, 5, 7], [None, 5, None], [1, None, 2]):
        assert_same_step(batch.reset(seed=seeds), singles.reset(seed=seeds))


def test_options_reach_every_car():
    batch, singles = batch_and_singles(3, AutoresetMode.NEXT_STEP, **MIXED)
    options = {"start": "gate", "gate": 4, "track": 2, "action_delay": 1}
    assert_same_step(batch.reset(seed=1, options=options), singles.reset(seed=1, options=options))


@pytest.mark.parametrize("mode", [*MODES, AutoresetMode.DISABLED], ids=str)
def test_reset_mask_begins_only_the_marked_cars(mode):
    batch, singles = batch_and_singles(4, mode, **{**MIXED, "config": {"episode": {"maxSteps": 30}}})
    batch.reset(seed=9)
    singles.reset(seed=9)
    mask = np.array([True, False, False, True])
    for actions in restless_actions(np.random.default_rng(4), 4, 25):
        assert_same_step(batch.step(actions), singles.step(actions))
    ours, theirs = (env.reset(seed=2, options={"reset_mask": mask.copy()}) for env in (batch, singles))
    assert_same_step(ours, theirs)
    for actions in restless_actions(np.random.default_rng(5), 4, 5):
        assert_same_step(batch.step(actions), singles.step(actions))


def test_disabled_autoreset_lets_the_cars_drive_on():
    envs = RacerVectorEnv(2, autoreset_mode="Disabled", config={"episode": {"maxSteps": 2}})
    envs.reset()
    truncated = [envs.step(np.tile([0.0, 1.0, 0.0], (2, 1)))[3].tolist() for _ in range(4)]
    assert truncated == [[False] * 2, [True] * 2, [True] * 2, [True] * 2]
    assert envs.world.fleet.tick.tolist() == [4, 4]


def test_documented_keys_are_readable_even_when_every_car_begins_anew():
    envs = RacerVectorEnv(2, config={"episode": {"maxSteps": 1}})
    envs.reset()
    for _ in range(4):
        infos = envs.step(np.zeros((2, 3)))[4]
        assert {"progress", "speed", "wall", "offTrack", "rawSpeed", "stillnessCounter"} <= infos.keys()


# Memory


def every_array(step: tuple) -> list[np.ndarray]:
    *arrays, infos = step
    nested = infos.get("final_info", {})
    columns = [value for value in [*infos.values(), *nested.values()] if isinstance(value, np.ndarray)]
    finals = [value for value in infos.get("final_obs", []) if value is not None]
    return [*arrays, *columns, *finals]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_nothing_handed_out_is_ever_overwritten(mode):
    envs = RacerVectorEnv(3, autoreset_mode=mode, **{**MIXED, "config": {"episode": {"maxSteps": 4}}})
    handed = every_array(envs.reset(seed=1))
    for actions in restless_actions(np.random.default_rng(0), 3, 12):
        handed += every_array(envs.step(actions))
    kept = [array.copy() for array in handed]
    for actions in restless_actions(np.random.default_rng(1), 3, 12):
        envs.step(actions)
    envs.reset()
    numbers = [(one, other) for one, other in zip(handed, kept, strict=True) if one.dtype != object]
    assert all(one.tobytes() == other.tobytes() for one, other in numbers)
    own = [*envs.world.fleet, *envs.world.out]
    assert not any(np.shares_memory(array, column) for array in handed for column in own)


def test_no_two_arrays_of_a_step_share_memory():
    envs = RacerVectorEnv(3, autoreset_mode="SameStep", config={"episode": {"maxSteps": 2}})
    envs.reset(seed=1)
    arrays = [array for _ in range(3) for array in every_array(envs.step(np.zeros((3, 3))))]
    pairs = ((one, other) for i, one in enumerate(arrays) for other in arrays[:i])
    assert not any(np.shares_memory(one, other) for one, other in pairs)


# Bad input


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (np.zeros(3), "action must be a 3-element array"),
        (np.zeros((3, 3)), "action must be a 3-element array"),
        (np.zeros((2, 4)), "action must be a 3-element array"),
        ([[0.0, 1.0, 0.0], [0.0]], "action must be a 3-element array"),
        (np.array([[0.0, math.nan, 0.0], [0.0, 0.0, 0.0]]), "action elements must be finite numbers"),
        (np.array([[0.0, math.inf, 0.0], [0.0, 0.0, 0.0]], np.float32), "action elements must be finite numbers"),
        (np.zeros((2, 3), bool), "action elements must be finite numbers"),
        (np.full((2, 3), "1"), "action elements must be finite numbers"),
        (np.full((2, 3), None), "action elements must be finite numbers"),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_wrong_action_of_one_car_is_refused_and_no_car_moves(actions, words, mode):
    envs = RacerVectorEnv(2, autoreset_mode=mode)
    envs.reset(seed=1)
    envs.step(np.ones((2, 3)))
    before = [column.tobytes() for column in envs.world.fleet]
    with pytest.raises(ActionError, match=words):
        envs.step(actions)
    assert [column.tobytes() for column in envs.world.fleet] == before


def test_action_of_a_car_that_begins_anew_does_not_matter():
    envs = RacerVectorEnv(2, config={"episode": {"maxSteps": 1}})
    envs.reset()
    given = np.ones((2, 3))
    envs.step(given)
    observations, rewards, *_ = envs.step(np.full((2, 3), math.nan))
    assert observations.tobytes() == envs.reset()[0].tobytes()
    assert rewards.tolist() == [0.0, 0.0]


def test_actions_given_are_left_as_they_were():
    envs = RacerVectorEnv(2, config={"episode": {"maxSteps": 1}})
    envs.reset()
    given = np.full((2, 3), 0.5)
    envs.step(given)
    envs.step(given)
    assert (given == 0.5).all()


def test_step_before_reset_and_after_close_is_refused():
    envs = RacerVectorEnv(2)
    with pytest.raises(EnvironmentStateError, match=r"^step\(\) called before reset\(\)$"):
        envs.step(np.zeros((2, 3)))
    envs.close()
    envs.close()
    for call in (envs.reset, envs.render, lambda: envs.step(np.zeros((2, 3)))):
        with pytest.raises(EnvironmentStateError, match=r"^Environment is closed$"):
            call()


@pytest.mark.parametrize(
    "options",
    [
        {"reset_mask": [True, False]},
        {"reset_mask": np.array([True])},
        {"reset_mask": np.array([1, 0])},
        {"reset_mask": np.array([False, False])},
        {"strat": "grid"},
        ["reset_mask"],
        5,
    ],
    ids=str,
)
def test_wrong_reset_option_is_refused(options):
    with pytest.raises(ConfigError):
        RacerVectorEnv(2).reset(options=options)


def test_ragged_actions_are_refused_while_cars_begin_anew():
    envs = RacerVectorEnv(2, config={"episode": {"maxSteps": 1}})
    envs.reset()
    envs.step(np.zeros((2, 3)))
    with pytest.raises(ActionError, match="action must be a 3-element array"):
        envs.step([[0.0, 1.0, 0.0], [0.0]])


@pytest.mark.parametrize("seed", [1.5, "abc", {1, 2, 3}], ids=repr)
def test_seed_that_is_no_number_and_no_list_is_refused(seed):
    with pytest.raises(ConfigError, match="seeds must be one number or a list of 3"):
        RacerVectorEnv(3).reset(seed=seed)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_wrong_number_of_threads_is_refused(threads):
    with pytest.raises(ConfigError, match="threads must be a whole number"):
        RacerVectorEnv(2, threads=threads)


def test_wrong_number_of_seeds_is_refused():
    with pytest.raises(ConfigError, match="list of 2"):
        RacerVectorEnv(2).reset(seed=[1, 2, 3])


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "2"])
def test_wrong_number_of_cars_is_refused(count):
    with pytest.raises(ConfigError, match="whole number of cars"):
        RacerVectorEnv(count)


def test_unknown_autoreset_mode_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match='"NextStep", "SameStep", "Disabled"'):
        RacerVectorEnv(2, autoreset_mode="Sometimes")


# Through Gymnasium


def test_make_vec_gives_the_batch():
    envs = gym.make_vec("hotlap/Racer-v0", num_envs=5, track="track-02", autoreset_mode="SameStep")
    assert type(envs) is RacerVectorEnv
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.observation_space.shape == (5, 14)
    assert envs.action_space.shape == (5, 3)
    envs.action_space.seed(0)
    observations, _ = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    assert envs.observation_space.contains(envs.step(envs.action_space.sample())[0])


def test_default_autoreset_is_gymnasiums_and_each_batch_has_its_own():
    default, other = RacerVectorEnv(1), RacerVectorEnv(1, autoreset_mode=AutoresetMode.SAME_STEP)
    assert default.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert other.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_gymnasiums_own_vectorisation_still_works():
    envs = gym.make_vec("hotlap/Racer-v0", num_envs=2, vectorization_mode="sync", start="random")
    ours = gym.make_vec("hotlap/Racer-v0", num_envs=2, start="random")
    assert_same_step(ours.reset(seed=4), envs.reset(seed=4))


def test_gymnasiums_episode_statistics_count_the_batch():
    envs = gym.wrappers.vector.RecordEpisodeStatistics(RacerVectorEnv(2, config={"episode": {"maxSteps": 3}}))
    envs.reset()
    infos = [envs.step(np.tile([0.0, 1.0, 0.0], (2, 1)))[4] for _ in range(3)][-1]
    assert infos["episode"]["l"].tolist() == [3, 3]


def test_cars_that_nobody_watches_load_no_drawing_packages():
    script = (
        "import gymnasium, hotlap, sys; gymnasium.make_vec('hotlap/Racer-v0', num_envs=2).reset(); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=240, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "numba" in loaded
    assert not loaded & {"matplotlib", "PIL", "stable_baselines3", "torch"}


def test_every_car_has_its_picture():
    envs = RacerVectorEnv(2, render_mode="rgb_array", start="random")
    envs.reset(seed=1)
    one, other = envs.render()
    assert one.shape == other.shape
    assert not np.array_equal(one, other)
