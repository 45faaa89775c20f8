"""No name of a run, a group, a document or a file leads out of its folder."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotlap.checkpoints import (
    Checkpoint,
    check_run_name,
    check_writable,
    list_checkpoints,
    load_checkpoint,
    new_run_folder,
    newest_checkpoint,
    save_checkpoint,
    step_of,
)
from hotlap.checkpoints.names import DEVICES, check_file_name
from hotlap.errors import CheckpointError, RunFolderError

UPS = ["..", "../", "..\\", "%2e%2e%2f", "%2e%2e/", "..%2f", "%252e%252e%252f", "..%5c", "..%c0%af", "%uff0e%uff0e/"]
UPS += [
    "....//",
    "..././",
    "..;/",
    ".%00./",
    "\u2024\u2024/",
    "\uff0e\uff0e/",
    "\u2025/",
    "..\u2215",
    "..\u2044",
    "..\uff0f",
]
TARGETS = ["", "secret", "etc/passwd", "etc\\passwd", "secret\0.json", "secret%00.json"]
ABSOLUTE = [
    "/",
    "//",
    "/etc/passwd",
    "\\",
    "C:",
    "C:\\secret",
    "c:/secret",
    "\\\\host\\share",
    "\\\\?\\C:\\",
    "file:///etc",
]
ABSOLUTE += [
    "~",
    "~root",
    "$HOME",
    "%HOME%",
    "/proc/self/fd/0",
    "/dev/stdin",
    "a/../../secret",
    "a/b",
    "a\\b",
    "./a",
    "a/",
]
ODD = [
    "",
    ".",
    "...",
    " ",
    "a ",
    " a",
    "a.",
    ".a",
    "a..b",
    "\0",
    "a\0",
    "a\nb",
    "a\rb",
    "a\tb",
    "\x1b[2J",
    "-rf",
    "_",
    "*",
    "?",
]
ODD += [
    "a:b",
    "a|b",
    'a"b',
    "a'b",
    "a<b",
    "a>b",
    "a&b",
    "a;b",
    "a$(b)",
    "a`b`",
    "\u202etxt",
    "é",
    "\uff41",
    "a" * 65,
    "a" * 5000,
]
PORTS = sorted(name + suffix for name in DEVICES for suffix in ("", ".json", ".tar.gz"))
BAD_NAMES = (
    [up + target for up in UPS for target in TARGETS] + ABSOLUTE + ODD + PORTS + [name.upper() for name in PORTS]
)
NOT_TEXT = [None, 7, b"run", ["run"], np.str_("a/b")]
GOOD_NAMES = ["a", "0", "my-run", "Run_7", "lr0.0003", "ppo.seed-1.try_2", "console", "com10", "nullable", "a" * 64]


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def root(tmp_path):
    """A folder for runs, next to one that no name must reach."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


def test_there_are_two_hundred_patterns():
    assert len(set(BAD_NAMES)) >= 200


def test_no_bad_name_makes_a_run(root):
    before = tree(root.parent)
    for name in BAD_NAMES + NOT_TEXT:
        with pytest.raises(RunFolderError, match="cannot name a run") as refused:
            new_run_folder(root, name)
        assert str(refused.value).isprintable()
        assert len(str(refused.value)) < 400
    assert tree(root.parent) == before


@pytest.mark.parametrize("kind", ["tensors", "documents", "files"])
def test_no_bad_name_makes_a_file_of_a_checkpoint(root, kind):
    content = {"tensors": {}, "documents": {}, "files": b""}[kind]
    before = tree(root.parent)
    for name in {name for name in BAD_NAMES if name.lower() not in {"-rf", "_"}}:
        with pytest.raises(CheckpointError, match=r"cannot name a file|cannot be kept"):
            save_checkpoint(root, Checkpoint(1, **{kind: {name: content}}))
    assert tree(root.parent) == before


def test_manifest_cannot_be_a_document(root):
    with pytest.raises(CheckpointError, match="lists the others"):
        save_checkpoint(root, Checkpoint(1, documents={"manifest": {}}))


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_good_name_makes_a_run_and_files(root, name):
    run = new_run_folder(root, name)
    assert run == root / name
    assert tree(root) == [name]
    checkpoint = Checkpoint(1, files={name.lower()[:40]: b"content"})
    assert load_checkpoint(save_checkpoint(run, checkpoint)).files == checkpoint.files


@given(name=st.text(max_size=80) | st.from_regex(r"[A-Za-z0-9./\\_-]{1,20}", fullmatch=True))
def test_name_that_is_accepted_is_one_plain_word(name):
    for check, error in ((check_run_name, RunFolderError), (check_file_name, CheckpointError)):
        try:
            accepted = check(name)
        except error:
            continue
        assert accepted == name
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
        assert os.path.normpath(name) == name
        assert name[0] not in ".-_"


def test_run_that_exists_asks_for_resume_or_another_name(root):
    new_run_folder(root, "mine")
    with pytest.raises(RunFolderError, match=r'exists already.*"hotlap resume .*/runs/mine".*--name'):
        new_run_folder(root, "mine")


def test_link_in_the_place_of_a_run_is_not_followed(root):
    (root / "mine").symlink_to(root.parent / "secret")
    with pytest.raises(RunFolderError, match="exists already"):
        new_run_folder(root, "mine")


def test_root_of_the_runs_is_made(tmp_path):
    assert new_run_folder(tmp_path / "deep" / "runs", "mine").is_dir()


def test_root_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "runs").write_bytes(b"")
    for work in (lambda: new_run_folder(tmp_path / "runs", "mine"), lambda: check_writable(tmp_path / "runs")):
        with pytest.raises(RunFolderError, match="cannot be written"):
            work()


def test_checkpoints_behind_a_link_are_neither_read_nor_written(root):
    elsewhere = new_run_folder(root, "elsewhere")
    save_checkpoint(elsewhere, Checkpoint(1))
    run = new_run_folder(root, "mine")
    (run / "checkpoints").symlink_to(elsewhere / "checkpoints")
    for work in (list_checkpoints, lambda run: newest_checkpoint(run, pytest.fail)):
        with pytest.raises(CheckpointError, match="is a link"):
            work(run)
    with pytest.raises(CheckpointError, match="is a link"):
        save_checkpoint(run, Checkpoint(2))
    assert [step_of(path) for path in list_checkpoints(elsewhere)] == [1]


def test_checkpoint_that_is_a_link_is_refused_as_such(root):
    path = save_checkpoint(root, Checkpoint(1))
    (root / path.name).symlink_to(path)
    with pytest.raises(CheckpointError, match="is a link, and must be a folder"):
        load_checkpoint(root / path.name)


def test_only_folders_named_after_a_step_are_listed(root):
    run = new_run_folder(root, "mine")
    path = save_checkpoint(run, Checkpoint(5))
    for name in (
        "step-5",
        "step-0000000000005",
        "step-00000000000x",
        "step-000000000006.tmp",
        "best",
        "step-" + "\u0665" * 12,
    ):
        (path.parent / name).mkdir()
        (path.parent / name / "manifest.json").write_bytes((path / "manifest.json").read_bytes())
    (path.parent / "step-000000000007").symlink_to(path)
    (path.parent / "step-000000000008").write_bytes(b"")
    assert list_checkpoints(run) == [path]
    lines = []
    assert newest_checkpoint(run, lines.append).step == 5
    assert len(lines) == 2


def test_path_with_nul_is_refused_everywhere(tmp_path):
    path = tmp_path / "a\0b"
    with pytest.raises(CheckpointError):
        load_checkpoint(path)
    with pytest.raises(CheckpointError):
        save_checkpoint(path, Checkpoint(1))
    with pytest.raises(RunFolderError):
        new_run_folder(path, "mine")
    with pytest.raises(RunFolderError):
        check_writable(path)
