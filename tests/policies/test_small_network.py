"""Policies as plain arrays: what Hotlap's trainings export is recognised, anything else is left to the runtime."""

from pathlib import Path

import numpy as np
import onnx

from hotlap.policies.bundled import BUNDLED
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.small_network import SmallNetwork, small_network
from policies.tiny_models import linear_model

ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0.0), "tanh": np.tanh, "elu": lambda x: np.where(x > 0, x, np.expm1(x))}


def actions_of(network: SmallNetwork, seen: np.ndarray) -> np.ndarray:
    """The obvious way."""
    numbers = np.clip((seen - network.mean) * network.scale, -network.clip, network.clip)
    for layer, (weights, biases) in enumerate(network.layers):
        numbers = numbers @ weights.T + biases
        if layer + 1 < len(network.layers):
            numbers = ACTIVATIONS[network.activation](numbers)
    return np.clip(np.clip(numbers, *network.output_bounds) @ network.mixing, *network.bounds)


def test_every_bundled_driver_is_recognised_and_acts_like_its_file():
    files = sorted(Path(str(BUNDLED)).glob("*.onnx"))
    assert files
    for file in files:
        policy = OnnxPolicy(file, world=None)
        seen = np.random.default_rng(0).normal(size=(200, len(policy.network.mean)), scale=0.5)
        assert np.abs(actions_of(policy.network, seen.astype(np.float32)) - policy.act(seen)).max() < 1e-5, file.name


def test_graph_of_another_kind_is_none():
    model = linear_model()
    assert small_network(model) is None


def test_graph_with_one_more_operator_is_none():
    model = onnx.load_model(str(BUNDLED / "all-rounder.onnx"))
    assert small_network(model) is not None
    model.graph.node[-1].output[0] = "almost"
    model.graph.node.append(onnx.helper.make_node("Relu", ["almost"], ["action"]))
    assert small_network(model) is None
