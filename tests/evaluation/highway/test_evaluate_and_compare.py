"""`hotlap evaluate` and `hotlap compare` on the highway."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from evaluation.highway.tiny_highway import highway_model
from hotlap import cli
from hotlap.evaluation.highway.episodes import read_episodes
from hotlap.evaluation.highway.figures import QUANTITIES, figures_of
from hotlap.evaluation.highway.order_sentences import KINDS

EXAMPLE = Path(__file__).parents[3] / "evals" / "highway_cruise.toml"
QUICK = ["--vehicles", "6", "--episodes", "3", "--orders", "1"]


@pytest.fixture
def run(tmp_path):
    """A run whose policy holds its speed and hits who is ahead."""
    run = tmp_path / "runs" / "blind"
    run.mkdir(parents=True)
    (run / "policy.onnx").write_bytes(highway_model().SerializeToString())
    (run / "curve.jsonl").write_text(
        '{"step": 1, "seconds": 1, "reward": 2}\n{"step": 2, "seconds": 2, "reward": 3}\n'
        '{"step": 2, "seconds": 2, "evaluation": {"eval/overtake_done_percent": 80}}\n'
    )
    return run


def evaluated(run, *words):
    return cli.main(["evaluate", "blind", *QUICK, "--root", str(run.parent), *words])


def test_json_episodes_and_report_come_from_one_drive(run, tmp_path, capsys):
    files = ["--episodes-file", str(tmp_path / "episodes.jsonl"), "--report", str(tmp_path / "report.html")]
    assert evaluated(run, "--no-baselines", "--json", *files) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["world"], document["driver"]) == ("highway", "blind")
    assert document["setup"] == {"vehicles": [6], "episodes": 3, "first_episode": 0, "missions": "mixed", "orders": 1}
    drive, episodes = read_episodes(tmp_path / "episodes.jsonl")
    assert (drive.driver, len(episodes)) == ("blind", 6)
    alone = figures_of([episode for episode in episodes if not episode.supervised])
    assert alone.plain() == document["densities"]["6"]["alone"]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    tree = ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))  # noqa: S314 - our own page
    titles = [title.text for title in tree.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == [
        "Missions done during training: overtake",
        "Reward during training", "Missions done, by mode", "Speed in the first episode", "Lane in the first episode",
    ]  # fmt: skip
    assert "10 spoken, supervised" in page
    assert [each["kind"] for each in document["orders"]] == list(KINDS)
    assert "<script" not in page


def test_table_has_the_driver_with_intervals_and_every_baseline(run, capsys):
    assert evaluated(run) == 0
    printed = capsys.readouterr()
    for words in ("6 vehicles · 3 episodes", "blind", "supervised", "zero", "random", "guarded", "cruise", "expert"):
        assert words in printed.out
    assert "orders spoken to blind, supervised" in printed.out
    assert "change of mind" in printed.out
    assert "…" not in printed.out
    assert "Interventions / hour by rule, supervised: " in printed.out
    assert "–" in printed.out
    assert "driving blind on the highway" in printed.err


def test_worse_driver_exits_with_one_and_names_the_figure(run, tmp_path, capsys):
    base = tmp_path / "base.json"
    crowded = ["--vehicles", "30", "--episodes", "10", "--orders", "0", "--root", str(run.parent)]
    assert cli.main(["evaluate", "expert", *crowded, "--no-baselines", "--json"]) == 0
    base.write_text(capsys.readouterr().out)
    assert cli.main(["evaluate", "blind", *crowded, "--no-baselines", "--against", str(base)]) == 1
    assert "worse than expert" in (err := capsys.readouterr().err)
    assert "30 vehicles: lane change done, %" in err
    assert cli.main(["evaluate", "expert", *crowded, "--no-baselines", "--against", str(base)]) == 0
    assert "no figure is worse" in capsys.readouterr().err


def test_comparison_has_intervals_and_directions(run, capsys):
    words = ["compare", "expert", "blind", "--vehicles", "30", "--episodes", "8", "--orders", "0"]
    words += ["--root", str(run.parent)]
    assert cli.main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["difference"]["30 vehicles"]
    assert set(found) == {quantity.name for quantity in QUANTITIES}
    changes = found["lane_change_done_percent"]
    assert changes["direction"] == "worse"
    assert changes["difference"]["low"] <= changes["difference"]["value"] < changes["difference"]["high"] < 0.0
    assert cli.main(words) == 0
    assert "worse" in capsys.readouterr().out


def test_example_of_a_configuration_works_and_its_thresholds_count(tmp_path, capsys):
    quick = tmp_path / "quick.toml"
    text = EXAMPLE.read_text(encoding="utf-8")
    for old, new in (("episodes = 100", "episodes = 2"), ("vehicles = [8, 20, 40]", "vehicles = [6]")):
        assert old in text
        text = text.replace(old, new)
    quick.write_text(text)
    root = ["--root", str(tmp_path / "none")]
    assert cli.main(["evaluate", "--config", str(quick), "--json", *root]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["driver"], document["setup"]["missions"]) == ("expert", "cruise")
    assert cli.main(["evaluate", "zero", "--config", str(quick), "--json", *root]) == 1
    assert "below what was asked: 6 vehicles: cruise done, %" in capsys.readouterr().err
    assert cli.main(["evaluate", "--config", str(quick), "--episodes", "7"]) == 2
    assert "Say it there" in capsys.readouterr().err
    shutil.copy(quick, tmp_path / "typo.toml")
    (tmp_path / "typo.toml").write_text(text.replace("missions =", "mission ="))
    assert cli.main(["evaluate", "--config", str(tmp_path / "typo.toml")]) == 2
    assert 'Did you mean "missions"?' in capsys.readouterr().err
