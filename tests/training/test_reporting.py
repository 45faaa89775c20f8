"""`hotlap train`, `resume` and `runs` as a person or a script meets them."""

import io
import json
import sys

import pytest

from hotlap import cli
from hotlap.racer.config import RewardWeights
from hotlap.training import racing, reporting
from hotlap.training.config import load_preset
from hotlap.training.progress import ProgressBar
from hotlap.training.train import train
from training.tiny_runs import scalars, tiny_config

pytestmark = pytest.mark.integration
TINY = (
    *("--cars", "4", "--network.hidden", "8", "--ppo.n-steps", "16", "--ppo.batch-size", "32", "--ppo.n-epochs", "1"),
    *("--evaluation.every-steps", "0", "--evaluation.steps", "100", "--checkpoint-every", "64"),
)


@pytest.fixture(autouse=True)
def short_final_evaluation(monkeypatch):
    """The table at the end is the evaluation's business and has tests there."""
    whole = racing.evaluate
    monkeypatch.setattr(racing, "evaluate", lambda *args, **more: whole(*args, **(more | {"with_human": False})))


def test_training_ends_with_a_table_and_what_to_do_next(tmp_path, capsys):
    assert cli.main(["train", "--steps", "128", *TINY, "--root", str(tmp_path)]) == 0
    said = capsys.readouterr()
    run = tmp_path / "racer-ppo-1"
    assert said.err == ""
    assert "Circuit · track-01" in said.out
    assert "128 steps in " in said.out
    for line in (
        f"tensorboard --logdir {run}/tensorboard",
        f"hotlap play {run}",
        f"hotlap evaluate {run} --report report.html",
        f"hotlap resume {run} --steps 256",
        f"hotlap export policy {run}",
    ):
        assert line in said.out


def test_json_is_one_object_on_stdout(tmp_path, capsys):
    assert cli.main(["train", "--steps", "128", *TINY, "--root", str(tmp_path), "--name", "mine", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["run"] == str(tmp_path / "mine")
    assert (result["step"], result["finished"]) == (128, True)
    assert result["steps_per_second"] > 0
    assert set(result["evaluation"]["tracks"]) == {"track-01"}
    assert cli.main(["resume", "mine", "--root", str(tmp_path), "--steps", "192", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["step"] == 192
    assert said.err == f"going on with {tmp_path / 'mine'} at step 128 of 192\n"


@pytest.mark.parametrize(
    "words", [["racer-sac", "--steps", "7"], ["--steps", "7", "racer-sac"], ["--steps=7", "--cars", "3", "racer-sac"]]
)
def test_preset_counts_wherever_it_stands_and_options_change_it(words, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(reporting, "train_and_tell", lambda config, name, *_, **__: asked.append((config, name)) or 0)
    assert cli.main(["train", *words, "--sac.tau", "0.5", "--racer.tracks", "track-02", "track-03"]) == 0
    [(config, name)] = asked
    assert (config.algorithm, config.steps, config.sac.tau) == ("sac", 7, 0.5)
    assert config.racer.tracks == ("track-02", "track-03")
    assert config.cars == (3 if "--cars" in words else load_preset("racer-sac").cars)
    assert name == "racer-sac-*"


def test_own_preset_file_starts_from_the_defaults(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(reporting, "train_and_tell", lambda config, name, *_, **__: asked.append((config, name)) or 0)
    path = tmp_path / "mine.toml"
    path.write_text('algorithm = "sac"\n[sac]\ngamma = 0.5\n', encoding="utf-8")
    assert cli.main(["train", str(path)]) == 0
    [(config, name)] = asked
    assert (config.algorithm, config.sac.gamma, config.ppo.gamma) == ("sac", 0.5, 0.985)
    assert name == "mine-*"


def test_ai_config_file_takes_the_place_of_the_presets_rewards(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(reporting, "train_and_tell", lambda config, *_, **__: asked.append(config) or 0)
    path = tmp_path / "ai-config.json"
    path.write_text('{"weights": {"wallPenalty": -0.5}, "episode": {"maxSteps": 700}}', encoding="utf-8")
    words = ["train", "--ai-config", str(path), "racer-ppo", "--racer.config.episode.maxSteps", "900"]
    assert cli.main(words) == 0
    [config] = asked
    assert (config.racer.config.weights.wallPenalty, config.racer.config.episode.maxSteps) == (-0.5, 900)
    assert config.racer.config.weights.offTrackPenalty == RewardWeights().offTrackPenalty


@pytest.mark.parametrize(("word", "supervised"), [("--highway.supervisor", True), ("--highway.no-supervisor", False)])
@pytest.mark.parametrize("preset", ["highway-ppo", "highway-dqn"])
def test_a_switch_can_be_put_either_way_whatever_the_preset_says(preset, word, supervised, monkeypatch):
    asked = []
    monkeypatch.setattr(reporting, "train_and_tell", lambda config, *_, **__: asked.append(config) or 0)
    assert cli.main(["train", preset, word]) == 0
    assert asked[0].highway.supervisor == supervised


def test_help_of_a_preset_shows_its_values(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["train", "racer-sac", "--help"])
    assert stop.value.code == 0
    assert "(default: sac)" in capsys.readouterr().out


def test_runs_are_listed_with_their_best_figures(tmp_path, capsys):
    assert cli.main(["runs", "--root", str(tmp_path / "none")]) == 0
    assert "no runs under" in capsys.readouterr().out
    train(tiny_config(steps=128), "one", tmp_path)
    train(tiny_config("sac", steps=64), "two", tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{}", encoding="utf-8")
    (tmp_path / "no-run").mkdir()
    assert cli.main(["runs", "--root", str(tmp_path)]) == 0
    broken, one, two = capsys.readouterr().out.splitlines()
    assert broken.startswith("broken  cannot be read")
    assert one.split() == ["one", "racer", "ppo", "128", "of", "128", "steps", "no", "clean", "lap", "yet"]
    assert "sac" in two
    assert cli.main(["runs", "--root", str(tmp_path), "--json"]) == 0
    rows = {row["run"]: row for row in json.loads(capsys.readouterr().out)}
    assert (rows["one"]["step"], rows["one"]["settings"]["tracks"]) == (128, ["track-01"])


def test_track_file_of_ones_own_is_trained_and_shown(tmp_path, capsys):
    assert cli.main(["tracks", "generate", "7", "--difficulty", "easy", "--output", str(tmp_path / "mine.json")]) == 0
    capsys.readouterr()
    words = ("--racer.tracks", str(tmp_path / "mine.json"))
    assert cli.main(["train", "--steps", "64", *TINY, *words, "--root", str(tmp_path / "runs"), "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["evaluation"]["tracks"]) == {"mine"}


def test_range_of_generated_tracks_is_measured_on_its_first(tmp_path):
    config = tiny_config(steps=64, racer={"tracks": ["generated:1-9:easy"]})
    result = train(config, "run", tmp_path)
    assert list(result.best.laps) == [f"generated:{seed}:easy" for seed in (1, 2, 3)]
    assert "eval/generated:2:easy/completion" in scalars(result.run)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_bar_shows_what_matters_on_a_terminal_and_nothing_elsewhere(tmp_path, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    train(tiny_config(), "seen", tmp_path)
    assert "step/s" in terminal.getvalue()
    assert "reward " in terminal.getvalue()
    assert "completion 0%" in terminal.getvalue()
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    train(tiny_config(), "unseen", tmp_path)
    assert pipe.getvalue() == ""


def test_bar_names_the_best_clean_lap_once_there_is_one():
    from hotlap.training.session import open_session  # noqa: PLC0415 - only this test looks inside

    session = open_session(tiny_config())
    bar = ProgressBar(session)
    assert bar.facts() == ""
    session.metrics.best_clean_lap_s = 7.25
    session.metrics.recent_completions.extend([True, False, False, False])
    session.model.ep_info_buffer = [{"r": 1.0}, {"r": 2.0}]
    assert bar.facts() == "reward 1.50, completion 25%, best clean lap 7.250 s"


def test_evaluations_are_in_tensorboard_by_track(tmp_path):
    config = tiny_config(evaluation={"every_steps": 128, "tracks": ["track-01", "track-03"]})
    run = train(config, "run", tmp_path).run
    tags = scalars(run)
    for track in ("track-01", "track-03"):
        assert [step for step, _ in tags[f"eval/{track}/completion"]] == [128, 256, 384]
