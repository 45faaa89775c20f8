"""Clusters that are made or joined: who hears of them, who hears signals, and trainings that may save themselves."""

import importlib
import signal
import subprocess
import sys
import time

import pytest

from hotlap.scaleout.cluster import joined

pytestmark = pytest.mark.ray
LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
SAVES_WHEN_ALONE = "import sys; sys.stdin.read(); open(sys.argv[1], 'x').close()"


def start_and_wait(folder):
    """What watches over a training: its death is all that the training hears of."""
    command = [sys.executable, "-c", SAVES_WHEN_ALONE, str(folder / "saved")]
    subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0)
    (folder / "started").touch()
    signal.pause()


def check_that_a_training_outlives_its_watcher(ray, folder):
    task = ray.remote(max_retries=0)(start_and_wait).remote(folder)
    end_s = time.monotonic() + 60
    for name in ("started", "saved"):
        while not (folder / name).exists():
            assert time.monotonic() < end_s, f"it never {name}"
            ray.wait([task], timeout=0.1)
        ray.cancel(task, force=True)


@pytest.mark.timeout(600)
def test_a_cluster_of_this_machine_keeps_to_itself_and_ends_with_its_last_process(tmp_path):
    heard, began_s = [], time.time()
    before = signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
    try:
        with joined(cpus=1) as ray:
            assert ray.get(ray.remote(lambda: 6 * 7).remote()) == 42
            psutil = importlib.import_module("psutil")  # Ray brings it along, and has to be loaded first
            children = psutil.Process().children(recursive=True)
            family = [psutil.Process(), *(each for each in children if each.create_time() >= began_s)]
            ears = [each.laddr.ip for one in family for each in one.net_connections("tcp") if each.status == "LISTEN"]
            check_that_a_training_outlives_its_watcher(ray, tmp_path)
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]
    assert len(ears) > 3
    assert set(ears) <= LOOPBACK
    assert not psutil.wait_procs(family[1:], timeout=30)[1]


@pytest.mark.timeout(600)
def test_a_training_on_a_cluster_that_was_joined_outlives_its_watcher_too(tmp_path, cluster):
    with joined(cluster.address) as ray:
        check_that_a_training_outlives_its_watcher(ray, tmp_path)
