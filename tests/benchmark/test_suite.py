"""`hotlap suite`: the tasks are whole, scores and interquartile means are what they claim, a tiny real one resumes."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from hotlap import cli
from hotlap.benchmark.suite.page import cells
from hotlap.benchmark.suite.results import scores_of, summary
from hotlap.benchmark.suite.side_by_side import core_shares
from hotlap.benchmark.suite.tasks import load_suite
from hotlap.evaluation.measures import Measure, Quantity
from hotlap.evaluation.request import DEFAULT
from hotlap.evaluation.statistics import exact, interquartile_mean
from hotlap.settings import merged

SUITE = load_suite()
CONTESTANTS = [(task, name) for task, each in SUITE.tasks.items() for name in each.algorithms]


def test_suite_has_the_tasks_that_people_cite():
    assert SUITE.version == 1
    assert list(SUITE.tasks) == ["classic", "gt", "generalist", "race", "highway"]
    assert set(SUITE.algorithms()) == {"ppo", "ppo-taught", "sac", "dqn"}
    assert all("ppo" in task.algorithms for task in SUITE.tasks.values())


@pytest.mark.parametrize(("task", "algorithm"), CONTESTANTS)
def test_every_contestant_can_be_configured_and_its_evaluation_is_one(task, algorithm):
    config = SUITE.tasks[task].algorithms[algorithm].config(7, None)
    assert (config.seed, config.device) == (7, "cpu")
    assert config.algorithm == algorithm.removesuffix("-taught")
    assert (config.teacher.steps > 0) == algorithm.endswith("-taught")
    assert SUITE.tasks[task].algorithms[algorithm].config(7, 123).steps == 123
    merged(DEFAULT, SUITE.tasks[task].evaluation, task)


def test_no_track_that_the_generalist_is_evaluated_on_is_trained_on():
    trained = SUITE.tasks["generalist"].algorithms["ppo"].config(0, None).racer.tracks
    assert trained == ("generated:1000-1019:easy", "generated:1000-1029:medium", "generated:1000-1099:hard")
    assert not any(track.startswith("generated:1") for track in SUITE.tasks["generalist"].evaluation["track"])


def measured(place, **values):
    return [
        Measure(place, Quantity(name, name, "", 1), None if value is None else exact(value))
        for name, value in values.items()
    ]


def test_score_is_the_product_of_its_measures_and_the_mean_over_places():
    task = SUITE.tasks["classic"]
    whole = measured("no delay", gates_completed=30, percent_over_reference=0.0, wall_ticks=5)
    half = measured("late", gates_completed=15, percent_over_reference=25.0)
    assert task.score(whole) == 1.0
    assert task.score(half) == 0.25
    assert task.score([*whole, *half, *measured("elsewhere", wall_ticks=1)]) == 0.625
    assert task.score(measured("none", gates_completed=30, percent_over_reference=None)) == 0.0
    assert task.score(measured("slow", gates_completed=30, percent_over_reference=400.0)) == 0.0


def test_interquartile_mean_leaves_out_a_quarter_at_either_end():
    assert interquartile_mean([[0.0, 1.0, 2.0, 100.0]]).value == 1.5
    assert interquartile_mean([[0.0, 1.0], [2.0, 100.0]]).value == 1.5
    assert interquartile_mean([[3.0]]) == exact(3.0)
    assert interquartile_mean([[1.0, 2.0, 6.0]]).value == 3.0  # too few to leave any out


def test_interval_of_the_bootstrap_holds_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(200):
        estimate = interquartile_mean([rng.normal(size=20) for _ in range(3)], draws=300)
        held += estimate.low <= 0.0 <= estimate.high
    assert 0.87 <= held / 200 <= 0.99


def result(task, algorithm, seed, score):
    return {"task": task, "algorithm": algorithm, "seed": seed, "score": score}


def test_all_tasks_together_count_only_algorithms_with_a_result_in_each():
    results = [
        *(result("classic", name, seed, 0.5) for name in ("ppo", "sac") for seed in (1, 0)),
        *(result("highway", name, 0, 0.9) for name in ("ppo", "dqn")),
    ]
    document = summary(SUITE, None, results)
    assert list(document["all_tasks"]) == ["ppo"]
    assert document["all_tasks"]["ppo"]["iqm"]["value"] == pytest.approx((0.5 + 0.5 + 0.9) / 3)
    assert list(document["tasks"]["highway"]) == ["ppo", "dqn"]
    assert scores_of(SUITE, [result("classic", "ppo", 1, 0.1), result("classic", "ppo", 0, 0.2)]) == {
        "classic": {"ppo": [0.2, 0.1]}
    }


def test_table_shows_an_interval_only_where_there_are_several_seeds():
    document = summary(
        SUITE, None, [*(result("classic", "ppo", seed, 0.5) for seed in (0, 1)), result("gt", "ppo", 0, 1)]
    )
    assert cells(document["tasks"]["classic"]["ppo"]) == ["2", "0.500", "0.500–0.500"]
    assert cells(document["tasks"]["gt"]["ppo"]) == ["1", "1.000", "–"]


@pytest.mark.integration
def test_tiny_suite_trains_evaluates_resumes_and_draws(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["suite", "tiny", "--tasks", "classic", "--steps", "2000", "--json"]
    assert cli.main([*words, "--seeds", "1"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert {name: len(entry["scores"]["classic"]) for name, entry in first["tasks"]["classic"].items()} == {
        "ppo": 1, "sac": 1,
    }  # fmt: skip
    made = (tmp_path / "tiny" / "results" / "classic-ppo-0.json").stat().st_mtime_ns
    assert cli.main([*words, "--seeds", "2", "--algorithms", "ppo"]) == 0
    printed = capsys.readouterr()
    assert "1 of 2 trainings are done" in printed.err
    assert len(json.loads(printed.out)["tasks"]["classic"]["ppo"]["scores"]["classic"]) == 2
    assert (tmp_path / "tiny" / "results" / "classic-ppo-0.json").stat().st_mtime_ns == made
    page = (tmp_path / "tiny" / "results.html").read_text(encoding="utf-8")
    titles = [
        each.text
        for each in ET.fromstring(page.removeprefix("<!DOCTYPE html>\n")).iter()  # noqa: S314
        if each.tag.endswith("title")
    ]
    assert "Scores: classic" in titles


@pytest.mark.integration
def test_suite_of_two_workers_finds_the_scores_of_one_and_keeps_what_each_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["--tasks", "classic", "--algorithms", "ppo", "--steps", "20000", "--seeds", "2", "--json"]
    assert cli.main(["suite", "alone", *words]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert cli.main(["suite", "shared", "--workers", "2", *words]) == 0
    assert json.loads(capsys.readouterr().out) == alone
    assert sorted(log.name for log in (tmp_path / "shared" / "logs").iterdir()) == [
        "classic-ppo-0.log", "classic-ppo-1.log",
    ]  # fmt: skip


def test_training_that_fails_beside_others_is_named_and_the_suite_is_not_done(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("hotlap.benchmark.suite.side_by_side.MODULE", "hotlap.no_such_module")
    folder = tmp_path / "suite"
    words = ["--tasks", "classic", "--algorithms", "ppo", "--seeds", "2", "--workers", "2"]
    assert cli.main(["suite", str(folder), *words]) == 1
    log = folder / "logs" / "classic-ppo-0.log"
    assert f"classic-ppo-0: failed, see {log}" in capsys.readouterr().err
    assert "no_such_module" in log.read_text(encoding="utf-8")


def test_every_worker_has_cores_and_no_core_is_idle():
    assert core_shares((0, 1, 2, 5, 6), 2) == [(0, 1), (2, 5, 6)]
    assert core_shares((3, 4), 2) == [(3,), (4,)]
    assert core_shares((3, 4), 3) == [[3], [4], [3]]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--tasks", "clasic"], 'no task "clasic". Did you mean "classic"?'),
        (["--algorithms", "td3"], 'no algorithm "td3"'),
        (["--seeds", "0"], "--seeds must be from 1"),
        (["--workers", "0"], "--workers must be from 1"),
        (["--steps", "0"], "--steps must be 1 or more"),
        (["--steps", "5", "--tasks", "race"], "was begun with steps 7, and this is 5"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_trained(words, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite-v1").mkdir()
    (tmp_path / "suite-v1" / "suite.json").write_text('{"suite": 1, "steps": 7}', encoding="utf-8")
    assert cli.main(["suite", *words]) == 2
    assert complaint in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "suite-v1").iterdir()] == ["suite.json"]
