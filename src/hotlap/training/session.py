"""A run in memory: the world, the model, its state, made from the configuration or put back from a checkpoint."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecNormalize

from hotlap import __version__
from hotlap.checkpoints import Checkpoint
from hotlap.errors import ConfigError
from hotlap.export.onnx import export_policy
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.training.algorithms import ALGORITHMS
from hotlap.training.config import TrainConfig, config_document
from hotlap.training.state import TrainingState
from hotlap.vector.sb3 import WorldVecEnv, make_vec_env

MOST_TRACKS = 10_000


@dataclass(frozen=True)
class Session:
    """The live parts of one run."""

    config: TrainConfig
    env: WorldVecEnv
    normalizer: VecNormalize | None
    model: BaseAlgorithm
    state: TrainingState

    @property
    def step(self) -> int:
        """Environment steps made so far."""
        return int(self.model.num_timesteps)

    def policy_metadata(self) -> dict[str, Any]:
        """What a policy file says about itself."""
        config = self.config
        return {
            "format": 1,
            "world": config.world,
            "layout": config.racer.observation,
            "physics_fingerprint": physics_fingerprint(),
            "tracks": list(config.racer.tracks),
            "algorithm": config.algorithm,
            "steps": self.step,
            "seed": config.seed,
            "hotlap": __version__,
        }

    def export_policy(self) -> bytes:
        """The policy as it is now, as one verified file."""
        return export_policy(self.model, self.normalizer, self.policy_metadata())

    def checkpoint(self, policy: bytes | None) -> Checkpoint:
        """The run as it is now, complete; without a policy file it is only good for going on."""
        documents = {"config": config_document(self.config), "counters": self.state.counters()}
        return Checkpoint(self.step, self.state.tensors(), documents, {"policy.onnx": policy} if policy else {})


def open_session(config: TrainConfig) -> Session:
    """A new run in memory."""
    torch.set_num_threads(config.torch_threads)
    algorithm = ALGORITHMS[config.algorithm]
    env = make_vec_env(
        config.world,
        config.cars,
        seed=config.seed,
        track=expand_tracks(config.racer.tracks),
        config=config.racer.config,
        observation=config.racer.observation,
        start=config.racer.start,
        action_delay=config.racer.action_delay
        if config.racer.action_delay == "random"
        else int(config.racer.action_delay),
    )
    normalizer = VecNormalize(env, gamma=algorithm.gamma(config)) if config.normalize else None
    model = algorithm.make(config, normalizer or env)
    model.action_space.seed(config.seed)
    return Session(config, env, normalizer, model, TrainingState(model, env, normalizer, algorithm))


def restore_session(config: TrainConfig, checkpoint: Checkpoint) -> Session:
    """A run put back as it was; every die and every car included."""
    session = open_session(config)
    if session.normalizer is not None:
        session.normalizer.reset()
    else:
        session.env.reset()
    session.state.restore(checkpoint.tensors, checkpoint.documents["counters"])
    return session


def expand_tracks(names: tuple[str, ...]) -> list[str]:
    """Track names with `generated:FIRST-LAST:DIFFICULTY` written out."""
    found: list[str] = []
    for name in names:
        found += _seed_range(name) if name.startswith("generated:") and "-" in name.split(":")[1] else [name]
    if len(found) > MOST_TRACKS:
        raise ConfigError(f"{len(found)} tracks are more than the {MOST_TRACKS} a run may have.")
    return found


def _seed_range(name: str) -> list[str]:
    _, seeds, *difficulty = name.split(":")
    first, _, last = seeds.partition("-")
    if not (first.isdigit() and last.isdigit() and int(first) <= int(last)):
        raise ConfigError(f'"{name}" is no range of tracks; write generated:0-99:medium.')
    return [":".join(["generated", str(seed), *difficulty]) for seed in range(int(first), int(last) + 1)]


def parameters_are_finite(model: Any) -> bool:
    """Whether every weight is a number."""
    return all(bool(torch.isfinite(parameter).all()) for parameter in model.policy.parameters())


def arrays_are_finite(*arrays: Any) -> bool:
    """Whether every element is a number."""
    return all(bool(np.isfinite(array).all()) for array in arrays)


def reward_mean(episodes: Any) -> float | None:
    """Mean return of the last episodes, where there are any."""
    values = [episode["r"] for episode in episodes or ()]
    return float(np.mean(values)) if values else None
