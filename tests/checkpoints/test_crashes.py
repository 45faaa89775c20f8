"""Killed at any moment, refused any call: what was saved before is always still there."""

import itertools
import os
import random
import select
import shutil
import signal
import time
from functools import partial

import pytest

from checkpoints.file_operations import KILLED, fail_at, kill_at, recorded_operations
from checkpoints.sample_runs import (
    assert_intact,
    assert_same,
    assert_usable,
    go_on,
    run_child,
    sample_checkpoint,
    start_child,
    wait_for,
)
from hotlap.checkpoints import (
    RunLock,
    list_checkpoints,
    newest_checkpoint,
    prune_checkpoints,
    read_document,
    save_checkpoint,
    write_document,
)
from hotlap.errors import CheckpointWriteError, RunFolderError


def prune_to_one(run):
    """Remove all checkpoints but the last."""
    prune_checkpoints(run, keep_last=1)


def save_again(run):
    """Replace the newest checkpoint by one of the same step."""
    with RunLock(run):
        save_checkpoint(run, sample_checkpoint(2))


def prepare(run):
    """A run with two checkpoints and a document."""
    run.mkdir()
    for step in (1, 2):
        save_checkpoint(run, sample_checkpoint(step))
    write_document(run / "best.json", {"step": 2})
    return run


def sweep(folder, work):
    """For every file operation of the work its number and a fresh run to do it on."""
    template = prepare(folder / "template")
    run = shutil.copytree(template, folder / "run")
    calls = len(recorded_operations(lambda: work(run)))
    assert calls > 25  # so many there are at least
    for call in range(calls):
        shutil.rmtree(run)
        yield call, shutil.copytree(template, run)


def assert_nothing_lost(run):
    """All listed checkpoints are intact, the newest is not older than before, and the run goes on."""
    for path in list_checkpoints(run):
        assert_intact(path)
    lines = []
    assert newest_checkpoint(run, lines.append).step >= 2
    assert all("half written" in line for line in lines)
    assert read_document(run / "best.json")["step"] in {2, 3}
    with RunLock(run):
        assert_usable(run, 4)


def work_until_killed(work, run, call, torn):
    with kill_at(call, torn=torn):
        work(run)


@pytest.mark.parametrize("torn", [False, True], ids=["between calls", "within a write"])
@pytest.mark.parametrize("work", [go_on, save_again, prune_to_one])
def test_kill_at_every_file_operation_loses_nothing(quick_folder, work, torn):
    for call, run in sweep(quick_folder, work):
        assert run_child(partial(work_until_killed, work, run, call, torn)) == KILLED
        assert_nothing_lost(run)


def test_kill_at_every_file_operation_of_the_first_save_leaves_a_run_that_can_start(quick_folder):
    calls = len(recorded_operations(lambda: save_checkpoint(quick_folder, sample_checkpoint(1))))
    for call in range(calls):
        run = quick_folder / f"run-{call}"
        run.mkdir()
        work = partial(save_checkpoint, checkpoint=sample_checkpoint(1))
        assert run_child(partial(work_until_killed, work, run, call, True)) == KILLED
        for path in list_checkpoints(run):
            assert_intact(path)
        assert_usable(run, 2)


@pytest.mark.parametrize("forever", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("work", [go_on, save_again, prune_to_one])
def test_error_at_every_file_operation_is_said_and_loses_nothing(quick_folder, work, forever):
    refusals = set()
    for call, run in sweep(quick_folder, work):
        with fail_at(call, forever=forever):
            try:
                work(run)
            except (CheckpointWriteError, RunFolderError) as problem:
                refusals.add(str(problem).split(": ")[1])
        assert_nothing_lost(run)
    assert refusals
    assert all("(No space left on device)" in refusal for refusal in refusals)


# Kill -9 at random moments


def save_for_ever(run, first_step, acknowledge):
    """A trainer that does nothing but save, and says so after each."""
    with RunLock(run):
        for step in itertools.count(first_step):
            save_checkpoint(run, sample_checkpoint(step))
            os.write(acknowledge, step.to_bytes(8, "little"))
            prune_checkpoints(run, keep_last=2)


def kill_after(run, first_step, saves, then_s):
    """Let a trainer save so many times and a moment longer, kill it, and return the last step it said it had saved."""
    reader, writer = os.pipe()
    pid = start_child(lambda: save_for_ever(run, first_step, writer))
    os.close(writer)
    for _ in range(saves):
        os.read(reader, 8)
    select.select([], [], [], then_s)
    os.kill(pid, signal.SIGKILL)
    assert wait_for(pid) == -signal.SIGKILL
    unread = len(os.read(reader, 1 << 16)) // 8
    os.close(reader)
    return first_step - 1 + saves + unread


def seconds_of_a_save(run):
    begin_s = time.monotonic()
    run_child(lambda: save_checkpoint(run, sample_checkpoint(0)))
    return time.monotonic() - begin_s


def kill_many_times(run, kills):
    """Kill as many trainers as asked, each in or after its first saves; returns how many were hit while saving."""
    rng = random.Random(kills)
    step, hits, save_s = 0, 0, seconds_of_a_save(run)
    for _ in range(kills):
        acknowledged = kill_after(run, step + 1, rng.randrange(3), rng.uniform(0, 1.5 * save_s))
        lines = []
        newest = newest_checkpoint(run, lines.append)
        # Nothing acknowledged is lost, and nothing is there beyond the one save under way.
        assert acknowledged <= newest.step <= acknowledged + 1
        assert all("half written" in line for line in lines)
        assert_same(newest, sample_checkpoint(newest.step))
        for path in list_checkpoints(run):
            assert_intact(path)
        step, hits = newest.step, hits + len(lines)
    return hits


def test_kill_9_at_random_moments_loses_no_checkpoint(tmp_path):
    assert kill_many_times(tmp_path, 30) > 0  # some were hit while saving


@pytest.mark.soak
@pytest.mark.timeout(720)
def test_kill_9_500_times_loses_no_checkpoint(tmp_path):
    assert kill_many_times(tmp_path, 500) > 25
