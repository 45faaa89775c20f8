"""Out of power: nothing is named before it is on the disk, and no name is relied on before it is there itself."""

import itertools
from pathlib import Path

import pytest

from checkpoints.file_operations import CHANGES, RENAMES, recorded_operations
from checkpoints.sample_runs import (
    go_on_from_nothing,
    sample_checkpoint,
)
from hotlap.checkpoints import (
    new_run_folder,
    prune_checkpoints,
    save_checkpoint,
    write_document,
)


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
