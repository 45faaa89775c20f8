"""Generalised advantage estimation over a rollout: how much better each step went than was expected."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import kernel, numbers_at, pointers_at

Floats = NDArray[np.float32]


class Rollout(NamedTuple):
    """Ticks of all cars, element (tick, car) at `tick * cars + car`."""

    rewards: Floats
    values: Floats
    starts: Floats
    """1 where an episode began with the tick; one tick more than the others have."""
    last_values: Floats
    """Of what the cars see after the last tick."""
    advantages: Floats
    returns: Floats


class Discount(NamedTuple):
    """How far ahead is looked, and how many ticks there are."""

    gamma: float
    gae_lambda: float
    ticks: float
    cars: float


DISCOUNT_SLOT = len(Rollout._fields)


@kernel
def write_advantages(rollout: Rollout, discount: Discount, first: int, last: int) -> None:
    """Advantages and returns of some of the cars, from the last tick to the first."""
    cars, ticks = int(discount.cars), int(discount.ticks)
    gamma, decay = np.float32(discount.gamma), np.float32(discount.gamma * discount.gae_lambda)
    for car in range(first, last):
        following, advantage = rollout.last_values[car], np.float32(0.0)
        for back in range(ticks):
            at = (ticks - 1 - back) * cars + car
            goes_on = np.float32(1.0) - rollout.starts[at + cars]
            surprise = rollout.rewards[at] + gamma * following * goes_on - rollout.values[at]
            advantage = surprise + decay * goes_on * advantage
            rollout.advantages[at] = advantage
            rollout.returns[at] = advantage + rollout.values[at]
            following = rollout.values[at]


def advantage_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`write_advantages` over an address table."""
    discount = numbers_at(addresses, DISCOUNT_SLOT, Discount)
    write_advantages(pointers_at(addresses, 0, Rollout), discount, first, last)
