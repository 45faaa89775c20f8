"""Hostile clients in numbers: the server stays alive, its memory flat, and a healthy client does not notice."""

import asyncio
import os
import random
import resource
import select
import socket
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from bridge.running import frame, handshake, open_raw, raw_socket, read_all
from hotlap.bridge.client import BridgeClient
from hotlap.bridge.connection import Connection
from hotlap.bridge.server import BridgeServer, ServerConfig
from hotlap.bridge.spawn import spawned_bridge
from hotlap.racer.env import RacerEnv

MEGABYTE = 2**20
MESSAGES = [
    b"",
    b"{",
    b"null",
    b'{"type":"reset"}',
    b'{"type":"step","action":[0,1,0]}',
    b'{"type":"step","action":[1e999,"x"]}',
    b'{"type":"reset","config":{"weights":{"x":1}}}',
    b'{"type":"batch","cars":-5}',
    b'{"type":"batch_reset"}',
    b"HLA1",
    b"HLA1\x01\x00\x00\x00" + bytes(12),
    b"\xff\xfe\x00",
    b"[" * 300,
]


def memory_bytes(pid: int | str = "self") -> int:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def open_files(pid: int) -> int:
    """How many files and sockets a process holds."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def malformed(rng: random.Random) -> bytes:
    """A frame that may be broken in any way, or a message that may make no sense."""
    good = frame(rng.choice(MESSAGES), rng.choice((1, 1, 1, 2, 9, 10)))
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randbytes(rng.randrange(1, 40))
    if kind == 1:
        place = rng.randrange(len(good))
        return good[:place] + rng.randbytes(1) + good[place + 1 :]
    if kind == 2:
        return good[: rng.randrange(len(good))]
    return good


def malformed_handshake(rng: random.Random, port: int) -> bytes:
    good = handshake(port)
    place = rng.randrange(len(good))
    broken = (rng.randbytes(60), good[:place] + rng.randbytes(3) + good[place:], good[:place], b"\r\n" * 50)
    return rng.choice(broken)


class MemoryTransport(asyncio.Transport):
    """A transport that keeps nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = 0
        self.closing = False
        self.reading = True

    def get_extra_info(self, name, default=None):
        return self

    def setsockopt(self, *_):
        """As a socket has it."""

    def set_write_buffer_limits(self, high=None, low=None):
        """Never full."""

    def write(self, data):
        self.sent += len(data)

    def can_write_eof(self):
        return True

    def write_eof(self):
        self.closing = True

    def is_closing(self):
        return self.closing

    def pause_reading(self):
        self.reading = False

    def resume_reading(self):
        self.reading = True

    def abort(self):
        self.closing = True


def feed(connection: Connection, data: bytes) -> None:
    """Bytes as asyncio delivers them."""
    for first in range(0, len(data), 16_384):
        part = data[first : first + 16_384]
        connection.get_buffer(-1)[: len(part)] = part
        connection.buffer_updated(len(part))


async def feed_malformed(count: int, seed: int) -> tuple[int, int]:
    """That many malformed frames and handshakes straight into connections; says how many connections it took."""
    rng = random.Random(seed)
    server = BridgeServer(ServerConfig(port=0))
    await server.start()
    port = server.access.port
    connections = sent = 0
    done = 0
    while done < count:
        transport = MemoryTransport()
        connection = Connection(server)
        connection.connection_made(transport)
        connections += 1
        if rng.random() < 0.2:
            feed(connection, malformed_handshake(rng, port))
            done += 1
        else:
            feed(connection, handshake(port))
            while done < count and not transport.closing and connection.session is not None:
                feed(connection, malformed(rng))
                done += 1
                if connection.session is not None and connection.session.race is None and connection._inbox:
                    await asyncio.sleep(0)
        connection.connection_lost(None)
        sent += transport.sent
    assert not server.open
    assert not server.unsettled
    await server.close()
    return connections, sent


def check_malformed(count: int) -> None:
    asyncio.run(feed_malformed(2_000, 0))
    before = memory_bytes()
    connections, sent = asyncio.run(feed_malformed(count, 1))
    assert connections > count / 100
    assert sent > count * 10
    assert memory_bytes() - before < 20 * MEGABYTE


def test_twenty_thousand_malformed_frames_do_no_harm():
    check_malformed(20_000)


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_a_million_malformed_frames_do_no_harm():
    check_malformed(1_000_000)


def attack(port: int, frames: int, seed: int) -> int:
    """Malformed frames over real sockets, a new connection whenever the server has had enough."""
    rng = random.Random(seed)
    done = 0
    while done < frames:
        try:
            with raw_socket(port) as connection:
                connection.settimeout(5)
                if rng.random() < 0.1:
                    connection.sendall(malformed_handshake(rng, port))
                    connection.shutdown(socket.SHUT_WR)
                    done += 1
                else:
                    batch = rng.randrange(1, 60)
                    connection.sendall(handshake(port) if rng.random() < 0.98 else b"GET /")
                    connection.sendall(b"".join(malformed(rng) for _ in range(batch)))
                    connection.shutdown(socket.SHUT_WR)
                    done += batch
                read_all(connection)
        except (ConnectionError, TimeoutError):
            done += 1
    return done


def check_attack(frames: int, in_time) -> None:
    """An attacker beside a healthy client of a server process: it lives, stays small, and answers in time."""
    with spawned_bridge() as bridge, BridgeClient(bridge.url) as healthy:
        port = int(bridge.url.rsplit(":", 1)[1])
        healthy.send_reset()
        attack(port, 2_000, 0)
        before = memory_bytes(bridge.process.pid)
        attacker = threading.Thread(target=attack, args=(port, frames, 1))
        attacker.start()
        late = []
        while attacker.is_alive():
            began = time.perf_counter()
            healthy.send_step([0, 1, 0])
            late.append(time.perf_counter() - began)
            select.select([], [], [], 0.001)  # a client thinks between its steps
        attacker.join()
        assert bridge.process.poll() is None
        assert memory_bytes(bridge.process.pid) - before < 20 * MEGABYTE
        assert len(late) > 100
        in_time(np.percentile(late, 99), 0.05)


@pytest.mark.integration
def test_a_flood_over_sockets_leaves_a_healthy_client_alone(in_time):
    check_attack(20_000, in_time)


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_a_hundred_thousand_malformed_frames_over_sockets_leave_a_healthy_client_alone(in_time):
    check_attack(100_000, in_time)


@pytest.mark.integration
def test_five_hundred_half_open_sockets_are_closed_within_ten_seconds(in_time):
    with spawned_bridge() as bridge, BridgeClient(bridge.url) as healthy:
        port = int(bridge.url.rsplit(":", 1)[1])
        healthy.send_reset()
        half_open = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(500)]
        opened_s = time.monotonic()
        late, waiting = [], half_open
        while waiting:
            began = time.perf_counter()
            healthy.send_step([0, 1, 0])
            late.append(time.perf_counter() - began)
            select.select([], [], [], 0.01)  # a client thinks between its steps
            waiting = [connection for connection in waiting if not is_closed(connection)]
        in_time(time.monotonic() - opened_s, 10.0)
        in_time(np.percentile(late, 99), 0.05)
        for connection in half_open:
            connection.close()


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has hung up."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def drive_episodes(url: str, episodes: int, steps: int) -> None:
    rng = np.random.default_rng(0)
    env = RacerEnv(bridge_url=url, config={"episode": {"maxSteps": steps, "stillnessTimeoutTicks": 10**6}})
    for _ in range(episodes):
        env.reset()
        truncated = False
        while not truncated:
            *_, truncated, _ = env.step(rng.uniform([-1, 0, 0], 1))
    env.close()


def check_leaks(episodes: int) -> None:
    """Memory and open files of both ends before and after."""
    with spawned_bridge() as bridge:
        drive_episodes(bridge.url, 3, 1000)
        pids = (bridge.process.pid, os.getpid())
        before = [(memory_bytes(pid), open_files(pid)) for pid in pids]
        drive_episodes(bridge.url, episodes, 1000)
        for pid, (memory, files) in zip(pids, before, strict=True):
            assert memory_bytes(pid) - memory < 4 * MEGABYTE
            assert open_files(pid) <= files + 1


@pytest.mark.integration
def test_episodes_leave_nothing_behind():
    check_leaks(5)


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_a_hundred_thousand_steps_in_a_hundred_episodes_leave_nothing_behind():
    check_leaks(100)


@pytest.mark.integration
def test_connections_that_come_and_go_leave_nothing_behind():
    with spawned_bridge() as bridge:
        port = int(bridge.url.rsplit(":", 1)[1])

        def visit(times: int) -> None:
            for k in range(times):
                with open_raw(port) as connection:
                    connection.sendall(frame(b'{"type":"batch","cars":256}') if k % 3 else frame(b'{"type":"reset"}'))
                    connection.recv(65_536)

        visit(100)
        before = memory_bytes(bridge.process.pid)
        visit(400)
        assert memory_bytes(bridge.process.pid) - before < 8 * MEGABYTE
