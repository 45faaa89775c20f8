"""A small network of dense layers: its shape, where its weights lie in one flat array, and its passes over a tile."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError
from hotlap.kernel import kernel, kernel_apart
from hotlap.learning.products import (
    LINE,
    accumulate_outer,
    tail,
    write_portable_product,
    write_product,
    write_transposed_product,
)

Floats = NDArray[np.float32]
NONE, RELU, TANH, ELU = range(4)
ACTIVATIONS = {"relu": RELU, "tanh": TANH, "elu": ELU}
MOST_UNITS = 1024
MOST_INPUTS = 4096
TANH_ENDS = 7.90531110763549805
"""Where a tanh of single precision is 1."""
SERIES = 12
"""Terms of an exponential."""


class Network(NamedTuple):
    """One network as kernels see it."""

    sizes: NDArray[np.int64]
    """Numbers that go into each layer, and the outputs at the end."""
    places: NDArray[np.int64]
    """Where each layer's weights begin among all parameters; its biases follow them."""
    kind: NDArray[np.int64]
    """How many layers, the activation between them, and 1 where its results are the same bits on every machine."""


class Work(NamedTuple):
    """Room for one tile on its way through a network."""

    activations: Floats
    """The inputs, then what every layer gives."""
    deltas: Floats
    """Slopes of the loss, of two neighbouring layers."""
    ones: Floats


@dataclass(frozen=True)
class NetworkShape:
    """Dense layers from inputs to outputs, an activation between two of them."""

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    activation: str
    portable: bool = False
    """Whether its results are the same bits on every machine, pages included; learning is faster without."""

    def __post_init__(self) -> None:
        """Layers that a tile has room for."""
        if not 1 <= self.inputs <= MOST_INPUTS:
            raise ConfigError(f"hotlap's learner takes up to {MOST_INPUTS:,} observations, not {self.inputs:,}.")
        if not all(1 <= units <= MOST_UNITS for units in self.hidden):
            raise ConfigError(
                f"hotlap's learner takes hidden layers of up to {MOST_UNITS:,} units, not {max(self.hidden):,}. "
                "Make network.hidden smaller, or train with --learner sb3."
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Inputs, hidden layers, outputs."""
        return self.inputs, *self.hidden, self.outputs

    @property
    def parameter_count(self) -> int:
        """Weights and biases of all layers."""
        return sum(outputs * (inputs + 1) for inputs, outputs in self.layers)

    @property
    def layers(self) -> list[tuple[int, int]]:
        """Inputs and outputs of each layer."""
        return list(zip(self.sizes[:-1], self.sizes[1:], strict=True))

    def network(self, first: int) -> Network:
        """For the kernels, with its parameters from a place on."""
        places = first + np.cumsum([0, *[outputs * (inputs + 1) for inputs, outputs in self.layers]])
        kind = [len(self.layers), ACTIVATIONS[self.activation], int(self.portable)]
        return Network(np.array(self.sizes, np.int64), places[:-1].astype(np.int64), np.array(kind, np.int64))

    def views(self, parameters: Floats, first: int) -> list[tuple[Floats, Floats]]:
        """Each layer's weights and biases, as parts of the flat array."""
        found = []
        for inputs, outputs in self.layers:
            middle, last = first + outputs * inputs, first + outputs * (inputs + 1)
            found.append((parameters[first:middle].reshape(outputs, inputs), parameters[middle:last]))
            first = last
        return found


def work_for(shapes: list[NetworkShape], workers: int) -> Work:
    """Room for a tile of each worker, enough for any of the networks."""
    activations = LINE * max(sum(shape.sizes) for shape in shapes)
    deltas = 2 * LINE * max(max(shape.sizes[1:]) for shape in shapes)
    return Work(np.zeros(workers * activations, np.float32), np.zeros(workers * deltas, np.float32), ones())


def ones() -> Floats:
    """A line of ones: a sum over rows is a product with it."""
    return np.ones(LINE, np.float32)


@kernel
def tanh(x: np.float32) -> np.float32:
    """The hyperbolic tangent as a ratio of polynomials, within a few units of the last place of single precision."""
    inner = min(max(x, np.float32(-TANH_ENDS)), np.float32(TANH_ENDS))
    square = inner * inner
    top = np.float32(-2.76076847742355e-16) * square + np.float32(2.00018790482477e-13)
    top = top * square + np.float32(-8.60467152213735e-11)
    top = top * square + np.float32(5.12229709037114e-08)
    top = top * square + np.float32(1.48572235717979e-05)
    top = top * square + np.float32(6.37261928875436e-04)
    top = top * square + np.float32(4.89352455891786e-03)
    bottom = np.float32(1.19825839466702e-06) * square + np.float32(1.18534705686654e-04)
    bottom = bottom * square + np.float32(2.26843463243900e-03)
    bottom = bottom * square + np.float32(4.89352518554385e-03)
    return np.float32(inner * top / bottom)


@kernel
def elu(x: np.float32) -> np.float32:
    """`exp(x) - 1` below 0, by arithmetic alone: exponential functions differ from machine to machine.

    The exponential of a 32nd by its series, squared five times; below -20 it is nothing in single precision.
    """
    part = max(min(np.float64(x), 0.0), -20.0) / 32.0
    power = 1.0
    for k in range(SERIES, 0, -1):
        power = 1.0 + power * part / k
    for _ in range(5):
        power *= power
    return x if x > np.float32(0.0) else np.float32(power - 1.0)


@kernel
def finish_layer(out: Floats, biases: Floats, outputs: int, rows: int, activation: int) -> None:
    """Add the biases to what a layer's weights gave, and activate it."""
    for output in range(outputs):
        line, bias = tail(out, output * LINE), biases[output]
        if activation == RELU:
            for row in range(rows):
                line[row] = max(line[row] + bias, np.float32(0.0))
        elif activation == TANH:
            for row in range(rows):
                line[row] = tanh(line[row] + bias)
        elif activation == ELU:
            for row in range(rows):
                line[row] = elu(line[row] + bias)
        else:
            for row in range(rows):
                line[row] += bias


@kernel
def scale_by_slope(delta: Floats, activated: Floats, features: int, rows: int, activation: int) -> None:
    """Take slopes of what was activated back to what came before."""
    for feature in range(features):
        line, after = tail(delta, feature * LINE), tail(activated, feature * LINE)
        if activation == RELU:
            for row in range(rows):
                line[row] = line[row] if after[row] > np.float32(0.0) else np.float32(0.0)
        elif activation == TANH:
            for row in range(rows):
                line[row] *= np.float32(1.0) - after[row] * after[row]
        else:
            for row in range(rows):
                line[row] *= np.float32(1.0) if after[row] > np.float32(0.0) else after[row] + np.float32(1.0)


@kernel_apart
def forward(network: Network, parameters: Floats, activations: Floats, rows: int) -> int:
    """Take the inputs at the beginning of a tile's activations through all layers; where the outputs begin."""
    layers, place = network.kind[0], 0
    for layer in range(layers):
        inputs, outputs = network.sizes[layer], network.sizes[layer + 1]
        weights = tail(parameters, network.places[layer])
        source, out = tail(activations, place), tail(activations, place + inputs * LINE)
        if network.kind[2]:
            write_portable_product(out, weights, source, outputs, inputs, rows)
        else:
            write_product(out, weights, source, outputs, inputs, rows)
        activation = network.kind[1] if layer + 1 < layers else NONE
        finish_layer(out, tail(weights, outputs * inputs), outputs, rows, activation)
        place += inputs * LINE
    return place


@kernel_apart
def backward(network: Network, parameters: Floats, gradients: Floats, work: Work, place: int, rows: int) -> None:
    """Add to the gradients what slopes of the outputs, at the beginning of the deltas, mean for every layer.

    `place` is where the outputs begin among the activations, as `forward` said.
    """
    layers = network.kind[0]
    half = 0
    for layer in range(layers):
        half = max(half, network.sizes[layer + 1] * LINE)
    for step in range(layers):
        layer = layers - 1 - step
        inputs, outputs = network.sizes[layer], network.sizes[layer + 1]
        place -= inputs * LINE
        weights, gradient = tail(parameters, network.places[layer]), tail(gradients, network.places[layer])
        delta, source = tail(work.deltas, (step % 2) * half), tail(work.activations, place)
        accumulate_outer(gradient, delta, source, outputs, inputs, rows)
        accumulate_outer(tail(gradient, outputs * inputs), delta, work.ones, outputs, 1, rows)
        if layer > 0:
            before = tail(work.deltas, (1 - step % 2) * half)
            write_transposed_product(before, weights, delta, outputs, inputs, rows)
            scale_by_slope(before, source, inputs, rows, network.kind[1])


@kernel_apart
def write_input_slopes(network: Network, parameters: Floats, work: Work, place: int, rows: int) -> int:
    """What slopes of the outputs, at the beginning of the deltas, mean for the inputs; where among them that begins.

    `place` is where the outputs begin among the activations. The deltas need room for the inputs twice.
    """
    layers = network.kind[0]
    half = 0
    for layer in range(layers + 1):
        half = max(half, network.sizes[layer] * LINE)
    for step in range(layers):
        layer = layers - 1 - step
        inputs, outputs = network.sizes[layer], network.sizes[layer + 1]
        place -= inputs * LINE
        before = tail(work.deltas, (1 - step % 2) * half)
        delta, weights = tail(work.deltas, (step % 2) * half), tail(parameters, network.places[layer])
        write_transposed_product(before, weights, delta, outputs, inputs, rows)
        if layer > 0:
            scale_by_slope(before, tail(work.activations, place), inputs, rows, network.kind[1])
    return int((layers % 2) * half)
