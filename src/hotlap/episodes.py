"""Episodes of any world: which one each car drives, the draws it begins with, and what is known when it ends."""

import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError
from hotlap.kernel import Entry, kernel, zeros
from hotlap.philox import uniform

Float32Array = NDArray[np.float32]
Float64Array = NDArray[np.float64]
Int64Array = NDArray[np.int64]
Int32Array = NDArray[np.int32]
ByteArray = NDArray[np.uint8]


class Episodes(NamedTuple):
    """What a car carries from episode to episode. Its starts are a function of seed, stream and episode."""

    seed: Int64Array
    stream: Int64Array
    """The car's own number, also among cars that are driven elsewhere."""
    episode: Int32Array
    """How many episodes the car has begun: 1 in its first."""
    episode_limit: Int32Array
    """Steps after which this episode is cut off before its time; 0 leaves it to the rules."""
    episode_return: Float64Array
    """The rewards of the episode so far, added up."""


LIMITS = {"seed": (0, 2**63 - 1), "stream": (0, 2**63 - 1), "episode_return": (-sys.float_info.max, sys.float_info.max)}
"""Of the columns of `Episodes` that are not as others."""


class Rollout(NamedTuple):
    """What a step with automatic resets hands to a learner, in the precision of networks; observations are flat rows.

    Where an episode ended, `observation` is the first of the next one and everything `final` is of the one that ended.
    """

    observation: Float32Array
    reward: Float32Array
    ended: ByteArray
    """Whether the episode ended in this step, terminated or truncated."""
    final_observation: Float32Array
    final_return: Float64Array
    final_length: Int32Array
    final_count: Int32Array
    """Laps finished in the episode, or missions."""


class CompiledTick(NamedTuple):
    """A world's entry with its table, for whoever calls it without Python in between."""

    update: Entry
    address: int
    drive_mode: int
    begin_mode: int
    """Begins an episode of some cars by their draws."""
    draws: Float64Array
    """So many numbers for each car, flat."""


def new_episodes(count: int) -> Episodes:
    """Cars that have not begun yet, each with its number as its stream."""
    episodes = zeros(Episodes, count)
    write_streams(episodes, 0, 0)
    return episodes


def write_streams(episodes: Episodes, seed: int, first: int) -> None:
    """Give every car the seed and its number, counted from the first."""
    episodes.seed[:] = checked_seed(seed)
    episodes.stream[:] = np.arange(first, first + len(episodes.stream))


def checked_seed(seed: Any) -> int:
    """A whole number that fits into 63 bits, not below 0."""
    if not (isinstance(seed, int | np.integer) and not isinstance(seed, bool) and 0 <= seed < 1 << 63):
        raise ConfigError(f"a seed must be a whole number from 0 to 2**63 - 1, not {seed!r}.")
    return int(seed)


@kernel
def begin_episode(episodes: Episodes, car: int, stagger: float, most: float) -> None:
    """Count an episode that begins; with `stagger` a car's first is cut off at a drawn one of its steps at most.

    So cars that begin together do not end together. The draw is that of episode 0, which nobody drives.
    """
    episodes.episode[car] += 1
    episodes.episode_limit[car] = 0
    episodes.episode_return[car] = 0.0
    if stagger != 0.0 and episodes.episode[car] == 1:
        share = uniform(int(episodes.seed[car]), int(episodes.stream[car]), 0, 0)
        episodes.episode_limit[car] = 1 + int(share * most)


@kernel
def is_out_of_time(episodes: Episodes, car: int, steps: int, most: float) -> bool:
    """Whether an episode of so many steps is cut off: by the rules, or because it was shortened."""
    limit = episodes.episode_limit[car]
    return steps >= most or (limit > 0 and steps >= limit)


@kernel
def write_draws(draws: Float64Array, first: int, count: int, episodes: Episodes, car: int) -> None:
    """The draws of the episode that comes next, from seed, stream and its number."""
    seed, stream, episode = int(episodes.seed[car]), int(episodes.stream[car]), int(episodes.episode[car]) + 1
    for number in range(count):
        draws[first + number] = uniform(seed, stream, episode, number)


@kernel
def write_seen(rollout: Rollout, car: int, observation: Float64Array, size: int) -> None:
    """What the driver sees, for the learner."""
    for k in range(car * size, (car + 1) * size):
        rollout.observation[k] = observation[k]


@kernel
def write_end(rollout: Rollout, car: int, observation: Float64Array, size: int, total: float) -> None:
    """The last observation of an episode that ended, and its return."""
    for k in range(car * size, (car + 1) * size):
        rollout.final_observation[k] = observation[k]
    rollout.final_return[car] = total
