"""Small ONNX models written by hand, for policies that need no training."""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from hotlap.racer.batch import LAYOUTS
from hotlap.racer.fingerprint import physics_fingerprint


def good_metadata(**changes) -> dict:
    """What a policy of this version says about itself."""
    return {
        "world": "racer",
        "layout": "classic",
        "physics_fingerprint": physics_fingerprint(),
        "tracks": ["track-01"],
        "algorithm": "ppo",
        **changes,
    }


def linear_nodes(weights: np.ndarray, bias: np.ndarray, low: tuple = (-1, 0, 0)) -> tuple[list, list]:
    """The rule action = clip(observation @ weights + bias), as nodes and the tensors they use."""
    tensors = {"weights": weights, "bias": bias, "low": np.array(low), "high": np.array([1, 1, 1])}
    nodes = [
        helper.make_node("Gemm", ["observation", "weights", "bias"], ["mean"]),
        helper.make_node("Max", ["mean", "low"], ["floored"]),
        helper.make_node("Min", ["floored", "high"], ["action"]),
    ]
    return nodes, [numpy_helper.from_array(value.astype(np.float32), name) for name, value in tensors.items()]


def model_of(nodes: list, tensors: list, metadata: dict, size: int = 14, outputs: int = 3) -> onnx.ModelProto:
    """A model with the ports of a policy."""
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", size])],
        [helper.make_tensor_value_info("action", TensorProto.FLOAT, ["batch", outputs])],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {key: json.dumps(value) for key, value in metadata.items()})
    return model


def linear_model(metadata: dict | None = None, bias=(0.0, 1.0, 0.0), steer_gain: float = 0.0) -> onnx.ModelProto:
    """Steers by the difference of the outermost front rays, with a fixed throttle and brake."""
    metadata = good_metadata() if metadata is None else metadata
    size = LAYOUTS.get(metadata.get("layout"), 14)
    weights = np.zeros((size, 3))
    weights[2, 0], weights[6, 0] = steer_gain, -steer_gain
    return model_of(*linear_nodes(weights, np.array(bias)), metadata, size)
