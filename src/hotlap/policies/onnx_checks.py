"""What a policy file may be: one plain chain of layers, small, whole, and made for this world.

A model file is a program. These checks come before anything runs it: nothing outside the file, only operators whose
cost follows from the sizes of their inputs, and every intermediate result small.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import TensorProto

from hotlap.errors import PolicyError, did_you_mean
from hotlap.highway import fingerprint as highway_fingerprint
from hotlap.highway.sensors import OBSERVATION_SIZE
from hotlap.racer import fingerprint as racer_fingerprint
from hotlap.racer.batch import LAYOUTS


class Senses(NamedTuple):
    """What a world asks of a driver: how many numbers each of its layouts has, and the physics it was trained in."""

    layouts: Mapping[str, int]
    physics_fingerprint: Callable[[], str]


WORLDS = {
    "racer": Senses(LAYOUTS, racer_fingerprint.physics_fingerprint),
    "highway": Senses({"highway": OBSERVATION_SIZE}, highway_fingerprint.physics_fingerprint),
}
MOST_BYTES = 1 << 25
MOST_NODES = 1000
MOST_ELEMENTS = 1 << 22
INPUT, OUTPUT, ACTION_SIZE = "observation", "action", 3
LAYERS = {"Gemm", "LayerNormalization", "MatMul"}
ACTIVATIONS = {"Elu", "Erf", "Gelu", "LeakyRelu", "Relu", "Selu", "Sigmoid", "Softplus", "Tanh"}
ARITHMETIC = {"Abs", "Add", "Clip", "Div", "Exp", "Log", "Max", "Min", "Mul", "Neg", "Pow", "Reciprocal", "Sqrt", "Sub"}
REARRANGING = {"ArgMax", "Cast", "Concat", "Constant", "Flatten", "Gather", "Identity", "Slice", "Split"}
OPERATORS = LAYERS | ACTIVATIONS | ARITHMETIC | REARRANGING


def read_model_file(path: Path) -> bytes:
    """The bytes of a policy file, unless there are too many."""
    try:
        size = path.stat().st_size
        if size <= MOST_BYTES:
            return path.read_bytes()
    except OSError as problem:
        raise PolicyError(f"{path}: cannot be read ({problem.strerror}). Give the policy.onnx of a run.") from problem
    raise PolicyError(
        f"{path}: {size:,} bytes, and no policy needs more than {MOST_BYTES:,}. Give the policy.onnx of a run."
    )


def checked_metadata(where: str, content: bytes, world: str | None = "racer") -> dict[str, Any]:
    """What a policy says about itself, once it is certain that it may be run in a world; None is the file's own."""
    try:
        model = onnx.load_model_from_string(content)
    except (DecodeError, ValueError) as problem:
        raise PolicyError(f"{where}: not an ONNX model ({problem}). Give the policy.onnx of a run.") from problem
    metadata = _metadata(where, model)
    _check_made_for_here(where, metadata, world)
    _check_operators(where, model)
    _check_ports(where, model, metadata["layout"], WORLDS[metadata["world"]].layouts[metadata["layout"]])
    _check_sizes(where, model)
    return metadata


def _metadata(where: str, model: onnx.ModelProto) -> dict[str, Any]:
    """The properties in the file, each a piece of JSON."""
    try:
        return {entry.key: json.loads(entry.value) for entry in model.metadata_props}
    except (ValueError, RecursionError) as problem:
        raise PolicyError(f"{where}: its metadata is not JSON ({problem}). Export it again.") from problem


def _check_made_for_here(where: str, metadata: dict[str, Any], world: str | None) -> None:
    """World, layout and physics must be ours: a driver is only valid in the physics it was trained in."""
    for key in ("world", "layout", "physics_fingerprint"):
        if not isinstance(metadata.get(key), str):
            raise PolicyError(f'{where}: does not say its "{key}". Export it with "hotlap export policy RUN".')
    possible = list(WORLDS) if world is None else [world]
    if metadata["world"] not in possible:
        ours = '" or "'.join(possible)
        raise PolicyError(
            f'{where}: made for the world "{metadata["world"]}", and this is "{ours}". Use one trained here.'
        )
    senses = WORLDS[metadata["world"]]
    layouts = senses.layouts
    if metadata["layout"] not in layouts:
        hint = did_you_mean(metadata["layout"], layouts)
        known = ", ".join(layouts)
        raise PolicyError(
            f'{where}: no observation layout "{metadata["layout"]}".{hint} Known: {known}. Train it again.'
        )
    ours = senses.physics_fingerprint()
    if metadata["physics_fingerprint"] != ours:
        raise PolicyError(
            f"{where}: trained in physics {metadata['physics_fingerprint']}, and this is physics {ours}. "
            "Use the version of Hotlap it was trained with, or train it again."
        )


def _tensors(model: onnx.ModelProto) -> Iterator[TensorProto]:
    """Every tensor stored in a model without nested graphs."""
    yield from model.graph.initializer
    for sparse in model.graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    for node in model.graph.node:
        for attribute in node.attribute:
            yield from (attribute.t, *attribute.tensors)


def _check_operators(where: str, model: onnx.ModelProto) -> None:
    """Plain layers only: no outside data, no nested graphs, nothing that repeats or grows."""
    if model.functions or model.training_info or model.graph.sparse_initializer:
        raise PolicyError(f"{where}: holds functions, training code or sparse weights. Export a plain chain of layers.")
    if len(model.graph.node) > MOST_NODES:
        raise PolicyError(
            f"{where}: {len(model.graph.node):,} operators, more than {MOST_NODES:,}. Export a plain network."
        )
    for node in model.graph.node:
        if node.domain not in ("", "ai.onnx") or node.op_type not in OPERATORS:
            name = f"{node.domain}:{node.op_type}" if node.domain else node.op_type
            raise PolicyError(
                f'{where}: the operator "{name}" is not allowed in a policy. '
                f"Build it from {', '.join(sorted(OPERATORS))}."
            )
    if any(tensor.data_location == TensorProto.EXTERNAL for tensor in _tensors(model)):
        raise PolicyError(f"{where}: keeps weights in another file. Export it as one file, without external data.")


def _check_ports(where: str, model: onnx.ModelProto, layout: str, size: int) -> None:
    """One input of raw observations, one output of final actions, any number of cars."""
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = [port for port in model.graph.input if port.name not in weights]
    wanted = ((inputs, INPUT, size), (list(model.graph.output), OUTPUT, ACTION_SIZE))
    for ports, name, width in wanted:
        shapes = [[axis.dim_value for axis in port.type.tensor_type.shape.dim] for port in ports]
        kinds = [port.type.tensor_type.elem_type for port in ports]
        if [port.name for port in ports] != [name] or shapes != [[0, width]] or kinds != [TensorProto.FLOAT]:
            raise PolicyError(
                f'{where}: needs exactly one float32 "{name}" of shape [batch, {width}] for the layout "{layout}". '
                'Export it with "hotlap export policy RUN".'
            )


def _check_sizes(where: str, model: onnx.ModelProto) -> None:
    """Work out the shape of every result for one car: all must be known, and none may be huge."""
    single = onnx.ModelProto()
    single.CopyFrom(model)
    for port in (*single.graph.input, *single.graph.output):
        port.type.tensor_type.shape.dim[0].dim_value = 1
    try:
        inferred = onnx.shape_inference.infer_shapes(single, check_type=True, strict_mode=True, data_prop=True)
    except Exception as problem:
        raise PolicyError(f"{where}: its layers do not fit together ({problem}). Export it again.") from problem
    known = {value.name: value for value in (*inferred.graph.value_info, *inferred.graph.output)}
    for name in (name for node in inferred.graph.node for name in node.output if name):
        elements = _elements(known.get(name))
        if elements is None or elements > MOST_ELEMENTS:
            size = "no known size" if elements is None else f"{elements:,} numbers"
            raise PolicyError(f'{where}: the result "{name}" has {size} for one car. Export a plain network.')


def _elements(value: onnx.ValueInfoProto | None) -> int | None:
    """How many numbers a result has, where its shape is known."""
    if value is None or not value.type.tensor_type.HasField("shape"):
        return None
    elements = 1
    for axis in value.type.tensor_type.shape.dim:
        if not axis.HasField("dim_value"):
            return None
        elements *= axis.dim_value
    return elements
