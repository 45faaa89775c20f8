"""The highway environments: contracts, seeds, batches against singles, wrong input, pictures."""

import itertools
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as check_for_gymnasium
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3.common.env_checker import check_env as check_for_sb3

import hotlap
from hotlap import HighwayEnv
from hotlap.errors import ActionError, ConfigError, EnvironmentStateError, MissionError
from hotlap.highway.missions import Mission, Mode
from hotlap.highway.pedals import BRAKING
from hotlap.highway.sensors import FIELDS
from hotlap.highway.world import HighwayWorld
from hotlap.vector.highway_env import HighwayVectorEnv
from hotlap.vector.sb3 import WorldVecEnv
from hotlap.worlds import make_world

IDS = ["hotlap/Highway-v0", "hotlap/HighwayDiscrete-v0"]
SETTINGS = list(itertools.product(IDS, [0, 20, (5, 40)], [True, False], [None, "rgb_array"]))
SHORT = {"episode": {"decisions": 30}}


def made(setting) -> gym.Env:
    name, vehicles, supervisor, render_mode = setting
    return gym.make(name, vehicles=vehicles, supervisor=supervisor, render_mode=render_mode).unwrapped


def test_importing_the_package_registers_both_environments():
    assert hotlap.__version__
    assert set(IDS) <= set(gym.registry)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_gymnasium_finds_nothing_to_complain_about(setting):
    check_for_gymnasium(made(setting))


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_sb3_finds_nothing_to_complain_about(setting):
    with warnings.catch_warnings():
        # Throttle and brake go from 0 to 1, as pedals do.
        warnings.filterwarnings("ignore", message="We recommend you to use a symmetric and normalized Box action space")
        check_for_sb3(made(setting))


def test_one_pedal_is_throttle_above_zero_and_brake_below():
    one, two = HighwayEnv(pedals="one"), HighwayEnv()
    assert one.action_space == gym.spaces.Box(np.float32([-BRAKING, -1]), np.float32([1, 1]))
    assert one.reset(seed=4)[0].tobytes() == two.reset(seed=4)[0].tobytes()
    for pedal in (1.0, 0.4, 0.0, -0.5, -BRAKING):
        same = [max(pedal, 0.0), max(-pedal / BRAKING, 0.0), 0.1]
        assert one.step([pedal, 0.1])[0].tobytes() == two.step(same)[0].tobytes()
    with pytest.raises(ActionError, match="two numbers: the pedal and the lane request"):
        one.step([0.1, 0.0, 0.0])
    with pytest.raises(ConfigError, match='pedals must be "one" or "two"'):
        HighwayEnv(pedals="three")
    with pytest.raises(ConfigError, match='"two" with discrete=True'):
        HighwayEnv(pedals="one", discrete=True)


def drive_bytes(seed: int) -> bytes:
    env = HighwayEnv(supervisor=False)
    seen = [env.reset(seed=seed)[0]]
    rng = np.random.default_rng(3)
    seen += [env.step(action)[0] for action in rng.uniform([0, 0, -1], [1, 0.1, 1], (100, 3))]
    return np.array(seen).tobytes()


def test_same_seed_gives_the_same_bytes_and_another_seed_others():
    assert drive_bytes(1) == drive_bytes(1)
    assert drive_bytes(1) != drive_bytes(2)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=str)
@pytest.mark.parametrize("discrete", [False, True])
def test_batch_equals_singles(mode, discrete):
    rules = {"config": SHORT, "vehicles": (5, 30), "supervisor": False, "discrete": discrete}
    batch = HighwayVectorEnv(5, autoreset_mode=mode, threads=2, **rules)
    singles = SyncVectorEnv([lambda: HighwayEnv(**rules)] * 5, autoreset_mode=mode)
    assert batch.reset(seed=4)[0].tobytes() == singles.reset(seed=4)[0].tobytes()
    batch.action_space.seed(0)
    ended = 0
    for _ in range(150):
        actions = batch.action_space.sample()
        ours, theirs = batch.step(actions), singles.step(actions)
        for one, other in zip(ours[:4], theirs[:4], strict=True):
            assert (one.dtype, one.tobytes()) == (other.dtype, other.tobytes())
        ended += int((ours[2] | ours[3]).sum())
        assert set(theirs[4]) <= set(ours[4])
    assert ended >= 20


def test_threads_change_nothing():
    seen = []
    for threads in (1, 2):
        world = HighwayWorld(64, threads=threads)
        for road in range(64):
            world.begin(road, np.random.default_rng(road))
        for _ in range(50):
            world.advance(np.tile([0.7, 0.0, -1.0], (64, 1)))
        seen.append(world.observation.tobytes())
    assert seen[0] == seen[1]


def test_state_written_back_goes_on_as_before():
    world = HighwayWorld(4)
    for road in range(4):
        world.begin(road, np.random.default_rng(road))
    actions = np.tile([0.5, 0.0, 1.0], (4, 1))
    for _ in range(30):
        world.advance(actions)
    saved = {name: column.copy() for name, column in world.state_columns().items()}
    other = HighwayWorld(4)
    other.put_state(saved)
    assert other.observation.tobytes() == world.observation.tobytes()
    for each in (world, other):
        for _ in range(100):
            each.advance(actions)
    assert other.observation.tobytes() == world.observation.tobytes()


def test_sb3_adapter_takes_choices():
    envs = WorldVecEnv(make_world("highway", 3, discrete=True), seed=0)
    assert envs.action_space == gym.spaces.Discrete(5)
    envs.reset()
    observation, reward, _, infos = envs.step(np.array([0, 3, 4]))
    assert observation.shape == (3, len(FIELDS))
    assert np.isfinite(reward).all()
    assert infos[0]["mission_mode"] in range(5)


def test_observation_stays_within_its_bounds():
    env = HighwayEnv(vehicles=40, supervisor=False, config={"road": {"lanes": 6}})
    env.action_space.seed(1)
    for seed in range(10):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(observation)
            observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
            over = terminated or truncated


@pytest.mark.parametrize(
    "action", [[0.0, 0.0], [0.0, 0.0, np.nan], [0.0, np.inf, 0.0], "full", None, 3.0, [[0, 0, 0]], ["a", "b", "c"]]
)
def test_wrong_action_raises_and_nothing_moves(action):
    env = HighwayEnv()
    env.reset(seed=0)
    before = env.world.vehicles.x_m.copy()
    with pytest.raises(ActionError):
        env.step(action)
    assert (env.world.vehicles.x_m == before).all()


@pytest.mark.parametrize("action", [5, -1, 0.5, [1], [[1], [1, 2]], None, "left", True], ids=str)
def test_wrong_choice_raises(action):
    env = HighwayEnv(discrete=True)
    env.reset(seed=0)
    with pytest.raises(ActionError):
        env.step(action)


@pytest.mark.parametrize(
    ("actions", "discrete"),
    [
        (np.full((2, 3), np.nan), False),
        (np.zeros((3, 3)), False),
        ([[0.0, 0.0, 0.0], [0.0]], False),
        ([[0], [1, 2]], True),
        (np.zeros((2, 3), bool), False),
        (np.zeros(2), True),
        (np.full(2, 7), True),
    ],
)
def test_batch_refuses_wrong_actions(actions, discrete):
    world = HighwayWorld(2, discrete=discrete)
    with pytest.raises(ActionError):
        world.advance(actions)


@pytest.mark.parametrize(
    "rules",
    [
        {"vehicles": 41},
        {"vehicles": -1},
        {"vehicles": (9, 3)},
        {"vehicles": "many"},
        {"missions": "cruis"},
        {"config": {"road": {"lanes": 7}}},
        {"config": {"road": {"left_limit_mph": 900}}},
        {"config": {"roda": {}}},
        {"config": {"episode": {"decisions": 0}}},
        {"render_mode": "human"},
    ],
    ids=str,
)
def test_wrong_rules_are_refused(rules):
    with pytest.raises(ConfigError):
        HighwayEnv(**rules)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["lane"], ConfigError),
        ({"missions": np.array(["hold", "stop"])}, ConfigError),
        ({"lane": 6}, ConfigError),
        ({"lane": 1.5}, ConfigError),
        ({"speed_mps": 900.0}, ConfigError),
        ({"speed_mps": float("nan")}, ConfigError),
        ({"vehicles": 50}, ConfigError),
        ({"lnae": 1}, ConfigError),
        ({"mission": "cruise"}, ConfigError),
        ({"mission": Mission(Mode.LANE_CHANGE, target_lane=9)}, MissionError),
    ],
    ids=str,
)
def test_wrong_reset_options_are_refused(options, error):
    with pytest.raises(error):
        HighwayEnv().reset(seed=0, options=options)


def test_calls_at_the_wrong_moment_are_refused():
    env = HighwayEnv()
    with pytest.raises(EnvironmentStateError):
        env.step([0, 0, 0])
    env.close()
    with pytest.raises(EnvironmentStateError):
        env.reset()


def test_picture_shows_the_ego_and_changes_as_it_drives():
    env = HighwayEnv(render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    for _ in range(5):
        env.step([1.0, 0.0, 0.0])
    after = env.render()
    assert before.shape == after.shape == (240, 960, 3)
    assert (before == (47, 129, 247)).all(axis=2).any()
    assert (before != after).any()


def test_vector_environment_draws_every_road():
    envs = gym.make_vec(IDS[0], num_envs=2, render_mode="rgb_array")
    envs.reset(seed=0)
    first, second = envs.render()
    assert (first != second).any()
