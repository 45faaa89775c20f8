"""The layers of a policy file that PPO learned, as weights and statistics again: what `export.onnx` wrote, read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from hotlap.errors import PolicyError
from hotlap.policies.onnx_checks import checked_model, read_model_file
from hotlap.policies.small_network import ACTIVATIONS
from hotlap.training.random_state import Tensors

SCALING = ["Sub", "Sub", "Div", "Clip"]
EPSILON = 1e-8
"""What VecNormalize adds to a variance."""
Node = tuple[str, list[NDArray[Any]]]


@dataclass(frozen=True)
class PolicyLayers:
    """What a policy file holds."""

    metadata: dict[str, Any]
    hidden: tuple[int, ...]
    activation: str
    weights: Tensors
    """By the names of torch's policy."""
    statistics: Tensors
    """Mean, variance and count of the observations; nothing where they are not scaled."""


def read_policy_layers(path: Path) -> PolicyLayers:
    """The layers of a file; one that is no plain policy of PPO is refused."""
    content = read_model_file(path)
    metadata = checked_model(str(path), content, None).metadata
    if metadata.get("algorithm") != "ppo":
        raise PolicyError(
            f"{path}: was learned by {metadata.get('algorithm')}, and a policy file holds too little to go on with "
            "anything but ppo. Begin from its run instead."
        )
    nodes = _nodes(onnx.load_model_from_string(content))
    scaling = nodes[: len(SCALING)] if [name for name, _ in nodes[: len(SCALING)]] == SCALING else []
    layers, activations = _layers(nodes[len(scaling) :])
    if not layers or len(set(activations)) > 1 or len(activations) + 1 != len(layers):
        raise PolicyError(f"{path}: is no chain of layers as hotlap writes it. Begin from the run it was learned in.")
    return PolicyLayers(
        metadata=metadata,
        hidden=tuple(len(biases) for _, biases in layers[:-1]),
        activation=ACTIVATIONS[activations[0]] if activations else "relu",
        weights=_named(layers),
        statistics=_statistics(scaling, int(metadata.get("steps", 1))),
    )


def _nodes(model: onnx.ModelProto) -> list[Node]:
    """Each operator and the constants it works with."""
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    return [(node.op_type, [stored[name] for name in node.input if name in stored]) for node in model.graph.node]


def _layers(nodes: list[Node]) -> tuple[list[list[NDArray[Any]]], list[str]]:
    """Weights and biases of the linear layers, and the activations between them."""
    layers, activations = [], []
    for name, constants in nodes:
        if name == "Gemm" and len(constants) == 2:
            layers.append(constants)
        elif name in ACTIVATIONS:
            activations.append(name)
        else:
            break
    return layers, activations


def _named(layers: list[list[NDArray[Any]]]) -> Tensors:
    places = [f"mlp_extractor.policy_net.{2 * number}" for number in range(len(layers) - 1)] + ["action_net"]
    found: Tensors = {}
    for place, (weights, biases) in zip(places, layers, strict=True):
        found |= {f"{place}.weight": weights, f"{place}.bias": biases}
    return found


def _statistics(scaling: list[Node], steps: int) -> Tensors:
    if not scaling:
        return {}
    (_, [mean]), (_, [rest]), (_, [deviation]), _ = scaling
    return {
        "obs_mean": mean.astype(np.float64) + rest,
        "obs_var": deviation.astype(np.float64) ** 2 - EPSILON,
        "obs_count": np.array(max(steps, 1), np.float64),
    }
