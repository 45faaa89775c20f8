"""A training in a process of its own: starting it, ending it so that it is saved, and several at a time."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Self, TypeVar

from hotlap.scaleout.interrupting import terminating_as_interrupting

GRACE_S = 20.0
"""How long a training has to save itself after it was asked to stop."""
LOOK_S = 0.2
Name = TypeVar("Name")


class TrainingProcess:
    """A module of ours in its own process and process group, with what it says in a log."""

    def __init__(self, module: str, arguments: Sequence[str], log: Path) -> None:
        self.log = log
        self.was_stopped = False
        with log.open("ab") as said:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", module, *arguments],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=said,
                process_group=0,
            )
        self.pid = self._process.pid

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, at most so long; whether it has come."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def wait_unless(self, stop: threading.Event) -> int:
        """Wait for the end, or end it when all are to stop; its exit code."""
        while not self.wait(LOOK_S) and not stop.is_set():
            pass
        self.stop()
        return self._process.wait()

    def stop(self) -> None:
        """Ask it once to save and stop; end it if it does not."""
        if self._process.poll() is None:
            self.was_stopped = True
            self._process.terminate()
            if not self.wait(GRACE_S):
                self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


def stop_when_alone() -> None:
    """In such a process: stop, saved, when the standard input closes, for then whoever started it is gone."""
    threading.Thread(target=_wait_for_the_starter, daemon=True).start()


def _wait_for_the_starter() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def side_by_side(
    names: Sequence[Name], workers: int, work: Callable[[Name, threading.Event], str], report: Callable[[str], None]
) -> None:
    """Work on so many at a time and report what each returns; an interruption sets the event, and waits for them."""
    stop = threading.Event()
    with terminating_as_interrupting(), ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work, name, stop) for name in names]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                report(f"{future.result()} ({done} of {len(names)})")
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
