"""How fast the bridge is: round trips of one car, a bare echo of the same size beside it, a batch, and training."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from hotlap.bridge.client import DEFAULT_URL, BridgeClient
from hotlap.bridge.json_text import encode
from hotlap.bridge.remote_batch import RemoteBatch
from hotlap.bridge.spawn import spawned_bridge
from hotlap.errors import ConfigError
from hotlap.racer.env import RacerEnv

ROUNDS = 5
BATCH_STEPS = 400
BATCH_WARMUP = 50
ROLLOUT_STEPS = 32
ACTION_SEED = 0


@dataclass(frozen=True)
class BridgeMeasurement:
    """What to measure."""

    steps: int = 5000
    """Round trips of one car."""
    target: float = 2000.0
    """Steps per second to reach."""
    warmup: int = 200
    """Round trips before the clock starts."""
    url: str = DEFAULT_URL
    """Where the server listens, unless one is spawned."""
    spawn: bool = False
    """Start a server for the measurement."""
    cars: int = 1024
    """Cars in the batch; 0 leaves it out."""
    train: int = 0
    """Steps of PPO to train in this process and through the bridge; 0 leaves it out."""

    def __post_init__(self) -> None:
        if self.steps < 1 or self.warmup < 0 or self.cars < 0 or self.train < 0:
            raise ConfigError("steps must be at least 1; warmup, cars and train at least 0.")


def run_benchmark(
    steps: int = 5000, target: float = 2000.0, warmup: int = 200, url: str = DEFAULT_URL
) -> dict[str, Any]:
    """Steps per second and milliseconds per step of one environment over the bridge; the warm-up does not count."""
    check = BridgeMeasurement(steps, target, warmup, url)
    with closing(RacerEnv(bridge_url=check.url)) as env:
        drive = driving(env)
        for _ in range(warmup):
            drive()
        times_s = timed(drive, steps)
    return summary(times_s, warmup, target)


def run_bridge_benchmark(wanted: BridgeMeasurement, *, as_json: bool = False) -> int:
    """Measure everything and print it; 0 when the target is reached, 1 when not."""
    with ExitStack() as stack:
        url = stack.enter_context(spawned_bridge()).url if wanted.spawn else wanted.url
        result = measure_step_and_echo(wanted, url)
        if wanted.cars:
            result["batch"] = measure_batch(url, wanted.cars)
        if wanted.train:
            result["training"] = measure_training(url, wanted)
    sys.stdout.write((json.dumps(result) if as_json else table(result)) + "\n")
    return 0 if result["passed"] else 1


def measure_step_and_echo(wanted: BridgeMeasurement, url: str) -> dict[str, Any]:
    """Steps and echoes in turns, so that whatever disturbs the machine disturbs both."""
    with ExitStack() as stack:
        env = stack.enter_context(closing(RacerEnv(bridge_url=url)))
        client = stack.enter_context(BridgeClient(url))
        calls = {"env": driving(env), "protocol": asking(client), "echo": stack.enter_context(echoing(url))}
        for call in calls.values():
            timed(call, wanted.warmup)
        times_s: dict[str, list[np.ndarray]] = {name: [] for name in calls}
        for part in np.array_split(np.arange(wanted.steps), min(ROUNDS, wanted.steps)):
            for name, call in calls.items():
                times_s[name].append(timed(call, len(part)))
    figures = {name: summary(np.concatenate(times_s[name]), wanted.warmup, wanted.target) for name in calls}
    echo = figures["echo"]["steps_per_sec"]
    shares = {name: figures[name]["steps_per_sec"] / echo for name in ("env", "protocol")}
    return {**figures["env"], "protocol": figures["protocol"], "echo": figures["echo"], "share_of_echo": shares}


def driving(env: RacerEnv) -> Callable[[], None]:
    """One step with a random action, and a reset when the episode is over."""
    dice = np.random.default_rng(ACTION_SEED)
    space = env.action_space
    actions = dice.uniform(space.low, space.high, (4096, 3)).astype(np.float32)  # type: ignore[attr-defined]
    turn = iter(range(sys.maxsize))
    env.reset(seed=ACTION_SEED)

    def drive() -> None:
        _, _, terminated, truncated, _ = env.step(actions[next(turn) % len(actions)])
        if terminated or truncated:
            env.reset()

    return drive


def asking(client: BridgeClient) -> Callable[[], None]:
    """One step of the protocol alone: JSON out, JSON in, no environment around it."""
    client.send_reset()

    def ask() -> None:
        if client.send_step([0.123456789, 0.923456789, 0.123456789])["truncated"]:
            client.send_reset()

    return ask


@contextmanager
def echoing(url: str) -> Iterator[Callable[[], None]]:
    """One round trip with messages as long as a step's and its reply, to a server that only echoes."""
    request = encode({"type": "step", "action": [0.123456789, 0.123456789, 0.123456789]})
    with BridgeClient(url) as client:
        client.send_reset()
        reply = client.exchange(request, "step")
    module = ("hotlap.benchmark.bridge_echo",)
    with spawned_bridge(str(len(reply)), module=module) as server, BridgeClient(server.url) as client:

        def echo() -> None:
            client.exchange(request, "echo")

        yield echo


def timed(action: Callable[[], None], count: int) -> np.ndarray:
    """Seconds of each call."""
    marks = np.empty(count + 1)
    marks[0] = time.perf_counter()
    for k in range(count):
        action()
        marks[k + 1] = time.perf_counter()
    return np.diff(marks)


def summary(times_s: np.ndarray, warmup: int, target: float) -> dict[str, Any]:
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
    dice = np.random.default_rng(ACTION_SEED)
    with closing(RemoteBatch(url, cars, start="random")) as batch:
        batch.reset(seed=ACTION_SEED)
        actions = dice.uniform(*batch.action_bounds, (16, cars, 3)).astype(np.float32)
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


def measure_training(url: str, wanted: BridgeMeasurement) -> dict[str, Any]:
    """Steps per second of PPO with the same cars in this process and in the server, a rollout of each in turns."""
    from hotlap.bridge.vec_env import BridgeVecEnv  # noqa: PLC0415 - brings torch, which only this needs
    from hotlap.vector.sb3 import make_vec_env  # noqa: PLC0415

    cars = wanted.cars or 1
    options: dict[str, Any] = {"seed": ACTION_SEED, "start": "random"}
    with closing(make_vec_env("racer", cars, **options)) as here, closing(BridgeVecEnv(url, cars, **options)) as there:
        learners = {"in_process_per_sec": learner(here), "bridge_per_sec": learner(there)}
        seconds = dict.fromkeys(learners, 0.0)
        rounds = max(1, wanted.train // (cars * ROLLOUT_STEPS))
        for learn in learners.values():
            learn()  # warm-up
        for _ in range(rounds):
            for name, learn in learners.items():
                seconds[name] += float(timed(learn, 1)[0])
    rates = {name: rounds * cars * ROLLOUT_STEPS / seconds[name] for name in learners}
    return {"cars": cars, **rates, "share": rates["bridge_per_sec"] / rates["in_process_per_sec"]}


def learner(env: Any) -> Callable[[], None]:
    """One rollout and its optimisation by PPO."""
    import torch  # noqa: PLC0415
    from stable_baselines3 import PPO  # noqa: PLC0415

    torch.set_num_threads(1)  # as training does: networks this small only wait for each other's threads
    size = env.num_envs * ROLLOUT_STEPS
    model = PPO(
        "MlpPolicy", env, n_steps=ROLLOUT_STEPS, batch_size=size // 8, n_epochs=4, seed=ACTION_SEED, device="cpu"
    )

    def learn() -> None:
        model.learn(size, reset_num_timesteps=False)

    return learn


def table(result: dict[str, Any]) -> str:
    """The figures for people."""
    rows = {
        "RacerEnv.step": result,
        "BridgeClient.send_step": result["protocol"],
        "bare echo, same size": result["echo"],
    }
    lines = [f"{name:<22} {row['steps_per_sec']:>12,.0f} steps/s     {times(row)}" for name, row in rows.items()]
    shares = result["share_of_echo"]
    lines.append(f"{'share of the echo':<22} {shares['protocol']:>12.2f} send_step   {shares['env']:.2f} RacerEnv")
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
    verdict = "reached" if result["passed"] else "MISSED"
    lines.append(f"{'target':<22} {result['target']:>12,.0f} steps/s     {verdict}")
    return "\n".join(lines)


def times(result: dict[str, Any]) -> str:
    """Milliseconds of a round trip."""
    return f"p50 {result['p50_ms']:.3f} ms  p95 {result['p95_ms']:.3f} ms  p99 {result['p99_ms']:.3f} ms"
