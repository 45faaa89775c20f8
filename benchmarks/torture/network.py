"""Attacks on both servers: half-open connections, floods, malformed messages, and clients that ask for too much."""

import http.client
import json
import multiprocessing
import random
import resource
import selectors
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from benchmarks.torture.figures import Figure
from hotlap.bridge import spawn
from hotlap.bridge.batch_messages import pack_actions
from hotlap.bridge.messages import BridgeSession
from hotlap.bridge.spawn import spawned_bridge, spawned_server

HALF_OPEN = 500
FLOOD = 300
GREEDY_CLIENTS = 8
CARS = 4096
REQUESTS = 300
ASKED_BY_ALL = "GET /data/site.json HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
WEBSOCKET = (
    "GET /ws/live?run=none HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
BODY = (
    "POST /api/laps HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    "Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{"
)
GREEDY = "GET /data/racer.wasm HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n" * 60
spawn.START_S = 300.0  # a machine under attack may be slow to start a server
FLOODS = ("", "GET / HT", BODY, ASKED_BY_ALL, WEBSOCKET, GREEDY)


def half_open(_seconds: float, _seed: int) -> list[Figure]:
    """500 connections that say half a word, then 300 of each of six kinds, beside a healthy client."""
    with playing() as port:
        alone_ms = p99_ms(lambda: ask(port))
        with connections(port, HALF_OPEN, "GET / HT") as half:
            beside_ms = p99_ms(lambda: ask(port))
            closed, took_s = closed_within(half, 12.0)
        refused = 0
        for flood in FLOODS:
            with connections(port, FLOOD, flood):
                refused += sum(ask(port) != 200 for _ in range(20))
    text = f"{closed} closed after {took_s:.1f} s, p99 {alone_ms:.0f} ms alone, {beside_ms:.0f} ms beside them"
    return [
        Figure(14, text, closed == HALF_OPEN and took_s <= 10.5 and beside_ms - alone_ms <= 50.0),
        Figure("14b", f"{refused} of {20 * len(FLOODS)} requests refused", refused == 0),
    ]


@contextmanager
def playing() -> Any:
    """A server of the game; its port."""
    words = ["hotlap.cli", "play", "--no-open", "--port", "0", "--root", "/nonexistent-runs", "--database", ":memory:"]
    with spawned_server(words, "playing at ") as running:
        yield int(running.url.rsplit(":", 1)[1].strip("/"))


def ask(port: int) -> int:
    """One request of a healthy client; its status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", "/data/site.json")
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


@contextmanager
def connections(port: int, count: int, words: str) -> Any:
    """So many connections that say these words and nothing more."""
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(("127.0.0.1", port), 20)) for _ in range(count)]
        for connection in opened:
            try:
                connection.sendall(words.format(port=port).encode())
            except OSError:
                continue  # it had to give way already
        yield opened


def closed_within(opened: list[socket.socket], most_s: float) -> tuple[int, float]:
    """How many connections the server closes, and how long the last of them lives."""
    began_s, closed = time.monotonic(), 0
    with selectors.DefaultSelector() as waiting:
        for connection in opened:
            waiting.register(connection, selectors.EVENT_READ)
        while closed < len(opened) and time.monotonic() - began_s < most_s:
            for key, _ in waiting.select(0.5):
                waiting.unregister(key.fileobj)
                closed += 1
    return closed, time.monotonic() - began_s


def p99_ms(do: Callable[[], object], count: int = REQUESTS) -> float:
    """The time that 99 of 100 calls stay under."""
    times = []
    for _ in range(count):
        began_s = time.perf_counter()
        do()
        times.append(time.perf_counter() - began_s)
    return float(np.percentile(times, 99)) * 1000.0


def malformed(seconds: float, seed: int) -> list[Figure]:
    """Messages of any kind to sessions without a socket: each gets one reply, and memory stays."""
    dice, end_s, count, broken = random.Random(seed), time.monotonic() + seconds, 0, []
    session = BridgeSession()
    session.receive(b'{"type":"reset"}')
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    while time.monotonic() < end_s:
        payload = odd_message(dice)
        try:
            session.receive(payload)
        except Exception as problem:  # noqa: BLE001 - none may come out
            broken.append(f"{payload[:40]!r}: {problem!r}"[:120])
        count += 1
        if count % 10_000 == 0:
            session = BridgeSession()
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    text = f"{count:,} messages, {len(broken)} not answered, {grown_mb:.0f} MB more {broken[:1] or ''}"
    return [Figure(11, text.strip(), not broken and grown_mb <= 20.0)]


def odd_message(dice: random.Random) -> bytes:
    """A message that is almost right, or not at all."""
    kinds = ["step", "reset", "batch", "batch_reset", "policy", "hello", "close", "nothing"]
    values: list[Any] = [None, -1, 0, 1e400, "x", [], {}, [1, 2, 3], True, "track-01", 2**70, [[[]]], "\ud800"]
    if dice.random() < 0.3:
        return dice.randbytes(dice.randrange(64))
    names = ["action", "seed", "options", "cars", "trackId", "tracks", "config", "observation", "name", "laps"]
    fields: dict[str, Any] = {dice.choice(names): dice.choice(values) for _ in range(dice.randrange(4))}
    fields["cars"] = min(fields["cars"], 8) if isinstance(fields.get("cars"), int) else 2
    text = bytearray(json.dumps({"type": dice.choice(kinds), **fields}).encode())
    if dice.random() < 0.3:
        text[dice.randrange(len(text))] = dice.randrange(256)
    return bytes(text)


def greedy(seconds: float, _seed: int) -> list[Figure]:
    """Eight clients that open, reset and step 4,096 cars without end, beside one that drives a single car."""
    with spawned_bridge() as running:
        workers = [
            multiprocessing.get_context("spawn").Process(target=ask_for_all, args=(running.url, seconds + 60.0))
            for _ in range(GREEDY_CLIENTS)
        ]
        for worker in workers:
            worker.start()
        with connect(running.url, compression=None, max_size=None) as healthy:
            exchange(healthy, '{"type":"reset"}')
            time.sleep(min(15.0, seconds))  # until the others are at work
            end_s, times = time.monotonic() + seconds, list[float]()
            while time.monotonic() < end_s or len(times) < 100:
                began_s = time.perf_counter()
                exchange(healthy, '{"type":"step","action":[0,1,0]}')
                times.append(time.perf_counter() - began_s)
                time.sleep(1 / 60)
            p99 = float(np.percentile(times, 99)) * 1000.0
        began_s = time.monotonic()
        running.process.send_signal(signal.SIGTERM)
        code = running.process.wait(20)
        ended_s = time.monotonic() - began_s
    for worker in workers:
        worker.terminate()
        worker.join()
    text = f"p99 {p99:.0f} ms over {len(times)} steps, SIGTERM answered in {ended_s:.1f} s (exit code {code})"
    return [Figure("11b", text, p99 < 100.0 and ended_s <= 5.0 and code == 0)]


def exchange(connection: Any, message: str | bytes) -> Any:
    """One message and its reply."""
    connection.send(message)
    return connection.recv(60)


def ask_for_all(url: str, seconds: float) -> None:
    """What a greedy client does."""
    end_s = time.monotonic() + seconds
    actions = pack_actions(np.zeros((CARS, 3)))
    try:
        with connect(url, compression=None, max_size=None) as connection:
            while time.monotonic() < end_s:
                exchange(
                    connection, json.dumps({"type": "batch", "cars": CARS, "config": {"episode": {"maxSteps": 5}}})
                )
                exchange(connection, '{"type":"batch_reset","seed":1}')
                for _ in range(20):
                    exchange(connection, actions)
    except (OSError, WebSocketException, TimeoutError):
        return
