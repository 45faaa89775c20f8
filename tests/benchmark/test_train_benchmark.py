"""`hotlap benchmark train`: the figures are those of the run, and add up."""

import json

import pytest
from stable_baselines3.common.vec_env import VecNormalize

from hotlap import cli
from hotlap.benchmark.options import TrainRequest
from hotlap.benchmark.train import Stopwatch, trainings_of
from hotlap.racer.world import RacerWorld
from hotlap.vector.sb3 import make_vec_env

PRESET = """
steps = 256
cars = 4
[network]
hidden = [8]
[ppo]
n_steps = 16
batch_size = 32
n_epochs = 1
[evaluation]
every_steps = 128
steps = 100
"""


BOTH = ("--learners", "hotlap", "sb3")


@pytest.fixture
def preset(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(PRESET, encoding="utf-8")
    return str(path)


@pytest.mark.integration
def test_every_seed_gets_a_row_and_the_figures_add_up(preset, capsys):
    assert cli.main(["benchmark", "train", preset, "--seeds", "3", "4", "--steps", "128", "--json", *BOTH]) == 0
    said = capsys.readouterr()
    result = json.loads(said.out)
    assert "training 128 steps with hotlap on cpu, seed 3" in said.err
    rows = [(row["learner"], row["seed"]) for row in result["runs"]]
    assert rows == [("hotlap", 3), ("sb3", 3), ("hotlap", 4), ("sb3", 4)]
    for row in result["runs"]:
        assert row["steps"] == 128
        assert row["steps_per_second"] == pytest.approx(128 / row["seconds"])
        assert 0 < row["setup_seconds"] < row["seconds"]
        assert 0 < row["environment_share"] < 1
        assert row["original_beaten_in_training_s"] is row["within_2_percent_s"] is row["within_1_percent_s"] is None
        assert set(row["driver"]["tracks"]) == {"track-01"}
        assert set(row["driver"]["tracks"]["track-01"]["delay"]) == {"0", "1"}
    assert result["machine"]["torch"]


@pytest.mark.integration
def test_people_get_tables(preset, capsys):
    assert cli.main(["benchmark", "train", preset, "--steps", "64"]) == 0
    out = capsys.readouterr().out
    assert "Clean laps, times in seconds" in out
    assert "track-01" in out


def test_seeds_are_needed(preset, capsys):
    assert cli.main(["benchmark", "train", preset, "--seeds"]) == 2
    assert "--seeds needs at least one number" in capsys.readouterr().err


def test_a_gpu_that_is_not_there_is_told_before_anything_is_trained(preset, capsys, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("hotlap.benchmark.train.measure", lambda _config: pytest.fail("something was trained"))
    assert cli.main(["benchmark", "train", preset, "--devices", "cpu", "cuda"]) == 2
    assert "torch finds no NVIDIA GPU here. Use --device cpu." in capsys.readouterr().err


def test_each_device_gets_the_settings_that_the_preset_has_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    path = tmp_path / "both.toml"
    path.write_text(PRESET + "[cuda]\ncars = 64\n", encoding="utf-8")
    request = TrainRequest(str(path), (3,), ("hotlap", "sb3"), ("cpu", "auto"))
    monkeypatch.setattr("hotlap.training.gpu_presets.gpu_is_there", lambda: True)
    tried = [(one.learner, one.device, one.cars) for one in trainings_of(request)]
    assert tried == [("hotlap", "cpu", 4), ("hotlap", "auto", 64), ("sb3", "cpu", 4), ("sb3", "auto", 4)]


def test_first_clean_lap_below_the_mark_is_noted_and_slower_or_cut_ones_are_not():
    watch = Stopwatch(7.333, 6.55)
    for info in ({"lapTicks": 440, "lapClean": True}, {"lapTicks": 300, "lapClean": False}, {"tick": 1}):
        watch.locals = {"infos": [info]}
        watch._on_step()
        assert watch.beaten_s == [None, None]
    watch.locals = {"infos": [{"tick": 1}, {"lapTicks": 439, "lapClean": True}]}
    watch._on_step()
    first, near = watch.beaten_s
    assert first is not None
    assert near is None
    watch._on_step()
    assert watch.beaten_s == [first, None]


def test_time_in_the_world_is_counted():
    env = VecNormalize(make_vec_env("racer", 2))
    watch = Stopwatch(None)
    watch.model = type("Model", (), {"get_env": lambda self: env})()
    watch._on_training_start()
    env.reset()
    assert watch.world_s == 0.0
    env.step(env.action_space.sample()[None].repeat(2, axis=0))
    assert watch.world_s > 0.0
    assert isinstance(env.unwrapped.world, RacerWorld)
