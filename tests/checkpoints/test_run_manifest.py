"""The files beside the checkpoints: damage is found and named, no link is followed, and a kill leaves them whole."""

import random
from pathlib import Path

import pytest

from hotlap.checkpoints import PastPolicies, names, run_manifest
from hotlap.checkpoints.curve import CurveFollower, read_curve
from hotlap.checkpoints.names import BEST_DOCUMENT, CURVE_FILE, MANIFEST, POLICY_FILE, RUN_DOCUMENT
from hotlap.checkpoints.run_manifest import (
    check_run,
    read_covered_document,
    read_covered_file,
    write_covered_document,
    write_covered_file,
)
from hotlap.errors import CheckpointError, HotlapError, RunFolderError
from hotlap.evaluation.sources import find_driver
from hotlap.training.runs import describe_run, find_run

NAMES = [RUN_DOCUMENT, BEST_DOCUMENT, POLICY_FILE, "past/step-000000000008.onnx", MANIFEST]


@pytest.fixture
def run(tmp_path):
    """A run without checkpoints."""
    folder = tmp_path / "run"
    folder.mkdir()
    write_covered_document(folder, RUN_DOCUMENT, {"config": {"world": "racer", "steps": 5}})
    write_covered_document(folder, BEST_DOCUMENT, {"step": 3})
    for content in (b"first policy", b"second policy"):
        write_covered_file(folder, POLICY_FILE, content)
    PastPolicies(folder, 8).keep(8, b"past policy")
    return folder


def flip(path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8 % len(content)] ^= 1 << bit % 8
    path.write_bytes(content)


def test_run_that_was_left_alone_is_whole(run):
    check_run(run)
    assert read_covered_document(run, BEST_DOCUMENT) == {"step": 3}
    assert read_covered_file(run, POLICY_FILE) == b"second policy"


@pytest.mark.parametrize("name", NAMES)
def test_any_flipped_bit_is_found_and_the_file_is_named(run, name):
    whole = (run / name).read_bytes()
    for bit in random.Random(0).sample(range(8 * len(whole)), 60):
        flip(run / name, bit)
        with pytest.raises(CheckpointError, match=rf"{name}: is damaged"):
            check_run(run)
        (run / name).write_bytes(whole)
    check_run(run)


@pytest.mark.parametrize("name", NAMES)
def test_file_that_was_cut_is_found_and_named(run, name):
    whole = (run / name).read_bytes()
    (run / name).write_bytes(whole[:-1])
    with pytest.raises(CheckpointError, match=rf"{name}: is damaged"):
        check_run(run)


def test_damage_is_named_by_the_commands_that_read_a_run(run):
    flip(run / RUN_DOCUMENT, 77)
    assert "run.json: is damaged" in describe_run(run)["problem"]
    with pytest.raises(HotlapError, match=r"run\.json: is damaged"):
        find_driver(str(run))


@pytest.mark.parametrize("writes_before_the_kill", [0, 1])
def test_writer_that_is_killed_leaves_a_whole_run(run, monkeypatch, writes_before_the_kill):
    done, write = [], run_manifest.write_file

    def killed(path, data):
        if len(done) == writes_before_the_kill:
            raise KeyboardInterrupt
        done.append(path)
        write(path, data)

    monkeypatch.setattr(run_manifest, "write_file", killed)
    with pytest.raises(KeyboardInterrupt):
        write_covered_file(run, POLICY_FILE, b"third policy")
    check_run(run)
    assert read_covered_file(run, POLICY_FILE) == b"second policy"


def test_run_of_an_earlier_version_has_no_manifest_and_is_read(run):
    (run / MANIFEST).unlink()
    check_run(run)
    assert read_covered_document(run, BEST_DOCUMENT) == {"step": 3}


@pytest.mark.parametrize("name", [*NAMES, CURVE_FILE, "tensorboard", "past", "checkpoints", "tensorboard/events.1"])
def test_link_in_a_run_is_refused_by_name(run, name, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    path = run / name
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        path.rename(outside / path.name)
    path.symlink_to(outside / path.name)
    with pytest.raises(RunFolderError, match=f"{name}: is a link"):
        check_run(run)
    if (run / RUN_DOCUMENT).exists():
        with pytest.raises(RunFolderError, match=f"{name}: is a link"):
            find_run(str(run), tmp_path)


def test_curve_that_is_a_link_is_not_read(run, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text('{"step": 1, "seconds": 2.0}\n')
    (run / CURVE_FILE).symlink_to(secret)
    assert read_curve(run) == []
    assert CurveFollower(run).read_on() == (False, [])


def test_files_of_a_run_are_named_in_one_module_only():
    source = Path(names.__file__).parents[1]
    run_files = (names.RUN_DOCUMENT, names.BEST_DOCUMENT, names.CURVE_FILE, names.NAN_BATCH)
    named = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        for name in run_files
        if f'"{name}"' in path.read_text(encoding="utf-8")
    }
    assert named == {"checkpoints/names.py"}
