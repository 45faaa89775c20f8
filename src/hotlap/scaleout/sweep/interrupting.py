"""Ending a sweep from outside: SIGTERM does what Ctrl-C does, whoever listens to that."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def terminating_as_interrupting() -> Iterator[None]:
    """SIGTERM ends a sweep as Ctrl-C does: every training saves itself first."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        signal.raise_signal(signal.SIGINT)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
