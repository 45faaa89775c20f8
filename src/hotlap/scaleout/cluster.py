"""Joining a Ray cluster, or making one of this machine: token authentication on, everything on loopback."""

import importlib
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hotlap.errors import ClusterError

LOCAL = ""
LOOPBACK = "127.0.0.1"
OBJECT_STORE_BYTES = 200_000_000
"""Enough for weights and batches of cars; Ray's own choice is a third of the machine's memory."""
PATIENCE_S = 5.0
OWN_END = {"RAY_kill_child_processes_on_worker_exit": "0"}
"""A training whose watcher is gone notices and saves itself; Ray would kill it before it can."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "RAY_AIR_NEW_OUTPUT": "0",
}


def load_ray(*parts: str) -> Any:
    """Ray, or a part of it, set up before it is loaded; where it is not installed, what to install."""
    require_token(os.environ)
    for name, value in (QUIET | OWN_END).items():
        os.environ.setdefault(name, value)
    try:
        loaded = importlib.import_module(".".join(["ray", *parts]))
    except ImportError as problem:
        extra = "rllib" if "rllib" in parts else "ray"
        raise ClusterError(
            f'Ray cannot be loaded ({problem}). Install it with: pip install "hotlap[{extra}]"'
        ) from problem
    logging.getLogger("ray").setLevel(logging.ERROR)  # loading it has set a level of its own
    return loaded


def require_token(environment: Mapping[str, str]) -> None:
    """Turn token authentication on before Ray looks; a cluster that anybody can give code to is refused."""
    mode = environment.get("RAY_AUTH_MODE", "token")
    if mode.lower() != "token":
        raise ClusterError(f"RAY_AUTH_MODE is {mode!r}: whoever reaches such a cluster can run code there. Unset it.")
    os.environ["RAY_AUTH_MODE"] = "token"


def check_reachable(address: str) -> None:
    """Refuse at once what nobody listens at; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16 or "/" in host:
        raise ClusterError(
            f'"{address}" is no address of a Ray cluster; write HOST:PORT, as `ray start --head` says it.'
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE_S).close()
    except OSError as problem:
        raise ClusterError(_refusal(address, problem)) from problem


@contextmanager
def joined(address: str = LOCAL, cpus: int | None = None) -> Iterator[Any]:
    """The cluster at an address, or one made of this machine for as long as it is needed; yields the ray module."""
    if address:
        check_reachable(address)
    ray = load_ray()
    quietly = {"log_to_driver": False, "configure_logging": True, "logging_level": "ERROR"}
    theirs = {"address": address, "runtime_env": {"env_vars": OWN_END}}
    own = {
        "address": "local",
        "num_cpus": cpus,
        "include_dashboard": False,
        "dashboard_host": LOOPBACK,
        "object_store_memory": OBJECT_STORE_BYTES,
    }
    try:
        with _heard_by(this_machine_only=not address), _ears_kept():
            ray.init(**(theirs if address else own), **quietly)
    except (ConnectionError, RuntimeError, ValueError, OSError) as problem:
        raise ClusterError(_refusal(address, problem)) from problem
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def _heard_by(*, this_machine_only: bool) -> Iterator[None]:
    """Ray listens on every interface, unless it is told that there are no clusters, as it is on other systems."""
    constants = load_ray("_private", "ray_constants")
    before = constants.ENABLE_RAY_CLUSTER
    constants.ENABLE_RAY_CLUSTER = before and not this_machine_only
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


@contextmanager
def _ears_kept() -> Iterator[None]:
    """Ray takes SIGTERM for itself when it starts; who listened before, such as a run that saves itself, still does."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    if callable(before) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)


def _refusal(address: str, problem: Exception) -> str:
    first = str(problem).strip().split("\n")[0]
    if not address:
        return f"Ray does not start on this machine ({first}). Try again without --on ray."
    return (
        f"no cluster at {address} takes us ({first}). Start one with `ray start --head`, give its address and port, "
        "and its token in RAY_AUTH_TOKEN or ~/.ray/auth_token."
    )
