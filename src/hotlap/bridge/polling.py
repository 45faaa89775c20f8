"""Waiting that looks before it sleeps: a sleeping process takes longer to wake than a car takes to step.

Both ends look again and again for some hundred microseconds before they block. Between two processes that answer each
other this halves the time of a round trip, and costs at most those microseconds of a core for each message.
"""

import asyncio
import selectors
import socket
import sys
import threading
import time
from collections.abc import Coroutine
from typing import Any

from hotlap.systems import usable_cores

# Longer than the other side takes when it has to be woken: else two that sleep would never see each other awake.
SERVER_LOOKS_S = 100e-6
CLIENT_LOOKS_S = 250e-6
LONGEST_PENALTY = 63
LOOKS_PER_CHECK = 64
LONGEST_PAUSE = 4096
READ_BYTES = 262_144


def spare_core() -> bool:
    """Whether looking costs the other side nothing: with one core only, it would keep it from working."""
    return len(usable_cores()) > 1


def times_pushed_aside() -> int:
    """How often this thread had to leave its core to somebody else; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0
    import resource  # noqa: PLC0415 - not on every system

    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


class CoreWatch(threading.local):
    """Whether a thread may look: not for a while where others need its core, whoever it looks for."""

    def __init__(self) -> None:
        self._looks = self._pause = self._last_pause = self._pushed_aside = 0

    def allows_a_look(self) -> bool:
        """Asked before each look; counts them, and every so often how many were cut short."""
        if self._pause:
            self._pause -= 1
            return False
        if self._looks % LOOKS_PER_CHECK == 0:
            self._pushed_aside = times_pushed_aside()  # what happened while asleep does not count
        self._looks += 1
        return self._looks % LOOKS_PER_CHECK != 0 or self._core_is_free()

    def _core_is_free(self) -> bool:
        """False, and a pause twice as long as the last, where somebody else often had to push us aside."""
        if times_pushed_aside() - self._pushed_aside <= LOOKS_PER_CHECK // 8:
            self._last_pause = 0
            return True
        self._last_pause = min(2 * self._last_pause or LOOKS_PER_CHECK, LONGEST_PAUSE)
        self._pause = self._last_pause
        return False


core_of_this_thread = CoreWatch()


class Patience:
    """How long to look for one other side before sleeping: not at all for a while after it was in vain."""

    def __init__(self, look_s: float) -> None:
        self._look_s = look_s
        self._skip = self._penalty = 0

    def look_s(self) -> float:
        """How long to look this time."""
        if self._skip:
            self._skip -= 1
            return 0.0
        return self._look_s if core_of_this_thread.allows_a_look() else 0.0

    def rewarded(self) -> None:
        """What was looked for came."""
        self._penalty = 0

    def in_vain(self) -> None:
        """It did not come in time: the other side takes its time."""
        self._penalty = min(2 * self._penalty + 1, LONGEST_PENALTY)
        self._skip = self._penalty


class PollingSelector(selectors.DefaultSelector):
    """A selector that looks for a while before it blocks, if something came just before."""

    def __init__(self, look_s: float) -> None:
        super().__init__()
        self._patience = Patience(look_s)
        self._active = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready, as of any selector."""
        select = super().select
        if self._active and (timeout is None or timeout > 0.0):
            look_s = self._patience.look_s()
            if look_s:
                end_s = time.perf_counter() + look_s
                while time.perf_counter() < end_s:
                    if events := select(0):
                        self._patience.rewarded()
                        return events
                self._patience.in_vain()
        events = select(timeout)
        self._active = bool(events)
        return events


def polling_loop() -> asyncio.AbstractEventLoop:
    """An event loop for a server whose clients wait for each reply."""
    return asyncio.SelectorEventLoop(PollingSelector(SERVER_LOOKS_S if spare_core() else 0.0))


class PollingSocket:
    """A connected socket with deadlines, for a client that waits for each reply."""

    def __init__(self, host: str, port: int, timeout_s: float) -> None:
        self.socket = socket.create_connection((host, port), timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.socket, selectors.EVENT_READ)
        self._patience = Patience(CLIENT_LOOKS_S if spare_core() else 0.0)

    def send_all(self, data: bytes, end_s: float) -> None:
        """Send everything before the deadline, a time of `time.monotonic`."""
        sent = 0
        while sent < len(data):
            try:
                sent += self.socket.send(memoryview(data)[sent:] if sent else data)
            except BlockingIOError:
                self._selector.modify(self.socket, selectors.EVENT_WRITE)
                self._sleep(end_s)
                self._selector.modify(self.socket, selectors.EVENT_READ)

    def receive(self, end_s: float) -> bytes:
        """Some bytes before the deadline; none when the other side is done."""
        receive, patience = self.socket.recv, self._patience
        look_s = patience.look_s()
        look_end_s = time.monotonic() + look_s
        while True:
            try:
                data = receive(READ_BYTES)
            except BlockingIOError:
                if time.monotonic() < look_end_s:
                    continue
                if look_s:
                    patience.in_vain()
                    look_s = 0.0
                self._sleep(end_s)
                continue
            if look_s:
                patience.rewarded()
            return data

    def _sleep(self, end_s: float) -> None:
        """Until the other side sends something, or takes something; TimeoutError when the deadline comes first."""
        if not self._selector.select(max(end_s - time.monotonic(), 0.0)):
            raise TimeoutError

    def close(self) -> None:
        """Let go of the socket."""
        self._selector.close()
        self.socket.close()


def run_polling(main: Coroutine[Any, Any, None]) -> None:
    """`asyncio.run` on a polling loop."""
    with asyncio.Runner(loop_factory=polling_loop) as runner:
        runner.run(main)
