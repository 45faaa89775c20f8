"""What is wrong with the place is said before the first step."""

import os
from functools import partial

import pytest

from checkpoints.sample_runs import on_small_disk, run_child
from hotlap.checkpoints import (
    Checkpoint,
    RunLock,
    check_writable,
    list_checkpoints,
    load_checkpoint,
    new_run_folder,
    newest_checkpoint,
    prune_checkpoints,
    read_document,
    save_checkpoint,
    write_document,
)
from hotlap.errors import HotlapError, RunFolderError


def test_folder_that_can_be_written_passes_and_stays_empty(tmp_path):
    check_writable(tmp_path / "runs")
    assert [path.name for path in tmp_path.rglob("*")] == ["runs"]


def test_disk_with_too_little_room_is_refused(tmp_path):
    with pytest.raises(RunFolderError, match=r"only .* MB are free, and a run needs 1,000,000,000,000 MB\. Make room"):
        check_writable(tmp_path, needed_bytes=10**18)


def as_nobody(work, folder):
    """Do the work without the rights of root, if we have them; it must be refused in our own words."""
    if os.geteuid() == 0:
        os.setuid(65534)
    with pytest.raises(HotlapError, match="Permission denied"):
        work(folder)


@pytest.mark.parametrize(
    "work",
    [
        check_writable,
        list_checkpoints,
        lambda run: RunLock(run).acquire(),
        lambda run: load_checkpoint(run / "checkpoints" / "step-000000000001"),
        lambda run: newest_checkpoint(run, print),
        lambda run: new_run_folder(run / "checkpoints", "mine"),
        lambda run: prune_checkpoints(run, 1),
        lambda run: read_document(run / "run.json"),
        lambda run: save_checkpoint(run, Checkpoint(2)),
        lambda run: write_document(run / "run.json", {}),
    ],
)
def test_folder_without_permission_is_refused(tmp_path, work):
    run = new_run_folder(tmp_path, "mine")
    save_checkpoint(run, Checkpoint(1))
    run.chmod(0)
    assert run_child(partial(as_nobody, work, run)) == 0
    run.chmod(0o700)


def test_place_where_nobody_may_write_is_refused():
    with pytest.raises(RunFolderError, match="cannot be written"):
        check_writable("/proc/hotlap-runs")


def test_full_disk_is_refused_before_the_first_step(tmp_path):
    done = on_small_disk(tmp_path, "64k", "check_writable(disk)")
    assert "RunFolderError" in done.stderr
    assert "0 MB are free" in done.stderr
