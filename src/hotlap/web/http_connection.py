"""One HTTP connection that never waits long for its client, and gives way to others when the server is full."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_CONNECTIONS = 256
REQUEST_SECONDS = 10.0
"""How long head and body of a request may take together, and how long a client may refuse to take its answer."""
IDLE_SECONDS = 15


class PoliteProtocol(H11Protocol):
    """HTTP with a clock that runs whenever the server waits for the client, and stands while the server works."""

    waits_for_client: bool = True
    """Whether the client has something to do, and not the server."""
    since_s: float = 0.0
    """When the server last began to wait for the client."""
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock with the connection; if there are too many, another one goes."""
        super().connection_made(transport)
        self._wait(REQUEST_SECONDS)
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """The first bytes of a request give it its time; with its last byte the clock stops."""
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self._wait(REQUEST_SECONDS)
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._work()

    def on_response_complete(self) -> None:
        """Wait for the next request; a client that is answered before its body came is not waited for."""
        super().on_response_complete()
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self.transport.close()
        if state is h11.IDLE:
            self._wait(REQUEST_SECONDS if self.conn.trailing_data[0] else IDLE_SECONDS)
        elif self.transport.is_closing():
            self._wait(REQUEST_SECONDS)  # for the client to take what was written

    def pause_writing(self) -> None:
        """The client does not take its answer."""
        super().pause_writing()
        self._wait(REQUEST_SECONDS)

    def resume_writing(self) -> None:
        """It took some of it."""
        super().resume_writing()
        self._work()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """A WebSocket has a clock of its own."""
        self._work()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._work()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._work()
        self.waits_for_client, self.since_s = True, self.loop.time()
        self._clock = self.loop.call_later(seconds, self.transport.abort)

    def _work(self) -> None:
        self.waits_for_client = False
        if self._clock is not None:
            self._clock.cancel()

    def _make_room(self) -> None:
        """When full, hang up on the client that was waited for longest, else on the one that was worked for longest."""
        others = [other for other in self.connections if other is not self and _is_open(other)]
        if len(others) >= MOST_CONNECTIONS:
            min(others, key=_worth).transport.abort()


def _is_open(connection: Any) -> bool:
    """Whether a connection still takes up anything; one that was aborted is only waiting to be forgotten."""
    transport = connection.transport
    return not transport.is_closing() or transport.get_write_buffer_size() > 0


def _worth(connection: Any) -> tuple[int, float]:
    """In which order connections give way: clients that were waited for longest first, open WebSockets last."""
    if isinstance(connection, WebSocketsSansIOProtocol):
        return (2 if connection.handshake_complete and not connection.close_sent else 0, 0.0)
    return (0 if connection.waits_for_client else 1, connection.since_s)
