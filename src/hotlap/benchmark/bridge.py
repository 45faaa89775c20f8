"""How fast the bridge is: round trips of one car, a bare echo of the same size beside it, a batch, and training."""

import itertools
import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.benchmark.bridge_echo import ECHO_PATH
from hotlap.benchmark.options import BridgeMeasurement
from hotlap.bridge.client import BridgeClient
from hotlap.bridge.json_text import encode
from hotlap.bridge.remote_batch import RemoteBatch
from hotlap.bridge.spawn import LISTENING, RunningServer, spawned_server
from hotlap.progress import tracked
from hotlap.racer.env import RacerEnv

BLOCK_STEPS = 100
WAKE_UP_STEPS = 3
BATCH_STEPS = 400
BATCH_WARMUP = 50
ACTION_SEED = 0
ACTION = [0.123456789, 0.923456789, 0.123456789]
STEP_REQUEST = encode({"type": "step", "action": ACTION})

Seconds = NDArray[np.float64]


def run_benchmark(
    steps: int = BridgeMeasurement.steps,
    target: float = BridgeMeasurement.target,
    warmup: int = BridgeMeasurement.warmup,
    url: str = BridgeMeasurement.url,
) -> dict[str, Any]:
    """Steps per second and milliseconds per step of one environment over the bridge; the warm-up does not count."""
    check = BridgeMeasurement(steps, target, warmup, url)
    with closing(RacerEnv(bridge_url=check.url)) as env:
        drive = driving(env)
        for _ in range(warmup):
            drive()
        times_s = timed(drive, steps)
    return summary(times_s, warmup, target)


def run_bridge_benchmark(wanted: BridgeMeasurement) -> int:
    """Measure everything and print it; 0 when the target is reached, 1 when not."""
    with ExitStack() as stack:
        url = stack.enter_context(echoing_server()).url if wanted.spawn else wanted.url
        result = measure_step_and_echo(wanted, url)
        if wanted.cars:
            result["batch"] = measure_batch(url, wanted.cars)
        if wanted.train:
            from hotlap.benchmark.bridge_training import measure_training  # noqa: PLC0415 - brings torch

            result["training"] = measure_training(url, wanted.cars or 1, wanted.train)
    sys.stdout.write((json.dumps(result) if wanted.json else table(result)) + "\n")
    return 0 if result["passed"] else 1


def echoing_server() -> AbstractContextManager[RunningServer]:
    """A bridge server in a process of its own, with an echo beside its worlds."""
    return spawned_server(["hotlap.benchmark.bridge_echo"], LISTENING)


def measure_step_and_echo(wanted: BridgeMeasurement, url: str) -> dict[str, Any]:
    """Steps and echoes in turns, where possible of one server, so that whatever disturbs it disturbs both."""
    with ExitStack() as stack:
        env = stack.enter_context(closing(RacerEnv(bridge_url=url)))
        clients = [stack.enter_context(BridgeClient(url)) for _ in range(2)]
        echo_url = url if wanted.spawn else stack.enter_context(echoing_server()).url
        calls = {"env": driving(env), "protocol": asking(clients[0]), "bytes": exchanging(clients[1])}
        reply_bytes = len(clients[1].exchange(STEP_REQUEST, "step"))
        calls["echo"] = echoing(stack.enter_context(BridgeClient(f"{echo_url}{ECHO_PATH}{reply_bytes}")))
        for call in calls.values():
            timed(call, wanted.warmup)
        blocks_s = in_turns(calls, wanted.steps)
    figures = {name: summary(np.concatenate(blocks_s[name]), wanted.warmup, wanted.target) for name in calls}
    return {**figures.pop("env"), **figures, "share_of_echo": shares_of_echo(blocks_s)}


def in_turns(calls: Mapping[str, Callable[[], None]], steps: int) -> dict[str, list[Seconds]]:
    """The seconds of so many calls of each kind, in short blocks that take turns, forwards and backwards."""
    blocks_s: dict[str, list[Seconds]] = {name: [] for name in calls}
    order = list(calls)
    blocks = np.array_split(np.arange(steps), -(-steps // BLOCK_STEPS))
    for part in tracked(blocks, len(blocks), "turns", "steps and echoes"):
        for name in order:
            timed(calls[name], WAKE_UP_STEPS)  # caches forget while the others have their turn
            blocks_s[name].append(timed(calls[name], len(part)))
        order.reverse()
    return blocks_s


def shares_of_echo(blocks_s: Mapping[str, list[Seconds]]) -> dict[str, dict[str, float | None]]:
    """The rate of a block over that of the echo's in the same turn: the median over the turns, with its interval."""
    from hotlap.evaluation.statistics import median  # noqa: PLC0415 - its package brings onnxruntime

    mean_s = {name: np.array([block_s.mean() for block_s in blocks]) for name, blocks in blocks_s.items()}
    turns = {name: median((mean_s["echo"] / mean_s[name]).tolist()) for name in mean_s if name != "echo"}
    return {name: share.plain() for name, share in turns.items() if share is not None}


def driving(env: RacerEnv) -> Callable[[], None]:
    """One step with a random action, and a reset when the episode is over."""
    rng = np.random.default_rng(ACTION_SEED)
    space = env.action_space
    actions = rng.uniform(space.low, space.high, (4096, 3)).astype(np.float32)  # type: ignore[attr-defined]
    turns = itertools.cycle(list(actions))
    env.reset(seed=ACTION_SEED)

    def drive() -> None:
        _, _, terminated, truncated, _ = env.step(next(turns))
        if terminated or truncated:
            env.reset()

    return drive


def asking(client: BridgeClient) -> Callable[[], None]:
    """One step of the protocol alone: JSON out, JSON in, no environment around it."""
    client.send_reset()

    def ask() -> None:
        if client.send_step(ACTION)["truncated"]:
            client.send_reset()

    return ask


def exchanging(client: BridgeClient) -> Callable[[], None]:
    """One step as bytes, which nobody at this end makes or reads: the echo's way through the client."""
    client.send_reset()
    return echoing(client)


def echoing(client: BridgeClient) -> Callable[[], None]:
    """One round trip of bytes as long as a step."""

    def exchange() -> None:
        client.exchange(STEP_REQUEST, "step")

    return exchange


def timed(action: Callable[[], None], count: int) -> Seconds:
    """Seconds of each call."""
    marks = np.empty(count + 1)
    marks[0] = time.perf_counter()
    for k in range(count):
        action()
        marks[k + 1] = time.perf_counter()
    return np.diff(marks)


def summary(times_s: Seconds, warmup: int, target: float) -> dict[str, Any]:
    """The figures of a series of round trips."""
    elapsed_s = float(times_s.sum())
    p50, p95, p99 = (float(value) for value in np.percentile(times_s, [50, 95, 99]) * 1e3)
    rate = len(times_s) / elapsed_s
    return {
        "steps": len(times_s),
        "warmup": warmup,
        "elapsed_sec": elapsed_s,
        "steps_per_sec": rate,
        "mean_ms": elapsed_s / len(times_s) * 1e3,
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "target": target,
        "passed": rate >= target,
    }


def measure_batch(url: str, cars: int) -> dict[str, Any]:
    """Car steps per second of a batch."""
    rng = np.random.default_rng(ACTION_SEED)
    with closing(RemoteBatch(url, cars, start="random")) as batch:
        batch.reset(seed=ACTION_SEED)
        actions = rng.uniform(*batch.action_bounds, (16, cars, 3)).astype(np.float32)
        turn = iter(range(sys.maxsize))

        def drive() -> None:
            batch.step(actions[next(turn) % len(actions)])

        timed(drive, BATCH_WARMUP)
        times_s = timed(drive, BATCH_STEPS)
    rate = cars * len(times_s) / float(times_s.sum())
    return {
        "cars": cars,
        "round_trips": len(times_s),
        "car_steps_per_sec": rate,
        "p50_ms": float(np.median(times_s)) * 1e3,
    }


def table(result: dict[str, Any]) -> str:
    """The figures for people."""
    rows = {
        "RacerEnv.step": result,
        "BridgeClient.send_step": result["protocol"],
        "the same as bytes": result["bytes"],
        "bare echo, same size": result["echo"],
    }
    lines = [f"{name:<22} {row['steps_per_sec']:>12,.0f} steps/s     {times(row)}" for name, row in rows.items()]
    for name, kind in {"send_step": "protocol", "RacerEnv": "env", "the server alone": "bytes"}.items():
        share = result["share_of_echo"][kind]
        interval = f"{share['low']:.2f} to {share['high']:.2f}"
        lines.append(f"{'share of the echo':<22} {share['value']:>12.2f} {name} ({interval} in 95 of 100 cases)")
    if "batch" in result:
        batch = result["batch"]
        name = f"batch of {batch['cars']:,}"
        lines.append(f"{name:<22} {batch['car_steps_per_sec']:>12,.0f} car steps/s p50 {batch['p50_ms']:.3f} ms")
    if "training" in result:
        training = result["training"]
        lines += [
            f"{'PPO in this process':<22} {training['in_process_per_sec']:>12,.0f} steps/s",
            f"{'PPO over the bridge':<22} {training['bridge_per_sec']:>12,.0f} steps/s  {training['share']:.2f} of it",
        ]
    outcome = "reached" if result["passed"] else "MISSED"
    lines.append(f"{'target':<22} {result['target']:>12,.0f} steps/s     {outcome}")
    return "\n".join(lines)


def times(result: dict[str, Any]) -> str:
    """Milliseconds of a round trip."""
    return f"p50 {result['p50_ms']:.3f} ms  p95 {result['p95_ms']:.3f} ms  p99 {result['p99_ms']:.3f} ms"
