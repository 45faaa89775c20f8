"""Training through the bridge beside the same training in one process, a rollout of each in turns."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

from hotlap.bridge.vec_env import BridgeVecEnv
from hotlap.vector.sb3 import make_vec_env

ROLLOUT_STEPS = 32
SEED = 0


def measure_training(url: str, cars: int, steps: int) -> dict[str, Any]:
    """Steps per second of PPO here and over the bridge; their share is the median over the pairs of rollouts."""
    options: dict[str, Any] = {"seed": SEED, "start": "random"}
    size = cars * ROLLOUT_STEPS
    with closing(make_vec_env("racer", cars, **options)) as here, closing(BridgeVecEnv(url, cars, **options)) as there:
        learners = [learner(here), learner(there)]
        for learn in learners:
            learn()  # warm-up
        pairs_s = np.array([[seconds_of(learn) for learn in learners] for _ in range(max(1, steps // size))])
    in_process_s, bridge_s = pairs_s.sum(axis=0).tolist()
    return {
        "cars": cars,
        "in_process_per_sec": size * len(pairs_s) / in_process_s,
        "bridge_per_sec": size * len(pairs_s) / bridge_s,
        "share": float(np.median(pairs_s[:, 0] / pairs_s[:, 1])),
    }


def learner(env: VecEnv) -> Callable[[], Any]:
    """One rollout and its optimisation by PPO."""
    torch.set_num_threads(1)  # as training does: networks this small only wait for each other's threads
    size = env.num_envs * ROLLOUT_STEPS
    model = PPO(
        "MlpPolicy", env, n_steps=ROLLOUT_STEPS, batch_size=max(2, size // 8), n_epochs=4, seed=SEED, device="cpu"
    )
    return lambda: model.learn(size, reset_num_timesteps=False)


def seconds_of(action: Callable[[], Any]) -> float:
    """How long a call takes."""
    began_s = time.perf_counter()
    action()
    return time.perf_counter() - began_s
