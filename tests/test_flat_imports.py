"""What people use is at hand as `hotlap.NAME`, and is loaded only when it is asked for."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import hotlap
from hotlap.errors import ConfigError, PolicyError

NAMES = [name for name in hotlap.__all__ if name != "__version__"]
HEAVY = {"onnxruntime", "pettingzoo", "stable_baselines3", "starlette", "torch"}


class Straight:
    """A driver of one's own."""

    name, layout = "straight", "classic"

    def reset(self, cars):
        pass

    def act(self, observation, world):
        return np.tile([0.0, 1.0, 0.0], (len(observation), 1))


def test_importing_the_package_loads_nothing_heavy():
    script = "import sys, hotlap; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=240)
    assert not {name.split(".")[0] for name in done.stdout.split()} & HEAVY


@pytest.mark.parametrize("name", NAMES)
def test_name_leads_to_something_with_a_docstring(name):
    assert name in dir(hotlap)
    assert inspect.getdoc(getattr(hotlap, name))


@pytest.mark.parametrize("name", ["evaluate", "load_policy", "make_torch_env", "make_vec_env", "parallel_env", "train"])
def test_every_argument_has_a_type(name):
    signature = inspect.signature(getattr(hotlap, name))
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(each.annotation is not inspect.Parameter.empty for each in signature.parameters.values())


def test_trained_run_is_loaded_and_evaluated_by_its_folder(tmp_path):
    quick = {"evaluation": {"every_steps": 0, "steps": 300}, "ppo": {"n_steps": 16}, "teacher": {"steps": 0}}
    result = hotlap.train("racer-ppo", name="first", root=tmp_path, steps=512, cars=16, **quick)
    assert (result.run, result.step, result.stopped_by) == (tmp_path / "first", 512, None)
    policy = hotlap.load_policy(result.run)
    assert policy.act(np.zeros((2, 14), np.float32)).shape == (2, 3)
    by_name = hotlap.evaluate("first", root=tmp_path, laps=2, steps=200)
    assert by_name.plain()["measures"] == hotlap.evaluate(policy, laps=2, steps=200).plain()["measures"]


def test_driver_of_ones_own_is_evaluated():
    evaluation = hotlap.evaluate(Straight(), track=["track-02"], laps=2, steps=100)
    assert (evaluation.driver, evaluation.setup()["tracks"]) == ("straight", ["track-02"])


def test_setting_nobody_knows_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigError, match='Did you mean "steps"'):
        hotlap.train(root=tmp_path, step=100)
    with pytest.raises(ConfigError, match='Did you mean "laps"'):
        hotlap.evaluate(Straight(), lap=2)


def test_scripted_driver_is_no_policy_file():
    with pytest.raises(PolicyError, match="all-rounder"):
        hotlap.load_policy("expert")
