"""`hotlap evaluate` and `hotlap compare` as people and machines use them."""

import json

import pytest

from hotlap import cli
from hotlap.errors import ConfigError
from hotlap.evaluation import DriveLimits, evaluate
from hotlap.evaluation.compare import QUANTITIES, compare_document
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


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
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
    difference = result["difference"]["track-01"]["delay"]["0"]
    standing = [result[side]["tracks"]["track-01"]["delay"]["0"]["standing_lap_s"] for side in "ab"]
    assert difference["standing_lap_s"] == pytest.approx(standing[1] - standing[0])
    assert difference["standing_lap_s"] > 2.0
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
    with pytest.raises(ConfigError, match="different tracks"):
        compare_document(first, second)
