"""Truncated, flipped or missing: damage is found, said, and the checkpoint before is used."""

import dataclasses
import random
import shutil

import pytest

from checkpoints.sample_runs import assert_same, sample_checkpoint
from hotlap.checkpoints import (
    Checkpoint,
    list_checkpoints,
    load_checkpoint,
    newest_checkpoint,
    prune_checkpoints,
    read_document,
    save_checkpoint,
    step_of,
    verify_checkpoint,
    write_document,
    write_file,
)
from hotlap.errors import CheckpointError

FILES = (
    "config.json",
    "counters.json",
    "manifest.json",
    "optimizer.safetensors",
    "policy.onnx",
    "policy.safetensors",
    "replay.safetensors",
)


@pytest.fixture
def run(quick_folder):
    """A run of two checkpoints; tests damage the newer one."""
    for step in (1, 2):
        save_checkpoint(quick_folder, sample_checkpoint(step))
    return quick_folder


def newest(run):
    return run / "checkpoints" / "step-000000000002"


def assert_found(run):
    """The damage is refused by loading and by verifying, and the checkpoint before takes over with one line."""
    with pytest.raises(CheckpointError, match="is not an intact checkpoint"):
        load_checkpoint(newest(run))
    with pytest.raises(CheckpointError, match="is not an intact checkpoint"):
        verify_checkpoint(newest(run))
    lines = []
    assert newest_checkpoint(run, lines.append).step == 1
    assert len(lines) == 1
    assert "step-000000000002" in lines[0]
    assert "\n" not in lines[0]


def test_sample_has_every_kind_of_file(run):
    assert tuple(sorted(file.name for file in newest(run).iterdir())) == FILES


@pytest.mark.parametrize("name", FILES)
def test_truncation_at_every_kibibyte_is_found(run, name):
    file = newest(run) / name
    whole = file.read_bytes()
    for size in {1, len(whole) - 1, *range(0, len(whole), 1024)}:
        file.write_bytes(whole[:size])
        assert_found(run)
    file.write_bytes(whole + whole[-1:])
    assert_found(run)


def flip(data, bit):
    flipped = bytearray(data)
    flipped[bit // 8] ^= 1 << bit % 8
    return bytes(flipped)


def assert_flips_found(file, bits):
    whole = file.read_bytes()
    for bit in bits:
        file.write_bytes(flip(whole, bit))
        with pytest.raises(CheckpointError):
            load_checkpoint(file.parent)
    file.write_bytes(whole)
    load_checkpoint(file.parent)


@pytest.mark.parametrize("name", FILES)
def test_flipped_bit_is_found_and_the_checkpoint_before_is_used(run, name):
    file = newest(run) / name
    file.write_bytes(flip(file.read_bytes(), 4 * file.stat().st_size))
    assert_found(run)


def test_every_single_flipped_bit_of_the_manifest_is_found(quick_folder):
    """The manifest has no hash of its own: each of its bits must matter by itself."""
    path = save_checkpoint(quick_folder, Checkpoint(90, documents={"config": {}}, files={"policy.onnx": b"x"}))
    file = path / "manifest.json"
    assert_flips_found(file, range(8 * file.stat().st_size))


def test_ten_thousand_flipped_bits_are_found(run):
    rng = random.Random(0)
    for name in FILES:
        file = newest(run) / name
        assert_flips_found(file, rng.choices(range(8 * file.stat().st_size), k=10_000 // len(FILES) + 1))


@pytest.mark.parametrize("name", FILES)
def test_missing_file_is_found(run, name):
    (newest(run) / name).unlink()
    assert_found(run)


def test_files_of_two_checkpoints_cannot_be_mixed(run):
    older = run / "checkpoints" / "step-000000000001"
    shutil.copy(older / "policy.safetensors", newest(run) / "policy.safetensors")
    assert_found(run)


def test_renamed_checkpoint_is_found(run):
    newest(run).rename(run / "checkpoints" / "step-000000000007")
    with pytest.raises(CheckpointError, match="manifest is of step 2, whose folder is named step-000000000002"):
        load_checkpoint(run / "checkpoints" / "step-000000000007")


def test_file_that_nobody_listed_is_left_alone(run):
    (newest(run) / "notes.txt").write_text("mine", encoding="utf-8")
    assert_same(load_checkpoint(newest(run)), sample_checkpoint(2))


def test_half_written_checkpoints_are_skipped_with_a_line_each(run):
    folder = run / "checkpoints"
    shutil.copytree(newest(run), folder / ".saving-step-000000000004")
    shutil.copytree(newest(run), folder / "step-000000000003")
    (folder / "step-000000000003" / "manifest.json").unlink()
    assert [step_of(path) for path in list_checkpoints(run)] == [1, 2]
    lines = []
    assert newest_checkpoint(run, lines.append).step == 2
    assert [line.split(": ")[0] for line in lines] == [
        f"skipped {folder}/step-000000000004",
        f"skipped {folder}/step-000000000003",
    ]
    assert "half written" in lines[0]


def test_run_without_any_intact_checkpoint_says_what_to_do(run):
    for path in list_checkpoints(run):
        (path / "policy.onnx").write_bytes(b"")
    lines = []
    with pytest.raises(CheckpointError, match=r'no intact checkpoint.*"hotlap train"'):
        newest_checkpoint(run, lines.append)
    assert len(lines) == 2


def test_run_that_does_not_exist_has_no_checkpoints(tmp_path):
    assert list_checkpoints(tmp_path / "nowhere") == []
    with pytest.raises(CheckpointError, match="no intact checkpoint"):
        newest_checkpoint(tmp_path / "nowhere", pytest.fail)


def test_training_on_from_the_one_before_replaces_the_damaged_one(run):
    (newest(run) / "policy.onnx").write_bytes(b"")
    save_checkpoint(run, sample_checkpoint(2))
    assert_same(newest_checkpoint(run, pytest.fail), sample_checkpoint(2))
    assert [step_of(path) for path in list_checkpoints(run)] == [1, 2]


def test_replacement_counts_as_newer_than_what_it_replaced(run):
    shutil.copytree(newest(run), newest(run).with_name("step-000000000002.old"))
    (newest(run) / "policy.onnx").write_bytes(b"")
    lines = []
    assert newest_checkpoint(run, lines.append).step == 2
    assert [line.split(": ")[0] for line in lines] == [f"skipped {newest(run)}"]


# Pruning


def steps(run):
    return [step_of(path) for path in list_checkpoints(run)]


def test_pruning_keeps_the_last_few_and_the_steps_asked_for(quick_folder):
    for step in range(10):
        save_checkpoint(quick_folder, Checkpoint(step))
    prune_checkpoints(quick_folder, keep_last=3, keep={4, 77})
    assert steps(quick_folder) == [4, 7, 8, 9]
    assert len(list((quick_folder / "checkpoints").iterdir())) == 4


def test_pruning_never_removes_the_newest_that_is_intact(run):
    for step in (3, 4):
        path = save_checkpoint(run, sample_checkpoint(step))
        (path / "policy.safetensors").write_bytes(b"")
    prune_checkpoints(run, keep_last=1)
    assert steps(run) == [2, 4]
    assert newest_checkpoint(run, lambda _line: None).step == 2


def test_pruning_an_empty_run_does_nothing(tmp_path):
    prune_checkpoints(tmp_path, keep_last=1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("keep_last", [0, -1])
def test_pruning_everything_is_refused(run, keep_last):
    with pytest.raises(CheckpointError, match="Keep at least 1"):
        prune_checkpoints(run, keep_last=keep_last)
    assert steps(run) == [1, 2]


def test_pruning_removes_links_and_not_what_they_lead_to(run):
    precious = run / "precious"
    precious.mkdir()
    (precious / "file").write_text("mine", encoding="utf-8")
    (run / "checkpoints" / "step-000000000001" / "link").symlink_to(precious)
    (run / "checkpoints" / ".removing-step-000000000000").symlink_to(precious)
    prune_checkpoints(run, keep_last=1)
    assert steps(run) == [2]
    assert (precious / "file").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in (run / "checkpoints").iterdir()] == ["step-000000000002"]


# Documents


def test_document_is_replaced_whole(tmp_path):
    file = tmp_path / "best.json"
    for step in range(3):
        write_document(file, {"step": step, "who": "Jürgen", "lap_s": 6.417})
        assert read_document(file) == {"step": step, "who": "Jürgen", "lap_s": 6.417}
    assert list(tmp_path.iterdir()) == [file]


def test_file_is_replaced_whole(tmp_path):
    for data in (b"long" * 1000, b"", b"\0short"):
        write_file(tmp_path / "policy.onnx", data)
        assert (tmp_path / "policy.onnx").read_bytes() == data
    assert len(list(tmp_path.iterdir())) == 1


def test_document_is_found_through_a_run_that_is_a_link(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "latest").symlink_to(run)
    write_document(tmp_path / "latest" / "run.json", {"seed": 1})
    assert read_document(tmp_path / "latest" / "run.json") == {"seed": 1}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff", b'{"a":NaN}', b'{"a":1,"a":2}', b'{"a":1e999}', b"null"]
)
def test_damaged_document_is_refused(tmp_path, content):
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"run\.json"):
        read_document(tmp_path / "run.json")


def test_missing_document_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="No such file"):
        read_document(tmp_path / "run.json")


def test_oversized_document_is_refused_and_the_old_one_stays(tmp_path):
    write_document(tmp_path / "run.json", {"text": "old"})
    with pytest.raises(CheckpointError, match="too many"):
        write_document(tmp_path / "run.json", {"text": "x" * 2**20})
    assert read_document(tmp_path / "run.json") == {"text": "old"}


def test_verbatim_file_may_be_empty(tmp_path):
    checkpoint = dataclasses.replace(sample_checkpoint(1), files={"policy.onnx": b""})
    assert_same(load_checkpoint(save_checkpoint(tmp_path, checkpoint)), checkpoint)
