"""The graphs that Hotlap's own trainings export, recognised: scale, dense layers, bounds, a mixture of the outputs."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from hotlap.learning.network import MOST_INPUTS, MOST_UNITS

Floats = NDArray[np.float32]
ACTIVATIONS = {"Relu": "relu", "Tanh": "tanh", "Elu": "elu"}
INPUT, OUTPUT = "observation", "action"
"""What every policy file calls its two ports."""
MOST_LAYERS = 8
"""With MOST_INPUTS and MOST_UNITS of each: a larger network is not small, here and in pages."""


class SmallNetwork(NamedTuple):
    """A policy as plain arrays, for those who compute it without a runtime."""

    layers: tuple[tuple[Floats, Floats], ...]
    """Weights, a row per output, and biases of each."""
    activation: str
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    """One over the deviation."""
    clip: float
    """Farthest a scaled observation may be from 0."""
    output_bounds: tuple[Floats, Floats]
    mixing: Floats
    """How much of each output goes into each action, a row per output."""
    bounds: tuple[Floats, Floats]
    """Of the actions."""


class _OtherGraphError(Exception):
    """It is not one of ours."""


def small_network(model: onnx.ModelProto) -> SmallNetwork | None:
    """The network of a graph; None when the graph is of another kind."""
    try:
        return _Reader(model.graph).network()
    except _OtherGraphError:
        return None


class _Reader:
    """Goes through a chain of operators, each on the result of the one before and on what is stored in the file."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self._nodes = list(graph.node)
        self._tensors = {tensor.name: tensor for tensor in graph.initializer}
        self._last = INPUT

    def network(self) -> SmallNetwork:
        """All of the graph, in its order."""
        means = self._all("Sub")
        divided, clipped = self._next("Div"), self._next("Clip")
        layers, activation = self._layers()
        inputs, outputs = layers[0][0].shape[1], layers[-1][0].shape[0]
        mean = np.zeros(inputs)
        for part in means:
            mean += self._row(part, inputs)
        deviation = self._row(divided, inputs) if divided else np.ones(inputs, np.float32)
        output_bounds = self._bounds(outputs)
        mixed = self._next("MatMul")
        mixing = self._tensor(mixed, 1) if mixed else np.eye(outputs, dtype=np.float32)
        bounds = self._bounds(mixing.shape[1]) if mixed else output_bounds
        if self._nodes or self._last != OUTPUT or mixing.shape[0] != outputs:
            raise _OtherGraphError
        return SmallNetwork(
            layers=tuple(layers),
            activation=activation,
            mean=mean,
            scale=1.0 / deviation.astype(np.float64),
            clip=self._clip(clipped) if clipped else np.inf,
            output_bounds=output_bounds,
            mixing=mixing,
            bounds=bounds,
        )

    def _next(self, *operators: str) -> onnx.NodeProto | None:
        """The next operator if it is one of these; None, and nothing taken, if not."""
        if not self._nodes or self._nodes[0].op_type not in operators or self._nodes[0].input[0] != self._last:
            return None
        node: onnx.NodeProto = self._nodes.pop(0)
        self._last = node.output[0]
        return node

    def _all(self, operator: str) -> list[onnx.NodeProto]:
        found = []
        while node := self._next(operator):
            found.append(node)
        return found

    def _tensor(self, node: onnx.NodeProto, number: int) -> Floats:
        stored = self._tensors.get(node.input[number] if number < len(node.input) else "")
        if stored is None or stored.data_type != onnx.TensorProto.FLOAT:
            raise _OtherGraphError
        return np.ascontiguousarray(numpy_helper.to_array(stored))

    def _row(self, node: onnx.NodeProto, count: int) -> Floats:
        row = self._tensor(node, 1)
        if row.size != count:
            raise _OtherGraphError
        return row.reshape(count)

    def _clip(self, node: onnx.NodeProto) -> float:
        low, high = self._tensor(node, 1), self._tensor(node, 2)
        if low.size != 1 or high.size != 1 or low.item() != -high.item():
            raise _OtherGraphError
        return high.item()

    def _layers(self) -> tuple[list[tuple[Floats, Floats]], str]:
        layers, used = [self._layer(self._next("Gemm"))], set()
        while node := self._next(*ACTIVATIONS):
            used.add(node.op_type)
            if _attributes(node).get("alpha", 1.0) != 1.0:
                raise _OtherGraphError
            layers.append(self._layer(self._next("Gemm")))
        sizes = [(weights.shape[0], after[0].shape[1]) for (weights, _), after in pairwise(layers)]
        is_small = len(layers) <= MOST_LAYERS and layers[0][0].shape[1] <= MOST_INPUTS
        is_small = is_small and all(len(biases) <= MOST_UNITS for _, biases in layers)
        if len(used) > 1 or not is_small or any(given != taken for given, taken in sizes):
            raise _OtherGraphError
        return layers, ACTIVATIONS[used.pop() if used else "Relu"]

    def _layer(self, node: onnx.NodeProto | None) -> tuple[Floats, Floats]:
        if node is None:
            raise _OtherGraphError
        usual = {"alpha": 1.0, "beta": 1.0, "transA": 0}
        attributes = {**usual, "transB": 0, **_attributes(node)}
        has_rows_of_outputs = attributes.pop("transB") == 1
        weights, biases = self._tensor(node, 1), self._tensor(node, 2)
        if attributes != usual or weights.ndim != 2:
            raise _OtherGraphError
        weights = weights if has_rows_of_outputs else np.ascontiguousarray(weights.T)
        if biases.shape != weights.shape[:1]:
            raise _OtherGraphError
        return weights, biases

    def _bounds(self, count: int) -> tuple[Floats, Floats]:
        floor, ceiling = self._next("Max"), self._next("Min")
        if floor is None or ceiling is None:
            raise _OtherGraphError
        return self._row(floor, count), self._row(ceiling, count)


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
