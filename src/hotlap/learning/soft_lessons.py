"""Gradient steps of soft actor-critic: what its compiled passes are called with, and in which order."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import AllCores, address_table, jit_is_on
from hotlap.learning import soft_passes
from hotlap.learning.adam import Moved, corrected
from hotlap.learning.lessons import compiled
from hotlap.learning.network import NetworkShape, ones
from hotlap.learning.products import LINE
from hotlap.learning.soft_passes import (
    ACTOR,
    CRITICS,
    FIGURES,
    HALF_TILE,
    SHARES,
    SPREAD,
    STEP_ACTOR,
    STEP_CRITICS,
    Replayed,
    Room,
    Soft,
    SoftLearning,
    Targets,
)

Floats = NDArray[np.float32]
TINY = 1e-8
"""What torch's Adam adds to the roots of the second moments."""


@dataclass(frozen=True)
class SoftRules:
    """How critics, actor and temperature learn; the learning rates are given with each update."""

    tau: float
    target_entropy: float
    learns_temperature: bool


@dataclass(frozen=True)
class SoftWeights:
    """Where the weights lie, and Adam's moments of them: flat arrays that belong to somebody else."""

    actor: Moved
    critics: Moved
    """One critic after the other."""
    temperature: Moved
    """One number: its logarithm."""
    targets: Floats


@dataclass(frozen=True)
class Rates:
    """Learning rates, and how many steps of Adam came before."""

    actor: tuple[float, int]
    critics: tuple[float, int]
    temperature: tuple[float, int]


def moved_with(parameters: Floats, first_moments: Floats, second_moments: Floats) -> Moved:
    """With room for the gradients of every share."""
    gradients = np.zeros(SHARES * parameters.size, np.float32)
    return Moved(parameters, gradients, first_moments, second_moments)


class SoftLearner:
    """An actor and some critics of the same shape, wherever their weights lie."""

    def __init__(self, actor: NetworkShape, critic: NetworkShape, weights: SoftWeights, rules: SoftRules) -> None:
        self.weights, self.rules = weights, rules
        self.critics = weights.critics.parameters.size // critic.parameter_count
        self.room = self._room_for(actor, critic)
        self.numbers = np.zeros(len(Soft._fields))
        targets = Targets(weights.targets)
        networks = actor.network(0), critic.network(0)
        self.before: Any = *networks, weights.actor, weights.critics, weights.temperature, targets
        self.use_threads(None)

    def use_threads(self, threads: int | None) -> None:
        """Compute with so many threads, by default on all cores; what comes out is the same."""
        entry = compiled(soft_passes.soft_pass_entry) if jit_is_on() else self._interpreted
        self._cores = AllCores(entry, threads, 1)

    def _room_for(self, actor: NetworkShape, critic: NetworkShape) -> Room:
        """Of every share."""
        lines = SPREAD + actor.outputs
        widest = max(*actor.sizes, *critic.sizes)
        counts = (sum(actor.sizes), self.critics * sum(critic.sizes), 2 * widest)
        actors, critics, deltas = (np.zeros(SHARES * count * LINE, np.float32) for count in counts)
        return Room(
            actors, critics, deltas, ones(), np.zeros(SHARES * lines * LINE, np.float32), np.zeros(SHARES * FIGURES)
        )

    def update(self, replayed: Replayed, batch_size: int, rates: Rates) -> NDArray[np.float64]:
        """A gradient step for each batch of some samples; the means of the figures."""
        self.parts = *self.before, replayed, self.room
        self._table = address_table(*self.parts, (self.numbers,))  # type: ignore[arg-type]
        self.room.figures[:] = 0.0
        count = len(replayed.rewards) // batch_size
        for step in range(count):
            self.numbers[:] = list(self._numbers(step, batch_size, rates))
            for what in (CRITICS, STEP_CRITICS, ACTOR, STEP_ACTOR):
                self._call(what, batch_size)
        sums: NDArray[np.float64] = self.room.figures.reshape(SHARES, FIGURES).sum(axis=0)
        return sums / count

    def _numbers(self, step: int, batch_size: int, rates: Rates) -> Soft:
        steps = [corrected(rate, before + step + 1) for rate, before in (rates.actor, rates.critics, rates.temperature)]
        (actor, actor_scale), (critic, critic_scale), (temperature, temperature_scale) = steps
        return Soft(
            first=step * batch_size,
            size=batch_size,
            critics=self.critics,
            tau=self.rules.tau,
            target_entropy=self.rules.target_entropy,
            learns_temperature=self.rules.learns_temperature,
            actor_step=actor,
            actor_scale=actor_scale,
            critic_step=critic,
            critic_scale=critic_scale,
            temperature_step=temperature,
            temperature_scale=temperature_scale,
            tiny=TINY,
        )

    def _call(self, what: int, batch_size: int) -> None:
        """A pass over all shares, on two cores where that is worth it."""
        address = int(self._table.ctypes.data)
        if what in (CRITICS, ACTOR) and batch_size > HALF_TILE:
            self._cores.call(address, SHARES, what)
        else:
            self._cores.entry(address, 0, SHARES, what)

    def _interpreted(self, _address: int, first: int, last: int, what: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        learning = SoftLearning._make([*self.parts, Soft(*self.numbers.tolist())])
        soft_passes.run_soft_pass(learning, first, last, what)
