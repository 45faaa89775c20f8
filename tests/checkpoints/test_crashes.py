"""Killed, out of disk, out of power: what was saved before is always still there."""

import contextlib
import itertools
import os
import random
import resource
import select
import shutil
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from checkpoints.file_operations import CHANGES, KILLED, RENAMES, fail_at, kill_at, recorded_operations
from checkpoints.sample_runs import (
    assert_intact,
    assert_same,
    assert_usable,
    on_small_disk,
    run_child,
    sample_checkpoint,
    start_child,
    wait_for,
)
from hotlap.checkpoints import (
    Checkpoint,
    RunLock,
    list_checkpoints,
    load_checkpoint,
    new_run_folder,
    newest_checkpoint,
    prune_checkpoints,
    read_document,
    save_checkpoint,
    step_of,
    write_document,
)
from hotlap.errors import CheckpointWriteError, RunFolderError


def go_on(run):
    """What a trainer does between two rollouts: lock, save, note the best, prune."""
    with RunLock(run):
        save_checkpoint(run, sample_checkpoint(3))
        write_document(run / "best.json", {"step": 3})
        prune_checkpoints(run, keep_last=2)


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


# Order of reaching the disk


def assert_durable(log):
    """Whatever a rename publishes was synced after its last change, and the new name is synced before the next rename.

    Returns how many renames published something that was written.
    """
    published = 0
    for index, (name, source, target) in enumerate(log):
        if name == "mkdir" and ".saving-" not in source:
            assert ("fsync", parent_of(source), None) in until_next_rename(log[index:]), f"{source} may be lost"
        if name in RENAMES:
            assert ("fsync", parent_of(target), None) in until_next_rename(log[index + 1 :]), f"{target} may be lost"
            published += assert_synced(source, log[:index])
    return published


def assert_synced(source, before):
    """Every file of `source` that was written is synced, and so are the names in it; tells whether there were any."""
    written = {path for name, path, _ in before if name == "write" and path.startswith(source)}
    for path in written | ({source} if written else set()):
        last_write = max(at for at, (name, file, _) in enumerate(before) if name == "write" and file.startswith(path))
        assert ("fsync", path, None) in before[last_write:], f"{path} may be lost"
    return bool(written)


def until_next_rename(log):
    return list(itertools.takewhile(lambda entry: entry[0] not in RENAMES, log))


def parent_of(path):
    return str(Path(path).parent)


def test_every_rename_follows_the_sync_of_what_it_names_and_is_synced_itself(tmp_path):
    def work():
        run = new_run_folder(tmp_path / "new" / "runs", "run")
        for step in (1, 2, 2, 3):
            save_checkpoint(run, sample_checkpoint(step))
            write_document(run / "run.json", {"step": step})
        prune_checkpoints(run, keep_last=1)

    assert assert_durable(recorded_operations(work)) == 8


def test_manifest_is_written_last(tmp_path):
    log = recorded_operations(lambda: save_checkpoint(tmp_path, sample_checkpoint(1)))
    opened = [Path(path).name for name, path, _ in log if name == "open"]
    files = [name for name in opened if "." in name and not name.startswith(".")]
    assert len(files) == 7
    assert files[-1] == "manifest.json"


@pytest.mark.parametrize("missing", ["files", "folder", "parent"])
def test_check_of_the_order_finds_a_missing_sync(tmp_path, missing):
    log = recorded_operations(lambda: save_checkpoint(tmp_path, sample_checkpoint(1)))
    kinds = {"files": ".safetensors", "folder": ".saving-step-000000000001", "parent": "/checkpoints"}
    damaged = [entry for entry in log if not (entry[0] == "fsync" and entry[1].endswith(kinds[missing]))]
    assert len(damaged) < len(log)
    with pytest.raises(AssertionError, match="may be lost"):
        assert_durable(damaged)


def test_every_operation_that_changes_files_is_watched(tmp_path):
    seen = {name for name, _, _ in recorded_operations(lambda: go_on_from_nothing(tmp_path))}
    assert seen == set(CHANGES)


def go_on_from_nothing(run):
    for step in (1, 2):
        save_checkpoint(run, sample_checkpoint(step))
    go_on(run)


# Disk full


@contextlib.contextmanager
def largest_file(size):
    """No file of this process may grow beyond the size: what a full disk does, at a byte of our choice."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def save_within(run, size):
    try:
        with largest_file(size):
            save_checkpoint(run, sample_checkpoint(2))
    except CheckpointWriteError as problem:
        said = str(problem)
    else:
        said = ""
    full = size < largest_sample_file_bytes(run)
    assert ("(File too large)" in said and "untouched" in said) == full
    newest = 1 if full else 2
    assert [step_of(path) for path in list_checkpoints(run)] == list(range(1, newest + 1))
    assert_same(newest_checkpoint(run, pytest.fail), sample_checkpoint(newest))
    assert_usable(run, 3)


def largest_sample_file_bytes(run):
    return max(file.stat().st_size for file in list_checkpoints(run)[0].iterdir())


def test_disk_full_at_any_byte_keeps_the_checkpoint_before_and_training_may_go_on(quick_folder):
    save_checkpoint(quick_folder, sample_checkpoint(1))
    largest = largest_sample_file_bytes(quick_folder)
    for size in [*range(0, largest, largest // 60), largest - 1, largest]:
        run = quick_folder / f"run-{size}"
        run.mkdir()
        save_checkpoint(run, sample_checkpoint(1))
        assert run_child(partial(save_within, run, size)) == 0


def test_disk_of_five_megabytes_fills_up_and_is_used_again_after_pruning(tmp_path):
    script = "from checkpoints.test_crashes import fill_and_go_on\nfill_and_go_on(disk)\n"
    done = on_small_disk(tmp_path, "5m", script)
    assert done.returncode == 0, done.stderr


def fill_and_go_on(disk):
    """Save until the disk is full; what is there stays intact; make room and go on."""
    with pytest.raises(CheckpointWriteError, match="No space left on device"):  # noqa: PT012 - one of the saves
        for step in range(20):
            save_checkpoint(disk, sample_checkpoint(step, floats=60_000))
    saved = [step_of(path) for path in list_checkpoints(disk)]
    assert len(saved) > 3
    assert_same(newest_checkpoint(disk, pytest.fail), sample_checkpoint(saved[-1], floats=60_000))
    prune_checkpoints(disk, keep_last=1)
    save_checkpoint(disk, sample_checkpoint(20, floats=60_000))
    assert [step_of(path) for path in list_checkpoints(disk)] == [saved[-1], 20]


def document_within(path, size):
    with largest_file(size), pytest.raises(CheckpointWriteError, match="cannot be written"):
        write_document(path, {"text": "new" * 100})
    assert read_document(path) == {"text": "old"}
    write_document(path, {"text": "new"})
    assert read_document(path) == {"text": "new"}


def test_disk_full_keeps_the_document_before(tmp_path):
    for size in range(0, 300, 30):
        write_document(tmp_path / "best.json", {"text": "old"})
        assert run_child(partial(document_within, tmp_path / "best.json", size)) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["best.json"]


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
    dice = random.Random(kills)
    step, hits, save_s = 0, 0, seconds_of_a_save(run)
    for _ in range(kills):
        acknowledged = kill_after(run, step + 1, dice.randrange(3), dice.uniform(0, 1.5 * save_s))
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


@pytest.mark.slow
@pytest.mark.timeout(720)
def test_kill_9_500_times_loses_no_checkpoint(tmp_path):
    assert kill_many_times(tmp_path, 500) > 25


# The clock


def test_wall_clock_is_never_asked(tmp_path, monkeypatch):
    def refuse():
        raise AssertionError("somebody asked the wall clock")

    monkeypatch.setattr(time, "time", refuse)
    monkeypatch.setattr(time, "time_ns", refuse)
    go_on_from_nothing(tmp_path)
    with RunLock(tmp_path), contextlib.suppress(Exception):
        RunLock(tmp_path).acquire()
    assert newest_checkpoint(tmp_path, pytest.fail).step == 3


def test_order_of_checkpoints_is_by_step_whatever_the_clock_said(tmp_path):
    for step, day in ((9, 3), (10, 2), (100, 1)):
        path = save_checkpoint(tmp_path, Checkpoint(step))
        for file in (*path.iterdir(), path):
            os.utime(file, (day * 86400, day * 86400))
    assert [step_of(path) for path in list_checkpoints(tmp_path)] == [9, 10, 100]
    assert newest_checkpoint(tmp_path, pytest.fail).step == 100
    prune_checkpoints(tmp_path, keep_last=1)
    assert load_checkpoint(list_checkpoints(tmp_path)[0]).step == 100
