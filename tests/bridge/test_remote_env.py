"""RacerEnv over a bridge: both checkers, the same world to the last bit, and servers that know only the original."""

import json
import re
import warnings
from contextlib import closing

import gymnasium.utils.env_checker
import numpy as np
import pytest
import stable_baselines3.common.env_checker

from bridge.running import original_server, running_server
from hotlap.errors import BridgeConnectionError, BridgeError, ConfigError
from hotlap.racer.env import RacerEnv


@pytest.fixture(scope="module", params=["ours", "original"])
def any_url(request):
    """Our server, and one by another library that speaks only the original protocol."""
    if request.param == "original":
        with original_server() as url:
            yield url
        return
    with running_server() as server:
        yield server.url


def test_gymnasium_finds_nothing_to_complain_about(any_url):
    env = RacerEnv(bridge_url=any_url)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasium.utils.env_checker.check_env(env, skip_render_check=True)
    env.close()


def test_stable_baselines_finds_nothing_to_complain_about(any_url):
    env = RacerEnv(bridge_url=any_url)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "We recommend you to use a symmetric and normalized Box action space")
        stable_baselines3.common.env_checker.check_env(env)
    env.close()


def drive_both(one: RacerEnv, two: RacerEnv, steps: int) -> None:
    """The same seed and actions into both; whatever comes out must be equal."""
    rng = np.random.default_rng(2)
    (first, first_info), (second, second_info) = one.reset(seed=4), two.reset(seed=4)
    assert np.array_equal(first, second)
    assert first_info == second_info
    for _ in range(steps):
        action = rng.uniform([-1, 0, 0], 1).astype(np.float32)
        a, b = one.step(action), two.step(action)
        assert a[0].dtype == b[0].dtype == np.float32
        assert np.array_equal(a[0], b[0])
        assert a[1:] == b[1:]
        if a[2] or a[3]:
            assert np.array_equal(one.reset()[0], two.reset()[0])


def test_over_any_server_it_is_the_world_in_this_process(any_url):
    config = {"weights": {"speedBonus": 0.01}, "episode": {"maxSteps": 100}}
    remote, local = (RacerEnv("track-02", config, bridge_url=url) for url in (any_url, None))
    drive_both(remote, local, 250)
    remote.close()


def test_starts_delays_layouts_and_several_tracks_are_those_of_this_process(server):
    options = {"track": ["track-01", "track-03"], "start": "random", "action_delay": "random", "observation": "full"}
    config = {"episode": {"maxSteps": 20}}
    remote, local = (RacerEnv(config=config, bridge_url=url, **options) for url in (server.url, None))
    drive_both(remote, local, 100)
    gates = {"start": "gate", "gate": np.int64(12), "track": 1, "action_delay": 0}
    (here, here_info), (there, there_info) = remote.reset(options=gates), local.reset(options=gates)
    assert np.array_equal(here, there)
    assert here_info == there_info
    assert here_info["checkpoint"] == 12
    remote.close()


def test_an_original_server_is_not_asked_for_what_it_cannot_do():
    with original_server() as url:
        for options in (
            {"start": "random"},
            {"action_delay": 1},
            {"observation": "full"},
            {"track": ["track-01", "track-02"]},
        ):
            env = RacerEnv(bridge_url=url, **options)
            with pytest.raises(BridgeError, match="speaks the original protocol"):
                env.reset(seed=1)
            env.close()
        env = RacerEnv(bridge_url=url)
        with pytest.raises(BridgeError, match="speaks the original protocol"):
            env.reset(options={"start": "gate", "gate": 3})
        assert env.reset(seed=1)[1]["lap"] == 1
        env.close()


def test_mistakes_are_found_before_anything_is_sent(server):
    with pytest.raises(ConfigError, match="named by their ids"):
        RacerEnv(track=[], bridge_url=server.url)
    with pytest.raises(ConfigError, match="no start"):
        RacerEnv(start="pole", bridge_url=server.url)
    env = RacerEnv(bridge_url=server.url)
    with pytest.raises(ConfigError, match="no reset option"):
        env.reset(options={"strat": "grid"})
    env.close()


def test_an_unknown_track_is_the_servers_refusal(server):
    env = RacerEnv("nowhere", bridge_url=server.url)
    with pytest.raises(BridgeError, match=r'Unknown track "nowhere". Available: track-01'):
        env.reset()
    env.close()


def test_close_frees_the_server_and_is_idempotent():
    with running_server() as server:
        env = RacerEnv(bridge_url=server.url)
        env.reset()
        env.close()
        env.close()
        with pytest.raises(RuntimeError, match="Environment is closed"):
            env.step([0, 0, 0])


STEP = {"type": "step_result", "observation": [0.5] * 14, "reward": 1.5, "terminated": True, "truncated": False}


def answered(server, monkeypatch, **changes):
    """What RacerEnv makes of a step's result with some fields changed; None leaves one out."""
    reply = {key: value for key, value in {**STEP, "info": {"lap": 2}, **changes}.items() if value is not None}
    with closing(RacerEnv(bridge_url=server.url)) as env:
        env.reset()
        with monkeypatch.context() as patch:
            patch.setattr("hotlap.bridge.client.BridgeClient.exchange", lambda *_, **__: json.dumps(reply).encode())
            return env.step([0, 1, 0])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (1.5, True, False, {"lap": 2})),
        ({"reward": 2}, (2.0, True, False, {"lap": 2})),
        ({"terminated": 0, "truncated": 1}, (1.5, False, True, {"lap": 2})),
        ({"more": [1]}, (1.5, True, False, {"lap": 2})),
        ({"observation": [0] * 7 + [0.5] * 7, "terminated": 1}, (1.5, True, False, {"lap": 2})),
    ],
)
def test_results_spelled_in_other_ways_are_read(server, monkeypatch, changes, expected):
    observation, *rest = answered(server, monkeypatch, **changes)
    assert tuple(rest) == expected
    assert [type(item) for item in rest] == [float, bool, bool, dict]
    assert observation.tolist() == changes.get("observation", STEP["observation"])


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"reward": "much"}, "the reward is 'much', not a number"),
        ({"reward": None}, "the result of a step has no reward"),
        ({"info": None}, "the result of a step has no info"),
        ({"observation": [0.5] * 13}, "not a list of 14 numbers"),
        ({"observation": [0.5] * 13 + [None]}, "not a list of 14 numbers"),
        ({"observation": [0.5] * 13 + ["0.5"]}, "not a list of 14 numbers"),
        ({"observation": "0.5"}, "not a list of 14 numbers"),
        ({"observation": None}, "not a list of 14 numbers"),
        ({"type": "error", "message": "too fast"}, "Bridge error: too fast"),
    ],
)
def test_results_that_are_none_are_refused_in_words(server, monkeypatch, changes, part):
    with pytest.raises(BridgeError, match=re.escape(part)):
        answered(server, monkeypatch, **changes)


def test_no_server_is_one_clear_error():
    with running_server() as server:
        url = server.url
    with pytest.raises(BridgeConnectionError, match="is it running"):
        RacerEnv(bridge_url=url)
