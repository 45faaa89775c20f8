"""The kernels that soft actor-critic learns with: gradients of the critics, gradients of the actor, a step for each.

Critics value actions that were taken, towards the reward and what slow copies of them expect afterwards. The actor
learns what the critics like, as long as it stays as random as it is told to; a temperature keeps that balance.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import kernel, numbers_at, pointers_at
from hotlap.learning.adam import Moved, Rate, add_shares, take_step
from hotlap.learning.losses import HALF_LOG_TAU, Tile, clear_padding
from hotlap.learning.network import Network, Work, backward, forward, write_input_slopes
from hotlap.learning.products import LINE, tail
from hotlap.learning.vectors import ROW_BLOCK

Floats = NDArray[np.float32]
SHARES = 2
"""Parts of a batch that are added up apart, so that two cores get the same bytes as one."""
HALF_TILE = 128
"""Rows of a tile: a batch is small, and has to be enough for both shares."""
LOWEST_LOG_STD, HIGHEST_LOG_STD = -20.0, 2.0
"""Between which the logarithm of the spread is kept."""
SQUASHED = 1e-6
"""Added to the slope of a squashed action, so that its logarithm stays finite."""
CRITICS, ACTOR, STEP_CRITICS, STEP_ACTOR = range(4)
TEMPERATURE, ACTOR_LOSS, CRITIC_LOSS, TEMPERATURE_LOSS = range(4)
FIGURES = 8
"""Room for the sums of one share."""
LOG_PROB, LOWEST, CHOICE, SPREAD = range(4)
"""Lines of a row's numbers: how likely its action is, the lowest value, whose it is, and noise times spread of each
action."""


class Targets(NamedTuple):
    """The slow copies of the critics."""

    parameters: Floats


class Replayed(NamedTuple):
    """Samples for some gradient steps, one batch after the other."""

    seen: Floats
    after: Floats
    actions: Floats
    rewards: Floats
    ongoing: Floats
    """The discount of what follows, or zero where the episode ended."""
    seen_noise: Floats
    """Standard normal, one number for each action, for what the actor would do now."""
    after_noise: Floats
    """And for what it would do afterwards."""


class Room(NamedTuple):
    """Room for the tile of each share."""

    actor: Floats
    critics: Floats
    """Activations of all critics, one after the other."""
    deltas: Floats
    ones: Floats
    lines: Floats
    """Numbers of each row."""
    figures: NDArray[np.float64]
    """Sums to be logged."""


class Soft(NamedTuple):
    """One gradient step."""

    first: float
    """Its first sample."""
    size: float
    critics: float
    tau: float
    target_entropy: float
    learns_temperature: float
    actor_step: float
    actor_scale: float
    critic_step: float
    critic_scale: float
    temperature_step: float
    temperature_scale: float
    tiny: float
    """Added to the roots of Adam's second moments."""


class SoftLearning(NamedTuple):
    """All that the passes work on; its address table has the arrays of its members one after the other."""

    actor: Network
    critic: Network
    actor_moved: Moved
    critics_moved: Moved
    temperature_moved: Moved
    """One number: its logarithm."""
    targets: Targets
    replayed: Replayed
    room: Room
    soft: Soft


GROUPS = (Network, Network, Moved, Moved, Moved, Targets, Replayed, Room)
SLOTS = [sum(len(group._fields) for group in GROUPS[:k]) for k in range(len(GROUPS) + 1)]
(
    ACTOR_SLOT,
    CRITIC_SLOT,
    ACTOR_MOVED_SLOT,
    CRITICS_MOVED_SLOT,
    TEMPERATURE_MOVED_SLOT,
    TARGETS_SLOT,
    REPLAYED_SLOT,
    ROOM_SLOT,
    SOFT_SLOT,
) = SLOTS


@kernel
def unit_count(network: Network) -> int:
    """Numbers of all layers of a network."""
    total = 0
    for layer in range(network.kind[0] + 1):
        total += network.sizes[layer]
    return total


@kernel
def widest_layer(network: Network) -> int:
    """Numbers of its widest layer, the inputs included."""
    widest = 0
    for layer in range(network.kind[0] + 1):
        widest = max(widest, network.sizes[layer])
    return widest


@kernel
def weight_count(network: Network) -> int:
    """Weights and biases of a network."""
    last = network.kind[0] - 1
    return int(network.places[last] + network.sizes[last + 1] * (network.sizes[last] + 1))


@kernel
def action_count(learning: SoftLearning) -> int:
    """How many numbers an action has: the actor gives a mean and a spread for each."""
    return int(learning.actor.sizes[learning.actor.kind[0]] // 2)


@kernel
def line_count(learning: SoftLearning) -> int:
    """Lines of a row's numbers: those named above, noise times spread and a slope for each action."""
    return SPREAD + 2 * action_count(learning)


@kernel
def room_of(learning: SoftLearning, owner: int, share: int) -> Room:
    """The room of one share, for the tiles of another; its sums are its own."""
    room = learning.room
    units = int(learning.soft.critics) * unit_count(learning.critic)
    widest = max(widest_layer(learning.actor), widest_layer(learning.critic))
    return Room(
        actor=tail(room.actor, owner * unit_count(learning.actor) * LINE),
        critics=tail(room.critics, owner * units * LINE),
        deltas=tail(room.deltas, owner * 2 * widest * LINE),
        ones=room.ones,
        lines=tail(room.lines, owner * line_count(learning) * LINE),
        figures=tail(room.figures, share * FIGURES),
    )


@kernel
def critic_work(learning: SoftLearning, room: Room, number: int) -> Work:
    """Where one of the critics is computed."""
    place = number * unit_count(learning.critic) * LINE
    return Work(activations=tail(room.critics, place), deltas=room.deltas, ones=room.ones)


@kernel
def first_tile(size: int, share: int) -> int:
    """The first tile of a share."""
    return (size + HALF_TILE - 1) // HALF_TILE * share // SHARES


@kernel
def tile_at(learning: SoftLearning, number: int) -> Tile:
    """The numbered tile of the batch."""
    rows = min(HALF_TILE, int(learning.soft.size) - number * HALF_TILE)
    first = int(learning.soft.first) + number * HALF_TILE
    return Tile(first=first, rows=rows, padded=(rows + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK)


@kernel
def copy_rows(numbers: Floats, lines: Floats, tile: Tile, width: int) -> None:
    """Numbers of neighbouring samples, as lines; the last sample fills up the block."""
    for row in range(tile.padded):
        start = (tile.first + min(row, tile.rows - 1)) * width
        for k in range(width):
            lines[k * LINE + row] = numbers[start + k]


@kernel
def copy_lines(source: Floats, target: Floats, count: int, tile: Tile) -> None:
    """Some lines of a tile."""
    for k in range(count):
        some, others = tail(source, k * LINE), tail(target, k * LINE)
        for row in range(tile.padded):
            others[row] = some[row]


@kernel
def decide(learning: SoftLearning, room: Room, seen: Floats, noise: Floats, tile: Tile) -> int:
    """What the actor would do: actions into the inputs of the first critic, beside what they are for, and how likely.

    Where the outputs of the actor begin.
    """
    inputs, count = learning.actor.sizes[0], action_count(learning)
    copy_rows(seen, room.actor, tile, inputs)
    place = forward(learning.actor, learning.actor_moved.parameters, room.actor, tile.padded)
    copy_lines(room.actor, room.critics, inputs, tile)
    for row in range(tile.rows):
        room.lines[LOG_PROB * LINE + row] = 0.0
    for k in range(count):
        means, raw = tail(room.actor, place + k * LINE), tail(room.actor, place + (count + k) * LINE)
        actions, spreads = tail(room.critics, (inputs + k) * LINE), tail(room.lines, (SPREAD + k) * LINE)
        for row in range(tile.rows):
            log_std = min(max(raw[row], np.float32(LOWEST_LOG_STD)), np.float32(HIGHEST_LOG_STD))
            drawn = noise[(tile.first + row) * count + k]
            spreads[row] = drawn * np.exp(log_std)
            room.lines[row] -= np.float32(0.5) * drawn * drawn + log_std + np.float32(HALF_LOG_TAU)
        for row in range(tile.rows):
            actions[row] = np.tanh(means[row] + spreads[row])
        for row in range(tile.rows):
            room.lines[row] -= np.log(np.float32(1.0) - actions[row] * actions[row] + np.float32(SQUASHED))
    return place


@kernel
def write_values(learning: SoftLearning, room: Room, parameters: Floats, number: int, tile: Tile) -> int:
    """What one critic says of the inputs of the first one; where its outputs begin."""
    work = critic_work(learning, room, number)
    if number > 0:
        copy_lines(room.critics, work.activations, learning.critic.sizes[0], tile)
    own = tail(parameters, number * weight_count(learning.critic))
    return forward(learning.critic, own, work.activations, tile.padded)


@kernel
def write_lowest(learning: SoftLearning, room: Room, parameters: Floats, tile: Tile) -> int:
    """The lowest of what the critics say, and whose it is; where their outputs begin."""
    lowest, choice, place = tail(room.lines, LOWEST * LINE), tail(room.lines, CHOICE * LINE), 0
    for number in range(int(learning.soft.critics)):
        place = write_values(learning, room, parameters, number, tile)
        values = tail(critic_work(learning, room, number).activations, place)
        for row in range(tile.rows):
            if number == 0 or values[row] < lowest[row]:
                lowest[row], choice[row] = values[row], number
    return place


@kernel
def clear_gradients(moved: Moved, total: int, share: int) -> None:
    """Begin a share's gradients with nothing."""
    gradients = tail(moved.gradients, share * total)
    for k in range(total):
        gradients[k] = 0.0


@kernel
def teach_critics(learning: SoftLearning, room: Room, tile: Tile, share: int) -> None:
    """Towards the reward and what the targets expect of what the actor would do afterwards."""
    replayed, critics, inputs = learning.replayed, int(learning.soft.critics), learning.actor.sizes[0]
    temperature = np.exp(learning.temperature_moved.parameters[0])
    decide(learning, room, replayed.after, replayed.after_noise, tile)
    write_lowest(learning, room, learning.targets.parameters, tile)
    aims, log_probs = tail(room.lines, LOWEST * LINE), room.lines
    for row in range(tile.rows):
        expected = aims[row] - temperature * log_probs[row]
        aims[row] = replayed.rewards[tile.first + row] + replayed.ongoing[tile.first + row] * expected
    copy_rows(replayed.seen, room.critics, tile, inputs)
    copy_rows(replayed.actions, tail(room.critics, inputs * LINE), tile, action_count(learning))
    parameters, count = learning.critics_moved.parameters, weight_count(learning.critic)
    for number in range(critics):
        place, work = write_values(learning, room, parameters, number, tile), critic_work(learning, room, number)
        for row in range(tile.rows):
            error = work.activations[place + row] - aims[row]
            room.figures[CRITIC_LOSS] += 0.5 * error * error / learning.soft.size
            room.deltas[row] = error / learning.soft.size
        clear_padding(room.deltas, tile, 1)
        gradients = tail(learning.critics_moved.gradients, (share * critics + number) * count)
        backward(learning.critic, tail(parameters, number * count), gradients, work, place, tile.padded)


@kernel
def write_liked(learning: SoftLearning, room: Room, liked: Floats, tile: Tile) -> None:
    """The slopes of minus the mean of the lowest value with respect to the actions, a line for each."""
    inputs, count, parameters = learning.actor.sizes[0], action_count(learning), learning.critics_moved.parameters
    place = write_lowest(learning, room, parameters, tile)
    for number in range(int(learning.soft.critics)):
        for row in range(tile.rows):
            is_lowest = room.lines[CHOICE * LINE + row] == number
            room.deltas[row] = -1.0 / learning.soft.size if is_lowest else 0.0
        clear_padding(room.deltas, tile, 1)
        own, work = tail(parameters, number * weight_count(learning.critic)), critic_work(learning, room, number)
        slopes = write_input_slopes(learning.critic, own, work, place, tile.padded)
        for k in range(count):
            total, more = tail(liked, k * LINE), tail(room.deltas, slopes + (inputs + k) * LINE)
            for row in range(tile.rows):
                total[row] = more[row] if number == 0 else total[row] + more[row]


@kernel
def teach_actor(learning: SoftLearning, room: Room, tile: Tile, share: int) -> None:
    """Towards actions that the critics like and that stay random; and the temperature towards what keeps them so."""
    count, inputs, soft = action_count(learning), learning.actor.sizes[0], learning.soft
    place = decide(learning, room, learning.replayed.seen, learning.replayed.seen_noise, tile)
    liked = tail(room.lines, (SPREAD + count) * LINE)
    write_liked(learning, room, liked, tile)
    temperature = np.exp(learning.temperature_moved.parameters[0])
    weight = temperature / np.float32(soft.size)
    for k in range(count):
        raw, actions = tail(room.actor, place + (count + k) * LINE), tail(room.critics, (inputs + k) * LINE)
        spreads, slopes = tail(room.lines, (SPREAD + k) * LINE), tail(liked, k * LINE)
        means, wider = tail(room.deltas, k * LINE), tail(room.deltas, (count + k) * LINE)
        for row in range(tile.rows):
            slope = np.float32(1.0) - actions[row] * actions[row]
            entropy = np.float32(2.0) * weight * actions[row] / (slope + np.float32(SQUASHED))
            means[row] = slope * (slopes[row] + entropy)
            is_within = raw[row] >= np.float32(LOWEST_LOG_STD) and raw[row] <= np.float32(HIGHEST_LOG_STD)
            wider[row] = means[row] * spreads[row] - weight if is_within else np.float32(0.0)
    clear_padding(room.deltas, tile, 2 * count)
    for row in range(tile.rows):
        log_prob = room.lines[row]
        room.figures[ACTOR_LOSS] += (temperature * log_prob - room.lines[LOWEST * LINE + row]) / soft.size
        learning.temperature_moved.gradients[share] -= (log_prob + soft.target_entropy) / soft.size
    work = Work(activations=room.actor, deltas=room.deltas, ones=room.ones)
    gradients = tail(learning.actor_moved.gradients, share * weight_count(learning.actor))
    backward(learning.actor, learning.actor_moved.parameters, gradients, work, place, tile.padded)


@kernel
def teach(learning: SoftLearning, first_share: int, last_share: int, what: int) -> None:
    """Gradients of the critics or of the actor, each share's from nothing."""
    size = int(learning.soft.size)
    for share in range(first_share, last_share):
        room = room_of(learning, first_share, share)
        if what == CRITICS:
            clear_gradients(learning.critics_moved, int(learning.soft.critics) * weight_count(learning.critic), share)
        else:
            clear_gradients(learning.actor_moved, weight_count(learning.actor), share)
            clear_gradients(learning.temperature_moved, 1, share)
        for number in range(first_tile(size, share), first_tile(size, share + 1)):
            if what == CRITICS:
                teach_critics(learning, room, tile_at(learning, number), share)
            else:
                teach_actor(learning, room, tile_at(learning, number), share)


@kernel
def step_critics(learning: SoftLearning) -> None:
    """A step of Adam for the critics, and their slow copies a little closer to them."""
    soft, moved, targets = learning.soft, learning.critics_moved, learning.targets.parameters
    total = int(soft.critics) * weight_count(learning.critic)
    add_shares(moved.gradients, total, SHARES)
    take_step(moved, 0, total, Rate(shorter=1.0, step=soft.critic_step, scale=soft.critic_scale, tiny=soft.tiny))
    tau = np.float32(soft.tau)
    for k in range(total):
        targets[k] += tau * (moved.parameters[k] - targets[k])


@kernel
def step_actor(learning: SoftLearning) -> None:
    """A step of Adam for the actor, and one for the temperature."""
    soft, total, logarithm = learning.soft, weight_count(learning.actor), learning.temperature_moved
    add_shares(learning.actor_moved.gradients, total, SHARES)
    rate = Rate(shorter=1.0, step=soft.actor_step, scale=soft.actor_scale, tiny=soft.tiny)
    take_step(learning.actor_moved, 0, total, rate)
    add_shares(logarithm.gradients, 1, SHARES)
    learning.room.figures[TEMPERATURE] += math.exp(logarithm.parameters[0])
    learning.room.figures[TEMPERATURE_LOSS] += float(logarithm.parameters[0]) * float(logarithm.gradients[0])
    if soft.learns_temperature:
        rate = Rate(shorter=1.0, step=soft.temperature_step, scale=soft.temperature_scale, tiny=soft.tiny)
        take_step(logarithm, 0, 1, rate)


@kernel
def soft_learning_at(addresses: Any) -> SoftLearning:
    """Everything, from its address table."""
    return SoftLearning(
        actor=pointers_at(addresses, ACTOR_SLOT, Network),
        critic=pointers_at(addresses, CRITIC_SLOT, Network),
        actor_moved=pointers_at(addresses, ACTOR_MOVED_SLOT, Moved),
        critics_moved=pointers_at(addresses, CRITICS_MOVED_SLOT, Moved),
        temperature_moved=pointers_at(addresses, TEMPERATURE_MOVED_SLOT, Moved),
        targets=pointers_at(addresses, TARGETS_SLOT, Targets),
        replayed=pointers_at(addresses, REPLAYED_SLOT, Replayed),
        room=pointers_at(addresses, ROOM_SLOT, Room),
        soft=numbers_at(addresses, SOFT_SLOT, Soft),
    )


@kernel
def run_soft_pass(learning: SoftLearning, first: int, last: int, what: int) -> None:
    """One of the passes over some shares."""
    if what == STEP_CRITICS:
        step_critics(learning)
    elif what == STEP_ACTOR:
        step_actor(learning)
    else:
        teach(learning, first, last, what)


def soft_pass_entry(addresses: Any, first: int, last: int, what: int) -> None:
    """`run_soft_pass` over an address table."""
    run_soft_pass(soft_learning_at(addresses), first, last, what)
