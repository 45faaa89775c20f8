"""The matrix products of a network, over tiles: each a plain function, and the same in vector code for the cores.

A tile holds some rows of samples with one line per feature: element (feature, row) is at `feature * LINE + row`. So a
product runs along neighbouring rows, and nothing has to be transposed on the way forward or back.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import kernel_with
from hotlap.learning.vectors import FUSED, PORTABLE, ROW_BLOCK, outer_block, product_block, tail_native

Floats = NDArray[np.float32]
TILE = 256
"""Rows of a tile: what a layer of 64 needs then stays in the cache of a core."""
LINE = TILE + ROW_BLOCK
"""Distance between lines; a power of two would put all of them into the same few places of the cache."""
NATIVE: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "nogil": True}

outer_4_3, outer_4_1, outer_1_1 = (outer_block(*shape) for shape in ((4, 3), (4, 1), (1, 1)))


def _product_of(flags: tuple[str, ...]) -> Any:
    """The product in blocks that round as the flags say."""
    product_6, product_4, product_1 = (product_block(outputs, flags) for outputs in (6, 4, 1))

    @numba.njit(**NATIVE)  # type: ignore[untyped-decorator]
    def product(out: Any, weights: Any, source: Any, shape: tuple[int, int], steps: tuple[int, int], rows: int) -> None:
        """`out[o, r] = sum over k of weights[o * steps[0] + k * steps[1]] * source[k, r]`."""
        (outputs, inputs), (output_step, input_step) = shape, steps
        for row in range(0, rows, ROW_BLOCK):
            lines, output = tail_native(source, row), 0
            while output < outputs:
                target, some = tail_native(out, output * LINE + row), tail_native(weights, output * output_step)
                if output + 6 <= outputs:
                    product_6(target, some, lines, output_step, input_step, LINE, inputs)
                    output += 6
                elif output + 4 <= outputs:
                    product_4(target, some, lines, output_step, input_step, LINE, inputs)
                    output += 4
                else:
                    product_1(target, some, lines, output_step, input_step, LINE, inputs)
                    output += 1

    return product


_product_native, _portable_product_native = _product_of(FUSED), _product_of(PORTABLE)


@numba.njit(**NATIVE)  # type: ignore[untyped-decorator]
def _write_product_native(out: Any, weights: Any, source: Any, outputs: int, inputs: int, rows: int) -> None:
    _product_native(out, weights, source, (outputs, inputs), (inputs, 1), rows)


@numba.njit(**NATIVE)  # type: ignore[untyped-decorator]
def _write_portable_native(out: Any, weights: Any, source: Any, outputs: int, inputs: int, rows: int) -> None:
    _portable_product_native(out, weights, source, (outputs, inputs), (inputs, 1), rows)


@numba.njit(**NATIVE)  # type: ignore[untyped-decorator]
def _write_transposed_native(out: Any, weights: Any, delta: Any, outputs: int, inputs: int, rows: int) -> None:
    _product_native(out, weights, delta, (inputs, outputs), (1, inputs), rows)


@numba.njit(**NATIVE)  # type: ignore[untyped-decorator]
def _accumulate_outer_native(gradient: Any, delta: Any, source: Any, outputs: int, inputs: int, rows: int) -> None:
    output = 0
    while output < outputs:
        lines, column = tail_native(delta, output * LINE), 0
        while column < inputs:
            target, other = tail_native(gradient, output * inputs + column), tail_native(source, column * LINE)
            if output + 4 > outputs:
                outer_1_1(target, lines, other, inputs, LINE, rows)
                column += 1
            elif column + 3 > inputs:
                outer_4_1(target, lines, other, inputs, LINE, rows)
                column += 1
            else:
                outer_4_3(target, lines, other, inputs, LINE, rows)
                column += 3
        output += 4 if output + 4 <= outputs else 1


@kernel_with(tail_native)
def tail(array: NDArray[Any], first: int) -> NDArray[Any]:
    """The array from an element on."""
    return array[first:]


@kernel_with(_write_product_native)
def write_product(out: Floats, weights: Floats, source: Floats, outputs: int, inputs: int, rows: int) -> None:
    """`out = weights @ source` for weights of shape (outputs, inputs) and the first rows of tiles."""
    _lines(out, outputs)[:, :rows] = _matrix(weights, outputs, inputs) @ _lines(source, inputs)[:, :rows]


@kernel_with(_write_portable_native)
def write_portable_product(out: Floats, weights: Floats, source: Floats, outputs: int, inputs: int, rows: int) -> None:
    """The same, one product after the other added to 0: the same bits on every machine."""
    sums, matrix, lines = _lines(out, outputs)[:, :rows], _matrix(weights, outputs, inputs), _lines(source, inputs)
    sums[:] = 0.0
    for k in range(inputs):
        sums += matrix[:, k : k + 1] * lines[k, :rows]


@kernel_with(_write_transposed_native)
def write_transposed_product(out: Floats, weights: Floats, delta: Floats, outputs: int, inputs: int, rows: int) -> None:
    """`out = weights.T @ delta`: what slopes of the outputs mean for the inputs."""
    _lines(out, inputs)[:, :rows] = _matrix(weights, outputs, inputs).T @ _lines(delta, outputs)[:, :rows]


@kernel_with(_accumulate_outer_native)
def accumulate_outer(gradient: Floats, delta: Floats, source: Floats, outputs: int, inputs: int, rows: int) -> None:
    """`gradient += delta @ source.T`: what slopes of the outputs mean for the weights."""
    _matrix(gradient, outputs, inputs)[...] += _lines(delta, outputs)[:, :rows] @ _lines(source, inputs)[:, :rows].T


def _lines(tile: Floats, features: int) -> Floats:
    return tile[: features * LINE].reshape(features, LINE)


def _matrix(weights: Floats, outputs: int, inputs: int) -> Floats:
    return weights[: outputs * inputs].reshape(outputs, inputs)
