"""Models of plain stable-baselines3: what is in `model.zip` and in the pickled VecNormalize. Reading both runs code."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.save_util import load_from_zip_file
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.errors import PolicyError
from hotlap.training.algorithms import ACTIVATIONS
from hotlap.training.policy_layers import EPSILON
from hotlap.training.random_state import Tensors
from hotlap.training.state import TEMPERATURE

FIRST_LAYERS = {
    "ppo": "mlp_extractor.policy_net.{}.weight",
    "sac": "actor.latent_pi.{}.weight",
    "dqn": "q_net.q_net.{}.weight",
}
"""By algorithm, what its hidden layers are called; those of DQN are followed by the last one under the same name."""
DEFAULT_ACTIVATIONS = {"ppo": torch.nn.Tanh, "sac": torch.nn.ReLU, "dqn": torch.nn.ReLU}
ACTIVATION_NAMES = {activation: name for name, activation in ACTIVATIONS.items()}
CLIP = 10.0
"""How VecNormalize scales unless it is told otherwise."""


@dataclass(frozen=True)
class ForeignModel:
    """A model as stable-baselines3 saved it."""

    where: Path
    algorithm: str
    hidden: tuple[int, ...]
    activation: Any
    """relu, tanh or elu."""
    observation_space: Any
    action_space: Any
    steps: int
    """How many it was trained for."""
    weights: Tensors
    statistics: Tensors
    """What it knows of observations and returns; nothing where they are not scaled."""

    @property
    def controls(self) -> int:
        """How many numbers it gives, or how many choices it has."""
        return int(getattr(self.action_space, "n", 0) or np.prod(self.action_space.shape))


def read_foreign_model(model: Path, vecnormalize: Path | None) -> ForeignModel:
    """A model and, where there is one, its normaliser."""
    data, parameters, variables = _loaded(model, lambda path: load_from_zip_file(path, device="cpu"))
    weights = {name: tensor.numpy() for name, tensor in parameters.get("policy", {}).items()}
    algorithm = next((each for each, name in FIRST_LAYERS.items() if name.format(0) in weights), None)
    if algorithm is None:
        raise PolicyError(f"{model}: is no PPO, SAC or DQN with plain layers, and cannot become a run.")
    if TEMPERATURE in (variables or {}):
        weights[TEMPERATURE] = variables[TEMPERATURE].detach().numpy()
    options = data.get("policy_kwargs") or {}
    activation = options.get("activation_fn", DEFAULT_ACTIVATIONS[algorithm])
    if activation not in ACTIVATION_NAMES:
        raise PolicyError(
            f"{model}: has {activation.__name__} between its layers; only ReLU, Tanh and ELU can be kept."
        )
    return ForeignModel(
        where=model,
        algorithm=algorithm,
        hidden=_hidden(weights, FIRST_LAYERS[algorithm], algorithm),
        activation=ACTIVATION_NAMES[activation],
        observation_space=data["observation_space"],
        action_space=data["action_space"],
        steps=int(data.get("num_timesteps", 0)),
        weights=weights,
        statistics={} if vecnormalize is None else _read_statistics(vecnormalize),
    )


def _hidden(weights: Tensors, name: str, algorithm: str) -> tuple[int, ...]:
    """Units of each hidden layer; every second module of a network is an activation."""
    names = takewhile(weights.__contains__, (name.format(2 * number) for number in count()))
    units = tuple(len(weights[each]) for each in names)
    return units[:-1] if algorithm == "dqn" else units


def _read_statistics(path: Path) -> Tensors:
    """Mean, variance and count of observations and returns."""
    normalizer: Any = _loaded(path, lambda file: pickle.loads(file.read_bytes()))  # noqa: S301 - only with --trust
    if not _is_plain(normalizer):
        raise PolicyError(f"{path}: is no VecNormalize of plain observations. Give the file that its save() wrote.")
    if not normalizer.norm_obs:
        return {}
    if (normalizer.clip_obs, normalizer.epsilon) != (CLIP, EPSILON):
        raise PolicyError(f"{path}: clips at {normalizer.clip_obs:g}; only VecNormalize's default of 10 can be kept.")
    tensors: Tensors = {}
    for name, known in (("obs", normalizer.obs_rms), ("ret", normalizer.ret_rms)):
        parts = {"mean": known.mean, "var": known.var, "count": known.count}
        tensors |= {f"{name}_{part}": np.array(value, np.float64) for part, value in parts.items()}
    return tensors


def _is_plain(normalizer: Any) -> bool:
    """Whether something is a VecNormalize that scales one array of observations, or none."""
    return isinstance(normalizer, VecNormalize) and not isinstance(getattr(normalizer, "obs_rms", None), dict)


def _loaded(path: Path, load: Callable[[Path], Any]) -> Any:
    """What a file holds; whatever goes wrong in code that we did not write is one sentence."""
    if not path.is_file():
        raise PolicyError(f"{path}: is not there. Give a file that stable-baselines3 saved.")
    try:
        return load(path)
    except Exception as problem:
        raise PolicyError(f"{path}: cannot be loaded as stable-baselines3 would ({problem!r:.200}).") from problem
