"""Ending many trainings from outside: SIGTERM does what Ctrl-C does, whoever listens to that."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def terminating_as_interrupting() -> Iterator[None]:
    """SIGTERM ends all as Ctrl-C does: every training saves itself first."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun with "&" by a script: a shell does that
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
