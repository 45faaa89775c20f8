"""A trained policy as one file: raw observations in, final actions out, checked against torch before it is handed out.

The graph is written node by node from the policy's layers: normalise and clip, linear layers, then clip the mean action
of PPO, squash and scale that of SAC, or look up the action that a DQN values most. Nothing of torch is needed to run
it, and nothing outside the file.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.errors import ExportError
from hotlap.policies.onnx_budget import IR_VERSION
from hotlap.policies.runtime import onnxruntime
from hotlap.vector.controls import Controls

OPSET = 17
CHECKED_OBSERVATIONS = 10_000
TOLERANCE = 1e-5
ACTIVATIONS = {torch.nn.ReLU: "Relu", torch.nn.Tanh: "Tanh", torch.nn.ELU: "Elu"}


class Graph:
    """An ONNX graph under construction: a chain of nodes, each fed by the one before."""

    def __init__(self, source: str) -> None:
        self.last = source
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def constant(self, value: NDArray[Any]) -> str:
        """A float32 tensor stored in the file; its name."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, np.float32), name))
        return name

    def then(self, operator: str, *others: NDArray[Any], **attributes: Any) -> None:
        """Append an operator on the last result and further constants."""
        result = f"x{len(self.nodes)}"
        inputs = [self.last, *[self.constant(other) for other in others]]
        self.nodes.append(helper.make_node(operator, inputs, [result], **attributes))
        self.last = result

    def look_up(self, table: NDArray[Any]) -> None:
        """Append the choice of the row of a table that the last result values most."""
        self.then("ArgMax", axis=1, keepdims=0)
        row, result = self.last, f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node("Gather", [self.constant(table), row], [result], axis=0))
        self.last = result

    def linear(self, layer: torch.nn.Linear) -> None:
        """Append a torch linear layer."""
        weight, bias = layer.weight.detach().cpu().numpy(), layer.bias.detach().cpu().numpy()
        self.then("Gemm", weight, bias, transB=1)

    def layers(self, modules: torch.nn.Module) -> None:
        """Append a chain of linear layers and activations."""
        for module in modules.children():
            if isinstance(module, torch.nn.Linear):
                self.linear(module)
            elif type(module) in ACTIVATIONS:
                self.then(ACTIVATIONS[type(module)])
            else:
                raise ExportError(
                    f"a policy with a {type(module).__name__} layer cannot be exported; use relu, tanh or elu."
                )


def export_policy(
    model: BaseAlgorithm, normalizer: VecNormalize | None, metadata: Mapping[str, Any], controls: Controls
) -> bytes:
    """The deterministic policy of a model as an ONNX file, verified on ten thousand observations.

    Whatever controls the model has, the file gives actions of the world.
    """
    graph = Graph("observation")
    if normalizer is not None and normalizer.norm_obs:
        statistics: Any = normalizer.obs_rms
        # The mean in two float32 parts: where an observation hardly varies, one part would be off by many deviations.
        mean = statistics.mean.astype(np.float32)
        graph.then("Sub", mean)
        graph.then("Sub", statistics.mean - mean)
        graph.then("Div", np.sqrt(statistics.var + normalizer.epsilon))
        graph.then("Clip", np.array(-normalizer.clip_obs), np.array(normalizer.clip_obs))
    _append_head(graph, model, controls)
    graph.nodes[-1].output[0] = "action"
    inputs: Any = model.observation_space.shape
    content = _serialized(graph, int(np.prod(inputs)), len(controls.low), metadata)
    verify_policy(content, model, normalizer, controls)
    return content


def _append_head(graph: Graph, model: Any, controls: Controls) -> None:
    """The layers of the model and what turns their output into an action of the world."""
    if len(controls.choices):
        graph.layers(model.policy.q_net.q_net)
        graph.look_up(controls.choices)
        return
    _append_actor(graph, model)
    if controls.mixing is not None:
        graph.then("MatMul", controls.mixing.weights)
        graph.then("Max", controls.low)
        graph.then("Min", controls.high)


def _append_actor(graph: Graph, model: Any) -> None:
    """The layers of the actor and what turns its output into numbers within its own bounds."""
    low, high = model.action_space.low, model.action_space.high
    policy = model.policy
    if hasattr(policy, "mlp_extractor"):
        graph.layers(policy.mlp_extractor.policy_net)
        graph.linear(policy.action_net)
    else:
        graph.layers(policy.actor.latent_pi)
        graph.linear(policy.actor.mu)
        graph.then("Tanh")
        graph.then("Mul", 0.5 * (high - low))
        graph.then("Add", 0.5 * (high + low))
    # A squashed action may leave the bounds too, by a rounding error.
    graph.then("Max", low)
    graph.then("Min", high)


def _serialized(graph: Graph, inputs: int, outputs: int, metadata: Mapping[str, Any]) -> bytes:
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "policy",
            [helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", inputs])],
            [helper.make_tensor_value_info("action", TensorProto.FLOAT, ["batch", outputs])],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="hotlap",
    )
    helper.set_model_props(model, {key: json.dumps(value) for key, value in metadata.items()})
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def verify_policy(content: bytes, model: BaseAlgorithm, normalizer: VecNormalize | None, controls: Controls) -> float:
    """The largest difference between the file and torch over ten thousand observations; too much is an error.

    Where the file chooses, it is how much less torch thinks of the choice than of its own: two may be equally good.
    """
    observations = _typical_observations(model, normalizer)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    (given,) = session.run(["action"], {"observation": observations})
    normalized: Any = observations if normalizer is None else normalizer.normalize_obs(observations)
    try:
        wanted, _ = model.predict(normalized, deterministic=True)
    except ValueError as problem:
        raise ExportError(f"the policy gives no actions ({problem!s:.80}); nothing was written.") from problem
    if len(controls.choices):
        worst = _regret(model, normalized, given, controls.choices)
    else:
        worst = float(np.abs(given - controls.decoded(wanted)).max())
    if not worst <= TOLERANCE:
        raise ExportError(
            f"the exported policy differs from torch by {worst:.2g}, more than {TOLERANCE:g}; nothing was written."
        )
    return worst


def _regret(model: Any, normalized: NDArray[Any], given: NDArray[Any], choices: NDArray[Any]) -> float:
    """How much less the given actions are worth to the model than its best, at most; endless if one is no choice."""
    same = (given[:, np.newaxis] == choices[np.newaxis]).all(axis=2)
    with torch.no_grad():
        values = model.q_net(torch.as_tensor(normalized, dtype=torch.float32)).numpy()
    return float((values.max(axis=1) - np.where(same, values, -np.inf).max(axis=1)).max())


def _typical_observations(model: Any, normalizer: Any) -> NDArray[np.float32]:
    """Observations spread around what was seen in training, within the world's bounds."""
    space = model.observation_space
    noise = np.random.default_rng(0).standard_normal((CHECKED_OBSERVATIONS, *space.shape))
    mean, spread = 0.5, 0.5
    if normalizer is not None and normalizer.norm_obs:
        mean, spread = normalizer.obs_rms.mean, np.sqrt(normalizer.obs_rms.var)
    return np.clip(mean + 2.0 * spread * noise, space.low, space.high).astype(np.float32)
