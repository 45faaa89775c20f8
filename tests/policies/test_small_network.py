"""Policies as plain arrays: what Hotlap's trainings export is recognised, anything else is left to the runtime."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from hotlap.evaluation.racer.stretches import TICKS, driven_stretches
from hotlap.policies.bundled import BUNDLED
from hotlap.policies.casual_human import CasualHuman
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.small_network import SmallNetwork, small_network
from hotlap.racer.world import RacerWorld
from policies.tiny_models import good_metadata, linear_model, linear_nodes, model_of

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


def test_weights_with_a_row_per_input_are_taken_too():
    network = small_network(linear_model(steer_gain=2.0))
    assert network.layers[0][0].shape == (3, 14)
    assert network.layers[0][0][0, [2, 6]].tolist() == [2.0, -2.0]


def test_graph_of_another_kind_is_none():
    model = linear_model()
    model.graph.node[0].op_type = "MatMul"
    assert small_network(model) is None


@pytest.mark.parametrize(
    ("hidden", "is_small"), [((1024,), True), ((1025,), False), ((2,) * 7, True), ((2,) * 8, False)]
)
def test_network_with_too_many_layers_or_units_is_left_to_the_runtime(hidden, is_small):
    nodes, tensors, last, size = [], [], "observation", 14
    for number, units in enumerate((*hidden, 3)):
        tensors += [
            numpy_helper.from_array(np.zeros(shape, np.float32), f"{name}{number}")
            for name, shape in (("w", (size, units)), ("b", (units,)))
        ]
        nodes.append(onnx.helper.make_node("Gemm", [last, f"w{number}", f"b{number}"], [f"g{number}"]))
        last, size = f"g{number}", units
        if number < len(hidden):
            nodes.append(onnx.helper.make_node("Relu", [last], [f"r{number}"]))
            last = f"r{number}"
    bounds, clipping = linear_nodes(np.zeros((3, 3)), np.zeros(3))
    bounds[1].input[0] = last
    model = model_of([*nodes, *bounds[1:]], [*tensors, *clipping[2:]], good_metadata())
    assert (small_network(model) is not None) == is_small


@pytest.mark.parametrize(
    "make", [lambda: OnnxPolicy(BUNDLED / "all-rounder.onnx"), CasualHuman], ids=["kernel", "python"]
)
def test_evaluation_drives_to_the_bit_as_the_policy_acts(make):
    policies = make(), make()
    one, two = (RacerWorld(3, observation=policies[0].layout) for _ in policies)
    for world in (one, two):
        world.reset(5)
    columns = next(driven_stretches(policies[0], one))
    x_u = [columns["x_u"].copy(), []]
    for _ in range(TICKS):
        two.advance(policies[1].act(two.observation, two))
        x_u[1].append(two.fleet.x_u.copy())
    np.testing.assert_array_equal(x_u[0], x_u[1])


def test_graph_with_one_more_operator_is_none():
    model = onnx.load_model(str(BUNDLED / "all-rounder.onnx"))
    assert small_network(model) is not None
    model.graph.node[-1].output[0] = "almost"
    model.graph.node.append(onnx.helper.make_node("Relu", ["almost"], ["action"]))
    assert small_network(model) is None
