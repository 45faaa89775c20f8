"""A plain synchronous client: one request, one reply, over a blocking socket; framing by websockets, no threads."""

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn, Self

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import WebSocketURI, parse_uri

from hotlap.bridge import DEFAULT_URL
from hotlap.bridge.access import SILENT_LOG
from hotlap.bridge.json_text import decode, encode
from hotlap.bridge.polling import PollingSocket
from hotlap.errors import BridgeConnectionError, BridgeError, BridgeTimeoutError, ConfigError

START_COMMAND = "hotlap bridge"
LARGEST_REPLY_BYTES = 16 * 2**20
GOODBYE_S = 1.0


class BridgeClient:
    """A connection to a bridge server, of this project or any other that speaks the protocol. Not for several threads.

    A refused request raises BridgeError and leaves the connection as it was. A server that is gone, or silent for
    longer than `timeout_s`, raises one BridgeConnectionError and the client is closed.
    """

    def __init__(self, url: str = DEFAULT_URL, timeout_s: float = 10.0, token: str | None = None) -> None:
        self.url = url
        self.timeout_s = timeout_s
        self._messages: deque[bytes] = deque()
        self._fragments = bytearray()
        self._waiting = False
        self._closed_because: str | None = None
        self._socket = self._connect(_parsed(url))
        self._open(token if token is not None else os.environ.get("BRIDGE_TOKEN"))

    def send_reset(
        self, config: Mapping[str, Any] | None = None, track_id: str = "track-01", **beyond: Any
    ) -> dict[str, Any]:
        """Begin an episode; `seed`, `options`, `tracks` and `observation` need a server that says so in its hello."""
        given = {key: value for key, value in {"config": config, **beyond}.items() if value is not None}
        return self.request({"type": "reset", "trackId": track_id, **given})

    def send_step(self, action: Sequence[float]) -> dict[str, Any]:
        """One tick with [steer, throttle, brake]."""
        return self.checked(self.exchange(encode({"type": "step", "action": action}), "step"))

    def send_close(self) -> None:
        """Drop the world and the connection; never raises, and a second time does nothing."""
        if self._closed_because is not None:
            return
        self.timeout_s = min(self.timeout_s, GOODBYE_S)
        with contextlib.suppress(BridgeError, OSError):  # gone already is what was wanted
            self.request({"type": "close"})
            self._wire.send_close(CloseCode.NORMAL_CLOSURE)
            self._send(time.monotonic() + self.timeout_s)
        self._shut("the client was closed")

    close = send_close

    def hello(self) -> dict[str, Any]:
        """What the server is and can do; a server of the original protocol has no capabilities."""
        try:
            return self.request({"type": "hello", "client": "hotlap", "protocols": [1, 2]})
        except BridgeError:
            return {"type": "hello_result", "protocols": [1], "capabilities": []}

    def race(self, name: str, **order: Any) -> Iterator[dict[str, Any]]:
        """Let the server's policy of that name drive: every tick's `race_frame`, and last the `race_result`."""
        self.request({"type": "policy", "name": name, **order})
        over = False
        try:
            while not over:
                frame = self.checked(self._receive("the race"))
                over = frame["type"] == "race_result"
                yield frame
        finally:
            if not over and self._closed_because is None:
                self._stop_race()

    def _stop_race(self) -> None:
        """Ask for the end and read past the frames that were on their way."""
        reply = self.request({"type": "close"})
        while reply["type"] != "close_result":
            reply = self.checked(self._receive("close"))

    def request(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """One JSON message and its JSON reply."""
        return self.checked(self.exchange(encode(message), message["type"]))

    def exchange(self, payload: bytes, what: str, *, binary: bool = False) -> bytes:
        """One message of bytes and the reply's bytes; `what` names it should the server not answer."""
        if self._closed_because is not None:
            raise BridgeConnectionError(f"The connection to {self.url} is closed: {self._closed_because}.")
        if self._waiting:
            self._fail("an earlier request was interrupted, so its late reply would be mistaken for another")
        self._waiting = True
        (self._wire.send_binary if binary else self._wire.send_text)(payload)
        reply = self._receive(what)
        self._waiting = False
        return reply

    def batch_reply(self, payload: bytes, what: str, *, binary: bool) -> bytes:
        """A message whose reply is binary; a JSON reply instead says what is wrong."""
        reply = self.exchange(payload, what, binary=binary)
        if reply.startswith(b"{"):
            self.checked(reply)
        return reply

    def checked(self, payload: bytes) -> dict[str, Any]:
        """A reply as a dictionary; one that is an error is raised, and one that is no message ends the connection."""
        reply = decode(payload)
        kind = reply.get("type") if isinstance(reply, dict) else None
        if not isinstance(kind, str):
            self._fail("its reply is no message of the protocol")
        if kind == "error":
            raise BridgeError(f"Bridge error: {reply.get('message')}")
        return reply  # type: ignore[no-any-return]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connect(self, place: WebSocketURI) -> PollingSocket:
        self._wire = ClientProtocol(place, max_size=LARGEST_REPLY_BYTES, logger=SILENT_LOG)
        try:
            return PollingSocket(place.host, place.port, self.timeout_s)
        except OSError as error:
            raise BridgeConnectionError(
                f"Cannot connect to bridge server at {self.url} -- is it running? ({error.strerror or error}) "
                f'Start it with "{START_COMMAND}".'
            ) from error

    def _open(self, token: str | None) -> None:
        """The WebSocket handshake."""
        request = self._wire.connect()
        if token is not None:
            request.headers["Authorization"] = f"Bearer {token}"
        self._wire.send_request(request)
        self._talk("the WebSocket handshake", lambda: self._wire.state is not State.CONNECTING)
        if self._wire.handshake_exc is not None:
            self._fail(_refusal(self._wire.handshake_exc))

    def _receive(self, what: str) -> bytes:
        """Send what waits to be sent, and take the next message."""
        messages = self._messages
        self._talk(what, lambda: bool(messages))
        if not messages:
            self._fail(_goodbye(self._wire))
        return messages.popleft()

    def _talk(self, what: str, done: Callable[[], bool]) -> None:
        """Send and read, however many reads it takes, until done, the other side is gone or time is up."""
        end_s = time.monotonic() + self.timeout_s
        try:
            self._send(end_s)
            while not done() and not self._is_over():
                self._read(end_s)
        except TimeoutError:
            self._time_out(what)
        except OSError as error:
            self._fail(self._last_words(end_s) or error.strerror or str(error))

    def _last_words(self, end_s: float) -> str | None:
        """What the server said before the socket broke, if anything."""
        with contextlib.suppress(OSError):
            self._read(end_s)
        return _goodbye(self._wire) if self._wire.close_rcvd is not None else None

    def _is_over(self) -> bool:
        wire = self._wire
        return wire.handshake_exc is not None or wire.state is State.CLOSING or wire.state is State.CLOSED

    def _read(self, end_s: float) -> None:
        """What the socket has to say, taken apart into messages."""
        data = self._socket.receive(end_s)
        if data:
            self._wire.receive_data(data)
        else:
            self._wire.receive_eof()
        for event in self._wire.events_received():
            if isinstance(event, Frame):
                self._collect(event)
        self._send(end_s)

    def _collect(self, frame: Frame) -> None:
        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            return
        self._fragments += frame.data
        if frame.fin:
            self._messages.append(bytes(self._fragments))
            self._fragments.clear()

    def _send(self, end_s: float) -> None:
        for data in self._wire.data_to_send():
            if data:
                self._socket.send_all(data, end_s)

    def _time_out(self, what: str) -> NoReturn:
        self._shut(f"no answer to {what} within {self.timeout_s:g} s")
        raise BridgeTimeoutError(
            f"The bridge server at {self.url} did not answer {what} within {self.timeout_s:g} s (timeout_s); "
            "the connection is closed."
        ) from None

    def _fail(self, reason: str) -> NoReturn:
        self._shut(reason)
        raise BridgeConnectionError(f"The connection to the bridge server at {self.url} is closed: {reason}.") from None

    def _shut(self, reason: str) -> None:
        self._closed_because = reason
        self._socket.close()


def _parsed(url: str) -> WebSocketURI:
    try:
        place = parse_uri(url)
    except (InvalidURI, ValueError) as error:
        raise ConfigError(f"{url!r} is no address of a bridge server. Write it like {DEFAULT_URL}.") from error
    if place.secure:
        raise ConfigError(f"{url!r}: the bridge speaks ws://, not wss://. Put a tunnel in between where others listen.")
    return place


def _refusal(error: Exception) -> str:
    """Why a handshake failed, in the server's words where it has some."""
    if isinstance(error, InvalidStatus):
        response: Response = error.response
        words = bytes(response.body).decode("utf-8", "replace").strip().rstrip(".")
        return f"it refused with HTTP {response.status_code}: {words}"
    return f"it is no WebSocket server ({error})" if isinstance(error, InvalidHandshake) else str(error)


def _goodbye(wire: ClientProtocol) -> str:
    if wire.close_rcvd is not None:
        return f"the server closed it with {wire.close_rcvd}"
    if wire.parser_exc is not None and not isinstance(wire.parser_exc, EOFError):
        return f"the server broke the WebSocket protocol ({wire.parser_exc})"
    return "the server has gone away"
