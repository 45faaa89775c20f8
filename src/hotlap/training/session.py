"""A run in memory: the world, the model, its state, made from the configuration or put back from a checkpoint."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from hotlap import __version__
from hotlap.checkpoints import Checkpoint
from hotlap.checkpoints.names import POLICY_FILE
from hotlap.episodes import write_streams
from hotlap.errors import CheckpointError
from hotlap.export.onnx import export_policy
from hotlap.training.action_std import ActionStdSchedule
from hotlap.training.algorithms import ALGORITHMS
from hotlap.training.config import TrainConfig, config_document
from hotlap.training.event_log import RunLogger
from hotlap.training.gpu_ppo import GpuPPO
from hotlap.training.metrics import Metrics
from hotlap.training.ppo import HotlapPPO
from hotlap.training.state import TrainingState
from hotlap.training.teaching import teaching
from hotlap.training.world_training import training_of
from hotlap.vector.controls import Controls, MixedVecEnv, controls_of
from hotlap.vector.sb3 import WorldVecEnv, make_vec_env

LARGEST_WEIGHT = 1e5


@dataclass(frozen=True)
class TrainingSession:
    """The live parts of one run."""

    config: TrainConfig
    env: WorldVecEnv
    controls: Controls
    normalizer: VecNormalize | None
    model: BaseAlgorithm
    logger: RunLogger
    metrics: Metrics
    state: TrainingState

    @property
    def schedules(self) -> list[BaseCallback]:
        """What changes on its own while training goes on."""
        found: list[BaseCallback] = []
        if self.config.algorithm == "ppo" and self.config.network.log_std_end:
            found.append(ActionStdSchedule(self.config))
        if self.config.teacher.steps:
            teacher = training_of(self.config).teacher(self.config, self.env.world)
            found.append(teaching(self.config, teacher, self.model))
        return found + training_of(self.config).schedules(self.env.world)

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
            "physics_fingerprint": training_of(config).physics_fingerprint(config),
            **training_of(config).metadata(config),
            "algorithm": config.algorithm,
            "steps": self.step,
            "seed": config.seed,
            "hotlap": __version__,
        }

    def export_policy(self) -> bytes:
        """The policy as it is now, as one verified file."""
        if isinstance(self.model, HotlapPPO):
            self.model.settle()
        return export_policy(self.model, self.normalizer, self.policy_metadata(), self.controls)

    def checkpoint(self, policy: bytes | None) -> Checkpoint:
        """The run as it is now, complete; without a policy file it is only good for going on."""
        documents = {"config": self._config_document, "counters": self.state.counters()}
        return Checkpoint(self.step, self.state.tensors(), documents, {POLICY_FILE: policy} if policy else {})

    @cached_property
    def _config_document(self) -> dict[str, Any]:
        return config_document(self.config)

    def weights_are_sound(self) -> bool:
        """Whether every weight is a number, and not so large that what is computed with it will be none."""
        if isinstance(self.model, GpuPPO) and self.model.on_device is not None:
            return self.model.largest_weight <= LARGEST_WEIGHT
        weights = [parameter.detach() for parameter in self.model.policy.parameters()]
        return bool(torch.nn.utils.get_total_norm(weights, math.inf) <= LARGEST_WEIGHT)

    def reward_mean(self) -> float | None:
        """Mean return of the last episodes, where there are any."""
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        return float(np.mean(returns)) if returns else None


def open_session(config: TrainConfig) -> TrainingSession:
    """A new run in memory."""
    torch.set_num_threads(config.torch_threads)
    algorithm = ALGORITHMS[config.algorithm]
    options = training_of(config).world_options(config, discrete=algorithm.chooses)
    env = make_vec_env(config.world, config.cars, seed=config.seed, **options)
    seed_episodes(env.world, config.seed)
    mixing = None if algorithm.chooses else training_of(config).mixing(config)
    controlled = env if mixing is None else MixedVecEnv(env, mixing)
    normalizer = VecNormalize(controlled, gamma=algorithm.gamma(config)) if config.normalize else None
    model = algorithm.make(config, normalizer or controlled)
    model.action_space.seed(config.seed)
    logger, metrics = RunLogger(), training_of(config).metrics()
    model.set_logger(logger)
    if isinstance(model, HotlapPPO):
        model.watched = metrics.watched
    state = TrainingState(model, env, normalizer, algorithm, metrics)
    return TrainingSession(config, env, controls_of(env.world, mixing), normalizer, model, logger, metrics, state)


def seed_episodes(world: Any, seed: int) -> None:
    """Let compiled worlds draw later episodes by the seed of the run."""
    if hasattr(world, "batch"):
        write_streams(world.batch.episodes, seed, 0)


def restore_session(config: TrainConfig, checkpoint: Checkpoint) -> TrainingSession:
    """A run put back as it was; every random state and every car included."""
    session = open_session(config)
    (session.normalizer or session.env).reset()
    counters = checkpoint.documents.get("counters")
    if counters is None:
        raise CheckpointError("the checkpoint has no counters.json. Use another of the same run.")
    session.state.restore(checkpoint.tensors, counters)
    return session
