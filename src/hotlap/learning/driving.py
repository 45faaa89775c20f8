"""Rollouts without Python: act, drive, keep, begin the next episode, for many ticks of many cars in one call.

The cars' world is an entry of its own, called by address for a few cars at a time, and so is a teacher that shows what
it would do where they are. Cars are split into the shares of the passes, whatever the number of threads; what is
scaled, is scaled with the statistics from before the rollout, so that shares need not wait for each other.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.episodes import Episodes, write_draws
from hotlap.kernel import kernel, numbers_at, pointers_at
from hotlap.learning.calls import call_entry, copy_element
from hotlap.learning.forward import within
from hotlap.learning.network import Work, forward
from hotlap.learning.passes import ADAM_SLOT, SHARES, Learning, draw_rows, learning_at, room_of
from hotlap.learning.products import LINE, TILE, tail
from hotlap.learning.vectors import ROW_BLOCK

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Words = NDArray[np.int64]
SOURCE, STRIDE, SIZE, TARGET = range(4)
COLUMN_NUMBERS = 4
"""Where a column lies, how far its elements are apart and how large they are, and where it is kept."""


class Cars(NamedTuple):
    """What the cars' world reads and writes."""

    observation: Doubles
    reward: Doubles
    terminated: Bytes
    truncated: Bytes
    first_control: Doubles
    second_control: Doubles
    third_control: Doubles
    draws: Doubles
    """What an episode begins with, so many numbers for each car."""


class Kept(NamedTuple):
    """What a rollout leaves beside its samples, element (tick, car) at `tick * cars + car`."""

    rewards: Floats
    """As the world gave them."""
    ended: Bytes
    """1 where an episode ended with the tick."""
    cut_values: Floats
    """What an episode that was only cut off would have been worth from there on."""
    after: Floats
    """What the cars see after the last tick, scaled."""
    discounted: Doubles
    """Discounted return of each car so far."""
    sums: Doubles
    """Of each share: sums and sums of squares of the observations, less their means, then of discounted returns."""
    columns: Words
    """Other columns of the world that are kept, a row each."""


class Scales(NamedTuple):
    """How observations become inputs, and outputs controls."""

    mean: Doubles
    scale: Doubles
    mixing: Floats
    """How much of each output goes into each control, a row per output."""
    low: Floats
    """Of the controls."""
    high: Floats


class Shown(NamedTuple):
    """What a teacher would do with each car, in the controls of the world and, kept, in those of the learner."""

    first_control: Doubles
    second_control: Doubles
    third_control: Doubles
    mixing: Doubles
    """What each control of the world is in the learner's controls, a row per control of the world."""
    actions: Floats
    """Of every tick, as the actions of the samples."""


class Machine(NamedTuple):
    """The compiled world, and who teaches there: addresses and modes."""

    numbers: Words


class Stretch(NamedTuple):
    """Which ticks are driven, and the sizes."""

    first_tick: float
    last_tick: float
    cars: float
    inputs: float
    draws: float
    columns: float
    gamma: float
    clip: float
    """Farthest a scaled observation may be from 0."""
    is_taught: float
    """1 where a teacher shows what it would do, 0 where it is silent or there is none."""


class Driving(NamedTuple):
    """All that a rollout works on."""

    learning: Learning
    cars: Cars
    episodes: Episodes
    kept: Kept
    scales: Scales
    shown: Shown
    machine: Machine
    stretch: Stretch


CONTROLS = 3
ENTRY, TABLE, DRIVE_MODE, BEGIN_MODE, TEACHER_ENTRY, TEACHER_TABLE = range(6)
CARS_SLOT = ADAM_SLOT + 1
EPISODES_SLOT = CARS_SLOT + len(Cars._fields)
KEPT_SLOT = EPISODES_SLOT + len(Episodes._fields)
SCALES_SLOT = KEPT_SLOT + len(Kept._fields)
SHOWN_SLOT = SCALES_SLOT + len(Scales._fields)
MACHINE_SLOT = SHOWN_SLOT + len(Shown._fields)
STRETCH_SLOT = MACHINE_SLOT + 1


@kernel
def scaled_input(driving: Driving, car: int, k: int) -> float:
    """One observation of a car as the network sees it."""
    clip = driving.stretch.clip
    raw = np.float32(driving.cars.observation[car * int(driving.stretch.inputs) + k])
    return float(within((raw - driving.scales.mean[k]) * driving.scales.scale[k], -clip, clip))


@kernel
def write_inputs(driving: Driving, target: Floats, place: int, first: int, last: int) -> None:
    """What cars see, scaled, as rows of samples from a place on."""
    inputs = int(driving.stretch.inputs)
    for car in range(first, last):
        for k in range(inputs):
            target[(place + car) * inputs + k] = scaled_input(driving, car, k)


@kernel
def write_controls(driving: Driving, place: int, first: int, last: int) -> None:
    """Actions within what the learner may do, mixed into controls within what the world takes; no number counts 0."""
    learning, scales, cars = driving.learning, driving.scales, driving.cars
    count = learning.policy.sizes[learning.policy.kind[0]]
    for car in range(first, last):
        for control in range(CONTROLS):
            total = np.float32(0.0)
            for k in range(count):
                action = learning.samples.actions[(place + car) * count + k]
                action = min(max(action, learning.bounds.low[k]), learning.bounds.high[k])
                total += action * scales.mixing[k * CONTROLS + control]
            given = min(max(total, scales.low[control]), scales.high[control]) if math.isfinite(total) else 0.0
            if control == 0:
                cars.first_control[car] = given
            elif control == 1:
                cars.second_control[car] = given
            else:
                cars.third_control[car] = given


@kernel
def keep_columns(driving: Driving, place: int, first: int, last: int) -> None:
    """Copy the other columns of a tick."""
    columns = driving.kept.columns
    for number in range(int(driving.stretch.columns)):
        row = number * COLUMN_NUMBERS
        source, stride, size = columns[row + SOURCE], columns[row + STRIDE], columns[row + SIZE]
        for car in range(first, last):
            copy_element(columns[row + TARGET] + (place + car) * size, source + car * stride, size)


@kernel
def keep_step(driving: Driving, place: int, share: int, first: int, last: int) -> int:
    """Rewards, ends and discounted returns of a tick; how many episodes were cut off."""
    cars, kept, inputs = driving.cars, driving.kept, int(driving.stretch.inputs)
    total = (share + 1) * 2 * (inputs + 1) - 2
    cut_off = 0
    for car in range(first, last):
        reward = np.float32(cars.reward[car])
        kept.rewards[place + car] = reward
        kept.ended[place + car] = cars.terminated[car] | cars.truncated[car]
        kept.cut_values[place + car] = 0.0
        kept.discounted[car] = kept.discounted[car] * driving.stretch.gamma + reward
        kept.sums[total] += kept.discounted[car]
        kept.sums[total + 1] += kept.discounted[car] * kept.discounted[car]
        cut_off += cars.truncated[car] and not cars.terminated[car]
        if kept.ended[place + car]:
            kept.discounted[car] = 0.0
    return cut_off


@kernel
def write_cut_values(driving: Driving, work: Work, place: int, first: int, last: int) -> None:
    """What episodes that were cut off would have been worth, from the last that was seen of them; a tile at most."""
    learning, cars = driving.learning, driving.cars
    rows = 0
    for car in range(first, last):
        if cars.truncated[car] and not cars.terminated[car]:
            for k in range(int(driving.stretch.inputs)):
                work.activations[k * LINE + rows] = scaled_input(driving, car, k)
            rows += 1
    padded = (rows + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK
    for k in range(int(driving.stretch.inputs)):
        for row in range(rows, padded):
            work.activations[k * LINE + row] = 0.0
    values = tail(work.activations, forward(learning.value, learning.weights.parameters, work.activations, padded))
    rows = 0
    for car in range(first, last):
        if cars.truncated[car] and not cars.terminated[car]:
            driving.kept.cut_values[place + car] = values[rows]
            rows += 1


@kernel
def begin_episodes(driving: Driving, place: int, first: int, last: int) -> None:
    """The next episode of every car whose last one ended, drawn by its seed, stream and number."""
    machine, count = driving.machine.numbers, int(driving.stretch.draws)
    for car in range(first, last):
        if driving.kept.ended[place + car]:
            write_draws(driving.cars.draws, car * count, count, driving.episodes, car)
            call_entry(machine[ENTRY], machine[TABLE], car, car + 1, machine[BEGIN_MODE])


@kernel
def add_seen(driving: Driving, share: int, first: int, last: int) -> None:
    """Add what cars see after a tick to the sums of their share."""
    inputs, kept = int(driving.stretch.inputs), driving.kept
    for k in range(inputs):
        total, squares, mean = 0.0, 0.0, driving.scales.mean[k]
        for car in range(first, last):
            apart = np.float32(driving.cars.observation[car * inputs + k]) - mean
            total += apart
            squares += apart * apart
        place = share * 2 * (inputs + 1) + 2 * k
        kept.sums[place] += total
        kept.sums[place + 1] += squares


@kernel
def show_actions(driving: Driving, place: int, first: int, last: int) -> None:
    """Keep what the teacher would do now with some cars."""
    machine, shown = driving.machine.numbers, driving.shown
    call_entry(machine[TEACHER_ENTRY], machine[TEACHER_TABLE], first, last, 0)
    count = driving.learning.policy.sizes[driving.learning.policy.kind[0]]
    for car in range(first, last):
        for k in range(count):
            action = shown.first_control[car] * shown.mixing[k]
            action += shown.second_control[car] * shown.mixing[count + k]
            action += shown.third_control[car] * shown.mixing[2 * count + k]
            shown.actions[(place + car) * count + k] = action


@kernel
def drive_tick(driving: Driving, work: Work, tick: int, share: int, first: int, last: int) -> None:
    """One tick of some cars, a tile of them at most."""
    machine, place = driving.machine.numbers, tick * int(driving.stretch.cars)
    if driving.stretch.is_taught:
        show_actions(driving, place, first, last)
    write_inputs(driving, driving.learning.samples.observations, place, first, last)
    draw_rows(driving.learning, work, place + first, last - first)
    write_controls(driving, place, first, last)
    call_entry(machine[ENTRY], machine[TABLE], first, last, machine[DRIVE_MODE])
    if keep_step(driving, place, share, first, last):
        write_cut_values(driving, work, place, first, last)
    keep_columns(driving, place, first, last)
    begin_episodes(driving, place, first, last)
    add_seen(driving, share, first, last)
    write_inputs(driving, driving.kept.after, 0, first, last)


@kernel
def drive_shares(driving: Driving, first_share: int, last_share: int) -> None:
    """Some ticks of the cars of some shares."""
    cars, work = int(driving.stretch.cars), room_of(driving.learning, first_share)
    for share in range(first_share, last_share):
        end = cars * (share + 1) // SHARES
        for tick in range(int(driving.stretch.first_tick), int(driving.stretch.last_tick)):
            for first in range(cars * share // SHARES, end, TILE):
                drive_tick(driving, work, tick, share, first, min(first + TILE, end))


def driving_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`drive_shares` over an address table."""
    driving = Driving(
        learning=learning_at(addresses),
        cars=pointers_at(addresses, CARS_SLOT, Cars),
        episodes=pointers_at(addresses, EPISODES_SLOT, Episodes),
        kept=pointers_at(addresses, KEPT_SLOT, Kept),
        scales=pointers_at(addresses, SCALES_SLOT, Scales),
        shown=pointers_at(addresses, SHOWN_SLOT, Shown),
        machine=pointers_at(addresses, MACHINE_SLOT, Machine),
        stretch=numbers_at(addresses, STRETCH_SLOT, Stretch),
    )
    drive_shares(driving, first, last)
