"""What a policy file may cost as a whole: numbers stored, numbers made, and work done, all counted before it runs.

Each limit holds for the sum over the file, so many results of a modest size are refused like one huge result. Shapes
are worked out here from the stored weights alone; what the file claims about its own results is not believed.
"""

import math

import onnx
from onnx import TensorProto

from hotlap.errors import PolicyError

MOST_STORED = 1 << 23
"""Numbers stored in a file: 32 MiB of float32."""
MOST_MADE = 1 << 20
"""Numbers in all results for one car."""
MOST_WORK = 1 << 26
"""Numbers read and written, and multiplications, for one car."""
MOST_AXES = 8
MOST_ARGUMENTS = 10_000
IR_VERSION = 8
NUMBERS = {
    TensorProto.FLOAT,
    TensorProto.DOUBLE,
    TensorProto.FLOAT16,
    TensorProto.BOOL,
    TensorProto.UINT8,
    TensorProto.INT8,
    TensorProto.INT32,
    TensorProto.INT64,
}
ADVICE = "Export a plain network."
Shape = tuple[int, ...]


def check_budget(where: str, model: onnx.ModelProto) -> int:
    """How many numbers the results for one car have together, once that and all else is known to be little."""
    arguments = sum(len(node.input) + len(node.output) for node in model.graph.node)
    if arguments > MOST_ARGUMENTS:
        raise PolicyError(f"{where}: {arguments:,} inputs of operators, more than {MOST_ARGUMENTS:,}. {ADVICE}")
    stored = _stored_shapes(where, model)
    _check_sum(where, "stores", "numbers", sum(map(math.prod, stored.values())), MOST_STORED)
    shapes = stored | _inferred_shapes(where, model)
    made = [_shape(where, name, shapes) for node in model.graph.node for name in node.output if name]
    elements = sum(map(math.prod, made))
    _check_sum(where, "makes", "numbers for one car", elements, MOST_MADE)
    for name in {name for node in model.graph.node for name in node.input if name}:
        _shape(where, name, shapes)
    work = sum(_work(node, shapes) for node in model.graph.node)
    _check_sum(where, "needs", "steps of work for one car", work, MOST_WORK)
    return elements


def _check_sum(where: str, verb: str, unit: str, total: int, most: int) -> None:
    if total > most:
        raise PolicyError(f"{where}: {verb} {total:,} {unit}, and no policy needs more than {most:,}. {ADVICE}")


def _stored_shapes(where: str, model: onnx.ModelProto) -> dict[str, Shape]:
    """The shape of every stored tensor; each must be of plain numbers and bring all of them."""
    shapes = {}
    constants = [attribute.t for node in model.graph.node for attribute in node.attribute if attribute.HasField("t")]
    for index, tensor in enumerate((*model.graph.initializer, *constants)):
        shape = tuple(tensor.dims)
        if tensor.data_type not in NUMBERS or len(shape) > MOST_AXES or min(shape, default=0) < 0:
            raise PolicyError(f'{where}: the stored tensor "{tensor.name:.80}" is not a plain array. {ADVICE}')
        if _numbers_brought(tensor) != math.prod(shape):
            raise PolicyError(
                f'{where}: the stored tensor "{tensor.name:.80}" has not as many numbers as it says. {ADVICE}'
            )
        shapes[tensor.name if index < len(model.graph.initializer) else f"constant {index}"] = shape
    return shapes


def _numbers_brought(tensor: TensorProto) -> int:
    """How many numbers the file holds for a tensor."""
    if tensor.HasField("raw_data"):
        size = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
        return len(tensor.raw_data) // size if len(tensor.raw_data) % size == 0 else -1
    return sum(map(len, (tensor.float_data, tensor.double_data, tensor.int32_data, tensor.int64_data)))


def _inferred_shapes(where: str, model: onnx.ModelProto) -> dict[str, Shape]:
    """The shape of every result for one car, worked out from the weights and never from the values of results."""
    single = onnx.ModelProto()
    single.CopyFrom(model)
    weights = {tensor.name for tensor in single.graph.initializer}
    inputs = [port for port in single.graph.input if port.name not in weights]
    del single.graph.value_info[:], single.graph.input[:]
    single.graph.input.extend(inputs)
    single.ir_version = IR_VERSION  # from this version on weights need not be inputs
    for port in (*single.graph.input, *single.graph.output):
        port.type.tensor_type.shape.dim[0].dim_value = 1
    try:
        inferred = onnx.shape_inference.infer_shapes(single, check_type=True, strict_mode=True, data_prop=False)
    except Exception as problem:
        raise PolicyError(f"{where}: its layers do not fit together ({problem!s:.200}). Export it again.") from problem
    values = (*inferred.graph.input, *inferred.graph.value_info, *inferred.graph.output)
    shapes = {value.name: _known_shape(value) for value in values}
    return {name: shape for name, shape in shapes.items() if shape is not None}


def _known_shape(value: onnx.ValueInfoProto) -> Shape | None:
    """The shape of a result of plain numbers, where all of it is known."""
    kind = value.type.tensor_type
    axes = kind.shape.dim
    if not kind.HasField("shape") or kind.elem_type not in NUMBERS or len(axes) > MOST_AXES:
        return None
    if not all(axis.HasField("dim_value") and axis.dim_value >= 0 for axis in axes):
        return None
    return tuple(axis.dim_value for axis in axes)


def _shape(where: str, name: str, shapes: dict[str, Shape]) -> Shape:
    if name not in shapes:
        raise PolicyError(f'{where}: the result "{name:.80}" has no known size for one car. {ADVICE}')
    return shapes[name]


def _work(node: onnx.NodeProto, shapes: dict[str, Shape]) -> int:
    """Numbers an operator reads and writes; for a product of matrices also its multiplications."""
    results = sum(math.prod(shapes[name]) for name in node.output if name)
    work = results + sum(math.prod(shapes[name]) for name in node.input if name)
    if node.op_type in ("Gemm", "MatMul"):
        transposed = any(attribute.name == "transA" and attribute.i for attribute in node.attribute)
        work += results * shapes[node.input[0]][0 if transposed else -1]
    return work
