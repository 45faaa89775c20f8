"""A server process for the length of a `with`: for measurements, tests and examples."""

import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from hotlap.errors import BridgeConnectionError

LISTENING = "listening on "
START_S = 240.0
STOP_S = 6.0


class RunningServer(NamedTuple):
    """A server that has said where it listens."""

    url: str
    process: "subprocess.Popen[str]"


@contextmanager
def spawned_bridge(
    *words: str, module: Sequence[str] = ("hotlap.cli", "bridge"), environment: Mapping[str, str] | None = None
) -> Iterator[RunningServer]:
    """`hotlap bridge` with these options, on a free port unless they name one; ended with SIGTERM."""
    port = () if "--port" in words else ("--port", "0")
    with spawned_server([*module, *port, *words], LISTENING, environment) as running:
        yield running


@contextmanager
def spawned_server(
    words: Sequence[str], says: str, environment: Mapping[str, str] | None = None
) -> Iterator[RunningServer]:
    """`python -m` with these words; the server says `says` and then its address; ended with SIGTERM."""
    command = [sys.executable, "-m", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)  # noqa: S603 - our own words
    try:
        yield RunningServer(_address(process, says), process)
    finally:
        process.terminate()
        _wait(process)


def _address(process: "subprocess.Popen[str]", says: str) -> str:
    """Read until the server says where it listens; a process that says nothing for four minutes is ended."""
    timer = threading.Timer(START_S, process.kill)
    timer.start()
    try:
        for line in process.stdout or ():
            if says in line:
                return line.split(says, 1)[1].split()[0]
    finally:
        timer.cancel()
    raise BridgeConnectionError(f"the server did not start (exit code {process.wait()}); what it says is above.")


def _wait(process: "subprocess.Popen[str]") -> None:
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
