"""Who works when: cheap requests at once, the long ones of all clients in turn, one slice of one client at a time."""

import asyncio
from collections import deque
from typing import Protocol


class Worker(Protocol):
    """A client with more to do than fits into one go."""

    def work(self) -> bool:
        """Do one slice; whether there is more to do."""


class Turns:
    """Workers in a ring. After each slice the event loop looks at its sockets, so nobody waits for two of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Worker] = deque()
        self._planned = False

    @property
    def crowded(self) -> bool:
        """Whether others wait while somebody works."""
        return bool(self._waiting)

    def join(self, worker: Worker) -> None:
        """Take a place at the end of the ring; the first slice comes at once where nobody has had this pass's."""
        self._waiting.append(worker)
        if not self._planned:
            self._plan()
            self._let_one_work()

    def _plan(self) -> None:
        self._planned = True
        self._loop.call_soon(self._next_turn)

    def _next_turn(self) -> None:
        self._planned = False
        if self._waiting:
            self._plan()
            self._let_one_work()

    def _let_one_work(self) -> None:
        worker = self._waiting.popleft()
        if worker.work():
            self._waiting.append(worker)
