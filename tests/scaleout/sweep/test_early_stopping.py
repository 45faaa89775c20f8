"""Runs that look at each other, and what they leave on disk."""

import json
from dataclasses import replace

import numpy as np
import pytest

from hotlap.checkpoints import list_checkpoints, read_document, save_checkpoint, write_document
from hotlap.checkpoints.checkpoint import Checkpoint
from hotlap.errors import SweepError
from hotlap.scaleout.sweep import trial_process
from hotlap.scaleout.sweep.early_stopping import TakeOver, choose_donor, evaluations_of, goes_on, next_comparison
from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.spec import HalvingSettings, PopulationSettings, SweepSpec
from hotlap.scaleout.sweep.trial_process import take_over
from hotlap.training.config import config_document

POPULATION = SweepSpec(
    samples=2, population=PopulationSettings(every_steps=10), search={"ppo": {"gamma": {"uniform": [0.9, 0.99]}}}
)


def test_the_first_at_a_rung_goes_on_and_then_only_the_best_third():
    assert goes_on((0.0, 1.0), [], 3)
    assert not goes_on((0.5, 0.0), [(0.6, 0.0)], 3)
    assert goes_on((0.5, 9.0), [(0.6, 0.0), (0.1, 0.0), (0.2, 0.0)], 3)
    assert not goes_on((0.1, 9.0), [(0.6, 0.0), (0.3, 0.0), (0.2, 0.0)], 3)


def test_a_later_part_of_the_score_counts_only_where_the_earlier_ones_are_equal():
    assert goes_on((1.0, 0.5), [(1.0, 0.4), (0.9, 1.0)], 3)
    assert not goes_on((1.0, 0.4), [(1.0, 0.5), (0.9, 1.0)], 3)


def test_rungs_lie_a_factor_apart_and_looks_at_the_population_a_distance():
    halving = SweepSpec(halving=HalvingSettings(first_rung=100, factor=4))
    assert [next_comparison(halving, compared) for compared in ([], [100], [100, 400])] == [100, 400, 1600]
    assert [next_comparison(POPULATION, compared) for compared in ([], [10, 20])] == [10, 30]
    assert next_comparison(SweepSpec(), []) is None


def test_only_the_worst_take_over_and_only_from_the_best():
    latest = {f"run-{number}": (float(number),) for number in range(8)}
    rng = np.random.default_rng(0)
    donors = {name: {choose_donor(name, latest, 0.25, rng) for _ in range(30)} for name in latest}
    assert donors["run-0"] == donors["run-1"] == {"run-6", "run-7"}
    assert all(donors[f"run-{number}"] == {None} for number in range(2, 8))
    assert choose_donor("run-0", {"run-0": (0.0,)}, 0.25, rng) is None


def test_evaluations_are_read_from_the_curve(tmp_path):
    lines = [{"step": 1, "seconds": 0.1, "reward": 2.0}, {"step": 5, "seconds": 0.2, "score": [1, 0.5]}]
    (tmp_path / "curve.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert evaluations_of(tmp_path) == [(5, (1, 0.5))]


def make_population(tmp_path):
    """A run with checkpoints at 10 and 30, and a better one with them at 10 and 20."""
    folder = SweepFolder(tmp_path / "sweep")
    folder.begin(POPULATION)
    worse, better = folder.names()
    for name, steps in ((worse, (10, 30)), (better, (10, 20))):
        (folder.runs / name).mkdir()
        config = config_document(folder.record(name).trial.config)
        write_document(folder.runs / name / "run.json", {"config": config, "physics_fingerprint": "racer-1:0"})
        for step in steps:
            save_checkpoint(
                folder.runs / name, Checkpoint(step, {"policy": {"w": np.full(2, float(step))}}, {"counters": {}})
            )
    return folder, worse, better


def test_a_run_that_takes_over_goes_on_at_the_donors_step_with_settings_of_its_own(tmp_path):
    folder, worse, better = make_population(tmp_path)
    take_over(folder, worse, TakeOver(better, {"ppo.gamma": 0.95, "seed": 0}))
    assert sorted(path.name[-2:] for path in list_checkpoints(folder.runs / worse)) == ["10", "20"]
    assert read_document(folder.runs / worse / "run.json")["config"]["ppo"]["gamma"] == 0.95
    assert folder.record(worse).taken_over == ({"step": 20, "from": better, "point": {"ppo.gamma": 0.95, "seed": 0}},)


def test_a_take_over_that_is_cut_off_never_leaves_newer_weights_with_the_settings_for_others(tmp_path, monkeypatch):
    folder, worse, better = make_population(tmp_path)

    def cut_off(run, _document):
        raise KeyboardInterrupt(run / "run.json")

    monkeypatch.setattr(trial_process, "write_run_document", cut_off)
    with pytest.raises(KeyboardInterrupt, match=r"run\.json"):
        take_over(folder, worse, TakeOver(better, {"ppo.gamma": 0.95, "seed": 0}))
    assert max(path.name[-2:] for path in list_checkpoints(folder.runs / worse)) == "20"
    monkeypatch.undo()
    trial_process.finish_take_over(folder.runs / worse)
    assert read_document(folder.runs / worse / "run.json")["config"]["ppo"]["gamma"] == 0.95


def test_a_sweep_is_opened_again_only_with_its_own_spec(tmp_path):
    folder = SweepFolder(tmp_path / "sweep")
    folder.begin(POPULATION)
    assert folder.spec() == POPULATION
    folder.set_state(folder.names()[0], "finished")
    folder.begin(POPULATION)
    assert folder.unfinished() == folder.names()[1:]
    with pytest.raises(SweepError, match="another spec"):
        folder.begin(replace(POPULATION, samples=3))
