"""RacerEnv over a bridge: both checkers, the same world to the last bit, and servers that know only the original."""

import warnings

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
    dice = np.random.default_rng(2)
    (first, first_info), (second, second_info) = one.reset(seed=4), two.reset(seed=4)
    assert np.array_equal(first, second)
    assert first_info == second_info
    for _ in range(steps):
        action = dice.uniform([-1, 0, 0], 1).astype(np.float32)
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


def test_no_server_is_one_clear_error():
    with running_server() as server:
        url = server.url
    with pytest.raises(BridgeConnectionError, match="is it running"):
        RacerEnv(bridge_url=url)
