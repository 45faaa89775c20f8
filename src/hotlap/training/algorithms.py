"""The algorithms as a table: what SB3 class, what settings, which tensors are its state."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from hotlap.errors import ConfigError
from hotlap.training.config import TrainConfig
from hotlap.training.gpu_ppo import GpuPPO
from hotlap.training.ppo import HotlapPPO
from hotlap.training.sac import HotlapSAC
from hotlap.training.world_training import training_of
from hotlap.worlds import registered

FARTHEST = 0.9
"""How near to an end of its range, -1 or 1, the first mean of a squashed action may be: beyond, it learns slowly."""
ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "elu": torch.nn.ELU}


@dataclass(frozen=True)
class Algorithm:
    """One row: how a model is made, whether it replays, and what else of it is part of its state."""

    make: Callable[[TrainConfig, VecEnv], BaseAlgorithm]
    optimizers: Callable[[Any], dict[str, torch.optim.Optimizer]]
    gamma: Callable[[TrainConfig], float]
    replays: bool
    chooses: bool = False
    """Whether it chooses among a few actions instead of taking any."""
    numbers: Mapping[str, type] = field(default_factory=dict)
    """Attributes that change while it learns, beyond the counters that all have."""


def falling(start: float, end: float) -> Callable[[float], float]:
    """A straight line from the first learning rate to the last, over the share of training that remains."""
    return lambda remaining: end + (start - end) * max(remaining, 0.0)  # the last rollout may go beyond the last step


def _settings(settings: Any) -> dict[str, Any]:
    values = asdict(settings)
    values["learning_rate"] = falling(values["learning_rate"], values.pop("learning_rate_end"))
    return values


def _options(config: TrainConfig, settings: Any) -> dict[str, Any]:
    """What every algorithm is made with."""
    network = {"net_arch": list(config.network.hidden), "activation_fn": ACTIVATIONS[config.network.activation]}
    return {"policy_kwargs": network, "seed": config.seed, "device": "cpu", **_settings(settings)}


def _keep_torch_from_loading_its_compiler() -> None:
    """Torch's optimisers load it when first used, 1.6 s, only to tell it to leave them alone: call that done."""
    for method in vars(torch.optim.Optimizer).values():
        plain = getattr(method, "__wrapped__", None)
        if plain is not None:
            plain.__dynamo_disable = plain


def _make_ppo(config: TrainConfig, env: VecEnv) -> BaseAlgorithm:
    options = _options(config, config.ppo)
    _keep_torch_from_loading_its_compiler()
    options["batch_size"] = min(config.ppo.batch_size, config.ppo.n_steps * config.cars)
    with warnings.catch_warnings():
        # A last batch that is smaller than the others does no harm.
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        model = _ppo_class(config)("MlpPolicy", env, **options)
    _begin_with(model.policy, config)
    return model


def _ppo_class(config: TrainConfig) -> type[PPO]:
    """Who computes PPO, and where."""
    if learns_on_gpu(config):
        return GpuPPO
    return PPO if config.learner == "sb3" else HotlapPPO


def learns_on_gpu(config: TrainConfig) -> bool:
    """Whether a run would learn on a GPU here; one that is asked for and cannot be used is refused."""
    reason = _reason_against_gpu(config)
    if config.device == "cuda" and reason:
        raise ConfigError(f"{reason} Use --device cpu.")
    return config.device != "cpu" and not reason


def _reason_against_gpu(config: TrainConfig) -> str:
    if config.algorithm != "ppo" or config.learner != "hotlap":
        return "Only hotlap's own learner of PPO works on a GPU."
    if not registered(config.world).on_gpu:
        return f"The world {config.world} drives on the cores, so a run in it cannot learn on a GPU."
    if reason := training_of(config).reason_against_gpu(config):
        return reason
    if not torch.cuda.is_available():
        return "torch finds no NVIDIA GPU here."
    return ""


def _check_actions(actions: int, **settings: tuple[float, ...]) -> None:
    for name, values in settings.items():
        if len(values) != actions:
            raise ConfigError(f"network.{name} needs {actions} numbers, one per action, not {len(values)}.")


def _begin_with(policy: Any, config: TrainConfig) -> None:
    """Set the first mean and spread of a Gaussian policy's actions."""
    network = config.network
    _check_actions(
        policy.action_net.out_features,
        initial_action=network.initial_action,
        log_std_init=network.log_std_init,
        log_std_end=network.log_std_end or network.log_std_init,
    )
    with torch.no_grad():
        policy.action_net.bias.copy_(torch.tensor(config.network.initial_action))
        policy.log_std.copy_(torch.tensor(config.network.log_std_init))


def _make_sac(config: TrainConfig, env: VecEnv) -> BaseAlgorithm:
    kind = SAC if config.learner == "sb3" else HotlapSAC
    _keep_torch_from_loading_its_compiler()
    model = kind("MlpPolicy", env, **_options(config, config.sac))
    _begin_squashed_with(model.policy, config.network.initial_action)
    return model


def _begin_squashed_with(policy: Any, initial_action: tuple[float, ...]) -> None:
    """Set the first mean of a policy whose actions go through a tanh."""
    mean = policy.actor.mu
    _check_actions(mean.out_features, initial_action=initial_action)
    scaled = torch.tensor(policy.scale_action(np.array(initial_action, np.float32)))
    with torch.no_grad():
        mean.bias.copy_(torch.atanh(scaled.clamp(-FARTHEST, FARTHEST)))


def _make_dqn(config: TrainConfig, env: VecEnv) -> BaseAlgorithm:
    return DQN("MlpPolicy", env, **_options(config, config.dqn))


def _policy_optimizer(model: Any) -> dict[str, torch.optim.Optimizer]:
    return {"policy": model.policy.optimizer}


def _sac_optimizers(model: Any) -> dict[str, torch.optim.Optimizer]:
    found = {"actor": model.actor.optimizer, "critic": model.critic.optimizer}
    if model.ent_coef_optimizer is not None:
        found["temperature"] = model.ent_coef_optimizer
    return found


ALGORITHMS: dict[str, Algorithm] = {
    "ppo": Algorithm(_make_ppo, _policy_optimizer, lambda config: config.ppo.gamma, replays=False),
    "sac": Algorithm(_make_sac, _sac_optimizers, lambda config: config.sac.gamma, replays=True),
    "dqn": Algorithm(
        _make_dqn,
        _policy_optimizer,
        lambda config: config.dqn.gamma,
        replays=True,
        chooses=True,
        numbers={"_n_calls": int, "exploration_rate": float},
    ),
}
