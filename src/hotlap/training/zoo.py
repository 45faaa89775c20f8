"""A preset as a file of hyper-parameters for rl_zoo3, which trains with plain stable-baselines3."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from hotlap.errors import ConfigError
from hotlap.training.config import TrainConfig
from hotlap.training.world_training import training_of
from hotlap.worlds import registered

ACTIVATIONS = {"relu": "nn.ReLU", "tanh": "nn.Tanh", "elu": "nn.ELU"}
LEFT_OUT = ("stagger", "discrete", "threads", "learners")
"""What a batch of the world takes and a single environment does not."""


def zoo_file(config: TrainConfig, preset: str) -> str:
    """The file as text: one environment, its options and the settings of the algorithm."""
    env_id, values = zoo_env(config), zoo_values(config)
    lines = [f"  {name}: {_yaml(value)}" for name, value in values.items()]
    command = f"python -m rl_zoo3.train --algo {config.algorithm} --env {env_id} --conf-file FILE --gym-packages hotlap"
    taught = ["# The preset's teacher is left out: rl_zoo3 has none."] if config.teacher.steps else []
    return "\n".join([f"# {preset} of Hotlap for rl_zoo3: {command}", *taught, f"{env_id}:", *lines, ""])


def zoo_env(config: TrainConfig) -> str:
    """The Gymnasium id of the world, for any action or for a few."""
    chooses = config.algorithm == "dqn"
    for env_id, options in registered(config.world).env_ids.items():
        if bool(options.get("discrete")) == chooses:
            return env_id
    raise ConfigError(f"the world {config.world} has no environment for {config.algorithm}.")


def zoo_values(config: TrainConfig) -> dict[str, Any]:
    """What rl_zoo3 calls the settings of a run."""
    settings = dataclasses.asdict(getattr(config, config.algorithm))
    rate, end = settings.pop("learning_rate"), settings.pop("learning_rate_end")
    return {
        "env_kwargs": zoo_env_options(config),
        "n_envs": config.cars,
        "n_timesteps": config.steps,
        "normalize": config.normalize,
        "policy": "MlpPolicy",
        "policy_kwargs": _network(config),
        "learning_rate": f"lin_{rate}" if end < rate else rate,
        **settings,
    }


def _network(config: TrainConfig) -> str:
    """In the words of Python, as rl_zoo3 wants them; it knows one first spread for all actions."""
    network = config.network
    spread = f", log_std_init={np.mean(network.log_std_init):.3g}" if config.algorithm == "ppo" else ""
    return f"dict(net_arch={list(network.hidden)}, activation_fn={ACTIVATIONS[network.activation]}{spread})"


def zoo_env_options(config: TrainConfig) -> dict[str, Any]:
    """What the environment is made with."""
    training = training_of(config)
    options = training.world_options(config, discrete=config.algorithm == "dqn")
    if "car" in options:
        options = {**options, "car": list(config.racer.car)}
    if config.algorithm != "dqn" and training.mixing(config) is not None:
        options = {**options, "pedals": "one"}
    return {name: _plain(value) for name, value in options.items() if name not in LEFT_OUT}


def _plain(value: Any) -> Any:
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else value


def _yaml(value: Any) -> str:
    """JSON is YAML, but for numbers such as 1e-05, which YAML takes for a word."""
    if isinstance(value, float):
        return f"{value:.10f}".rstrip("0") + ("0" if value == int(value) else "")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_yaml(each)}" for name, each in value.items()) + "}"
    try:
        return json.dumps(value)
    except TypeError as problem:
        raise ConfigError(
            "this preset drives against policies that learn along with it, which rl_zoo3 cannot. Choose another preset."
        ) from problem
