"""Policy files that are small on disk and large at work: each passes for a policy until its whole cost is counted."""

from collections.abc import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from policies.tiny_models import good_metadata, linear_nodes, model_of

ANSWER = "chain"


def _policy(nodes: list, tensors: dict[str, np.ndarray]) -> onnx.ModelProto:
    """A linear policy with further nodes beside it; their last result, of one number, is added to the action."""
    own_nodes, own_tensors = linear_nodes(np.zeros((14, 3)), np.zeros(3))
    own_nodes[-1].output[0] = "plain"
    last = helper.make_node("Add", ["plain", ANSWER], ["action"])
    stored = [numpy_helper.from_array(value, name) for name, value in tensors.items()]
    return model_of([*own_nodes, *nodes, last], [*own_tensors, *stored], good_metadata())


def many_large_results() -> onnx.ModelProto:
    """Each result is within bounds, and there are 300 of them that all live until the last is added up."""
    column, row = np.ones((2000, 1), np.float32), np.ones((1, 2000), np.float32)
    nodes = [helper.make_node("MatMul", ["column", "row"], [f"m{index}"]) for index in range(300)]
    nodes.append(helper.make_node("Max", [f"m{index}" for index in range(300)], ["largest"]))
    nodes.append(_corner("largest", ANSWER))
    return _policy(nodes, {"column": column, "row": row, **CORNER})


def many_multiplications() -> onnx.ModelProto:
    """A square matrix of 2,000 times itself, again and again: 8 thousand million multiplications each."""
    column, row = np.ones((2000, 1), np.float32), np.ones((1, 2000), np.float32)
    nodes = [helper.make_node("MatMul", ["column", "row"], ["m0"])]
    nodes += [helper.make_node("MatMul", [f"m{index}", "m0"], [f"m{index + 1}"]) for index in range(100)]
    nodes.append(_corner("m100", ANSWER))
    return _policy(nodes, {"column": column, "row": row, **CORNER})


def many_readings() -> onnx.ModelProto:
    """Nothing large is made, but one table of 200,000 numbers is searched 900 times."""
    nodes = [helper.make_node("ArgMax", ["table"], [f"a{index}"], axis=0, keepdims=0) for index in range(900)]
    nodes.append(helper.make_node("Max", [f"a{index}" for index in range(900)], ["found"]))
    nodes.append(helper.make_node("Cast", ["found"], [ANSWER], to=TensorProto.FLOAT))
    return _policy(nodes, {"table": np.zeros(200_000, np.float32)})


def doubling_indices() -> onnx.ModelProto:
    """Whole numbers joined to themselves 40 times: a tool that works values out while checking never ends."""
    nodes = [helper.make_node("Concat", [f"c{n}", f"c{n}"], [f"c{n + 1}"], axis=0) for n in range(40)]
    nodes.append(helper.make_node("Gather", ["values", "c40"], ["picked"], axis=0))
    nodes.append(helper.make_node("ArgMax", ["picked"], ["found"], axis=0, keepdims=0))
    nodes.append(helper.make_node("Cast", ["found"], [ANSWER], to=TensorProto.FLOAT))
    return _policy(nodes, {"c0": np.zeros(1, np.int64), "values": np.zeros(1, np.float32)})


def shapes_that_lie() -> onnx.ModelProto:
    """The file claims that a result has one number, where it has 3,000, and multiplies it out."""
    nodes = [
        helper.make_node("Slice", ["line", "from", "to"], ["part"]),
        helper.make_node("Gather", ["part", "column"], ["upright"], axis=0),
        helper.make_node("Gather", ["part", "row"], ["flat"], axis=0),
        helper.make_node("MatMul", ["upright", "flat"], ["matrix"]),
        _corner("matrix", ANSWER),
    ]
    indices = np.arange(3000, dtype=np.int64) % 3000
    tensors = {"line": np.ones(3000, np.float32), "from": np.zeros(1, np.int64), "to": np.array([3000])}
    model = _policy(nodes, {**tensors, "column": indices[:, None].copy(), "row": indices[None, :].copy(), **CORNER})
    for name in ("upright", "flat", "matrix"):
        model.graph.value_info.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1]))
    return model


def weights_as_inputs_that_lie() -> onnx.ModelProto:
    """Stored weights are also named as inputs, there with one number."""
    model = many_large_results()
    for name in ("column", "row"):
        model.graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1]))
    return model


def text_results() -> onnx.ModelProto:
    """Every number of a table becomes a piece of text."""
    nodes = [
        helper.make_node("Cast", ["table"], ["text"], to=TensorProto.STRING),
        helper.make_node("Cast", ["text"], ["numbers"], to=TensorProto.FLOAT),
        _corner("numbers", ANSWER),
    ]
    return _policy(nodes, {"table": np.zeros((400, 400), np.float32), **CORNER})


def empty_promise() -> onnx.ModelProto:
    """A stored tensor says that it has 100 million numbers, and brings none."""
    model = _policy([_corner("hollow", ANSWER)], CORNER)
    model.graph.initializer.append(TensorProto(name="hollow", data_type=TensorProto.FLOAT, dims=[10_000, 10_000]))
    return model


def sparse_constant() -> onnx.ModelProto:
    """One stored number that stands for four million."""
    values = numpy_helper.from_array(np.ones(1, np.float32), "values")
    places = numpy_helper.from_array(np.zeros(1, np.int64), "places")
    sparse = helper.make_sparse_tensor(values, places, [2000, 2000])
    nodes = [helper.make_node("Constant", [], [f"s{n}"], sparse_value=sparse) for n in range(200)]
    nodes.append(helper.make_node("Max", [f"s{n}" for n in range(200)], ["largest"]))
    nodes.append(_corner("largest", ANSWER))
    return _policy(nodes, CORNER)


def endless_axes() -> onnx.ModelProto:
    """A number with 60,000 axes of length one."""
    nodes = [helper.make_node("Add", ["deep", "deep"], ["sum"]), helper.make_node("ArgMax", ["sum"], ["found"])]
    nodes.append(helper.make_node("Cast", ["found"], [ANSWER], to=TensorProto.FLOAT))
    model = _policy(nodes, {"deep": np.ones(1, np.float32)})
    model.graph.initializer[-1].dims[:] = [1] * 60_000
    return model


def endless_inputs() -> onnx.ModelProto:
    """One operator with 100,000 inputs."""
    nodes = [helper.make_node("Max", ["one"] * 100_000, [ANSWER])]
    return _policy(nodes, {"one": np.ones(1, np.float32)})


CORNER = {"corner_from": np.zeros(2, np.int64), "corner_to": np.ones(2, np.int64)}


def _corner(name: str, result: str) -> onnx.NodeProto:
    """The first number of a matrix."""
    return helper.make_node("Slice", [name, "corner_from", "corner_to"], [result])


BOMBS: dict[str, Callable[[], onnx.ModelProto]] = {
    build.__name__: build
    for build in (
        many_large_results,
        many_multiplications,
        many_readings,
        doubling_indices,
        shapes_that_lie,
        weights_as_inputs_that_lie,
        text_results,
        empty_promise,
        sparse_constant,
        endless_axes,
        endless_inputs,
    )
}
