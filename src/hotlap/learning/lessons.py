"""Gradient steps over batches of samples: what the compiled passes are called with, and in which order."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import AllCores, address_table, jit_is_on
from hotlap.learning import passes
from hotlap.learning.adam import corrected
from hotlap.learning.losses import FIGURES, Batch, Bounds, Samples
from hotlap.learning.network import NetworkShape, Work
from hotlap.learning.passes import (
    DRAW,
    IMITATE,
    LEARN,
    SHARES,
    STEP,
    VALUES,
    Adam,
    Learning,
    Weights,
)
from hotlap.learning.peers import Peers
from hotlap.learning.products import TILE
from hotlap.native_code import native_entry

TILES_WORTH_THREADS = 4
LEAST_SPREAD = 1e-8
"""What no deviation is below."""


@dataclass(frozen=True)
class PpoRules:
    """How an update is made; the learning rate is given with it."""

    batch_size: int
    epochs: int
    gamma: float
    gae_lambda: float
    ent_coef: float
    vf_coef: float
    max_grad_norm: float


class Learner(Protocol):
    """What the passes need of a learner."""

    shape: NetworkShape
    value_shape: NetworkShape
    rules: PpoRules
    weights: Weights
    work: Work
    bounds: Bounds
    threads: int | None
    peers: Peers
    policy_steps: int
    value_steps: int


@cache
def compiled(entry: Callable[[Any, int, int, int], None]) -> Any:
    """An entry as machine code."""
    return native_entry(entry)


class Passes:
    """The passes over some samples, with the table of addresses of all that they work on."""

    def __init__(self, learner: Learner, samples: Samples) -> None:
        self.batch, self.adam = np.zeros(len(Batch._fields)), np.zeros(len(Adam._fields))
        self.parts: Any = (
            learner.shape.network(0),
            learner.value_shape.network(learner.shape.parameter_count),
            learner.weights,
            learner.work,
            samples,
            learner.bounds,
        )
        self._table = address_table(*self.parts, (self.batch, self.adam))  # type: ignore[arg-type]
        self._address = int(self._table.ctypes.data)
        entry = compiled(passes.pass_entry) if jit_is_on() else self._interpreted
        self._cores = AllCores(entry, learner.threads, 1)

    def draw(self, first: int, count: int) -> None:
        """Actions of neighbouring samples."""
        self._over(DRAW, first, count)

    def write_values(self, first: int, count: int) -> None:
        """Values of neighbouring samples."""
        self._over(VALUES, first, count)

    def _over(self, what: int, first: int, count: int) -> None:
        self.batch[0], self.batch[1] = first, count
        self.call(what, count)

    def call(self, what: int, rows: int) -> None:
        """All shares of some rows, on all cores where that is worth it."""
        if rows < TILES_WORTH_THREADS * TILE:
            self._cores.entry(self._address, 0, SHARES, what)
        else:
            self._cores.call(self._address, SHARES, what)

    def _interpreted(self, _address: int, first: int, last: int, what: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        learning = Learning._make([*self.parts, Batch(*self.batch.tolist()), Adam(*self.adam.tolist())])
        passes.run_pass(learning, first, last, what)


class Lesson:
    """Gradient steps over batches of some samples."""

    def __init__(self, learner: Learner, samples: Samples, learning_rate: float, learns_spread: bool) -> None:
        self.learner, self.samples, self.rate = learner, samples, learning_rate
        self.spread = learns_spread
        self.passes = Passes(learner, samples)
        self.scales: dict[int, tuple[float, float]] = {}
        """Mean and scale of the advantages of a batch by its first sample, where other learners have a part in it."""
        learner.weights.figures[:] = 0.0

    def figures(self) -> NDArray[np.float64]:
        """Sums over all samples so far."""
        total: NDArray[np.float64] = self.learner.weights.figures.reshape(SHARES, FIGURES).sum(axis=0)
        return total

    def learn(self, first: int, count: int, clip_range: float) -> None:
        """One step of PPO."""
        self.take_batch(first, count, clip_range)
        rules = self.learner.rules
        self._step(count, LEARN, rules.ent_coef if self.spread else 0.0, rules.max_grad_norm)

    def take_batch(self, first: int, count: int, clip_range: float) -> None:
        """What the next gradients are for; the advantages of a batch are brought to mean 0 and deviation 1."""
        mean, scale = self.scales[first] if self.scales else self._scale_of(first, count)
        self.passes.batch[:] = list(
            Batch(first, count, mean, scale, clip_range, self.learner.rules.vf_coef, self.spread)
        )

    def _scale_of(self, first: int, count: int) -> tuple[float, float]:
        drawn = self.samples.advantages[self.samples.order[first : first + count]]
        if count < 2:
            return 0.0, 1.0
        return float(drawn.mean()), 1.0 / (float(drawn.std(ddof=1)) + LEAST_SPREAD)

    def share_scales(self, rows: int) -> None:
        """Take the mean and the scale of each batch of a pass over the samples of all learners."""
        drawn = self.samples.advantages[self.samples.order[:rows]].astype(np.float64)
        firsts = np.arange(0, rows, self.learner.rules.batch_size)
        sums = np.array([np.add.reduceat(drawn, firsts), np.add.reduceat(drawn * drawn, firsts)])
        self.learner.peers.add_up(sums)
        counts = np.diff(firsts, append=rows) * self.learner.peers.count
        means = sums[0] / counts
        deviations = np.sqrt(np.maximum(sums[1] - counts * means * means, 0.0) / np.maximum(counts - 1, 1))
        pairs = zip(means.tolist(), (1.0 / (deviations + LEAST_SPREAD)).tolist(), strict=True)
        self.scales = dict(zip(firsts.tolist(), pairs, strict=True))

    def imitate(self, first: int, count: int) -> None:
        """One step of the policy towards the teacher; as long as it likes."""
        self.passes.batch[:] = list(Batch(first, count, 0.0, 1.0, 0.0, 0.0, 0.0))
        self._step(count, IMITATE, 0.0, np.inf)

    def _step(self, count: int, lesson: int, ent_coef: float, longest: float) -> None:
        learner = self.learner
        self.passes.call(lesson, count)
        if learner.peers.count > 1:
            self._average_gradients()
        learner.policy_steps += 1
        learner.value_steps += lesson == LEARN
        moved = learner.weights.parameters.size - (0 if self.spread else learner.shape.outputs)
        if lesson == IMITATE:
            moved = learner.shape.parameter_count
        policy, value = (corrected(self.rate, steps) for steps in (learner.policy_steps, learner.value_steps))
        self.passes.adam[:] = list(Adam(*policy, *value, longest, moved, ent_coef))
        self.passes.call(STEP, 0)

    def _average_gradients(self) -> None:
        """Put the mean over all learners into the first share, with all of this one's in it, and nothing elsewhere."""
        shares, peers = self.learner.weights.gradients.reshape(SHARES, -1), self.learner.peers
        total = np.add.reduce(shares, axis=0, out=shares[0])
        peers.add_up(total)
        total /= np.float32(peers.count)
        shares[1:] = 0.0
