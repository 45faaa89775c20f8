"""The kernels a learner calls: draw actions, write values, add up gradients, take a step of Adam.

Work is split into shares, always the same number of them whatever the number of threads, and what they add up is added
in their order: so a seed gives the same bytes on any number of cores. An entry takes some neighbouring shares and does
them one after the other in the room of the first.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import kernel, numbers_at, pointers_at
from hotlap.learning.adam import Moved, Rate, add_shares, take_step
from hotlap.learning.losses import (
    FIGURES,
    HALF_LOG_TAU,
    Batch,
    Bounds,
    Samples,
    Spread,
    Tile,
    write_policy_slopes,
    write_taught_slopes,
    write_value_slopes,
)
from hotlap.learning.network import Network, Work, backward, forward
from hotlap.learning.products import LINE, TILE, tail
from hotlap.learning.vectors import ROW_BLOCK

Floats = NDArray[np.float32]
SHARES = 8
DRAW, VALUES, LEARN, IMITATE, STEP = range(5)


class Weights(NamedTuple):
    """All parameters in one array, policy first, then value, then the logarithm of the spread; and what moves them."""

    parameters: Floats
    gradients: Floats
    """One after the other for each share."""
    first_moments: Floats
    second_moments: Floats
    narrow: Floats
    """One over the standard deviation of each action."""
    figures: NDArray[np.float64]
    """Sums to be logged, of each share."""


class Adam(NamedTuple):
    """One step of the optimiser."""

    policy_step: float
    """The learning rate, corrected for the moments' beginning at zero; of the policy, which may have a teacher too."""
    policy_scale: float
    """One over the square root of that correction of the second moments."""
    value_step: float
    value_scale: float
    max_grad_norm: float
    moved: float
    """How many of the parameters, from the first on, are moved."""
    ent_coef: float


class Learning(NamedTuple):
    """All that the passes work on; its address table has the arrays of its members one after the other."""

    policy: Network
    value: Network
    weights: Weights
    work: Work
    samples: Samples
    bounds: Bounds
    batch: Batch
    adam: Adam


GROUPS = (Network, Network, Weights, Work, Samples, Bounds)
SLOTS = [sum(len(group._fields) for group in GROUPS[:k]) for k in range(len(GROUPS) + 1)]
POLICY_SLOT, VALUE_SLOT, WEIGHTS_SLOT, WORK_SLOT, SAMPLES_SLOT, BOUNDS_SLOT, BATCH_SLOT = SLOTS
ADAM_SLOT = BATCH_SLOT + 1
TINY = 1e-5
"""What Adam adds to the roots of the second moments."""


@kernel
def parameter_count(learning: Learning) -> int:
    """Weights and biases of both networks, and a spread for each action."""
    value = learning.value
    last = value.kind[0] - 1
    return int(value.places[last] + value.sizes[last] + 1 + action_count(learning))


@kernel
def action_count(learning: Learning) -> int:
    """How many numbers an action has."""
    return int(learning.policy.sizes[learning.policy.kind[0]])


@kernel
def room_of(learning: Learning, share: int) -> Work:
    """The room for tiles of one share."""
    network, work = learning.policy, learning.work
    lines, widest = 0, 0
    for layer in range(network.kind[0] + 1):
        lines += network.sizes[layer]
        if layer:
            widest = max(widest, network.sizes[layer])
    return Work(
        activations=tail(work.activations, share * lines * LINE),
        deltas=tail(work.deltas, share * 2 * widest * LINE),
        ones=work.ones,
    )


@kernel
def tile_at(number: int, first: int, count: int) -> Tile:
    """The numbered tile of some samples."""
    rows = min(TILE, count - number * TILE)
    return Tile(first=first + number * TILE, rows=rows, padded=(rows + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK)


@kernel
def first_tile(count: int, share: int) -> int:
    """The first tile of a share; the first of the next share is the one after its last."""
    return (count + TILE - 1) // TILE * share // SHARES


@kernel
def gather(samples: Samples, activations: Floats, tile: Tile, inputs: int) -> None:
    """Observations of the samples of a tile, as lines."""
    for row in range(tile.padded):
        if row < tile.rows:
            start = samples.order[tile.first + row] * inputs
            for k in range(inputs):
                activations[k * LINE + row] = samples.observations[start + k]
        else:
            for k in range(inputs):
                activations[k * LINE + row] = 0.0


@kernel
def copy_rows(samples: Samples, activations: Floats, tile: Tile, inputs: int) -> None:
    """Observations of neighbouring samples, as lines."""
    for row in range(tile.padded):
        start = (tile.first + min(row, tile.rows - 1)) * inputs
        for k in range(inputs):
            activations[k * LINE + row] = samples.observations[start + k]


@kernel
def draw_actions(learning: Learning, first_share: int, last_share: int) -> None:
    """For some samples, actions drawn around what the policy thinks best, and how likely they were."""
    work, rows = room_of(learning, first_share), int(learning.batch.size)
    for number in range(first_tile(rows, first_share), first_tile(rows, last_share)):
        tile = tile_at(number, int(learning.batch.first), rows)
        draw_rows(learning, work, tile.first, tile.rows)


@kernel
def draw_rows(learning: Learning, work: Work, first: int, rows: int) -> None:
    """The same for neighbouring samples that fit into a tile."""
    samples, network, count = learning.samples, learning.policy, action_count(learning)
    tile, log_std = tile_at(0, first, rows), spread_of(learning, 0).log_std
    copy_rows(samples, work.activations, tile, network.sizes[0])
    means = tail(work.activations, forward(network, learning.weights.parameters, work.activations, tile.padded))
    for row in range(rows):
        log_prob = 0.0
        for k in range(count):
            place = (first + row) * count + k
            noise = samples.noise[place]
            samples.actions[place] = means[k * LINE + row] + noise / learning.weights.narrow[k]
            log_prob -= 0.5 * noise * noise + log_std[k] + HALF_LOG_TAU
        samples.log_probs[first + row] = log_prob


@kernel
def write_values(learning: Learning, first_share: int, last_share: int) -> None:
    """The values of some samples."""
    samples, network = learning.samples, learning.value
    work, rows = room_of(learning, first_share), int(learning.batch.size)
    for number in range(first_tile(rows, first_share), first_tile(rows, last_share)):
        tile = tile_at(number, int(learning.batch.first), rows)
        copy_rows(samples, work.activations, tile, network.sizes[0])
        values = tail(work.activations, forward(network, learning.weights.parameters, work.activations, tile.padded))
        for row in range(tile.rows):
            samples.values[tile.first + row] = values[row]


@kernel
def spread_of(learning: Learning, share: int) -> Spread:
    """How far actions stray, with the share's gradient of it."""
    total, count = parameter_count(learning), action_count(learning)
    weights = learning.weights
    return Spread(
        log_std=tail(weights.parameters, total - count),
        narrow=weights.narrow,
        gradient=tail(weights.gradients, share * total + total - count),
    )


@kernel
def add_gradients(learning: Learning, first_share: int, last_share: int, lesson: int) -> None:
    """Gradients of the loss of a batch, each share's from nothing."""
    total, rows = parameter_count(learning), int(learning.batch.size)
    work = room_of(learning, first_share)
    for share in range(first_share, last_share):
        gradients = tail(learning.weights.gradients, share * total)
        for k in range(total):
            gradients[k] = 0.0
        figures = tail(learning.weights.figures, share * FIGURES)
        for number in range(first_tile(rows, share), first_tile(rows, share + 1)):
            tile = tile_at(number, int(learning.batch.first), rows)
            gather(learning.samples, work.activations, tile, learning.policy.sizes[0])
            if lesson == LEARN:
                add_policy_gradients(learning, work, gradients, figures, tile, share)
                add_value_gradients(learning, work, gradients, figures, tile)
            else:
                add_taught_gradients(learning, work, gradients, figures, tile)


@kernel
def add_policy_gradients(
    learning: Learning, work: Work, gradients: Floats, figures: NDArray[np.float64], tile: Tile, share: int
) -> None:
    """What PPO's objective says about the policy."""
    network, parameters = learning.policy, learning.weights.parameters
    place = forward(network, parameters, work.activations, tile.padded)
    means, count = tail(work.activations, place), action_count(learning)
    spread = spread_of(learning, share)
    write_policy_slopes(means, work.deltas, spread, learning.samples, learning.batch, figures, tile, count)
    backward(network, parameters, gradients, work, place, tile.padded)


@kernel
def add_value_gradients(
    learning: Learning, work: Work, gradients: Floats, figures: NDArray[np.float64], tile: Tile
) -> None:
    """What the squared error says about the value."""
    network, parameters = learning.value, learning.weights.parameters
    place = forward(network, parameters, work.activations, tile.padded)
    write_value_slopes(tail(work.activations, place), work.deltas, learning.samples, learning.batch, figures, tile)
    backward(network, parameters, gradients, work, place, tile.padded)


@kernel
def add_taught_gradients(
    learning: Learning, work: Work, gradients: Floats, figures: NDArray[np.float64], tile: Tile
) -> None:
    """What a teacher says about the policy."""
    network, parameters = learning.policy, learning.weights.parameters
    place = forward(network, parameters, work.activations, tile.padded)
    means, count = tail(work.activations, place), action_count(learning)
    write_taught_slopes(means, work.deltas, learning.samples, learning.bounds, learning.batch, figures, tile, count)
    backward(network, parameters, gradients, work, place, tile.padded)


@kernel
def step_parameters(learning: Learning) -> None:
    """Add up the shares' gradients, shorten them where they are too long, and take a step of Adam."""
    weights, adam, total = learning.weights, learning.adam, parameter_count(learning)
    gradients = weights.gradients
    add_shares(gradients, total, SHARES)
    for k in range(total - action_count(learning), total):
        gradients[k] -= np.float32(adam.ent_coef)
    last, policy = int(adam.moved), learning.value.places[0]
    squares = 0.0
    for k in range(last):
        squares += float(gradients[k]) * float(gradients[k])
    shorter = min(1.0, adam.max_grad_norm / (math.sqrt(squares) + 1e-6))
    policy_rate = Rate(shorter=shorter, step=adam.policy_step, scale=adam.policy_scale, tiny=TINY)
    value_rate = Rate(shorter=shorter, step=adam.value_step, scale=adam.value_scale, tiny=TINY)
    moved = Moved(
        parameters=weights.parameters,
        gradients=gradients,
        first_moments=weights.first_moments,
        second_moments=weights.second_moments,
    )
    take_step(moved, 0, min(last, policy), policy_rate)
    take_step(moved, policy, last, value_rate)
    log_std = tail(weights.parameters, total - action_count(learning))
    for k in range(action_count(learning)):
        weights.narrow[k] = math.exp(-log_std[k])


@kernel
def learning_at(addresses: Any) -> Learning:
    """Everything, from its address table."""
    return Learning(
        policy=pointers_at(addresses, POLICY_SLOT, Network),
        value=pointers_at(addresses, VALUE_SLOT, Network),
        weights=pointers_at(addresses, WEIGHTS_SLOT, Weights),
        work=pointers_at(addresses, WORK_SLOT, Work),
        samples=pointers_at(addresses, SAMPLES_SLOT, Samples),
        bounds=pointers_at(addresses, BOUNDS_SLOT, Bounds),
        batch=numbers_at(addresses, BATCH_SLOT, Batch),
        adam=numbers_at(addresses, ADAM_SLOT, Adam),
    )


@kernel
def run_pass(learning: Learning, first: int, last: int, what: int) -> None:
    """One of the passes over some shares."""
    if what == DRAW:
        draw_actions(learning, first, last)
    elif what == VALUES:
        write_values(learning, first, last)
    elif what == STEP:
        step_parameters(learning)
    else:
        add_gradients(learning, first, last, what)


def pass_entry(addresses: Any, first: int, last: int, what: int) -> None:
    """`run_pass` over an address table."""
    run_pass(learning_at(addresses), first, last, what)
