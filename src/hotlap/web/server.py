"""Runs the application: signals end it politely, and it has no patience with half-open connections."""

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from hotlap.errors import WebError
from hotlap.systems import forget_signal, on_signal
from hotlap.web import http_connection
from hotlap.web.http_connection import MOST_CONNECTIONS, PoliteProtocol

GOODBYE_SECONDS = 3
MOST_MESSAGE_BYTES = 4096
MOST_HEADER_BYTES = 16 * 1024


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket, or an error that says why not and what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(MOST_CONNECTIONS)
        listener.setblocking(False)
    except (OSError, OverflowError) as problem:
        listener.close()
        raise WebError(
            f"cannot listen on {host}:{port} ({getattr(problem, 'strerror', None) or problem}). "
            "Is another hotlap play running? Choose another port with --port, or any free one with --port 0."
        ) from problem
    return listener


class PoliteServer(uvicorn.Server):
    """A server that ends on the first Ctrl-C or SIGTERM without a traceback, and at once on the second."""

    def __init__(self, config: uvicorn.Config, when_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.when_ready = when_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, then tell; telling may open a browser, and nobody waits for that."""
        await super().startup(sockets)
        if self.started:
            asyncio.get_running_loop().run_in_executor(None, self.when_ready)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals ask the server to end; they are not raised again afterwards."""
        loop = asyncio.get_running_loop()
        in_charge = threading.current_thread() is threading.main_thread()
        asked = (signal.SIGINT, signal.SIGTERM) if in_charge else ()
        for number in asked:
            on_signal(loop, number, self._asked_to_end)
        try:
            yield
        finally:
            for number in asked:
                forget_signal(loop, number)

    def _asked_to_end(self) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


def server_for(app: ASGIApp, when_ready: Callable[[], None]) -> PoliteServer:
    """A server of one application, ready to be given a socket. It writes no access log: URLs may hold a token."""
    config = uvicorn.Config(
        app,
        http=PoliteProtocol,
        ws="websockets-sansio",
        log_level="error",  # what clients do wrong is no news, and could be said without end
        access_log=False,
        server_header=False,
        timeout_keep_alive=http_connection.IDLE_SECONDS,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        ws_max_size=MOST_MESSAGE_BYTES,
        ws_per_message_deflate=False,
    )
    return PoliteServer(config, when_ready)


def serve(app: ASGIApp, listener: socket.socket, when_ready: Callable[[], None]) -> None:
    """Serve until a signal; `when_ready` is called once, when requests are answered."""
    asyncio.run(server_for(app, when_ready).serve([listener]))
