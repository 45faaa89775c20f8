"""A trained policy as one plain kernel: raw observations in, final actions out, where there is no ONNX or vector code.

Nothing but loops over numbers: it compiles to WebAssembly like the physics, and it is the slow twin of the passes over
tiles.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import kernel, numbers_at, pointers_at
from hotlap.learning.network import ELU, RELU, TANH, Network, NetworkShape, tanh

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
    """What cars see, what they do about it, and room for a layer's numbers, twice the widest layer."""

    observations: Floats
    actions: Floats
    layers: Floats


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
def activated(value: Any, activation: int) -> Any:
    """One number through an activation."""
    if activation == RELU:
        return max(value, np.float32(0.0))
    if activation == TANH:
        return tanh(value)
    if activation == ELU and value < np.float32(0.0):
        return np.float32(math.exp(np.float64(value)) - 1.0)
    return value


@kernel
def write_scaled(policy: Policy, cars: Cars, limits: Limits, car: int) -> None:
    """What a car sees, as the network learned to see it, into the first half of the layers."""
    inputs = policy.sizes[0]
    for k in range(inputs):
        scaled = (float(cars.observations[car * inputs + k]) - policy.mean[k]) * policy.scale[k]
        cars.layers[k] = min(max(scaled, -limits.clip), limits.clip)


@kernel
def write_layers(policy: Policy, cars: Cars, limits: Limits) -> int:
    """All layers, from one half of the room to the other and back; where the outputs are."""
    here, there = 0, int(limits.widest)
    for layer in range(policy.kind[0]):
        inputs, outputs, place = policy.sizes[layer], policy.sizes[layer + 1], policy.places[layer]
        for output in range(outputs):
            total = policy.parameters[place + outputs * inputs + output]
            for k in range(inputs):
                total += policy.parameters[place + output * inputs + k] * cars.layers[here + k]
            is_hidden = layer + 1 < policy.kind[0]
            cars.layers[there + output] = activated(total, policy.kind[1]) if is_hidden else total
        here, there = there, here
    return here


@kernel
def clip_outputs(policy: Policy, cars: Cars, place: int) -> None:
    """Keep the outputs within their bounds, where they are."""
    for k in range(policy.sizes[policy.kind[0]]):
        output = cars.layers[place + k]
        cars.layers[place + k] = min(max(output, policy.output_low[k]), policy.output_high[k])


@kernel
def drive(policy: Policy, cars: Cars, limits: Limits, first: int, last: int) -> None:
    """The deterministic action of each car."""
    count, outputs = int(limits.actions), policy.sizes[policy.kind[0]]
    for car in range(first, last):
        write_scaled(policy, cars, limits, car)
        place = write_layers(policy, cars, limits)
        clip_outputs(policy, cars, place)
        for action in range(count):
            total = np.float32(0.0)
            for k in range(outputs):
                total += cars.layers[place + k] * policy.mixing[k * count + action]
            cars.actions[car * count + action] = min(max(total, policy.low[action]), policy.high[action])


def drive_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`drive` over an address table: what is compiled for every machine."""
    cars, limits = pointers_at(addresses, CARS_SLOT, Cars), numbers_at(addresses, LIMITS_SLOT, Limits)
    drive(pointers_at(addresses, 0, Policy), cars, limits, first, last)


def policy_of(shape: NetworkShape, parameters: Floats, low: Floats, high: Floats) -> Policy:
    """A policy that sees observations as they are and acts as its network says, within bounds."""
    network: Network = shape.network(0)
    return Policy(
        *network,
        parameters=parameters,
        mean=np.zeros(shape.inputs),
        scale=np.ones(shape.inputs),
        output_low=low,
        output_high=high,
        mixing=np.eye(shape.outputs, dtype=np.float32).ravel(),
        low=low,
        high=high,
    )
