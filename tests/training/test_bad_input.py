"""What cannot work is refused before the first step, in words, and leaves nothing behind."""

import subprocess
import sys

import pytest

from hotlap import cli
from hotlap.checkpoints import RunLock, run_folder
from hotlap.checkpoints.run_files import read_run_document, write_run_document
from hotlap.errors import (
    CheckpointError,
    ConfigError,
    HotlapError,
    RunFolderError,
    TrainingError,
    UnknownTrackError,
)
from hotlap.training import event_log
from hotlap.training.config import TrainConfig, config_document, config_from_document, load_preset, preset_names
from hotlap.training.track_sets import expand_tracks
from hotlap.training.train import resume, train
from training.tiny_runs import steps_saved, tiny_config

FIELDS = [
    ("steps", 0, "steps must be from 1"),
    ("cars", 0, "cars must be from 1"),
    ("cars", 2_000_000, "cars must be from 1"),
    ("seed", -1, "seed must be from 0"),
    ("torch_threads", 0, "torch_threads must be from 1"),
    ("steps", 1.5, "must be a whole number"),
    ("algorithm", "pp0", 'Did you mean "ppo"? Known: ppo, sac'),
    ("world", "racr", 'Did you mean "racer"?'),
    ("stepz", 3, 'has no key "stepz". Did you mean "steps"?'),
    ("racer", {"tracks": []}, "at least one track"),
    ("racer", {"observation": "ful"}, 'Did you mean "full"?'),
    ("racer", {"config": {"weights": {"progres": 1}}}, 'Did you mean "progress"?'),
    ("racer", "track-01", "must be a mapping"),
    ("network", {"hidden": []}, "network.hidden"),
    ("network", {"hidden": [0]}, "network.hidden"),
    ("network", {"activation": "rellu"}, 'Did you mean "relu"?'),
    ("ppo", {"n_steps": 0}, "ppo.n_steps"),
    ("ppo", {"learning_rate": 0.0}, "ppo.learning_rate"),
    ("ppo", {"learning_rate": float("nan")}, "finite"),
    ("ppo", {"gamma": 1.01}, "ppo.gamma must be from 0 to 1"),
    ("ppo", {"batch_size": 1}, "ppo.batch_size"),
    ("sac", {"tau": -0.1}, "sac.tau"),
    ("sac", {"ent_coef": "atuo"}, "sac.ent_coef"),
    ("sac", {"ent_coef": "-1"}, "sac.ent_coef"),
    ("sac", {"gradient_steps": 0}, "sac.gradient_steps"),
    ("checkpoint", {"keep_last": 0}, "checkpoint.keep_last"),
    ("checkpoint", {"first_past": -1}, "checkpoint.first_past"),
    ("checkpoint", {"every_seconds": 60.0}, 'has no key "every_seconds"'),
    ("checkpoint_every", "-1", "checkpoint_every must be steps such as 200000, or seconds such as 60s"),
    ("checkpoint_every", "1m", "checkpoint_every must be"),
    ("checkpoint_every", 60, "checkpoint_every does not fit"),
    ("evaluation", {"every_steps": -1}, "evaluation.every_steps"),
    ("evaluation", {"steps": 99}, "evaluation.steps must be from 100"),
]


@pytest.mark.parametrize(("key", "value", "message"), FIELDS)
def test_setting_that_cannot_work_is_named(key, value, message):
    with pytest.raises(ConfigError) as refusal:
        config_from_document({key: value})
    assert message in str(refusal.value)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_loads_and_survives_the_way_to_disk_and_back(name):
    config = load_preset(name)
    assert config_from_document(config_document(config)) == config
    assert config != TrainConfig()


def test_presets_the_issue_names_are_there():
    assert {"racer-ppo", "racer-sac", "racer-generalist"} <= set(preset_names())
    assert load_preset("racer-sac").algorithm == "sac"


def test_unknown_preset_is_refused_with_the_nearest(capsys):
    assert cli.main(["train", "racer-poo"]) == 2
    assert 'no preset "racer-poo". Did you mean "racer-ppo"?' in capsys.readouterr().err


def test_own_preset_that_cannot_be_read_is_named(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    assert cli.main(["train", str(path)]) == 2
    assert "mine.toml: cannot be read as TOML" in capsys.readouterr().err
    path.write_text("steps = ", encoding="utf-8")
    assert cli.main(["train", str(path)]) == 2
    assert "mine.toml: cannot be read as TOML" in capsys.readouterr().err
    path.write_text("[ppo]\nlearnin_rate = 1\n", encoding="utf-8")
    assert cli.main(["train", str(path)]) == 2
    assert 'Did you mean "learning_rate"?' in capsys.readouterr().err


@pytest.mark.parametrize(("words", "hint"), [(["--algorithm", "pp0"], "ppo"), (["--ppo.gama", "1"], "--ppo.gamma")])
def test_unknown_option_is_refused_with_the_nearest(words, hint, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["train", *words])
    assert stop.value.code == 2
    assert hint in capsys.readouterr().err


def refused(tmp_path, error: type[HotlapError], match: str, **changes) -> None:
    """Training with these changes is refused, and the folder for the runs holds nothing afterwards."""
    with pytest.raises(error, match=match):
        train(tiny_config(**changes), "run", tmp_path / "runs")
    assert not (tmp_path / "runs" / "run").exists()


def test_unknown_track_is_refused_before_anything_is_made(tmp_path):
    refused(tmp_path, UnknownTrackError, 'Did you mean "track-01"', racer={"tracks": ["trak-01"]})
    refused(tmp_path, UnknownTrackError, 'Did you mean "track-02"', evaluation={"tracks": ["trak-02"]})


@pytest.mark.parametrize("key", ["initial_action", "log_std_init", "log_std_end"])
def test_numbers_for_actions_that_are_not_there_are_refused(key, tmp_path):
    refused(tmp_path, ConfigError, f"network.{key} needs 3 numbers", network={key: [0.0, 0.0]})


def test_network_wider_than_the_tiles_names_what_would_do(tmp_path):
    sentence = r"up to 1,024 units, not 2,000\. Make network\.hidden smaller, or train with --learner sb3"
    refused(tmp_path, ConfigError, sentence, network={"hidden": [64, 2000]})


@pytest.mark.integration
def test_checkpoint_of_the_other_learner_is_named_and_left_alone(tmp_path):
    run = train(tiny_config(learner="sb3", steps=64), "run", tmp_path).run
    with RunLock(run):
        document = read_run_document(run)
        write_run_document(run, {**document, "config": {**document["config"], "learner": "hotlap"}})
    with pytest.raises(
        CheckpointError, match=r"its learner is 'sb3', and run\.json says 'hotlap'\. Remove that folder"
    ):
        resume(run, steps=128)
    assert steps_saved(run) == [64]


def test_sac_asks_for_one_first_action_per_control_too(tmp_path):
    refused(tmp_path, ConfigError, "initial_action needs 3 numbers", algorithm="sac", network={"initial_action": [0.0]})


def test_existing_run_asks_for_resume_or_another_name(tmp_path):
    (tmp_path / "run" / "checkpoints").mkdir(parents=True)
    with pytest.raises(RunFolderError, match=r'exists already. Continue it with "hotlap resume .*", or .* --name'):
        train(tiny_config(), "run", tmp_path)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["checkpoints"]


@pytest.mark.parametrize("name", ["../run", "a/b", "", "con", "x" * 99, "*/*"])
def test_name_that_leads_elsewhere_is_refused(name, tmp_path):
    with pytest.raises(RunFolderError, match="cannot name a run"):
        train(tiny_config(), name, tmp_path / "runs")
    assert not list(tmp_path.iterdir())


def test_file_in_place_of_the_folder_is_said_before_the_first_step(tmp_path):
    (tmp_path / "runs").write_text("in the way", encoding="utf-8")
    with pytest.raises(RunFolderError, match=r"runs.*cannot be written"):
        train(tiny_config(), "run", tmp_path / "runs")


def test_full_disk_is_said_before_the_first_step(tmp_path, monkeypatch):
    monkeypatch.setattr(run_folder, "LEAST_FREE_BYTES", 1 << 60)
    monkeypatch.setattr(run_folder.check_writable, "__defaults__", (1 << 60,))
    refused(tmp_path, RunFolderError, "MB are free")


def test_missing_tensorboard_is_said_before_the_first_step(tmp_path, monkeypatch):
    def missing(name: str):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(event_log.importlib, "import_module", missing)
    refused(tmp_path, TrainingError, r"TensorBoard cannot be loaded .*pip install tensorboard")


@pytest.mark.integration
def test_command_without_tensorboard_says_so(tmp_path):
    """As it is where the package is not installed: every import of it fails."""
    script = "import sys; sys.modules['tensorboard'] = None; from hotlap.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", script, "train", "--root", str(tmp_path / "runs")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hotlap: TensorBoard cannot be loaded")
    assert not (tmp_path / "runs").exists()


def test_range_of_tracks_is_written_out():
    assert expand_tracks(["track-01", "generated:3-5:hard", "generated:7"]) == [
        *("track-01", "generated:3:hard", "generated:4:hard", "generated:5:hard", "generated:7")
    ]


@pytest.mark.parametrize("name", ["generated:5-3:easy", "generated:a-b", "generated:-3", "generated:0-99999999999"])
def test_range_of_tracks_that_is_none_is_refused(name):
    with pytest.raises(ConfigError, match=r"range of tracks|tracks a run may have"):
        expand_tracks([name])


@pytest.mark.integration
@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_one_car_and_fewer_steps_than_a_rollout_are_enough(algorithm, tmp_path):
    result = train(tiny_config(algorithm, cars=1, steps=1), "run", tmp_path)
    assert result.step == (16 if algorithm == "ppo" else 2)
    assert (result.run / "policy.onnx").is_file()


def test_single_sample_is_refused():
    with pytest.raises(ConfigError, match="n_steps must be at least 2"):
        tiny_config(cars=1, ppo={"n_steps": 1})


@pytest.mark.integration
def test_star_in_a_name_is_the_first_free_number(tmp_path):
    (tmp_path / "mine-1").mkdir()
    names = [train(tiny_config(steps=1), "mine-*", tmp_path).run.name for _ in range(2)]
    assert names == ["mine-2", "mine-3"]


@pytest.mark.integration
def test_folder_of_a_trainer_that_was_killed_at_once_is_taken_over(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "lock").write_text("99999999", encoding="ascii")
    assert train(tiny_config(steps=1), "run", tmp_path).run == tmp_path / "run"
