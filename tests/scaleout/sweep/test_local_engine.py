"""Sweeps on local processes: killed and gone on with, stopped early, and learning from each other."""

import contextlib
import json
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from hotlap.checkpoints import list_checkpoints, read_document
from hotlap.cli import main
from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.local_engine import run_on_processes
from hotlap.scaleout.sweep.spec import load_spec

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
SMALL = """
evaluate_on = ["track-01"]
[set]
steps = 1024
cars = 8
checkpoint_every = "1"
[set.network]
hidden = [4]
[set.ppo]
n_steps = 16
batch_size = 64
n_epochs = 1
[set.evaluation]
steps = 100
"""


def write_spec(folder, text):
    (folder / "spec.toml").write_text(text)
    return folder / "spec.toml"


def begun(folder, text):
    sweep = SweepFolder(folder / "sweep")
    sweep.begin(load_spec(write_spec(folder, text)))
    return sweep


def test_a_killed_sweep_goes_on_where_it_was(tmp_path, capsys):
    spec = write_spec(tmp_path, SMALL + "every_steps = 256\n")
    words = ["sweep", str(spec), "--workers", "1", "--root", str(tmp_path / "sweeps"), "--json"]
    folder = SweepFolder(tmp_path / "sweeps" / "spec")
    process = subprocess.Popen([sys.executable, "-m", "hotlap.cli", *words], stderr=subprocess.DEVNULL)
    run, end_s = folder.runs / "racer-ppo-0000", time.monotonic() + 300
    while not list_checkpoints(run):
        assert time.monotonic() < end_s
        with contextlib.suppress(subprocess.TimeoutExpired):
            raise AssertionError(process.wait(0.02))
    process.kill()
    process.wait()
    assert main(words) == 0
    results = json.loads(capsys.readouterr().out)
    assert [trial["state"] for trial in results["trials"]] == ["finished"]
    assert "going on with" in (folder.logs / "racer-ppo-0000.log").read_text()
    assert read_document(folder.path / "results.json") == results


def test_a_run_that_is_worse_at_a_rung_is_stopped_early_and_saved(tmp_path):
    folder = begun(tmp_path, f"seeds = [0, 1]\n{SMALL}[halving]\nfirst_rung = 256\nfactor = 3")
    good, worse = folder.names()
    folder.write(replace(folder.record(good), state="finished", scores={256: (9.0,), 768: (9.0,)}))
    run_on_processes(folder, [worse], 1, print)
    record = folder.record(worse)
    assert (record.state, list(record.scores)) == ("stopped early", [256])
    saved = [int(path.name.removeprefix("step-")) for path in list_checkpoints(folder.runs / worse)]
    assert 256 <= max(saved) < 768


def test_the_worst_of_a_population_goes_on_with_the_weights_of_the_best(tmp_path):
    text = f"samples = 2\n{SMALL}[search.ppo]\ngamma = {{ uniform = [0.9, 0.99] }}\n[population]\nevery_steps = 384"
    folder = begun(tmp_path, text)
    best, worst = folder.names()
    run_on_processes(folder, [best], 1, print)
    assert folder.record(best).state == "finished"
    # Such beginners drive all alike; say that this one is better.
    folder.write(replace(folder.record(best), scores={384: (9.0,)}))
    run_on_processes(folder, [worst], 1, print)
    record = folder.record(worst)
    assert record.state == "finished"
    assert {each["from"] for each in record.taken_over} == {best}
    gamma = read_document(folder.runs / worst / "run.json")["config"]["ppo"]["gamma"]
    assert gamma == record.taken_over[-1]["point"]["ppo.gamma"]
