"""Out of disk, at any byte: the checkpoint before stays, the error says so, and training may go on."""

from functools import partial

import pytest

from checkpoints.sample_runs import (
    assert_same,
    assert_usable,
    on_small_disk,
    run_child,
    sample_checkpoint,
)
from hotlap.checkpoints import (
    list_checkpoints,
    newest_checkpoint,
    prune_checkpoints,
    read_document,
    save_checkpoint,
    step_of,
    write_document,
)
from hotlap.errors import CheckpointWriteError
from small_disk import largest_file


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
    script = "from checkpoints.test_full_disk import fill_and_go_on\nfill_and_go_on(disk)\n"
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
