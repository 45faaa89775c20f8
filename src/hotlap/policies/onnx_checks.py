"""What a policy file may be: one plain chain of layers, small, whole, and made for this world.

A model file is a program. These checks come before anything runs it: nothing outside the file, only operators whose
cost follows from the sizes of their inputs, and a cost within the budget of `onnx_budget`.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import AttributeProto, TensorProto

from hotlap.actions import ACTION_SIZE
from hotlap.errors import PolicyError, did_you_mean
from hotlap.policies.onnx_budget import check_budget
from hotlap.policies.small_network import INPUT, OUTPUT, SmallNetwork, small_network
from hotlap.worlds import WORLDS, ObservationSpec, registered


class CheckedModel(NamedTuple):
    """What is known of a policy file before it runs."""

    metadata: dict[str, Any]
    """What it says about itself."""
    numbers_per_car: int
    """How many numbers all its results for one car have together."""
    network: SmallNetwork | None
    """Its layers, where it is one of those that Hotlap's trainings export."""


MOST_BYTES = 1 << 25
MOST_NODES = 1000
MOST_METADATA_BYTES = 1 << 18
LAYERS = {"Gemm", "LayerNormalization", "MatMul"}
ACTIVATIONS = {"Elu", "Erf", "Gelu", "LeakyRelu", "Relu", "Selu", "Sigmoid", "Softplus", "Tanh"}
ARITHMETIC = {"Abs", "Add", "Clip", "Div", "Exp", "Log", "Max", "Min", "Mul", "Neg", "Pow", "Reciprocal", "Sqrt", "Sub"}
REARRANGING = {"ArgMax", "Cast", "Concat", "Constant", "Flatten", "Gather", "Identity", "Slice", "Split"}
PLAIN_ATTRIBUTES = {
    AttributeProto.FLOAT,
    AttributeProto.INT,
    AttributeProto.STRING,
    AttributeProto.TENSOR,
    AttributeProto.FLOATS,
    AttributeProto.INTS,
}
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


PhysicsOf = Callable[[str, str], str]
"""The fingerprint of a world for drivers who see a layout."""


def physics_here(world: str, layout: str) -> str:
    """The physics of this installation, from a drive in it: the first of a world compiles its kernels."""
    return _spec(world).physics_fingerprint(layout)


def checked_model(
    where: str, content: bytes, world: str | None = "racer", physics_of: PhysicsOf = physics_here
) -> CheckedModel:
    """What is known about a policy, once it is certain that it may be run in a world; None is the file's own."""
    try:
        model = onnx.load_model_from_string(content)
    except (DecodeError, ValueError) as problem:
        raise PolicyError(f"{where}: not an ONNX model ({problem}). Give the policy.onnx of a run.") from problem
    metadata = _metadata(where, model)
    _check_made_for_here(where, metadata, world)
    _check_physics(where, metadata, physics_of(metadata["world"], metadata["layout"]))
    _check_operators(where, model)
    _check_ports(where, model, metadata["layout"], _spec(metadata["world"]).layouts[metadata["layout"]])
    return CheckedModel(metadata, check_budget(where, model), small_network(model))


def _metadata(where: str, model: onnx.ModelProto) -> dict[str, Any]:
    """The properties in the file, each a piece of JSON."""
    if sum(len(entry.value) for entry in model.metadata_props) > MOST_METADATA_BYTES:
        raise PolicyError(f"{where}: more than {MOST_METADATA_BYTES:,} bytes of metadata. Export it again.")
    try:
        return {entry.key: json.loads(entry.value) for entry in model.metadata_props}
    except (ValueError, RecursionError) as problem:
        raise PolicyError(f"{where}: its metadata is not JSON ({problem}). Export it again.") from problem


def _check_made_for_here(where: str, metadata: dict[str, Any], world: str | None) -> None:
    """World and layout must be ours."""
    for key in ("world", "layout", "physics_fingerprint"):
        if not isinstance(metadata.get(key), str):
            raise PolicyError(f'{where}: does not say its "{key}". Export it with "hotlap export policy RUN".')
    possible = list(WORLDS) if world is None else [world]
    if metadata["world"] not in possible:
        ours = '" or "'.join(possible)
        raise PolicyError(
            f'{where}: made for the world "{metadata["world"]}", and this is "{ours}". Use one trained here.'
        )
    layouts = _spec(metadata["world"]).layouts
    if metadata["layout"] not in layouts:
        hint = did_you_mean(metadata["layout"], layouts)
        known = ", ".join(layouts)
        raise PolicyError(
            f'{where}: no observation layout "{metadata["layout"]}".{hint} Known: {known}. Train it again.'
        )


def _check_physics(where: str, metadata: dict[str, Any], ours: str) -> None:
    """A driver is only valid in the physics it was trained in."""
    if metadata["physics_fingerprint"] != ours:
        raise PolicyError(
            f"{where}: trained in physics {metadata['physics_fingerprint']}, and this is physics {ours}. "
            "Use the version of Hotlap it was trained with, or train it again."
        )


def _spec(world: str) -> ObservationSpec:
    spec: ObservationSpec = registered(world).part("observation")
    return spec


def _tensors(model: onnx.ModelProto) -> Iterator[TensorProto]:
    """Every tensor stored in a model without nested graphs and sparse weights."""
    yield from model.graph.initializer
    for node in model.graph.node:
        for attribute in node.attribute:
            yield attribute.t


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
        if any(attribute.type not in PLAIN_ATTRIBUTES for attribute in node.attribute):
            raise PolicyError(
                f'{where}: the operator "{node.op_type}" holds a graph or sparse weights. Export plain layers.'
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
