"""What Ray adds to a sweep, on engines that take no time."""

import pytest
from benchmarks.ray_sweep import Comparison, SweepMeasurement, Took, compare, timed

from benchmarks import ray_sweep
from hotlap.checkpoints import write_document
from hotlap.errors import ConfigError, SweepError
from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.spec import SweepSpec


def train_at_once(folder, names):
    for name in names:
        (folder.runs / name).mkdir()
        write_document(folder.runs / name / "run.json", {})
        folder.set_state(name, "finished")


def test_what_is_added_is_a_share_of_the_bare_trainings():
    found = Comparison(bare=Took(whole_s=200.0, first_s=3.0), ray=Took(whole_s=215.0, first_s=9.0))
    assert (found.added_percent, found.start_s) == (pytest.approx(7.5), 6.0)


def test_both_sides_train_the_same_and_the_bare_ones_before_and_after(monkeypatch):
    seen = []

    def engine(kind):
        def run(folder, names, *_):
            seen.append((kind, [folder.record(name).trial.config for name in names]))
            train_at_once(folder, names)

        return run

    monkeypatch.setattr(ray_sweep, "load_ray", lambda *_: None)
    monkeypatch.setattr(ray_sweep, "run_on_processes", engine("processes"))
    monkeypatch.setattr(ray_sweep, "run_on_ray", engine("ray"))
    compare(SweepMeasurement(runs=4, steps=1000, workers=2))
    assert [kind for kind, _ in seen] == ["processes", "ray", "processes"]
    assert seen[0][1] + seen[2][1] == seen[1][1]
    assert [(config.seed, config.steps) for config in seen[1][1]] == [(seed, 1000) for seed in range(4)]


def test_trainings_that_did_not_finish_are_not_compared(tmp_path):
    folder = SweepFolder(tmp_path / "sweep")
    folder.begin(SweepSpec(seeds=(0, 1)))
    with pytest.raises(SweepError, match="racer-ppo-0001 did not finish"):
        timed(lambda folder, names: train_at_once(folder, names[:1]), folder, folder.names())


@pytest.mark.parametrize("changes", [{"runs": 6}, {"runs": 0}, {"steps": 0}])
def test_trainings_that_would_leave_cores_idle_are_refused(changes):
    with pytest.raises(ConfigError, match="multiple of 4"):
        SweepMeasurement(**{"runs": 8, "workers": 2, **changes})
