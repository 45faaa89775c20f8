"""RacerEnv: spaces, actions and their refusals, infos, episodes and how they begin."""

import functools
import math
import operator
import re
from decimal import Decimal
from fractions import Fraction

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hotlap
from hotlap import RacerEnv
from hotlap.errors import ActionError, ConfigError, EnvironmentStateError, HotlapError
from hotlap.racer.options import RacerOptions
from hotlap.racer.world import RacerWorld

SHAPE_MESSAGE = "action must be a 3-element array [steer, throttle, brake]"
VALUE_MESSAGE = "action elements must be finite numbers"
STEP_KEYS = {"progress", "speed", "wall", "offTrack", "backward", "stillness", "tick", "rawSpeed", "lap", "checkpoint",
             "stepCount", "wallContact", "stillnessCounter"}  # fmt: skip
RESET_KEYS = {"tick", "speed", "lap", "checkpoint", "stepCount"}
FULL_THROTTLE = [0.0, 1.0, 0.0]


def shown(value) -> str:
    """A value as a test's name: the same in every process, whatever its address."""
    return re.sub(r" at 0x\w+", "", repr(value))


def ready(**options) -> RacerEnv:
    env = RacerEnv(**options)
    env.reset(seed=1)
    return env


def state(env: RacerEnv) -> list[bytes]:
    """Everything about the car and what its last step said."""
    return [column.tobytes() for group in (env.world.fleet, env.world.out) for column in group]


def steer_to_the_open_side(observation) -> list[float]:
    """A sensible driver: away from the nearer wall, slower before a wall ahead."""
    right, left = float(observation[0:4].sum()), float(observation[5:9].sum())
    ahead = float(observation[4])
    return [1.5 * (right - left), 1.0 if ahead > 0.3 else 0.2, 0.6 if ahead < 0.2 else 0.0]


# Spaces and names


def test_action_is_steer_throttle_and_brake():
    expected = gym.spaces.Box(np.array([-1, 0, 0], np.float32), np.array([1, 1, 1], np.float32))
    assert RacerEnv().action_space == expected


def test_classic_observation_is_scaled_to_one_and_signed_in_two_places():
    low = np.zeros(14, np.float32)
    low[[10, 11]] = -1.0
    assert RacerEnv().observation_space == gym.spaces.Box(low, np.ones(14, np.float32))


def test_full_observation_has_finite_bounds_and_59_numbers():
    space = RacerEnv(observation="full").observation_space
    assert space.shape == (59,)
    assert np.isfinite(space.low).all()
    assert np.isfinite(space.high).all()


def test_registered_name_makes_the_bare_environment():
    env = gym.make("hotlap/Racer-v0", track="track-02")
    assert type(env) is RacerEnv
    assert env.spec.id == "hotlap/Racer-v0"
    assert (env.metadata["render_modes"], env.metadata["render_fps"]) == (["rgb_array"], 60)


def test_package_offers_its_names_and_refuses_others():
    assert {"RacerEnv", "make_vec_env"} <= set(dir(hotlap))
    with pytest.raises(AttributeError, match="RaserEnv"):
        hotlap.RaserEnv  # noqa: B018 - looking it up is the test


# Actions


@pytest.mark.parametrize(
    "action",
    [
        None, 0.5, [], [0.0, 1.0], [0.0, 1.0, 0.0, 0.0], "abc", b"abc", {0: 0, 1: 1, 2: 0}, {0.0, 0.5, 1.0}, object(),
        np.zeros(2), np.zeros(4), np.zeros((1, 3)), np.zeros((3, 1)), np.float32(0.3), np.zeros((0,)), np.array(None),
        iter([0.0, 1.0, 0.0]),
    ],
    ids=shown,
)  # fmt: skip
def test_action_of_another_shape_is_refused_and_nothing_moves(action):
    env = ready()
    env.step(FULL_THROTTLE)
    before = state(env)
    with pytest.raises(ActionError) as refusal:
        env.step(action)
    assert str(refusal.value) == SHAPE_MESSAGE
    assert state(env) == before


@pytest.mark.parametrize(
    "element",
    [
        math.nan, math.inf, -math.inf, np.float32(np.nan), np.float64(np.inf), np.longdouble("1e4000"), None, "1", b"1",
        True, np.True_, 1j, [0.5], np.array([0.5]), object(), 10**400, Decimal("0.5"), Fraction(1, 2),
    ],
    ids=shown,
)  # fmt: skip
@pytest.mark.parametrize("place", [0, 1, 2])
def test_action_element_that_is_no_finite_number_is_refused_and_nothing_moves(element, place):
    env = ready()
    env.step(FULL_THROTTLE)
    before = state(env)
    action = [0.0, 0.0, 0.0]
    action[place] = element
    with pytest.raises(ActionError) as refusal:
        env.step(action)
    assert str(refusal.value) == VALUE_MESSAGE
    assert state(env) == before


@pytest.mark.parametrize(
    "action",
    [
        np.array([0.0, np.nan, 0.0], np.float32), np.array([np.inf, 0.0, 0.0]), np.array([True, False, True]),
        np.array(["0", "1", "0"]), np.array([0, 1, 0], complex), np.array([0.0, None, 0.0], object),
        np.array([0, 1, 0], "datetime64[s]"),
    ],
    ids=shown,
)  # fmt: skip
def test_array_of_anything_but_finite_numbers_is_refused(action):
    env = ready()
    before = state(env)
    with pytest.raises(ActionError) as refusal:
        env.step(action)
    assert str(refusal.value) == VALUE_MESSAGE
    assert state(env) == before


def test_refused_action_is_an_error_of_the_house_and_a_value_error():
    assert issubclass(ActionError, HotlapError)
    assert issubclass(ActionError, ValueError)


@pytest.mark.parametrize(
    "action",
    [
        [0.25, 1, 0], (0.25, 1.0, 0.0), np.array([0.25, 1, 0]), np.array([0.25, 1, 0], np.float16),
        np.array([0.25, 1, 0], object), [np.float32(0.25), np.int8(1), np.uint64(0)],
        np.array([9, 0.25, 9, 1, 9, 0])[1::2], np.array([0.25, 1, 0], ">f8"),
    ],
    ids=shown,
)  # fmt: skip
def test_every_kind_of_number_drives_the_same(action):
    env, twin = ready(), ready()
    for _ in range(5):
        assert env.step(action)[0].tobytes() == twin.step([0.25, 1.0, 0.0])[0].tobytes()


def test_action_with_an_array_interface_is_taken():
    torch = pytest.importorskip("torch")
    env, twin = ready(), ready()
    env.step(torch.tensor([0.25, 1.0, 0.0]))
    twin.step([0.25, 1.0, 0.0])
    assert state(env) == state(twin)


def test_action_counts_in_the_precision_it_is_given_in():
    env, same, coarse = ready(), ready(), ready()
    env.step([0.1, 0.7, 0.0])
    same.step(np.array([0.1, 0.7, 0.0]))
    coarse.step(np.array([0.1, 0.7, 0.0], np.float32))
    assert state(env) == state(same)
    assert state(env) != state(coarse)
    assert coarse.world.fleet.steer[0] == pytest.approx(env.world.fleet.steer[0], abs=1e-8)  # one float32 rounding


def test_action_beyond_the_bounds_is_clamped():
    env, twin = ready(), ready()
    env.step([-7.0, 1e300, -2.0])
    twin.step([-1.0, 1.0, 0.0])
    assert state(env)[: len(env.world.fleet)] == state(twin)[: len(env.world.fleet)]


# At the wrong moment


def test_step_before_reset_is_refused():
    with pytest.raises(EnvironmentStateError) as refusal:
        RacerEnv().step(FULL_THROTTLE)
    assert str(refusal.value) == "step() called before reset()"


def test_after_close_everything_is_refused_but_closing():
    env = ready(render_mode="rgb_array")
    env.close()
    env.close()
    for call in (env.reset, env.render, lambda: env.step(FULL_THROTTLE)):
        with pytest.raises(EnvironmentStateError) as refusal:
            call()
        assert str(refusal.value) == "Environment is closed"
    assert isinstance(refusal.value, RuntimeError)


# Steps and infos


def test_reset_info_has_its_five_keys_as_plain_numbers():
    _, info = RacerEnv().reset()
    assert info == {"tick": 0, "speed": 0.0, "lap": 1, "checkpoint": 0, "stepCount": 0}
    assert {type(value) for value in info.values()} == {int, float}


def test_reset_info_tells_the_speed_of_a_rolling_start():
    speeds = [RacerEnv(start="random").reset(seed=seed)[1]["speed"] for seed in range(20)]
    assert max(speeds) > 10.0


def test_step_info_has_its_thirteen_keys_as_plain_values():
    info = ready().step(FULL_THROTTLE)[4]
    assert info.keys() == STEP_KEYS
    kinds = {key: type(value) for key, value in info.items()}
    whole = {"tick", "lap", "checkpoint", "stepCount", "stillnessCounter"}
    expected = {key: int if key in whole else bool if key == "wallContact" else float for key in STEP_KEYS}
    assert kinds == expected


def test_info_speed_is_the_part_of_the_reward_and_raw_speed_the_cars():
    env = ready(config={"weights": {"speedBonus": 0.5}})
    info = [env.step(FULL_THROTTLE)[4] for _ in range(60)][-1]
    assert info["rawSpeed"] == env.world.fleet.speed_ups[0]
    assert info["speed"] == pytest.approx(0.5 * info["rawSpeed"] / 160.0, rel=1e-15)  # one rounding


def test_reward_is_the_sum_of_its_parts():
    env = ready(config={"weights": {"speedBonus": 0.01, "backwardPenalty": -0.3}})
    rng = np.random.default_rng(3)
    for _ in range(300):
        _, reward, _, _, info = env.step(rng.uniform(-1, 1, 3))
        parts = [info[key] for key in ("progress", "speed", "wall", "offTrack", "backward", "stillness")]
        assert reward == functools.reduce(operator.add, parts)  # sum() rounds otherwise since Python 3.12


def test_outcome_has_plain_types():
    observation, reward, terminated, truncated, _ = ready().step(FULL_THROTTLE)
    assert (observation.dtype, observation.shape) == (np.float32, (14,))
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)


def test_lap_tick_tells_the_lap():
    env = ready()
    observation, _ = env.reset()
    laps = []
    for _ in range(2000):
        observation, _, _, _, info = env.step(steer_to_the_open_side(observation))
        if "lapTicks" in info:
            laps.append((info["stepCount"], info["lapTicks"], info["lapClean"], info["lap"]))
            assert info.keys() == STEP_KEYS | {"lapTicks", "lapClean"}
    assert len(laps) >= 2
    assert sum(ticks for _, ticks, _, _ in laps) == laps[-1][0]
    assert [lap for *_, lap in laps] == list(range(2, 2 + len(laps)))
    assert {type(clean) for _, _, clean, _ in laps} == {bool}


def test_standing_still_terminates_and_too_many_steps_truncate():
    env = ready(config={"episode": {"maxSteps": 12, "stillnessTimeoutTicks": 5}})
    results = [env.step([0.0, 0.0, 0.0])[2:4] for _ in range(14)]
    assert [terminated for terminated, _ in results] == [False] * 4 + [True] * 10
    assert [truncated for _, truncated in results] == [False] * 11 + [True] * 3


def test_too_long_off_the_road_in_one_lap_terminates_where_asked():
    env = ready(config={"episode": {"offTrackTimeoutTicks": 5}})
    results = [env.step([0.2, 1.0, 0.0]) for _ in range(300)]
    off = np.cumsum([info["offTrack"] < 0.0 for *_, info in results])
    assert [terminated for _, _, terminated, *_ in results] == [count >= 5 for count in off.tolist()]
    assert off[-1] > 5


def test_car_drives_on_after_the_end():
    env = ready(config={"episode": {"maxSteps": 3}})
    speeds = [env.step(FULL_THROTTLE)[4]["rawSpeed"] for _ in range(10)]
    assert speeds == sorted(speeds)
    assert speeds[-1] > speeds[2]


def test_observations_handed_out_are_never_overwritten():
    env = RacerEnv()
    handed = [env.reset(seed=1)[0]]
    handed += [env.step(FULL_THROTTLE)[0] for _ in range(20)] + [env.reset()[0]]
    kept = [observation.copy() for observation in handed]
    for _ in range(20):
        env.step(FULL_THROTTLE)
    assert all(np.array_equal(one, other) for one, other in zip(handed, kept, strict=True))
    everything = [*handed, env.world.out.observation]
    pairs = ((one, other) for i, one in enumerate(everything) for other in everything[:i])
    assert not any(np.shares_memory(one, other) for one, other in pairs)


# Beginnings


def trajectory(seed: int, **options) -> list[bytes]:
    env = RacerEnv(**options)
    rng = np.random.default_rng(0)
    seen = [env.reset(seed=seed)[0].tobytes()]
    for _ in range(3):
        seen += [env.step(rng.uniform(-1, 1, 3))[0].tobytes() for _ in range(20)]
        seen.append(env.reset()[0].tobytes())
    return seen


@given(seed=st.integers(0, 2**32), track=st.sampled_from(["track-01", "track-02", "track-03"]))
def test_same_seed_gives_the_same_bytes(seed, track):
    rules = {"track": track, "start": "random", "action_delay": "random"}
    assert trajectory(seed, **rules) == trajectory(seed, **rules)


@given(seeds=st.lists(st.integers(0, 2**32), min_size=2, max_size=2, unique=True))
def test_other_seeds_give_other_random_starts(seeds):
    one, other = (RacerEnv(start="random").reset(seed=seed)[0].tobytes() for seed in seeds)
    assert one != other


def test_reset_option_chooses_start_gate_and_delay_for_one_episode():
    env = ready(track=["track-01", "track-02"])
    env.reset(options={"start": "gate", "gate": 7, "track": 1, "action_delay": 1})
    fleet = env.world.fleet
    assert (fleet.gate[0], fleet.track[0], fleet.delay[0], fleet.speed_ups[0]) == (7, 1, 1, 0.0)
    assert (fleet.x_u[0], fleet.y_u[0]) == tuple(env.world.tracks[1].gate_centre[7])
    env.reset(options={"track": 0})
    assert (fleet.gate[0], fleet.track[0], fleet.delay[0]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strat": "grid"}, 'Did you mean "start"?'),
        ({"start": "gird"}, 'Did you mean "grid"?'),
        ({"start": "gate", "gate": 30}, "from 0 to 29"),
        ({"start": "gate", "gate": 1.5}, "from 0 to 29"),
        ({"gate": 30}, "from 0 to 29"),
        ({"start": "grid", "gate": -1}, "from 0 to 29"),
        ({"start": np.array(["grid", "gate"])}, "Known: grid, gate, random"),
        ({"track": 1}, "from 0 to 0"),
        ({"action_delay": np.array([0, 1])}, "0, 1 or"),
        (["start"], "a mapping of names to values, not list"),
        (5, "a mapping of names to values, not int"),
        ({"action_delay": 2}, "0, 1 or"),
    ],
)
def test_reset_option_that_is_not_there_is_refused_by_name(options, words):
    with pytest.raises(ConfigError, match=r"\w") as refusal:
        RacerEnv().reset(options=options)
    assert words in str(refusal.value)


def test_delayed_action_acts_a_tick_later():
    delayed, prompt = ready(action_delay=1), ready()
    actions = np.random.default_rng(5).uniform(-1, 1, (30, 3))
    late = [delayed.step(action)[4]["rawSpeed"] for action in actions]
    early = [prompt.step(action)[4]["rawSpeed"] for action in [np.zeros(3), *actions[:-1]]]
    assert late == early


# Configuration


def test_partial_config_keeps_the_other_defaults():
    env = RacerEnv(config={"weights": {"progress": 2.0}})
    assert env.world.config.weights.progress == 2.0
    assert env.world.config.weights.wallPenalty == -0.002
    assert env.world.config.episode.maxSteps == 3000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"config": {"weight": {}}}, ['"weight"', 'Did you mean "weights"?']),
        ({"config": {"weights": {"progres": 1.0}}}, ['"progres"', 'Did you mean "progress"?']),
        ({"config": {"weights": {"wallPenalty": math.nan}}}, ["config.weights.wallPenalty", "finite"]),
        ({"config": {"weights": {"progress": -math.inf}}}, ["config.weights.progress", "finite"]),
        ({"config": {"episode": {"maxSteps": 0}}}, ["config.episode.maxSteps", "from 1"]),
        ({"config": {"episode": {"maxSteps": "many"}}}, ["config.episode.maxSteps", "number"]),
        ({"track": None}, ["None", "A track is a name"]),
        ({"observation": ["classic"]}, ['Did you mean "classic"?']),
        ({"track": "track-1"}, ["track-1", 'Did you mean "track-01"?']),
        ({"observation": "clasic"}, ['Did you mean "classic"?']),
        ({"start": "rnadom"}, ['Did you mean "random"?']),
        ({"action_delay": 3}, ["0, 1 or"]),
        ({"render_mode": "human"}, ["rgb_array", "'human'"]),
        ({"render_mode": "rgb_array", "bridge_url": "ws://localhost:1"}, ["bridge_url"]),
    ],
)
def test_wrong_setting_is_refused_by_name(options, words):
    with pytest.raises(HotlapError) as refusal:
        RacerEnv(**options)
    assert all(word in str(refusal.value) for word in words)


@pytest.mark.parametrize(
    "text",
    ["", "[" * 30_000, '{"weights": {"progress": ' + "9" * 5000 + "}}", b"\xff", "null", "[]"],
    ids=lambda text: text[:9],
)
def test_config_file_that_is_none_is_refused_by_its_name(text, tmp_path):
    path = tmp_path / "ai-config.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError, match=r"ai-config\.json"):
        RacerEnv(config=path)


@pytest.mark.parametrize("path", ["nowhere.json", "a\0b.json", "/x" * 5000])
def test_config_file_that_is_not_there_is_refused(path):
    with pytest.raises(ConfigError, match="cannot be read"):
        RacerEnv(config=path)


def test_config_file_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "ai-config.json"
    path.write_bytes(b'\xef\xbb\xbf{"weights": {"progress": 2}}')
    assert RacerEnv(config=path).world.config.weights.progress == 2.0


# A world elsewhere


class RecordedRacer:
    """Stands where the bridge's client stands and writes down what it is asked."""

    def __init__(self, url, options):
        self.calls = [("made", url, options)]

    def reset(self, seed, options):
        self.calls.append(("reset", seed, options))
        return "first", {}

    def step(self, action):
        self.calls.append(("step", action))
        return "next", 0.0, False, False, {}

    def close(self):
        self.calls.append(("close",))


def test_bridge_url_sends_checked_actions_elsewhere(monkeypatch):
    monkeypatch.setattr(
        "hotlap.racer.env.import_module", lambda name: type("Module", (), {"RemoteRacer": RecordedRacer})
    )
    env = RacerEnv(bridge_url="ws://localhost:9876", track="track-02")
    assert env.reset(seed=4, options={"start": "gate"}) == ("first", {})
    assert env.step(np.array([0.5, 1, 0], np.float32))[0] == "next"
    with pytest.raises(ActionError):
        env.step([math.nan, 0.0, 0.0])
    env.close()
    env.close()
    assert env._remote.calls == [
        ("made", "ws://localhost:9876", RacerOptions("track-02")),
        ("reset", 4, {"start": "gate"}),
        ("step", [0.5, 1.0, 0.0]),
        ("close",),
    ]


# No finite input gives a non-finite state


huge = st.floats(allow_nan=False, allow_infinity=False)


@given(actions=st.lists(st.tuples(huge, huge, huge), min_size=1, max_size=60), seed=st.integers(0, 1000))
def test_finite_actions_keep_the_state_finite(actions, seed):
    env = RacerEnv(track="track-03", observation="full", start="random")
    env.reset(seed=seed)
    for action in actions:
        observation, reward, *_ = env.step(action)
        assert env.observation_space.contains(observation)
        assert math.isfinite(reward)
    assert all(np.isfinite(column).all() for column in env.world.fleet)


@pytest.mark.parametrize("ticks", [1000, pytest.param(10_000, marks=[pytest.mark.soak, pytest.mark.timeout(1200)])])
def test_ticks_of_wild_finite_input_keep_every_car_finite(ticks):
    """Huge, tiny and ordinary requests on all three tracks; every other car steers by what it sees, to stay fast.

    A thousand cars: a million ticks, and ten million in the soak.
    """
    count = 1000
    world = RacerWorld(count, ["track-01", "track-02", "track-03"], start="random", action_delay="random")
    rng = np.random.default_rng(8)
    for car in range(count):
        world.begin(car, rng)
    scales = np.array([0.5, 1.0, 5e-324, 1e-300, 1e300, 1.7e308])
    for tick in range(ticks):
        if tick % 10 == 0:
            actions = rng.uniform(-1.0, 1.0, (count, 3)) * rng.choice(scales, (count, 3))
        sees = world.observation[0::2]
        actions[0::2, 0] = 1.5 * (sees[:, 0:4].sum(axis=1) - sees[:, 5:9].sum(axis=1))
        actions[0::2, 1:] = [1e308, -1e308]
        world.advance(actions)
    assert world.fleet.speed_ups[0::2].mean() > 100.0
    for column in (*world.fleet, *world.out):
        assert np.isfinite(column).all()
    assert world.fleet.speed_ups.max() <= 160.0
