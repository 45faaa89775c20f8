"""Running mean and variance of observations and returns, and what is scaled with them, as SB3's VecNormalize does."""

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import address_table, jit_is_on, kernel, native_entry, numbers_at, pointers_at

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


class Statistics(NamedTuple):
    """What is known of the observations, then of the discounted returns: the last place of each array."""

    mean: Doubles
    variance: Doubles
    seen: Doubles
    """Of the observations, and of the returns."""
    returns: Doubles
    """Of each car, so far."""


class Tick(NamedTuple):
    """What a tick gave, as it was and scaled."""

    observations: Floats
    rewards: Floats
    dones: NDArray[np.uint8]
    scaled_observations: Floats
    scaled_rewards: Floats


class Scaling(NamedTuple):
    """How it is scaled."""

    cars: float
    inputs: float
    gamma: float
    epsilon: float
    clip_observations: float
    clip_rewards: float


TICK_SLOT = len(Statistics._fields)
SCALING_SLOT = TICK_SLOT + len(Tick._fields)


@kernel
def within(number: float, most: float) -> float:
    """A number clipped on both sides; what is none stays none."""
    if number > most:
        return most
    return max(number, -most)


@kernel
def merge(statistics: Statistics, place: int, mean: float, variance: float, old: float, count: float) -> None:
    """Take the mean and variance of some more numbers into the running ones."""
    apart, total = mean - statistics.mean[place], old + count
    squares = statistics.variance[place] * old + variance * count + apart * apart * old * count / total
    statistics.mean[place] += apart * count / total
    statistics.variance[place] = squares / total


@kernel
def scale_observations(statistics: Statistics, tick: Tick, scaling: Scaling) -> None:
    """Learn from the observations of a tick, then scale them."""
    cars, inputs = int(scaling.cars), int(scaling.inputs)
    for k in range(inputs):
        total, squares = 0.0, 0.0
        for car in range(cars):
            total += float(tick.observations[car * inputs + k])
        mean = total / cars
        for car in range(cars):
            apart = float(tick.observations[car * inputs + k]) - mean
            squares += apart * apart
        merge(statistics, k, mean, squares / cars, statistics.seen[0], scaling.cars)
        mean, scale = statistics.mean[k], 1.0 / math.sqrt(statistics.variance[k] + scaling.epsilon)
        for car in range(cars):
            scaled = (float(tick.observations[car * inputs + k]) - mean) * scale
            tick.scaled_observations[car * inputs + k] = within(scaled, scaling.clip_observations)
    statistics.seen[0] += scaling.cars


@kernel
def scale_rewards(statistics: Statistics, tick: Tick, scaling: Scaling) -> None:
    """Learn from the discounted returns so far, then scale the rewards by their deviation."""
    cars, place = int(scaling.cars), int(scaling.inputs)
    total, squares = 0.0, 0.0
    for car in range(cars):
        statistics.returns[car] = statistics.returns[car] * scaling.gamma + float(tick.rewards[car])
        total += statistics.returns[car]
    mean = total / cars
    for car in range(cars):
        squares += (statistics.returns[car] - mean) ** 2
    merge(statistics, place, mean, squares / cars, statistics.seen[1], scaling.cars)
    statistics.seen[1] += scaling.cars
    scale = 1.0 / math.sqrt(statistics.variance[place] + scaling.epsilon)
    for car in range(cars):
        scaled = float(tick.rewards[car]) * scale
        tick.scaled_rewards[car] = within(scaled, scaling.clip_rewards)
        if tick.dones[car]:
            statistics.returns[car] = 0.0


@kernel
def scale_tick(statistics: Statistics, tick: Tick, scaling: Scaling) -> None:
    """Observations and rewards of a tick."""
    scale_observations(statistics, tick, scaling)
    scale_rewards(statistics, tick, scaling)


def scale_entry(addresses: Any, _first: int, _last: int, _mode: int) -> None:
    """`scale_tick` over an address table."""
    tick, scaling = pointers_at(addresses, TICK_SLOT, Tick), numbers_at(addresses, SCALING_SLOT, Scaling)
    scale_tick(pointers_at(addresses, 0, Statistics), tick, scaling)


class Scaler:
    """Scales what ticks give; the statistics are plain arrays that may be read and written in between."""

    def __init__(self, cars: int, inputs: int, scaling: Scaling) -> None:
        self.cars, self.inputs, self.scaling = cars, inputs, scaling
        self.statistics = Statistics(np.zeros(inputs + 1), np.ones(inputs + 1), np.zeros(2), np.zeros(cars))
        self.tick = Tick(
            observations=np.zeros(cars * inputs, np.float32),
            rewards=np.zeros(cars, np.float32),
            dones=np.zeros(cars, np.uint8),
            scaled_observations=np.zeros(cars * inputs, np.float32),
            scaled_rewards=np.zeros(cars, np.float32),
        )
        self._numbers = np.array(scaling, np.float64)
        self._table = address_table(self.statistics, self.tick, (self._numbers,))  # type: ignore[arg-type]
        self._entry = _compiled_scale() if jit_is_on() else None

    def scale(self, observations: Floats, rewards: Floats, dones: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Take a tick into the statistics; copies of its observations and rewards, scaled."""
        self.tick.observations[:] = observations.reshape(-1)
        self.tick.rewards[:] = rewards
        self.tick.dones[:] = dones
        if self._entry is None:
            scale_tick(self.statistics, self.tick, self.scaling)
        else:
            self._entry(self._table.ctypes.data, 0, 0, 0)
        return self.tick.scaled_observations.reshape(self.cars, -1).copy(), self.tick.scaled_rewards.copy()

    def scaled(self, observation: Floats) -> Floats:
        """A single observation, scaled with the statistics as they are."""
        known, scaling = self.statistics, self.scaling
        scaled = (observation - known.mean[:-1]) / np.sqrt(known.variance[:-1] + scaling.epsilon)
        return np.clip(scaled, -scaling.clip_observations, scaling.clip_observations).astype(np.float32)


@cache
def _compiled_scale() -> Any:
    return native_entry(scale_entry)
