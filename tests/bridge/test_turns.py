"""No client starves the others: long work is done in turn, a slice at a time, and cheap requests pass it by."""

import asyncio
import json
import threading

import numpy as np
import pytest

from bridge.running import frame, handshake
from bridge.test_hostile import MemoryTransport, feed
from hotlap.bridge import worlds
from hotlap.bridge.batch_messages import pack_actions
from hotlap.bridge.connection import Connection
from hotlap.bridge.messages import BridgeSession, Reply, Work
from hotlap.bridge.server import BridgeServer, ServerConfig
from hotlap.bridge.turns import Turns
from hotlap.bridge.worlds import CAR_STEPS_AT_ONCE, CARS_AT_ONCE
from hotlap.racer.batch import RacerBatch
from hotlap.racer.world import RacerWorld

CARS = 4096
GREEDY_CLIENTS = 8
STEP = frame(b'{"type":"step","action":[0,1,0]}')
OPEN = frame(json.dumps({"type": "batch", "cars": CARS, "config": {"episode": {"maxSteps": 2}}}).encode())
RESET = frame(b'{"type":"batch_reset","seed":1}')
ACTIONS = frame(pack_actions(np.zeros((CARS, 3))), 2)


class Counting:
    """A worker with so many slices to do, which writes its name into a log for each."""

    def __init__(self, name: str, slices: int, log: list[str]) -> None:
        self.name, self.left, self.log = name, slices, log

    def work(self) -> bool:
        self.log.append(self.name)
        self.left -= 1
        return self.left > 0


def test_workers_take_turns_in_a_ring():
    async def run() -> list[str]:
        log: list[str] = []
        turns = Turns(asyncio.get_running_loop())
        for name, slices in (("a", 4), ("b", 2), ("c", 3)):
            turns.join(Counting(name, slices, log))
        for _ in range(12):
            await asyncio.sleep(0)
        return log

    assert asyncio.run(run()) == ["a", "a", "b", "c", "a", "b", "c", "a", "c"]


def test_between_two_slices_the_loop_looks_at_its_sockets():
    async def run() -> list[int]:
        log: list[str] = []
        turns = Turns(asyncio.get_running_loop())
        for name in "abcdefgh":
            turns.join(Counting(name, 3, log))
        counts = []
        for _ in range(10):
            counts.append(len(log))
            await asyncio.sleep(0)
        return counts

    counts = asyncio.run(run())
    assert counts[0] == 1
    assert set(np.diff(counts)) == {1}


class Visitor:
    """A client without a socket: what it sends arrives at once, what it gets is counted."""

    def __init__(self, server: BridgeServer) -> None:
        self.transport = MemoryTransport()
        self.connection = Connection(server)
        self.connection.connection_made(self.transport)
        feed(self.connection, handshake(server.access.port))

    def send(self, data: bytes) -> int:
        """Bytes that come back before anybody else has a turn."""
        before = self.transport.sent
        feed(self.connection, data)
        return self.transport.sent - before


class Effort:
    """How many cars begin an episode, and how many are driven by a tick, since it was last asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cars = {"begun": 0, "driven": 0}
        begin, part, whole = RacerWorld.begin, RacerBatch.step_part, RacerBatch.step

        def counted_begin(world, *arguments):
            self.cars["begun"] += 1
            begin(world, *arguments)

        def counted_part(batch, first, last):
            self.cars["driven"] += last - first
            part(batch, first, last)

        def counted_whole(batch):
            self.cars["driven"] += batch.count
            whole(batch)

        monkeypatch.setattr(RacerWorld, "begin", counted_begin)
        monkeypatch.setattr(RacerBatch, "step_part", counted_part)
        monkeypatch.setattr(RacerBatch, "step", counted_whole)

    def taken(self) -> dict[str, int]:
        taken, self.cars = self.cars, {"begun": 0, "driven": 0}
        return taken


def test_beside_eight_greedy_clients_a_step_is_answered_at_once_and_a_pass_of_the_loop_is_short(monkeypatch):
    effort = Effort(monkeypatch)

    async def run() -> list[dict[str, int]]:
        server = BridgeServer(ServerConfig(port=0))
        await server.start()
        healthy, *greedy = [Visitor(server) for _ in range(GREEDY_CLIENTS + 1)]
        healthy.send(frame(b'{"type":"reset"}'))
        passes, sent = [], [0] * GREEDY_CLIENTS
        for client in greedy:
            client.send(OPEN + RESET + ACTIONS * 3)
        effort.taken()
        while min(client.transport.sent for client in greedy) < 3 * 4 * CARS * 15:
            await asyncio.sleep(0)
            passes.append(effort.taken())
            assert healthy.send(STEP) > 0
            effort.taken()
            sent = [client.transport.sent for client in greedy]
        assert max(sent) - min(sent) < 2 * 4 * CARS * 30  # all are about as far
        await leave(server, [healthy, *greedy])
        return passes

    passes = asyncio.run(run())
    assert len(passes) > GREEDY_CLIENTS * CARS / CARS_AT_ONCE
    assert max(each["begun"] for each in passes) <= CARS_AT_ONCE
    assert max(each["driven"] for each in passes) <= CAR_STEPS_AT_ONCE


async def leave(server: BridgeServer, clients: list[Visitor]) -> None:
    """Close the server; every client answers the close."""
    closing = asyncio.ensure_future(server.close())
    await asyncio.sleep(0)
    for client in clients:
        feed(client.connection, frame((1001).to_bytes(2, "big"), 8))
        client.connection.connection_lost(None)
    await closing


def test_closing_does_not_wait_for_work_in_the_making():
    async def run() -> list[bool]:
        server = BridgeServer(ServerConfig(port=0))
        await server.start()
        greedy = [Visitor(server) for _ in range(GREEDY_CLIENTS)]
        for client in greedy:
            client.send(OPEN + RESET)
        await asyncio.sleep(0)
        reading = [client.transport.reading for client in greedy]
        await leave(server, greedy)
        assert all(client.transport.reading for client in greedy)  # so that their goodbyes arrive
        return reading

    assert not any(asyncio.run(run()))


def test_a_tick_in_slices_is_the_tick_of_all_cars():
    whole, sliced = BridgeSession(), BridgeSession(crowded=lambda: True)
    payload = json.dumps({"type": "batch", "cars": 1500, "config": {"episode": {"maxSteps": 3}}}).encode()
    actions = np.random.default_rng(0).uniform([-1, 0, 0], 1, (1500, 3))
    for message in (payload, b'{"type":"batch_reset","seed":1}', *[pack_actions(actions)] * 5):
        assert whole.receive(message).data == sliced.receive(message).data


def test_what_is_compiled_for_the_first_time_delays_only_who_asked(monkeypatch):
    """A client asks for a car nobody has driven yet: its kernels are compiled in a thread, others drive on."""
    other, waiting, compiled = BridgeSession(), BridgeSession(), threading.Event()
    other.receive(b'{"type":"reset"}')
    world = worlds.RacerWorld
    monkeypatch.setattr(worlds, "RacerWorld", lambda *given, **named: compiled.wait(60) and world(*given, **named))
    worlds.preparation.cache_clear()
    work = waiting.start(b'{"type":"reset","trackId":"track-02"}')
    assert not isinstance(work, Reply)
    next(work)
    assert b"step_result" in other.start(b'{"type":"step","action":[0,1,0]}').data
    compiled.set()
    assert b"reset_result" in finished(work).data


def finished(work: Work) -> Reply:
    """The reply at the end of some work."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value
