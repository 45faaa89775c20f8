"""What operating systems do differently: opening, locking and renaming files, folders, cores, processes and signals."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import portalocker

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

CLOSED_IN_CHILDREN = getattr(os, "O_CLOEXEC", 0)
"""Flag for whatever is opened: not for child processes."""
OPENED = CLOSED_IN_CHILDREN | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""Flags for every file that is opened: not for child processes, not through a link, and bytes as they are."""
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Flag for a file that might be a pipe."""
FOLDER = getattr(os, "O_DIRECTORY", None)
"""Flag for a folder; None where folders cannot be opened, and their names need no syncing."""

RENAMES_OPEN_FILES = os.name == "posix"
"""Whether a file may get another name while it is open."""


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an opened file until it is closed, or say that another holds it; OSError where files cannot be locked."""
    # Windows knows no shared lock without more packages; one who only looks holds an exclusive one for a moment there.
    kind = portalocker.LockFlags.SHARED if shared and os.name == "posix" else portalocker.LockFlags.EXCLUSIVE
    try:
        portalocker.lock(descriptor, kind | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as problem:
        raise OSError(str(problem.__cause__ or problem)) from problem
    return True


def wait_for_lock(descriptor: int) -> None:
    """Lock an opened file, however long another holds it."""
    portalocker.lock(descriptor, portalocker.LockFlags.EXCLUSIVE)


def unlock(descriptor: int) -> None:
    """Give a lock back before the file is closed."""
    portalocker.unlock(descriptor)


def is_alive(pid: int) -> bool:
    """Whether a process lives; where asking would disturb it, it counts as alive."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def usable_cores() -> tuple[int, ...]:
    """The numbers of the cores that this process may use: fewer than the machine has, where somebody said so."""
    affinity = getattr(os, "sched_getaffinity", None)
    return tuple(sorted(affinity(0))) if affinity else tuple(range(os.cpu_count() or 1))


def keep_to_cores(cores: Sequence[int]) -> None:
    """From now on use these cores only; nothing where a system does not let a process choose."""
    choose = getattr(os, "sched_setaffinity", None)
    if choose:
        choose(0, cores)


def keep_threads_to_cores(cores: Sequence[int]) -> None:
    """Keep all threads of this process to some cores, not only the one that asks; nothing where that cannot be done."""
    choose, threads = getattr(os, "sched_setaffinity", None), Path("/proc/self/task")
    if choose and threads.is_dir():
        for thread in threads.iterdir():
            choose(int(thread.name), cores)


def let_others_run() -> None:
    """Offer this core to other threads, and ask for it back at once."""
    offer = getattr(os, "sched_yield", None)
    if offer:
        offer()
    else:
        time.sleep(0)


ASK_TO_END = signal.SIGTERM
END: int = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Signals that a process may answer by saving itself, and that it cannot; Windows has one for both."""


def signal_group(pid: int, number: int) -> None:
    """Signal a process and all that it started; where processes have no groups, the process alone."""
    getattr(os, "killpg", os.kill)(pid, number)


def on_signal(loop: "AbstractEventLoop", number: int, callback: Callable[[], None]) -> None:
    """Call back in the loop when a signal comes, also where the loop itself knows no signals."""
    try:
        loop.add_signal_handler(number, callback)
    except NotImplementedError:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(callback))


def forget_signal(loop: "AbstractEventLoop", number: int) -> None:
    """Undo `on_signal`."""
    try:
        loop.remove_signal_handler(number)
    except NotImplementedError:
        signal.signal(number, signal.SIG_DFL)
