"""What `hotlap bridge` does: get ready, say where it listens, serve until a signal comes."""

import asyncio
import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from hotlap.bridge import DEFAULT_PORT
from hotlap.bridge.messages import BridgeSession
from hotlap.bridge.polling import run_polling
from hotlap.bridge.server import BridgeServer, ServerConfig
from hotlap.errors import ConfigError
from hotlap.systems import on_signal

FORCED_EXIT_S = 5.0
MOST_LINES = 20
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class FewLines(logging.Filter):
    """Lets a few records a minute through: no client can fill a disk with what it does wrong."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._minute_ends_s = 0.0
        self._seen = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written; the first of a minute says how many were not."""
        now_s = self._clock()
        if now_s >= self._minute_ends_s:
            left_out, self._seen = max(0, self._seen - MOST_LINES), 0
            self._minute_ends_s = now_s + 60.0
            if left_out:
                record.msg, record.args = f"{record.getMessage()} ({left_out} more lines were left out)", None
        self._seen += 1
        return self._seen <= MOST_LINES


def serve(config: ServerConfig) -> int:
    """Serve until SIGINT or SIGTERM; 0 after an orderly end."""
    handler = logging.StreamHandler()
    handler.addFilter(FewLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format="[bridge] %(message)s")
    warm_up()
    run_polling(_serve(config))
    return 0


async def _serve(config: ServerConfig) -> None:
    await serve_until_signal(BridgeServer(config))


async def serve_until_signal(server: BridgeServer) -> None:
    """Listen, say where, and close in good order when told to."""
    await server.start()
    told = asyncio.Event()
    for number in SIGNALS:
        on_signal(server.loop, number, told.set)
    print(f"[bridge] listening on {server.url}", flush=True)
    await told.wait()
    _force_exit_later()
    print("[bridge] shutting down", flush=True)
    await server.close()


def warm_up() -> None:
    """Compile or load the kernels before the first client waits for them, and take what stays out of the collector."""
    session = BridgeSession()
    session.receive(b'{"type":"reset"}')
    session.receive(b'{"type":"step","action":[0,1,0]}')
    gc.collect()
    gc.freeze()


def _force_exit_later() -> None:
    """Whatever hangs, the process ends; and a second signal ends it at once."""
    for number in SIGNALS:
        signal.signal(number, lambda *_: os._exit(1))
    timer = threading.Timer(FORCED_EXIT_S, os._exit, (1,))
    timer.daemon = True
    timer.start()


def chosen_port(port: int | None, environment: Mapping[str, str]) -> int:
    """The option, else BRIDGE_PORT, else the default."""
    if port is not None:
        return port
    written = environment.get("BRIDGE_PORT", "").strip()
    if not written:
        return DEFAULT_PORT
    if not written.isascii() or not written.isdigit() or not 1 <= int(written[:6]) <= 65_535:
        raise ConfigError(f"BRIDGE_PORT must be a whole number from 1 to 65535, not {written!r}.")
    return int(written)


def chosen_token(file: Path | None, environment: Mapping[str, str]) -> str | None:
    """What the token file holds, else BRIDGE_TOKEN, else none. Not an option: other users see those."""
    if file is None:
        return environment.get("BRIDGE_TOKEN") or None
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: the token cannot be read: {error}. Write it as one line of letters.") from error
