"""`hotlap evaluate` and `hotlap compare` as people and machines use them."""

import json

import pytest

from hotlap import cli
from hotlap.errors import ConfigError
from hotlap.evaluation import DriveLimits, evaluate
from hotlap.evaluation.compare import compare_document
from hotlap.evaluation.racer.quantities import QUANTITIES
from hotlap.policies.exploits import Parking
from policies.tiny_models import linear_model

QUICK = ["--track", "track-01", "--laps", "2", "--steps", "800"]
KEYS = {
    "gates",
    "gates_completed",
    "grid_completed",
    "standing_lap_s",
    "flying_best_clean_s",
    "flying_mean_clean_s",
    "reference_lap_s",
    "percent_over_reference",
    "wall_ticks",
    "off_road_ticks",
    "return",
}


@pytest.fixture
def slow_run(tmp_path):
    """A run whose policy steers by its rays, slowly and not well."""
    run = tmp_path / "slow-one"
    run.mkdir()
    (run / "policy.onnx").write_bytes(linear_model(bias=(0.0, 0.16, 0.0), steer_gain=3.0).SerializeToString())
    return run


def test_json_has_the_promised_shape(capsys):
    assert cli.main(["evaluate", "reference", *QUICK, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["driver"] == "reference"
    assert set(result["tracks"]) == {"track-01"}
    track = result["tracks"]["track-01"]
    assert set(track["delay"]) == {"0", "1"}
    for delay, figures in track["delay"].items():
        assert figures.keys() >= KEYS
        assert figures["delay"] == int(delay)
        assert figures["gates_completed"] == figures["gates"] == 30
        assert figures["grid_completed"] is True
    assert track["delay"]["0"]["standing_lap_s"] == 488 / 60
    assert track["original"]["flying_best_s"] == 7.333
    assert track["human"].keys() >= KEYS
    assert track["reference"]["lap_s"] == 385 / 60


def test_table_names_the_driver_and_every_yardstick(slow_run, capsys):
    assert cli.main(["evaluate", str(slow_run), *QUICK]) == 0
    printed = capsys.readouterr()
    for words in ("Circuit · track-01", "slow-one", "1 tick late", "casual human", "original driver", "reference lap"):
        assert words in printed.out
    assert "7.333" in printed.out
    assert "…" not in printed.out
    assert "driving slow-one on track-01" in printed.err


def test_falling_short_of_what_was_required_exits_with_one(slow_run, capsys):
    assert cli.main(["evaluate", str(slow_run), *QUICK, "--require-percent", "3", "--json"]) == 1
    printed = capsys.readouterr()
    assert "below what was asked: track-01, delay 0" in printed.err
    json.loads(printed.out)
    assert (
        cli.main(["evaluate", "reference", "--track", "track-01", "--laps", "3", "--require-percent", "1", "--json"])
        == 0
    )


def test_report_is_written_and_never_over_another(slow_run, tmp_path, capsys):
    report = tmp_path / "report.html"
    words = ["evaluate", str(slow_run), *QUICK, "--report", str(report)]
    assert cli.main(words) == 0
    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert cli.main(words) == 2
    assert "Use --force" in capsys.readouterr().err
    assert cli.main([*words, "--force"]) == 0


def saved(tmp_path, capsys, *words):
    """The evaluation of a driver as a file, and its path."""
    assert cli.main(["evaluate", *words, "--json", "--root", str(tmp_path / "none")]) == 0
    path = tmp_path / "base.json"
    path.write_text(capsys.readouterr().out)
    return path


def test_driver_worse_than_its_base_exits_with_one_and_says_where(slow_run, tmp_path, capsys):
    base = saved(tmp_path, capsys, "reference", *QUICK)
    words = ["evaluate", str(slow_run), *QUICK, "--root", str(tmp_path / "none"), "--against"]
    assert cli.main([*words, str(base)]) == 1
    assert "track-01, no delay: standing lap, s" in capsys.readouterr().err
    assert cli.main([*words, str(slow_run)]) == 0
    assert "no figure is worse" in capsys.readouterr().err


def test_several_drivers_are_measured_as_each_would_be_alone(slow_run, tmp_path, capsys):
    options = [*QUICK, "--root", str(tmp_path / "none"), "--json"]
    alone = []
    for driver in ("reference", str(slow_run)):
        assert cli.main(["evaluate", driver, *options]) == 0
        alone.append(json.loads(capsys.readouterr().out))
    assert cli.main(["evaluate", "reference", str(slow_run), *options]) == 0
    assert json.loads(capsys.readouterr().out) == alone
    assert cli.main(["evaluate", "reference", str(slow_run), *options, "--require-percent", "3"]) == 1
    assert "below what was asked" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--report", "page.html"], ["--against", "last"]])
def test_what_is_about_one_driver_is_refused_for_several(option, tmp_path, capsys):
    words = ["evaluate", "reference", "human", *QUICK, "--root", str(tmp_path), *option]
    assert cli.main(words) == 2
    assert "is about one driver" in capsys.readouterr().err


def test_evaluation_of_something_else_is_no_base(tmp_path, capsys):
    base = saved(tmp_path, capsys, "reference", *QUICK)
    assert cli.main(["evaluate", "reference", "--track", "track-01", "--laps", "3", "--against", str(base)]) == 2
    assert "Do both in the same way" in capsys.readouterr().err
    base.write_text("[]")
    assert cli.main(["evaluate", "reference", *QUICK, "--against", str(base)]) == 2
    assert "no evaluation" in capsys.readouterr().err


def test_driver_that_got_worse_fails_every_night_until_it_is_accepted(slow_run, tmp_path, capsys):
    root = ["--root", str(tmp_path / "runs")]
    assert cli.main(["evaluate", "reference", *QUICK, *root, "--against", "last"]) == 3
    nightly = ["evaluate", str(slow_run), *QUICK, *root, "--against", "last"]
    assert [cli.main(nightly), cli.main(nightly)] == [1, 1]
    assert cli.main(["evaluate", "--history", "5", *root]) == 0
    assert capsys.readouterr().out.count("failed") == 2
    assert cli.main(["evaluate", str(slow_run), *QUICK, *root]) == 0
    assert cli.main(nightly) == 0


def test_last_evaluation_is_in_the_history(slow_run, tmp_path, capsys):
    words = ["evaluate", str(slow_run), *QUICK, "--root", str(tmp_path / "runs"), "--against", "last"]
    assert cli.main(words) == 3
    assert "nothing to set slow-one against yet" in capsys.readouterr().err
    assert cli.main(words) == 0
    assert "no figure is worse than those of slow-one of 20" in capsys.readouterr().err
    assert cli.main(["evaluate", "--history", "5", "--json", "--root", str(tmp_path / "runs")]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [entry["id"] for entry in entries] == [2, 1]
    assert entries[0]["driver"] == "slow-one"
    assert cli.main(["evaluate", "--history", "5", "--root", str(tmp_path / "runs")]) == 0
    assert "slow-one" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["evaluate"], "no driver to evaluate"),
        (["evaluate", "reference", "--vehicles", "20"], "an option of the highway"),
        (["evaluate", "reference", "--episodes-file", "x.jsonl"], "episodes are of the highway"),
        (["evaluate", "expert", "--laps", "3"], "an option of the racer"),
        (["evaluate", "expert", "--require-percent", "3"], "about laps"),
        (["evaluate", "expert", "--vehicles", "41"], "from 0 to 40"),
        (["evaluate", "expert", "--vehicles", "20", "20"], "each once"),
        (["evaluate", "expert", "--missions", "crusie"], 'Did you mean "cruise"?'),
        (["evaluate", "expert", "--episodes", "0"], "from 1 to 100000"),
        (["evaluate", "expert", "--orders", "-1"], "orders must be from 0 to 10000"),
        (["evaluate", "reference", "--orders", "3"], "an option of the highway"),
        (["evaluate", "--config", "missing.toml"], "cannot be read as TOML"),
        (["evaluate", "--history", "3", "--root", "nowhere"], "no such folder"),
        (["compare", "reference", "expert"], "Compare like with like"),
        (["evaluate", "referenc"], 'Did you mean "reference"?'),
        (["evaluate", "reference", "--track", "trak-01"], 'Did you mean "track-01"?'),
        (["evaluate", "reference", "--track", "generated:1:hrad"], 'Did you mean "hard"?'),
        (["evaluate", "reference", "--track", "track-01", "track-01"], "asked for twice"),
        (["evaluate", "reference", "--laps", "1"], "2 laps or more"),
        (["evaluate", "missing.onnx"], "No such file"),
        (["evaluate", "reference", "--report", "."], "is a folder"),
        (["compare", "reference", "humn"], 'Did you mean "human"?'),
    ],
)
def test_mistake_exits_with_two_and_says_what_would_be_right(words, complaint, capsys):
    assert cli.main(words) == 2
    assert complaint in capsys.readouterr().err


def test_track_files_can_be_driven(tmp_path, capsys):
    assert cli.main(["tracks", "generate", "3", "--difficulty", "easy", "--output", str(tmp_path / "mine.json")]) == 0
    capsys.readouterr()
    words = ["evaluate", "human", "--track", str(tmp_path / "mine.json"), "--laps", "2", "--steps", "200", "--json"]
    assert cli.main(words) == 0
    [track] = json.loads(capsys.readouterr().out)["tracks"].values()
    assert track["original"] is None
    assert track["reference"]["lap_s"] > 5.0


def test_comparison_subtracts_the_first_from_the_second(capsys):
    assert cli.main(["compare", "reference", "human", *QUICK, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    difference = result["difference"]["track-01, no delay"]
    standing = [result[side]["tracks"]["track-01"]["delay"]["0"]["standing_lap_s"] for side in "ab"]
    slower = difference["standing_lap_s"]
    assert slower["difference"]["value"] == pytest.approx(standing[1] - standing[0])
    assert slower["difference"]["value"] > 2.0
    assert slower["direction"] == "worse"
    assert len(difference) == len(QUANTITIES)


def test_comparison_table_shows_both_and_the_difference(capsys):
    assert cli.main(["compare", "reference", "reference", *QUICK]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["standing", "lap,", "s", "8.133", "8.133", "="] in rows
    assert ["standing", "lap,", "s", "8.150", "8.150", "="] in rows


def test_what_one_driver_lacks_has_no_difference(capsys):
    assert cli.main(["compare", "reference", "human", "--track", "track-01", "--laps", "2", "--steps", "400"]) == 0
    assert "–" in capsys.readouterr().out


def test_evaluations_of_different_tracks_are_not_compared():
    limits = DriveLimits(laps=2, steps=100)
    first, second = (evaluate(Parking(), track, limits=limits, with_human=False) for track in ("track-01", "track-02"))
    with pytest.raises(ConfigError, match="different places"):
        compare_document(first, second)
