"""What a policy and a value are taught, row by row: the clipped objective of PPO, squared errors, a teacher's actions.

Each kernel reads what a network gave for a tile, writes the slopes of the mean loss, and adds up figures to be logged.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import kernel
from hotlap.learning.products import LINE

Floats = NDArray[np.float32]
HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
POLICY_LOSS, VALUE_LOSS, APPROXIMATE_KL, CLIPPED, TAUGHT_LOSS = range(5)
FIGURES = 8
"""Room for the sums of one worker."""


class Samples(NamedTuple):
    """What was driven, one row a step of a car."""

    observations: Floats
    actions: Floats
    noise: Floats
    """Standard normal, one number for each action."""
    log_probs: Floats
    values: Floats
    advantages: Floats
    returns: Floats
    order: NDArray[np.int32]
    """Rows in the order in which they are learned."""


class Batch(NamedTuple):
    """The samples of one gradient step, and how they are learned."""

    first: float
    """Place in the order of the first of them."""
    size: float
    advantage_mean: float
    advantage_scale: float
    """One over the standard deviation."""
    clip_range: float
    vf_coef: float
    learns_spread: float
    """1 where the spread of the actions is learned, 0 where somebody else sets it."""


class Tile(NamedTuple):
    """Some of the samples, on their way through the networks together."""

    first: int
    """Place in the order of the first of them."""
    rows: int
    padded: int
    """Rows up to the next whole block; those beyond the samples count for nothing."""


class Spread(NamedTuple):
    """How far actions stray from their means."""

    log_std: Floats
    narrow: Floats
    """One over the standard deviation."""
    gradient: Floats


class Bounds(NamedTuple):
    """What the controls can do."""

    low: Floats
    high: Floats


@kernel
def row_log_prob(means: Floats, row: int, actions: Floats, sample: int, spread: Spread, count: int) -> float:
    """Logarithm of how likely the actions of a sample are for normal distributions around a row's means."""
    total = 0.0
    for k in range(count):
        apart = (actions[sample * count + k] - means[k * LINE + row]) * spread.narrow[k]
        total -= 0.5 * apart * apart + spread.log_std[k] + HALF_LOG_TAU
    return total


@kernel
def policy_pull(
    log_prob: float, old_log_prob: float, advantage: float, batch: Batch, figures: NDArray[np.float64]
) -> float:
    """The slope of PPO's clipped objective with respect to the logarithm of a sample's likelihood."""
    log_ratio = log_prob - old_log_prob
    ratio = math.exp(log_ratio)
    clipped = min(max(ratio, 1.0 - batch.clip_range), 1.0 + batch.clip_range)
    figures[POLICY_LOSS] -= min(advantage * ratio, advantage * clipped)
    figures[APPROXIMATE_KL] += ratio - 1.0 - log_ratio
    figures[CLIPPED] += abs(ratio - 1.0) > batch.clip_range
    return -advantage * ratio / batch.size if advantage * ratio <= advantage * clipped else 0.0


@kernel
def write_policy_slopes(
    means: Floats,
    delta: Floats,
    spread: Spread,
    samples: Samples,
    batch: Batch,
    figures: NDArray[np.float64],
    tile: Tile,
    count: int,
) -> None:
    """PPO's clipped objective: slopes of its mean with respect to the means of the actions and their spread."""
    for row in range(tile.rows):
        sample = samples.order[tile.first + row]
        advantage = (samples.advantages[sample] - batch.advantage_mean) * batch.advantage_scale
        log_prob = row_log_prob(means, row, samples.actions, sample, spread, count)
        pull = policy_pull(log_prob, samples.log_probs[sample], advantage, batch, figures)
        for k in range(count):
            apart = (samples.actions[sample * count + k] - means[k * LINE + row]) * spread.narrow[k]
            delta[k * LINE + row] = pull * apart * spread.narrow[k]
            spread.gradient[k] += np.float32(batch.learns_spread * pull * (apart * apart - 1.0))
    clear_padding(delta, tile, count)


@kernel
def write_value_slopes(
    values: Floats, delta: Floats, samples: Samples, batch: Batch, figures: NDArray[np.float64], tile: Tile
) -> None:
    """Squared error of the values."""
    for row in range(tile.rows):
        error = values[row] - samples.returns[samples.order[tile.first + row]]
        figures[VALUE_LOSS] += error * error
        delta[row] = 2.0 * batch.vf_coef * error / batch.size
    clear_padding(delta, tile, 1)


@kernel
def write_taught_slopes(
    means: Floats,
    delta: Floats,
    samples: Samples,
    bounds: Bounds,
    batch: Batch,
    figures: NDArray[np.float64],
    tile: Tile,
    count: int,
) -> None:
    """Squared distance to a teacher's actions; beyond what the controls can do, farther is no worse."""
    for row in range(tile.rows):
        for k in range(count):
            shown, mean = samples.actions[samples.order[tile.first + row] * count + k], means[k * LINE + row]
            above = shown >= bounds.high[k] and mean > bounds.high[k]
            below = shown <= bounds.low[k] and mean < bounds.low[k]
            error = 0.0 if above or below else mean - shown
            figures[TAUGHT_LOSS] += error * error
            delta[k * LINE + row] = 2.0 * error / batch.size
    clear_padding(delta, tile, count)


@kernel
def clear_padding(delta: Floats, tile: Tile, features: int) -> None:
    """Rows that fill up the last block have no slope."""
    for k in range(features):
        for row in range(tile.rows, tile.padded):
            delta[k * LINE + row] = 0.0
