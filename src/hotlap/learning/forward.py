"""A trained policy as a kernel: raw observations in, final actions out, the same bits in Python and in a page.

`drive` is nothing but loops over numbers: it compiles to WebAssembly like the physics, and it is the slow twin of
`drive_tiles`, which takes many cars at a time and runs in Python. Both add one product after the other, from 0 to the
bias at the end, and round after each.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import kernel, numbers_at, pointers_at
from hotlap.learning.network import ELU, RELU, TANH, Network, elu, forward, tanh
from hotlap.learning.products import LINE, TILE
from hotlap.learning.vectors import ROW_BLOCK

Floats = NDArray[np.float32]


class Policy(NamedTuple):
    """A network with what comes before and after it."""

    sizes: NDArray[np.int64]
    places: NDArray[np.int64]
    kind: NDArray[np.int64]
    parameters: Floats
    mean: NDArray[np.float64]
    """Of each observation in training."""
    scale: NDArray[np.float64]
    """One over its deviation."""
    output_low: Floats
    output_high: Floats
    """Bounds of each output, before outputs are mixed."""
    mixing: Floats
    """How much of each output goes into each action, a row per output; then the actions are clipped."""
    low: Floats
    high: Floats


class Cars(NamedTuple):
    """What cars see, what they do about it, and room for the numbers of layers."""

    observations: Floats
    actions: Floats
    layers: Floats
    """Twice the widest layer; for tiles, a line for every number of every layer."""


class Limits(NamedTuple):
    """Sizes that are not the network's."""

    clip: float
    """Farthest a scaled observation may be from 0."""
    actions: float
    widest: float
    """Numbers of the widest layer, the observations included."""


CARS_SLOT = len(Policy._fields)
LIMITS_SLOT = CARS_SLOT + len(Cars._fields)


@kernel
def within(value: Any, low: Any, high: Any) -> Any:
    """A number clipped on both sides; what is none stays none."""
    if value > high:
        return high
    return max(value, low)


@kernel
def activated(value: Any, activation: int) -> Any:
    """One number through an activation."""
    if activation == RELU:
        return max(value, np.float32(0.0))
    if activation == TANH:
        return tanh(value)
    if activation == ELU:
        return elu(value)
    return value


@kernel
def write_scaled(policy: Policy, cars: Cars, limits: Limits, car: int, place: int, step: int) -> None:
    """What a car sees, as the network learned to see it, into the room from a place on, so far apart."""
    inputs = policy.sizes[0]
    for k in range(inputs):
        scaled = (float(cars.observations[car * inputs + k]) - policy.mean[k]) * policy.scale[k]
        cars.layers[place + k * step] = within(scaled, -limits.clip, limits.clip)


@kernel
def write_layers(policy: Policy, cars: Cars, limits: Limits) -> int:
    """All layers, from one half of the room to the other and back; where the outputs are."""
    here, there = 0, int(limits.widest)
    for layer in range(policy.kind[0]):
        inputs, outputs, place = policy.sizes[layer], policy.sizes[layer + 1], policy.places[layer]
        for output in range(outputs):
            total = np.float32(0.0)
            for k in range(inputs):
                total += policy.parameters[place + output * inputs + k] * cars.layers[here + k]
            total += policy.parameters[place + outputs * inputs + output]
            is_hidden = layer + 1 < policy.kind[0]
            cars.layers[there + output] = activated(total, policy.kind[1]) if is_hidden else total
        here, there = there, here
    return here


@kernel
def write_action(policy: Policy, cars: Cars, limits: Limits, car: int, place: int, step: int) -> None:
    """The outputs at a place, so far apart, within their bounds, mixed into the action of a car within its own."""
    count, outputs = int(limits.actions), policy.sizes[policy.kind[0]]
    for action in range(count):
        total = np.float32(0.0)
        for k in range(outputs):
            output = within(cars.layers[place + k * step], policy.output_low[k], policy.output_high[k])
            total += output * policy.mixing[k * count + action]
        cars.actions[car * count + action] = within(total, policy.low[action], policy.high[action])


@kernel
def drive(policy: Policy, cars: Cars, limits: Limits, first: int, last: int) -> None:
    """The deterministic action of each car."""
    for car in range(first, last):
        write_scaled(policy, cars, limits, car, 0, 1)
        write_action(policy, cars, limits, car, write_layers(policy, cars, limits), 1)


@kernel
def drive_tiles(policy: Policy, cars: Cars, limits: Limits, first: int, last: int) -> None:
    """The same, many cars at a time, with a network that is portable."""
    network = Network(sizes=policy.sizes, places=policy.places, kind=policy.kind)
    for start in range(first, last, TILE):
        rows = min(TILE, last - start)
        padded = (rows + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK
        for row in range(padded):
            write_scaled(policy, cars, limits, start + min(row, rows - 1), row, LINE)
        place = forward(network, policy.parameters, cars.layers, padded)
        for row in range(rows):
            write_action(policy, cars, limits, start + row, place + row, LINE)


def drive_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`drive` over an address table: what is compiled for pages."""
    cars, limits = pointers_at(addresses, CARS_SLOT, Cars), numbers_at(addresses, LIMITS_SLOT, Limits)
    drive(pointers_at(addresses, 0, Policy), cars, limits, first, last)


def tiles_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`drive_tiles` over an address table: what is compiled for the cores."""
    cars, limits = pointers_at(addresses, CARS_SLOT, Cars), numbers_at(addresses, LIMITS_SLOT, Limits)
    drive_tiles(pointers_at(addresses, 0, Policy), cars, limits, first, last)
