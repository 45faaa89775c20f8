"""BridgeVecEnv: the same numbers as the VecEnv in this process, step for step, infos included."""

import json
import subprocess
import sys

import numpy as np
import pytest
from stable_baselines3 import PPO

from bridge.running import original_server
from hotlap.bridge import BridgeClient, BridgeVecEnv
from hotlap.errors import ActionError, BridgeError
from hotlap.vector.sb3 import make_vec_env

OPTIONS = {
    "track": ["track-01", "track-02"],
    "start": "random",
    "action_delay": "random",
    "config": {"episode": {"maxSteps": 50, "stillnessTimeoutTicks": 20}},
}


def plain(info) -> dict:
    """An info as a dict without the clock and in single precision, which is what the wire carries."""
    values = dict(info)
    episode = values.pop("episode", None)
    rounded = {key: np.float32(value).item() if isinstance(value, float) else value for key, value in values.items()}
    last = rounded.pop("terminal_observation", None)
    return rounded | {"last": None if last is None else last.tolist(), "episode": episode and episode["l"]}


def test_it_is_the_vec_env_of_this_process(server):
    there, here = BridgeVecEnv(server.url, 6, seed=3, **OPTIONS), make_vec_env("racer", 6, seed=3, **OPTIONS)
    assert there.observation_space == here.observation_space
    assert there.action_space == here.action_space
    assert np.array_equal(there.reset(), here.reset())
    assert there.reset_infos == [
        {key: np.float32(value).item() if isinstance(value, float) else value for key, value in info.items()}
        for info in here.reset_infos
    ]
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(150):
        actions = rng.uniform([-1, 0, 0], 1, (6, 3)).astype(np.float32)
        actions[0] = 0.0
        a, b = there.step(actions), here.step(actions)
        for one, two in zip(a[:3], b[:3], strict=True):
            assert one.dtype == two.dtype
            assert np.array_equal(one, two)
        assert [plain(info) for info in a[3]] == [plain(info) for info in b[3]]
        for one, two in zip(a[3], b[3], strict=True):
            if "episode" in two:
                ended += 1
                assert one["episode"]["r"] == pytest.approx(two["episode"]["r"], abs=1e-5)  # summed in single precision
    assert ended > 10
    there.close()


def test_arrays_are_the_callers_own(server):
    env = BridgeVecEnv(server.url, 2, seed=0)
    first = env.reset()
    kept = first.copy()
    seen, rewards, dones, infos = env.step(np.ones((2, 3)))
    again = env.step(np.ones((2, 3)))
    assert np.array_equal(first, kept)
    assert not np.shares_memory(seen, again[0])
    for array in (seen, rewards, dones):
        array[:] = 0
    assert infos[0]["stepCount"] == 1
    env.close()


def test_options_and_seeds_hold_for_one_reset(server):
    env = BridgeVecEnv(server.url, 3)
    env.set_options([{"start": "gate", "gate": 2}, {"start": "gate", "gate": 5}, {}])
    env.seed(1)
    env.reset()
    assert [info["checkpoint"] for info in env.reset_infos] == [2, 5, 0]
    env.reset()
    assert [info["checkpoint"] for info in env.reset_infos] == [0, 0, 0]
    env.close()


def test_it_behaves_as_sb3_expects(server):
    env = BridgeVecEnv(server.url, 2)
    assert env.get_attr("num_envs") == [2, 2]
    assert env.env_is_wrapped(type("Monitor", (), {})) == [True, True]
    env.set_attr("label", "x")
    assert env.get_attr("label", [1]) == ["x"]
    with pytest.raises(ValueError, match="share label"):
        env.set_attr("label", "y", [0])
    with pytest.raises(NotImplementedError, match="in the server"):
        env.env_method("begin")
    env.reset()
    with pytest.raises(ActionError, match="for each of 2 cars"):
        env.step(np.zeros((3, 3)))
    with pytest.raises(ActionError, match="finite numbers"):
        env.step(np.full((2, 3), np.nan))
    assert env.step(np.zeros((2, 3)))[3][0]["stepCount"] == 1
    env.close()
    env.close()


def test_ppo_learns_on_it_as_in_this_process(server):
    """The same seeds give the same weights: nothing on the wire is lost that learning sees."""
    weights = []
    for env in (BridgeVecEnv(server.url, 4, seed=5, **OPTIONS), make_vec_env("racer", 4, seed=5, **OPTIONS)):
        model = PPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=2, seed=1, device="cpu")
        model.learn(256)
        weights.append(np.concatenate([value.detach().numpy().ravel() for value in model.policy.parameters()]))
        env.close()
    assert np.array_equal(*weights)


def test_a_server_without_batches_is_refused_in_words():
    with original_server() as url, pytest.raises(BridgeError, match="knows no batch"):
        BridgeVecEnv(url, 2)


def test_too_many_cars_are_refused_in_words(server):
    with pytest.raises(BridgeError, match="cars must be a whole number from 1 to 4096, not 5000"):
        BridgeVecEnv(server.url, 5000)


def test_neither_server_nor_client_loads_torch():
    script = (
        "import sys, json, hotlap.bridge, hotlap.bridge.serving, hotlap.bridge.client, hotlap.bridge.remote_batch, "
        "hotlap.benchmark.bridge; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=240)
    assert not {"torch", "stable_baselines3", "onnxruntime", "matplotlib"} & set(json.loads(done.stdout))


@pytest.mark.parametrize("observation", ["grip", "grip-car"])
def test_it_drives_cars_with_grip(server, observation):
    options = {**OPTIONS, "track": ["quarry"], "car": "gt", "assists": "on", "observation": observation}
    there, here = BridgeVecEnv(server.url, 3, seed=3, **options), make_vec_env("racer", 3, seed=3, **options)
    assert np.array_equal(there.reset(), here.reset())
    for _ in range(60):
        actions = np.tile(np.array([0.1, 0.8, 0.0], np.float32), (3, 1))
        (seen, reward, *_), (expected, paid, *_) = there.step(actions), here.step(actions)
        assert np.array_equal(seen, expected)
        np.testing.assert_allclose(reward, paid, rtol=1e-6)
    there.close()


def test_unknown_car_is_refused_by_the_server(server):
    client = BridgeClient(server.url)
    with pytest.raises(BridgeError, match='no car "gtt"'):
        client.request({"type": "reset", "car": "gtt"})
    client.close()
