"""Attacks by the driver: actions that are no actions, and cars whose state was written by somebody else."""

import json
import random
import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.torture.figures import Figure
from benchmarks.torture.runs import environment
from hotlap.errors import HotlapError
from hotlap.highway.env import HighwayEnv
from hotlap.highway.world import HighwayWorld
from hotlap.racer.env import RacerEnv
from hotlap.racer.world import RacerWorld

ODD = (np.nan, np.inf, -np.inf, 1e38, -1e38, 1e308, 0.0, 1.0, -1.0, 5e-324)


def actions(seconds: float, seed: int) -> list[Figure]:
    """Drive both worlds with anything; an observation or reward that is no number is a failure."""
    dice, rng, count, refused, broken = random.Random(seed), np.random.default_rng(seed), 0, 0, []
    for env in (RacerEnv(), HighwayEnv()):
        end_s = time.monotonic() + seconds / 2
        env.reset(seed=seed)
        while time.monotonic() < end_s:
            action = odd_action(dice, rng)
            count += 1
            try:
                observation, reward, terminated, truncated, _info = env.step(action)
            except HotlapError:
                refused += 1
                continue
            except Exception as problem:  # noqa: BLE001 - any other error is what we are looking for
                broken.append(f"{type(env).__name__} {action!r}: {problem!r}"[:120])
                continue
            if not (np.isfinite(observation).all() and np.isfinite(reward)):
                broken.append(f"{type(env).__name__} {action!r}"[:120])
            if terminated or truncated:
                env.reset()
    text = f"{count:,} actions, {refused:,} refused, {len(broken)} broken {broken[:1] or ''}"
    return [Figure(17, text.strip(), not broken)]


def odd_action(dice: random.Random, rng: np.random.Generator) -> Any:
    """Mostly wild numbers, now and then something that is no action."""
    kind = dice.random()
    if kind < 0.6:
        return rng.uniform(-3.0, 3.0, 3)
    if kind < 0.9:
        return np.array([dice.choice(ODD) for _ in range(3)])
    return dice.choice([None, "left", [1, 2], np.zeros((3, 3)), np.zeros(3, complex), [[1], 2, 3], {}, 7])


def states(seconds: float, seed: int) -> list[Figure]:
    """Write anything into the state of both worlds, as a hostile checkpoint would, in a process that may die."""
    words = [sys.executable, "-m", "benchmarks.torture.driving", str(seconds), str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        return [Figure("7b", f"the process died ({done.returncode}): {done.stderr.strip()[-100:]}", held=False)]
    count, accepted = json.loads(done.stdout.splitlines()[-1])
    return [Figure("7b", f"{count:,} columns written over, {accepted:,} of them harmless, 0 crashes", count > 0)]


def write_over(seconds: float, seed: int) -> tuple[int, int]:
    """Put random numbers into one column after the other and drive on; how many, and how many were accepted."""
    rng, count, accepted = np.random.default_rng(seed), 0, 0
    for world in (RacerWorld(4), HighwayWorld(4)):
        for car in range(4):
            world.begin(car, rng)
        honest = {name: column.copy() for name, column in world.state_columns().items()}
        end_s = time.monotonic() + seconds / 2
        while time.monotonic() < end_s:
            name = str(rng.choice(list(honest)))
            count += 1
            try:
                world.put_state({**honest, name: odd_column(honest[name], rng)})
            except HotlapError:
                continue
            accepted += 1
            world.advance(np.zeros((4, len(world.action_bounds[0]))))
            world.put_state(honest)
    return count, accepted


def odd_column(column: Any, rng: np.random.Generator) -> Any:
    """A column of the same shape and type with a few numbers that no world would write."""
    odd = column.copy()
    places = rng.integers(odd.size, size=3)
    wild = rng.choice(ODD, 3) if odd.dtype.kind == "f" else rng.integers(-(2**31), 2**31, 3)
    with np.errstate(all="ignore"):
        odd.flat[places] = np.asarray(wild).astype(odd.dtype)
    return odd


if __name__ == "__main__":
    print(json.dumps(write_over(float(sys.argv[1]), int(sys.argv[2]))))
