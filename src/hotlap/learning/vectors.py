"""Vector code for the cores: the innermost loops of a matrix product, written as LLVM instructions.

A block keeps its sums in registers while it walks along the inner dimension: that is what brings small products to the
speed of the arithmetic units. Where a block may round as it likes, LLVM makes fused multiply-adds of its products and
sums; a portable one rounds after each, as every machine can.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
"""Numbers in a vector."""
ROW_BLOCK = 16
"""Rows that a block of a product works on: two vectors."""
FLOAT, INDEX, NUMBER = ir.FloatType(), ir.IntType(64), ir.IntType(32)
VECTOR = ir.VectorType(FLOAT, LANES)
FUSED = ("contract", "reassoc", "nsz")
PORTABLE = ()
"""What LLVM may do to an addition or a multiplication: nothing."""


@intrinsic
def tail_native(_context, pointer, offset):  # type: ignore[no-untyped-def]
    """A pointer to a later element."""

    def codegen(context, builder, _signature, args):  # type: ignore[no-untyped-def]
        return builder.gep(args[0], [args[1]], source_etype=context.get_value_type(pointer.dtype))

    return pointer(pointer, types.int64), codegen


def product_block(outputs: int, flags: tuple[str, ...] = FUSED) -> Any:
    """An intrinsic for `out[o, r] = sum over k of weights[o, k] * source[k, r]`, some outputs and sixteen rows of it.

    The sums begin at 0 and take k in its order. Steps are the distances between neighbours: of outputs and of inputs
    among the weights, of lines of the others.
    """

    @intrinsic
    def block(_context, out, weights, source, output_step, input_step, line_step, inputs):  # type: ignore[no-untyped-def]
        def codegen(context, builder, _signature, args):  # type: ignore[no-untyped-def]
            out, weights, source, output_step, input_step, line_step, inputs = args
            sums = _zeroed_sums(builder, outputs, ROW_BLOCK // LANES)
            with cgutils.for_range(builder, inputs, intp=INDEX) as loop:
                line = builder.mul(loop.index, line_step)
                rows = [_load(builder, source, line, LANES * k) for k in range(ROW_BLOCK // LANES)]
                column = builder.mul(loop.index, input_step)
                for output in range(outputs):
                    place = builder.add(column, builder.mul(output_step, ir.Constant(INDEX, output)))
                    weight = _splat(builder, builder.load(builder.gep(weights, [place], source_etype=FLOAT)))
                    _accumulate(builder, sums[output], [weight] * len(rows), rows, flags)
            for output in range(outputs):
                line = builder.mul(line_step, ir.Constant(INDEX, output))
                for k, total in enumerate(sums[output]):
                    _store(builder, builder.load(total), out, line, LANES * k)
            return context.get_dummy_value()

        return types.void(out, weights, source, *[types.int64] * 4), codegen

    return block


def outer_block(outputs: int, inputs: int) -> Any:
    """An intrinsic for `gradient[o, i] += sum over r of delta[o, r] * source[i, r]`, for some outputs and inputs."""

    @intrinsic
    def block(_context, gradient, delta, source, output_step, line_step, rows):  # type: ignore[no-untyped-def]
        def codegen(context, builder, _signature, args):  # type: ignore[no-untyped-def]
            gradient, delta, source, output_step, line_step, rows = args
            sums = _zeroed_sums(builder, outputs, inputs)
            with cgutils.for_range(builder, builder.sdiv(rows, ir.Constant(INDEX, LANES)), intp=INDEX) as loop:
                row = builder.mul(loop.index, ir.Constant(INDEX, LANES))
                sources = [_load(builder, source, _line(builder, line_step, k, row), 0) for k in range(inputs)]
                for output in range(outputs):
                    slope = _load(builder, delta, _line(builder, line_step, output, row), 0)
                    _accumulate(builder, sums[output], [slope] * inputs, sources)
            for output in range(outputs):
                first = builder.mul(output_step, ir.Constant(INDEX, output))
                for k, total in enumerate(sums[output]):
                    place = builder.gep(gradient, [builder.add(first, ir.Constant(INDEX, k))], source_etype=FLOAT)
                    builder.store(builder.fadd(builder.load(place), _sum(builder, builder.load(total))), place)
            return context.get_dummy_value()

        return types.void(gradient, delta, source, *[types.int64] * 3), codegen

    return block


def _zeroed_sums(builder: Any, lines: int, columns: int) -> list[list[Any]]:
    """Places for sums; LLVM keeps them in registers."""
    sums = [[cgutils.alloca_once(builder, VECTOR) for _ in range(columns)] for _ in range(lines)]
    for line in sums:
        for place in line:
            builder.store(ir.Constant(VECTOR, [0.0] * LANES), place)
    return sums


def _accumulate(
    builder: Any, sums: list[Any], left: list[Any], right: list[Any], flags: tuple[str, ...] = FUSED
) -> None:
    for place, one, other in zip(sums, left, right, strict=True):
        product = builder.fmul(one, other, flags=flags)
        builder.store(builder.fadd(builder.load(place), product, flags=flags), place)


def _line(builder: Any, step: Any, number: int, row: Any) -> Any:
    return builder.add(builder.mul(step, ir.Constant(INDEX, number)), row)


def _place(builder: Any, data: Any, first: Any, offset: int) -> Any:
    item = builder.gep(data, [builder.add(first, ir.Constant(INDEX, offset))], source_etype=FLOAT)
    return builder.bitcast(item, VECTOR.as_pointer())


def _load(builder: Any, data: Any, first: Any, offset: int) -> Any:
    return builder.load(_place(builder, data, first, offset), align=4)


def _store(builder: Any, value: Any, data: Any, first: Any, offset: int) -> None:
    builder.store(value, _place(builder, data, first, offset), align=4)


def _splat(builder: Any, number: Any) -> Any:
    """A number in all places of a vector."""
    undefined = ir.Constant(VECTOR, ir.Undefined)
    single = builder.insert_element(undefined, number, ir.Constant(NUMBER, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(ir.VectorType(NUMBER, LANES), [0] * LANES))


def _sum(builder: Any, vector: Any) -> Any:
    """The numbers of a vector added in pairs."""
    count = LANES
    while count > 1:
        count //= 2
        undefined = ir.Constant(vector.type, ir.Undefined)
        halves = [
            builder.shuffle_vector(
                vector, undefined, ir.Constant(ir.VectorType(NUMBER, count), list(range(first, first + count)))
            )
            for first in (0, count)
        ]
        vector = builder.fadd(*halves, flags=FUSED)
    return builder.extract_element(vector, ir.Constant(NUMBER, 0))
