"""Being asked to stop: one signal lets the update finish, a deadline cuts it short, a second signal ends at once."""

import _thread
import os
import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any, Self

DEADLINE_S = 6.0
ECHO_S = 0.2
"""Signals so close together are one request: whoever stops a group of processes may reach one of them twice."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
HAS_ALARM = hasattr(signal, "setitimer")
"""Whether a deadline can be an alarm; Windows has none."""


class StopRequestedError(Exception):
    """A signal asked to stop, and the run is saved; ends the learning."""


class DeadlineError(BaseException):
    """The update did not finish in time after a signal; not an Exception, so that nothing on the way swallows it."""


class StopSignals:
    """`with StopSignals() as stop:` turns SIGINT and SIGTERM into `stop.requested`; only in the main thread."""

    def __init__(self) -> None:
        self.number: int | None = None
        """The signal that came."""
        self._since_s = 0.0
        self._before: dict[int, Any] = {}
        self._timer: threading.Timer | None = None
        self._overdue = False

    @property
    def requested(self) -> bool:
        """Whether a signal came."""
        return self.number is not None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in STOP_SIGNALS:
                self._before[number] = signal.signal(number, self._stop)
            if HAS_ALARM:
                self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._cut)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.settle()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def settle(self) -> None:
        """No deadline any more: what is left is the saving."""
        if self._before and HAS_ALARM:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        if self._timer is not None:
            self._timer.cancel()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._overdue:
            self._cut(number, frame)
        elif not self.requested:
            self.number, self._since_s = number, time.monotonic()
            self._set_deadline()
        elif time.monotonic() - self._since_s > ECHO_S:
            os._exit(128 + number)

    def _set_deadline(self) -> None:
        """Be called back by an alarm, or by a thread that sends the same signal again where there are no alarms."""
        if HAS_ALARM:
            signal.setitimer(signal.ITIMER_REAL, DEADLINE_S)
            return
        self._timer = threading.Timer(DEADLINE_S, self._end_of_patience)
        self._timer.daemon = True
        self._timer.start()

    def _end_of_patience(self) -> None:
        self._overdue = True
        _thread.interrupt_main(signal.Signals(self.number or signal.SIGINT))

    def _cut(self, _number: int, _frame: FrameType | None) -> None:
        raise DeadlineError
