"""One trainer per run: the second is told who the first is, and a killed one leaves nothing locked."""

import fcntl
import os
import shutil
import signal
import time

import pytest

from checkpoints.sample_runs import run_child, start_child, wait_for
from hotlap.checkpoints import (
    Checkpoint,
    PastPolicies,
    RunLock,
    prune_checkpoints,
    save_checkpoint,
    write_document,
)
from hotlap.checkpoints.documents import read_document
from hotlap.errors import HotlapError, RunFolderError, RunLockedError

WON, LOST = b"w", b"l"


def hold(run, said, until):
    """Take the lock if possible, say whether, and keep it until the other end of `until` is closed."""
    try:
        with RunLock(run):
            os.write(said, WON)
            os.read(until, 1)
    except RunLockedError:
        os.write(said, LOST)


class Contender:
    """A process that tries to hold a run."""

    def __init__(self, run, start=None):
        self.said, said = os.pipe()
        until, self.until = os.pipe()

        def work():
            os.close(self.until)
            if start is not None:
                os.read(start, 1)
            hold(run, said, until)

        self.pid = start_child(work)
        os.close(said)
        os.close(until)

    def outcome(self):
        return os.read(self.said, 1)

    def finish(self):
        os.close(self.until)
        os.close(self.said)
        return wait_for(self.pid)


def test_second_holder_is_refused_within_a_second_and_told_the_pid(tmp_path, in_time):
    holder = Contender(tmp_path)
    assert holder.outcome() == WON
    begin_s = time.monotonic()
    with pytest.raises(RunLockedError, match=rf"process {holder.pid} is training this run.*--name"):
        RunLock(tmp_path).acquire()
    in_time(time.monotonic() - begin_s, 1.0)
    assert holder.finish() == 0
    with RunLock(tmp_path):
        pass


def test_second_holder_in_the_same_process_is_refused_too(tmp_path):
    with RunLock(tmp_path), pytest.raises(RunLockedError, match=f"process {os.getpid()} "):
        RunLock(tmp_path).acquire()


def test_lock_is_free_again_after_use_and_after_an_error(tmp_path):
    with pytest.raises(HotlapError, match="training broke"), RunLock(tmp_path):
        raise HotlapError("training broke")
    with RunLock(tmp_path):
        pass


def test_release_twice_does_no_harm(tmp_path):
    lock = RunLock(tmp_path)
    lock.acquire()
    lock.release()
    lock.release()


@pytest.mark.parametrize("races", [20, pytest.param(100, marks=pytest.mark.soak)])
def test_every_race_has_one_winner(races, tmp_path):
    for _ in range(races):
        start, go = os.pipe()
        contenders = [Contender(tmp_path, start) for _ in range(3)]
        os.close(start)
        os.write(go, b"...")
        outcomes = [contender.outcome() for contender in contenders]
        os.close(go)
        assert [contender.finish() for contender in contenders] == [0, 0, 0]
        assert sorted(outcomes) == [LOST, LOST, WON]


def test_kill_9_frees_the_lock(tmp_path):
    holder = Contender(tmp_path)
    assert holder.outcome() == WON
    os.kill(holder.pid, signal.SIGKILL)
    assert holder.finish() == -signal.SIGKILL
    with RunLock(tmp_path):
        assert (tmp_path / "lock").read_text(encoding="ascii") == f"{os.getpid()}\n"


def test_worker_of_a_killed_trainer_does_not_keep_the_lock(tmp_path):
    """A forked worker outlives its trainer for a while; the run must be free all the same."""
    until, worker_lives = os.pipe()
    reader, said = os.pipe()

    def trainer():
        os.close(worker_lives)
        RunLock(tmp_path).acquire()
        start_child(lambda: os.write(said, WON) and os.read(until, 1))
        os.read(until, 1)

    pid = start_child(trainer)
    assert os.read(reader, 1) == WON
    os.kill(pid, signal.SIGKILL)
    assert wait_for(pid) == -signal.SIGKILL
    with RunLock(tmp_path):
        pass
    for descriptor in (until, worker_lives, reader, said):
        os.close(descriptor)


def test_forked_worker_does_not_release_the_lock_of_its_trainer(tmp_path):
    with RunLock(tmp_path) as lock:
        assert run_child(lock.release) == 0
        with pytest.raises(RunLockedError):
            RunLock(tmp_path).acquire()


@pytest.mark.parametrize("left", [b"", b"nonsense", b"-1\n", b"0\n", b"99999999999999999999\n", b"\x00"])
def test_what_is_left_in_the_lock_file_is_never_taken_for_a_holder(tmp_path, left):
    (tmp_path / "lock").write_bytes(left)
    with RunLock(tmp_path):
        (tmp_path / "lock").write_bytes(left)
        with pytest.raises(RunLockedError, match="another process is training"):
            RunLock(tmp_path).acquire()


def test_pid_of_one_who_died_is_not_named(tmp_path):
    dead = start_child(lambda: None)
    wait_for(dead)
    with RunLock(tmp_path):
        (tmp_path / "lock").write_text(f"{dead}\n", encoding="ascii")
        with pytest.raises(RunLockedError, match="another process"):
            RunLock(tmp_path).acquire()


def test_somebody_who_only_looks_does_not_send_a_trainer_away(tmp_path, monkeypatch):
    """A page looks whether a run is being trained by holding the lock for a moment; an old pid may be there to name."""
    (tmp_path / "lock").write_text(f"{os.getppid()}\n", encoding="ascii")
    looking = os.open(tmp_path / "lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    monkeypatch.setattr(time, "sleep", lambda _seconds: fcntl.flock(looking, fcntl.LOCK_UN))
    with RunLock(tmp_path):
        pass
    os.close(looking)


def test_run_that_does_not_exist_cannot_be_locked(tmp_path):
    with pytest.raises(RunFolderError, match="No such file"):
        RunLock(tmp_path / "nowhere").acquire()


def test_lock_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunFolderError, match="cannot be opened"):
        RunLock(tmp_path).acquire()
    assert not (tmp_path / "elsewhere").exists()


def test_documents_written_at_once_are_never_mixed(tmp_path):
    """Two processes write one document over and over; whoever reads finds one of theirs, whole."""
    file = tmp_path / "best.json"
    documents = [{"who": who, "text": who * size} for who, size in (("a", 20_000), ("b", 10))]
    write_document(file, documents[0])

    def write_often(document):
        for _ in range(100):
            write_document(file, document)

    children = [start_child(lambda document=document: write_often(document)) for document in documents]
    for _ in range(300):
        assert read_document(file) in documents
    assert [wait_for(child) for child in children] == [0, 0]
    assert list(tmp_path.iterdir()) == [file]


def made_again(run) -> None:
    """What a person does who starts over: remove the folder and make it again."""
    run.rename(run.with_name("away"))
    run.mkdir()


@pytest.mark.parametrize(
    "write",
    [
        lambda run: save_checkpoint(run, Checkpoint(9, {}, {"counters": {}})),
        lambda run: prune_checkpoints(run, 1),
        lambda run: PastPolicies(run, 1).keep(9, b"policy"),
    ],
)
def test_old_trainer_touches_nothing_of_a_folder_that_was_made_again(write, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    with RunLock(run):
        made_again(run)
        for step in (3, 5):
            save_elsewhere(run, step)
        before = sorted(run.rglob("*"))
        with pytest.raises(RunFolderError, match="was removed or replaced"):
            write(run)
        assert sorted(run.rglob("*")) == before


def test_old_trainer_says_that_its_folder_is_gone(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    with RunLock(run):
        shutil.rmtree(run)
        with pytest.raises(RunFolderError, match="was removed or replaced"):
            save_checkpoint(run, Checkpoint(9, {}, {"counters": {}}))
    assert not run.exists()


def save_elsewhere(run, step: int) -> None:
    """A save by another process, which holds the lock of the folder that is there now."""

    def work() -> None:
        with RunLock(run):
            save_checkpoint(run, Checkpoint(step, {}, {"counters": {}}))

    assert wait_for(start_child(work)) == 0
