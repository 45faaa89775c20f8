"""A sweep on Ray Tune, over two raylets, and what is left of it when they are killed."""

import contextlib
import json
import os
import subprocess
import sys
import time

import pytest

from hotlap.checkpoints import list_checkpoints
from hotlap.scaleout.sweep.folder import SweepFolder

pytestmark = pytest.mark.ray
SPEC = """
seeds = {seeds}
evaluate_on = ["track-01"]
[set]
steps = 1536
cars = 16
checkpoint_every = "1"
[set.network]
hidden = [8]
[set.ppo]
n_steps = 16
batch_size = 128
n_epochs = 1
[set.evaluation]
every_steps = 0
steps = 100
[search.ppo]
gamma = {{ grid = [0.95, 0.98] }}
"""


def sweep(folder, address):
    command = [sys.executable, "-m", "hotlap.cli", "sweep", "spec.toml", "--on", "ray", "--address", address, "--json"]
    # A driver waits a minute for a cluster that is gone; five seconds will do here.
    patience = {"RAY_gcs_rpc_server_reconnect_timeout_s": "5"}
    return subprocess.Popen(
        command, cwd=folder, env=os.environ | patience, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_until(happened, process, seconds):
    """Look again and again, as long as the process that should do it lives."""
    end_s = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end_s, "it did not happen in time"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            raise AssertionError(process.communicate())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("runs", [4, pytest.param(8, marks=pytest.mark.soak)])
def test_a_sweep_survives_the_death_of_its_cluster_and_loses_no_finished_run(tmp_path, runs, cluster_to_kill, cluster):
    (tmp_path / "spec.toml").write_text(SPEC.format(seeds=list(range(runs // 2))))
    folder = SweepFolder(tmp_path / "sweeps" / "spec")
    interrupted = sweep(tmp_path, cluster_to_kill.address)

    def finished():
        return [each.trial.name for each in folder.records() if each.state == "finished"] if folder.exists else []

    wait_until(finished, interrupted, 300)
    cluster_to_kill.kill()
    interrupted.communicate(timeout=120)
    assert interrupted.returncode != 0
    done = finished()
    saved = {name: [path.stat().st_mtime_ns for path in list_checkpoints(folder.runs / name)] for name in done}
    assert 1 <= len(done) < runs

    again = sweep(tmp_path, cluster.address)
    out, err = again.communicate(timeout=300)
    assert again.returncode == 0, err
    assert [trial["state"] for trial in json.loads(out)["trials"]] == ["finished"] * runs
    for name in done:
        assert [path.stat().st_mtime_ns for path in list_checkpoints(folder.runs / name)] == saved[name]
        assert "going on" not in (folder.logs / f"{name}.log").read_text()
