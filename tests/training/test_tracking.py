"""`hotlap train --track`: the tracker gets what TensorBoard gets, nothing leaves the machine, stdout stays ours."""

import json
import sys
from types import ModuleType

import pytest

from hotlap import cli
from hotlap.checkpoints.curve import read_curve

PRESET = """
world = "racer"
steps = 1024
cars = 8
checkpoint_every = "0"
[network]
hidden = [8]
[ppo]
n_steps = 64
batch_size = 128
n_epochs = 1
[evaluation]
every_steps = 512
steps = 200
"""


class Tracker(ModuleType):
    """Notes what it is asked to do, as either tracker would be asked."""

    def __init__(self, name):
        super().__init__(name)
        self.begun, self.logged, self.finished = [], [], 0

    def init(self, **options):
        print("hello from the tracker")  # noqa: T201 - trackers talk
        self.begun.append(options)

    def log(self, values, step):
        self.logged.append((step, values))

    def finish(self):
        self.finished += 1


def trained(tmp_path, service, *words):
    preset = tmp_path / "tiny.toml"
    preset.write_text(PRESET, encoding="utf-8")
    return cli.main(
        ["train", str(preset), "--root", str(tmp_path / "runs"), "--name", "tiny", "--track", service, "--json", *words]
    )


@pytest.fixture(params=["trackio", "wandb"])
def tracker(request, monkeypatch):
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "false")
    module = Tracker(request.param)
    monkeypatch.setitem(sys.modules, request.param, module)
    return module


def test_tracker_gets_every_value_at_its_step_and_is_closed(tracker, tmp_path, capsys):
    assert trained(tmp_path, tracker.__name__) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["finished"] is True
    assert "hello from the tracker" in printed.err
    [options] = tracker.begun
    assert (options["project"], options["name"], options["config"]["steps"]) == ("hotlap", "tiny", 1024)
    assert tracker.finished == 1
    rewards = [
        (step, values["rollout/ep_rew_mean"]) for step, values in tracker.logged if "rollout/ep_rew_mean" in values
    ]
    assert rewards
    assert {step for step, values in tracker.logged if any(key.startswith("eval/") for key in values)} == {512, 1024}
    assert read_curve(tmp_path / "runs" / "tiny")


def test_weights_and_biases_stays_offline_unless_the_environment_says_otherwise(tmp_path, monkeypatch):
    module = Tracker("wandb")
    monkeypatch.setitem(sys.modules, "wandb", module)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "false")
    assert trained(tmp_path, "wandb") == 0
    monkeypatch.setenv("WANDB_MODE", "online")
    assert cli.main(["resume", "tiny", "--root", str(tmp_path / "runs"), "--steps", "2048", "--track", "wandb"]) == 0
    assert [options["mode"] for options in module.begun] == ["offline", "online"]
    assert {options["id"] for options in module.begun} == {"tiny"}


def test_tracker_that_is_not_installed_is_named_before_anything_is_trained(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "trackio", None)
    assert trained(tmp_path, "trackio") == 2
    assert 'pip install "hotlap[trackio]"' in capsys.readouterr().err
    assert not (tmp_path / "runs" / "tiny").exists()


@pytest.mark.integration
@pytest.mark.parametrize("service", ["trackio", "wandb"])
def test_real_tracker_keeps_the_run_on_this_machine(service, tmp_path, monkeypatch, capsys):
    pytest.importorskip(service, reason=f'needs "hotlap[{service}]"')
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    assert trained(tmp_path, service) == 0
    assert json.loads(capsys.readouterr().out)["finished"] is True
    kept = list(tmp_path.glob("trackio/*.db" if service == "trackio" else "runs/wandb/offline-run-*"))
    assert len(kept) == 1
