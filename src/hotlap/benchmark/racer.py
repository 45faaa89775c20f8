"""How fast the racing world is, in batches and one car at a time; what it takes to begin; how large a car is."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.benchmark.driving import MixedDrivers
from hotlap.racer.env import RacerEnv
from hotlap.racer.world import RacerWorld
from hotlap.vector.racer_env import RacerVectorEnv

Clock = Callable[[], float]
WARM_UP_TICKS = 200
FIRST_STEP = """
import time
began = time.perf_counter()
import hotlap
env = hotlap.RacerEnv()
env.reset(seed=0)
env.step([0.0, 1.0, 0.0])
print(time.perf_counter() - began)
"""


@dataclass(frozen=True)
class BatchCase:
    """One kind of batch to measure."""

    track: str
    layout: str
    cars: int
    threads: int


def best(values: Iterable[float]) -> float:
    """The shortest of several times: whatever else the machine did only makes them longer."""
    return min(values)


def batch_rate(case: BatchCase, ticks: int, repeats: int, clock: Clock = time.perf_counter) -> float:
    """Ticks of single cars per second while the world moves; deciding where to drive is not counted."""
    world = RacerWorld(case.cars, case.track, observation=case.layout, start="random", threads=case.threads)
    generators = [np.random.default_rng(car) for car in range(case.cars)]
    drivers = MixedDrivers(case.cars, case.layout)
    for car, generator in enumerate(generators):
        world.begin(car, generator)
    _drive(world, drivers, generators, WARM_UP_TICKS, clock)
    return case.cars * ticks / best(_drive(world, drivers, generators, ticks, clock) for _ in range(repeats))


def _drive(
    world: RacerWorld, drivers: MixedDrivers, generators: list[np.random.Generator], ticks: int, clock: Clock
) -> float:
    """Seconds spent in the world's ticks; cars whose episodes end begin again meanwhile."""
    spent = 0.0
    for _ in range(ticks):
        actions = drivers.actions(world.observation)
        began = clock()
        world.advance(actions)
        spent += clock() - began
        for car in np.flatnonzero(world.terminated | world.truncated):
            world.begin(int(car), generators[car])
    return spent


def vector_env_rate(cars: int, ticks: int, repeats: int, clock: Clock = time.perf_counter) -> float:
    """Steps of single cars per second through the Gymnasium VectorEnv, with everything it hands out, on all cores."""
    envs = RacerVectorEnv(cars, start="random")
    drivers = MixedDrivers(cars, "classic")
    observation, _ = envs.reset(seed=0)

    def steps(count: int) -> float:
        nonlocal observation
        spent = 0.0
        for _ in range(count):
            actions = drivers.actions(observation)
            began = clock()
            observation, *_ = envs.step(actions)
            spent += clock() - began
        return spent

    steps(WARM_UP_TICKS)
    return cars * ticks / best(steps(ticks) for _ in range(repeats))


def single_rate(steps: int, repeats: int, clock: Clock = time.perf_counter) -> float:
    """Calls of RacerEnv.step per second, everything a call does and returns included."""
    env = RacerEnv()
    env.reset(seed=0)
    plan = list(_random_plan(steps))
    _timed_steps(env, plan, clock)
    return steps / best(_timed_steps(env, plan, clock) for _ in range(repeats))


def _random_plan(steps: int) -> NDArray[np.float32]:
    """The actions of a smooth random driver."""
    drivers = MixedDrivers(2, "classic")
    return np.stack([drivers.actions(np.zeros((2, 14)))[1] for _ in range(steps)])


def _timed_steps(env: RacerEnv, plan: list[Any], clock: Clock) -> float:
    env.reset()
    began = clock()
    for action in plan:
        env.step(action)
    return clock() - began


def reset_us(resets: int, repeats: int, clock: Clock = time.perf_counter) -> float:
    """Microseconds to begin an episode with RacerEnv.reset, at a random place."""
    env = RacerEnv(start="random")
    env.reset(seed=0)

    def timed() -> float:
        began = clock()
        for _ in range(resets):
            env.reset()
        return clock() - began

    return best(timed() for _ in range(repeats)) / resets * 1e6


def start_up_s(*, cold: bool) -> float:
    """Seconds from `import hotlap` to the first step in a new process, with kernels cached or still to be compiled."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "HOTLAP_CACHE_DIR": empty} if cold else dict(os.environ)
        command = [sys.executable, "-c", FIRST_STEP]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    return float(done.stdout)


def bytes_per_car(layout: str) -> tuple[int, int]:
    """Memory of one car: what it carries from tick to tick, and that with actions and everything a step puts out."""
    batch = RacerWorld(1, observation=layout).batch
    state, actions, outputs = (
        sum(column.nbytes for column in group) for group in (batch.fleet, batch.actions, batch.out)
    )
    return state, state + actions + outputs
