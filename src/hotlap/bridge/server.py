"""The bridge server: listens, keeps count of its clients, sweeps up the late ones, and closes in good order."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from websockets.datastructures import Headers

from hotlap.bridge import DEFAULT_PORT
from hotlap.bridge.access import Access, Refusal, check_token
from hotlap.bridge.connection import Connection
from hotlap.bridge.messages import BridgeSession, Limits
from hotlap.bridge.turns import Turns
from hotlap.errors import BridgeConnectionError, ConfigError
from hotlap.policies.policy import Policy

SWEEP_S = 0.5
GOING_AWAY = 1001


@dataclass(frozen=True)
class ServerConfig:
    """Where a bridge server listens and what it offers."""

    host: str = "127.0.0.1"
    """Address to listen on; any but loopback needs a token."""
    port: int = DEFAULT_PORT
    """Port to listen on, 1 to 65535; 0 takes a free one."""
    token: str | None = field(default=None, repr=False)
    """What clients must show, at least 128 bits; never logged."""
    drivers: Mapping[str, Policy] = field(default_factory=dict)
    """Policies that clients may ask for, by name."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise ConfigError(f"port must be from 1 to 65535, or 0 for a free one, not {self.port}.")
        check_token(self.token, self.host)


class BridgeServer:
    """One listening socket and its connections, all on one event loop."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.limits = config.limits
        self.loop = asyncio.get_running_loop()
        self.turns = Turns(self.loop)
        self.access: Access
        self.open: set[Connection] = set()
        self.unsettled: dict[Connection, None] = {}
        self._all_gone = asyncio.Event()
        self._listener: asyncio.Server
        self._sweeper: asyncio.TimerHandle

    async def start(self) -> None:
        """Listen."""
        config = self.config
        try:
            self._listener = await self.loop.create_server(lambda: Connection(self), config.host, config.port)
        except OSError as error:
            raise BridgeConnectionError(
                f"cannot listen on {config.host} port {config.port}: {error.strerror or error}. "
                "Stop what listens there, or choose another with --port."
            ) from error
        self.access = Access(config.host, self._listener.sockets[0].getsockname()[1], config.token)
        self._sweeper = self.loop.call_later(SWEEP_S, self._sweep)

    @property
    def url(self) -> str:
        """Where clients find it."""
        host = f"[{self.config.host}]" if ":" in self.config.host else self.config.host
        return f"ws://{host}:{self.access.port}"

    async def close(self) -> None:
        """Stop listening, send every client away with 1001 and wait a moment for their goodbyes."""
        self._sweeper.cancel()
        self._listener.close()
        for connection in [*self.open]:
            connection.close(GOING_AWAY, "Server shutting down")
        if self.open or self.unsettled:
            self._all_gone.clear()
            self.loop.call_later(self.limits.linger_s, self._cut_off)
            await self._all_gone.wait()

    def _cut_off(self) -> None:
        for connection in [*self.open, *self.unsettled]:
            connection.abort()

    def _sweep(self) -> None:
        now_s = self.loop.time()
        for connection in [*self.open, *self.unsettled]:
            if now_s > connection.deadline_s:
                connection.expire()
        self._sweeper = self.loop.call_later(SWEEP_S, self._sweep)

    def refusal(self, headers: Headers) -> Refusal | None:
        """Why a handshake is not wanted, or None."""
        full = len(self.open) >= self.limits.connections
        return self.access.refusal(headers) or (too_many(self.limits.connections) if full else None)

    def open_session(self, connection: Connection, path: str) -> BridgeSession:  # noqa: ARG002 - a bridge is at any path
        """A connection has shaken hands: it gets a world of its own."""
        self.unsettled.pop(connection, None)
        self.open.add(connection)
        return BridgeSession(self.config.drivers, self.limits, crowded=lambda: self.turns.crowded)

    def unsettle(self, connection: Connection) -> None:
        """A connection that is not open yet or not any more; when there are too many, the oldest goes."""
        self.open.discard(connection)
        self.unsettled[connection] = None
        if len(self.unsettled) > self.limits.unsettled:
            oldest = next(iter(self.unsettled))
            del self.unsettled[oldest]
            oldest.abort()

    def forget(self, connection: Connection) -> None:
        """A connection has ended."""
        self.open.discard(connection)
        self.unsettled.pop(connection, None)
        if not self.open and not self.unsettled:
            self._all_gone.set()


def too_many(most: int) -> Refusal:
    """The answer to one connection more than there may be."""
    return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"all {most} connections are in use; close one and try again")
