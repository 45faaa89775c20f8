"""A training in progress for many spectators: one look at the run's folder, handed on to everybody, held up by none."""

import asyncio
import contextlib
import json
from collections import deque
from dataclasses import replace
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from hotlap.checkpoints.curve import CurveFollower, CurvePoint
from hotlap.export.page_numbers import NO_RUN
from hotlap.web.runs import STOPPED, TRAINING, DriverEntry, Listing, Run, Shelf, newest_driver, read_run

LOOK_SECONDS = 0.5
SEND_SECONDS = 20.0
MOST_WAITING = 32
MOST_SPECTATORS = 64
FULL, NOT_ASKED = 1013, 1008

Text = str


class RunWatch:
    """What is known about one watched run, and what changed since the last look."""

    def __init__(self, run: Run, shelf: Shelf) -> None:
        self.run = run
        self.shelf = shelf
        self.curve = CurveFollower(run.folder)
        self.driver: DriverEntry | None = None
        self.look()

    def snapshot(self) -> list[Text]:
        """Everything afresh."""
        policy = [] if self.driver is None else [_policy_message(self.driver)]
        return [_run_message(self.run), _curve_message(self.curve.points, reset=True), *policy]

    def look(self) -> list[Text]:
        """Read what is new from the run's folder; a run whose folder is gone has stopped."""
        messages = []
        run = read_run(self.run.folder) or replace(self.run, state=STOPPED)
        if run != self.run:
            self.run = run
            messages.append(_run_message(run))
        again, points = self.curve.read_on()
        if again or points:
            messages.append(_curve_message(self.curve.points if again else points, reset=again))
        driver = newest_driver(run)
        if driver is not None and (self.driver is None or driver.key != self.driver.key):
            self.driver = driver
            self.shelf.announce(driver)
            messages.append(_policy_message(driver))
        return messages


class Spectator:
    """One page's mailbox: bounded; a page that cannot keep up gets everything afresh instead of what it missed."""

    def __init__(self, watch: RunWatch) -> None:
        self.watch = watch
        self._waiting: deque[Text] = deque(watch.snapshot())
        self._something = asyncio.Event()
        self._something.set()

    def put(self, messages: list[Text]) -> None:
        """Add messages; on overflow drop what waits and begin again with a snapshot."""
        self._waiting.extend(messages)
        if len(self._waiting) > MOST_WAITING:
            self._waiting = deque(self.watch.snapshot())
        if self._waiting:
            self._something.set()

    async def get(self) -> Text:
        """The next message, when there is one."""
        while not self._waiting:
            self._something.clear()
            await self._something.wait()
        return self._waiting.popleft()


class LiveHub:
    """All spectators; one task looks at the watched runs, twice a second, as long as anybody watches."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._watches: dict[str, RunWatch] = {}
        self._spectators: list[Spectator] = []
        self._task: asyncio.Task[None] | None = None
        self._looking = asyncio.Lock()  # a newcomer's snapshot and what is new must not overlap

    async def serve(self, socket: WebSocket) -> None:
        """One WebSocket, from the handshake to its end."""
        wanted, world = socket.query_params.get("run"), socket.query_params.get("world", "racer")
        run = chosen_run(await asyncio.to_thread(self.shelf.listing), wanted, world)
        await socket.accept()
        spectator = None if run is None else await self._join(run)
        if spectator is None:
            await socket.close(NO_RUN if run is None else FULL)
            return
        try:
            with contextlib.suppress(WebSocketDisconnect):  # a page may leave in the middle of a message
                await _talk(socket, spectator)
        finally:
            self._leave(spectator)

    async def _join(self, run: Run) -> Spectator | None:
        """A mailbox for a newcomer, unless the house is full."""
        async with self._looking:
            if len(self._spectators) >= MOST_SPECTATORS:
                return None
            if run.key not in self._watches:
                self._watches[run.key] = await asyncio.to_thread(RunWatch, run, self.shelf)
            spectator = Spectator(self._watches[run.key])
            self._spectators.append(spectator)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep_looking())
        return spectator

    def _leave(self, spectator: Spectator) -> None:
        self._spectators.remove(spectator)
        if all(other.watch is not spectator.watch for other in self._spectators):
            self._watches.pop(spectator.watch.run.key, None)

    async def _keep_looking(self) -> None:
        while self._spectators:
            await asyncio.sleep(LOOK_SECONDS)
            async with self._looking:
                for watch in list(self._watches.values()):
                    messages = await asyncio.to_thread(watch.look)
                    for spectator in self._spectators:
                        if messages and spectator.watch is watch:
                            spectator.put(messages)


async def _talk(socket: WebSocket, spectator: Spectator) -> None:
    """Hand messages on until the page leaves, says something, or takes longer than anybody should."""
    leaving = asyncio.create_task(socket.receive())
    try:
        while True:
            message = asyncio.create_task(spectator.get())
            await asyncio.wait({leaving, message}, return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                message.cancel()
                if leaving.result()["type"] == "websocket.receive":
                    await socket.close(NOT_ASKED)
                return
            async with asyncio.timeout(SEND_SECONDS):
                await socket.send_text(message.result())
    finally:
        leaving.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await leaving


def chosen_run(listing: Listing, key: str | None, world: str) -> Run | None:
    """The world's run of this key; without one its newest in training, else its newest."""
    runs = [run for run in listing.runs if run.world == world]
    if key is not None:
        return next((run for run in runs if run.key == key), None)
    return next(iter([*(run for run in runs if run.state == TRAINING), *runs]), None)


def _run_message(run: Run) -> Text:
    return _message(type="run", run=run.as_json())


def _curve_message(points: list[CurvePoint], *, reset: bool) -> Text:
    return _message(type="curve", reset=reset, points=[point.as_json() for point in points])


def _policy_message(driver: DriverEntry) -> Text:
    return _message(type="policy", policy=driver.as_json())


def _message(**fields: Any) -> Text:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
