"""Yardsticks: how fast other driving environments step on the same machine, in the same run."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import gymnasium as gym

HOW_TO_INSTALL = 'pip install "hotlap[peers]"'


@dataclass(frozen=True)
class Peer:
    """Another driving environment and what it takes to run it."""

    ids: tuple[str, ...]
    """Its Gymnasium ids, best first: newer versions of a package register newer ids."""
    module: str
    """What must be importable for it."""
    registers: bool
    """Whether that module brings the id."""
    seconds_per_step: float
    """Simulated time of one step."""
    sees: str
    """What its observation is made of."""


@dataclass(frozen=True)
class PeerRate:
    """How fast a peer was."""

    environment: str
    sees: str
    steps_per_s: float
    seconds_per_step: float


PEERS = (
    Peer(("CarRacing-v3",), "Box2D", registers=False, seconds_per_step=1 / 50, sees="96 x 96 pixels"),
    Peer(("racetrack-v1", "racetrack-v0"), "highway_env", registers=True, seconds_per_step=1 / 5, sees="a grid"),
    Peer(("highway-fast-v0",), "highway_env", registers=True, seconds_per_step=1.0, sees="5 vehicles"),
)


def installed(peer: Peer) -> bool:
    """Whether a peer's package is here, without importing it."""
    return find_spec(peer.module) is not None


def measure_peers(
    peers: Sequence[Peer], seconds: float, repeats: int, clock: Callable[[], float] = time.perf_counter
) -> list[PeerRate]:
    """Steps per second of each peer with random actions, resets not counted; the best of several tries."""
    rates = []
    for peer in peers:
        env = _make(peer)
        rate = max(_step_rate(env, seconds, clock) for _ in range(repeats))
        env.close()
        rates.append(PeerRate(_newest_id(peer), peer.sees, rate, peer.seconds_per_step))
    return rates


def _newest_id(peer: Peer) -> str:
    return next(name for name in peer.ids if name in gym.registry)


def _make(peer: Peer) -> gym.Env[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other people's deprecations are not the reader's concern
        if peer.registers:
            gym.register_envs(import_module(peer.module))
        env = gym.make(_newest_id(peer), disable_env_checker=True)
    env.action_space.seed(0)
    env.reset(seed=0)
    return env


def _step_rate(env: gym.Env[Any, Any], seconds: float, clock: Callable[[], float]) -> float:
    """Steps per second over about so many seconds of stepping."""
    steps, spent = 0, 0.0
    env.reset()
    while spent < seconds:
        action = env.action_space.sample()
        began = clock()
        _, _, terminated, truncated, _ = env.step(action)
        spent += clock() - began
        steps += 1
        if terminated or truncated:
            env.reset()
    return steps / spent
