"""One trainer per run: a lock that the kernel frees when its holder dies, however it dies."""

import contextlib
import functools
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from hotlap.errors import RunFolderError, RunLockedError
from hotlap.systems import OPENED, is_alive, try_lock, unlock
from hotlap.whole_files import is_at, reason

LOCK_FILE = "lock"
GLANCE_S = 0.02
"""How long to wait although a living holder is named: one who only looks holds the lock for a moment, too."""
PATIENCE_S = 0.5
"""How long to wait when nobody is named: a holder that has just won has still to write who it is."""

_held: "set[RunLock]" = set()


class RunLock:
    """`with RunLock(run):` holds the run; a second holder is refused at once, and told who the first is."""

    def __init__(self, run: Path) -> None:
        self.path = Path(run) / LOCK_FILE
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def acquire(self) -> None:
        """Take the lock or raise a RunLockedError."""
        descriptor = self._locked()
        self._descriptor = descriptor
        _held.add(self)
        _watch_forks()
        # The pid is only for the message to others: a full disk must not stop a run that has the lock.
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, b"%d\n" % os.getpid())

    def release(self) -> None:
        """Give the lock back. The file stays: were it removed, two could each lock a file of their own."""
        if self._descriptor is None:
            return
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        unlock(self._descriptor)
        self._close()

    def check(self) -> None:
        """Raise a RunFolderError unless the file that is locked is the one that the path leads to now."""
        if self._descriptor is None or not is_at(self._descriptor, self.path):
            raise RunFolderError(
                f"{self.path.parent}: was removed or replaced while process {os.getpid()} was training it, "
                "which writes nothing more there. Start another run with --name."
            )

    def _locked(self) -> int:
        """A descriptor of the file at the path, locked; one that was replaced while we waited is not it."""
        while True:
            descriptor = self._open()
            try:
                self._lock(descriptor)
                if is_at(descriptor, self.path):
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | OPENED, 0o666)
        except (OSError, ValueError) as problem:
            raise RunFolderError(
                f"{self.path}: cannot be opened ({reason(problem)}). Name the folder of a run in which you may write."
            ) from problem

    def _lock(self, descriptor: int) -> None:
        begin_s, looks = time.monotonic(), 0
        while not _try_lock(descriptor):
            holder, looks = _living_holder(descriptor), looks + 1
            # At least a second look, however busy the machine is.
            if looks > 1 and time.monotonic() - begin_s > (PATIENCE_S if holder is None else GLANCE_S):
                who = "another process" if holder is None else f"process {holder}"
                raise RunLockedError(
                    f"{self.path.parent}: {who} is training this run. "
                    "Wait until it is done, stop it, or start another run with --name."
                )
            time.sleep(0.01)

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        _held.discard(self)


def check_held(run: Path) -> None:
    """Called before anything is written into a run: a process that holds its lock must still hold the right one."""
    for lock in _held:
        if lock.path.parent == Path(run):
            lock.check()


def _try_lock(descriptor: int) -> bool:
    try:
        return try_lock(descriptor)
    except OSError as problem:
        raise RunFolderError(
            f"the file system cannot lock a run ({reason(problem)}). Put the runs on a local disk."
        ) from problem


def _living_holder(descriptor: int) -> int | None:
    """The pid in the lock file, unless it is not written yet or left by one that was killed."""
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        pid = int(os.read(descriptor, 32))
    except (OSError, ValueError):
        return None
    return pid if 0 < pid < 2**31 and is_alive(pid) else None


@functools.cache
def _watch_forks() -> None:
    """A forked worker must not inherit the lock, or it would keep it after the trainer is killed."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget_all)


def _forget_all() -> None:
    for lock in list(_held):
        lock._close()
