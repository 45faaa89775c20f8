"""Servers for the tests: ours on a thread, one by another library that knows only the original, raw sockets."""

import asyncio
import json
import socket
import threading
from contextlib import contextmanager

import websockets.exceptions
from websockets.sync.server import serve

from hotlap.bridge.server import BridgeServer, ServerConfig
from hotlap.racer.env import RacerEnv

SECONDS = 10.0


class ServerThread:
    """A bridge server on an event loop of its own."""

    def __init__(self, config: ServerConfig) -> None:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main(config)))
        self._thread.start()
        assert self._ready.wait(SECONDS)

    async def _main(self, config: ServerConfig) -> None:
        self.server = BridgeServer(config)
        await self.server.start()
        self._stop = asyncio.Event()
        self.url, self.port = self.server.url, self.server.access.port
        self._ready.set()
        await self._stop.wait()
        await self.server.close()

    def call(self, function):
        """Run a function on the server's loop and hand back what it returns."""

        async def run():
            return function()

        return asyncio.run_coroutine_threadsafe(run(), self.server.loop).result(SECONDS)

    def counts(self) -> tuple[int, int]:
        """Open and unsettled connections."""
        return self.call(lambda: (len(self.server.open), len(self.server.unsettled)))

    def stop(self) -> None:
        self.server.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()


@contextmanager
def running_server(**options):
    """Our server on a free port of the loopback, unless told otherwise."""
    thread = ServerThread(ServerConfig(**{"port": 0, **options}))
    try:
        yield thread
    finally:
        thread.stop()


HANDSHAKE = (
    "GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
)


def handshake(port: int, host: str | None = None, **headers: str) -> bytes:
    """A request to open a WebSocket, as bytes."""
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return HANDSHAKE.format(host=f"127.0.0.1:{port}" if host is None else host, more=more).encode("latin-1")


@contextmanager
def raw_socket(port: int):
    """A plain TCP connection."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        yield connection


@contextmanager
def open_raw(port: int):
    """A WebSocket after its handshake, still as a plain socket."""
    with raw_socket(port) as connection:
        connection.sendall(handshake(port))
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(4096)
        assert answer.startswith(b"HTTP/1.1 101")
        yield connection


def frame(payload: bytes, opcode: int = 1, *, fin: bool = True) -> bytes:
    """A masked client frame; the mask is all zeros, so the payload stays readable."""
    head = (0x80 if fin else 0) | opcode
    if len(payload) < 126:
        return bytes([head, 0x80 | len(payload)]) + bytes(4) + payload
    if len(payload) < 65_536:
        return bytes([head, 0xFE]) + len(payload).to_bytes(2, "big") + bytes(4) + payload
    return bytes([head, 0xFF]) + len(payload).to_bytes(8, "big") + bytes(4) + payload


def read_all(connection: socket.socket) -> bytes:
    """Everything until the other side is done, a reset included."""
    answer = b""
    try:
        while data := connection.recv(65_536):
            answer += data
    except ConnectionResetError:
        pass
    return answer


def read_frame(connection: socket.socket) -> tuple[int, bytes]:
    """Opcode and payload of the next server frame."""
    head = _read_exactly(connection, 2)
    length = head[1]
    if length == 126:
        length = int.from_bytes(_read_exactly(connection, 2), "big")
    elif length == 127:
        length = int.from_bytes(_read_exactly(connection, 8), "big")
    return head[0] & 0x0F, _read_exactly(connection, length)


def _read_exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise EOFError(f"{len(data)} of {count} bytes")
        data += more
    return data


def close_code(frame_payload: bytes) -> tuple[int, str]:
    """Code and reason of a close frame."""
    return int.from_bytes(frame_payload[:2], "big"), frame_payload[2:].decode()


def answer_as_the_original(env_of_this_client: list, message: dict) -> dict:
    """The original protocol and nothing else, written down a second time."""
    if message["type"] == "reset":
        env = RacerEnv(track=message.get("trackId", "track-01"), config=message.get("config"))
        env_of_this_client[:] = [env]
        observation, info = env.reset()
        return {"type": "reset_result", "observation": observation.tolist(), "info": info}
    if message["type"] == "step":
        if not env_of_this_client:
            return {"type": "error", "message": "Call reset before step"}
        observation, reward, terminated, truncated, info = env_of_this_client[0].step(message["action"])
        outcome = {"observation": observation.tolist(), "reward": reward, "terminated": terminated}
        return {"type": "step_result", **outcome, "truncated": truncated, "info": info}
    if message["type"] == "close":
        env_of_this_client.clear()
        return {"type": "close_result"}
    return {"type": "error", "message": f"Unknown message type: {message['type']}"}


@contextmanager
def original_server():
    """A server by another library that knows no hello, no seeds, no batches."""

    def talk(connection) -> None:
        env: list = []
        try:
            for message in connection:
                connection.send(json.dumps(answer_as_the_original(env, json.loads(message))))
        except websockets.exceptions.ConnectionClosed:
            pass

    with serve(talk, "127.0.0.1", 0, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join(SECONDS)
