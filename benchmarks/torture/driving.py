"""Attacks by the driver: actions that are no actions."""

import random
import time
from typing import Any

import numpy as np

from benchmarks.torture.figures import Figure
from hotlap.errors import HotlapError
from hotlap.highway.env import HighwayEnv
from hotlap.racer.env import RacerEnv

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
