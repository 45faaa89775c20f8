"""Proximal policy optimisation of two small networks: rollouts in, better weights out, all on the cores.

The learner owns the weights, Adam's moments and the samples as plain arrays, made once. Whoever uses it writes
observations, rewards and starts of episodes into `samples` and `rollout`, and may read or write every weight meanwhile.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import address_table, jit_is_on
from hotlap.learning import advantages
from hotlap.learning.advantages import Discount, Rollout
from hotlap.learning.lessons import Lesson, Passes, PpoRules, compiled
from hotlap.learning.losses import (
    APPROXIMATE_KL,
    CLIPPED,
    FIGURES,
    POLICY_LOSS,
    TAUGHT_LOSS,
    VALUE_LOSS,
    Bounds,
    Samples,
)
from hotlap.learning.network import NetworkShape, work_for
from hotlap.learning.passes import SHARES, Weights
from hotlap.learning.peers import Alone, Peers

Floats = NDArray[np.float32]
NOISE, ORDER = range(2)
"""What randomness is drawn for: one stream each."""
PURPOSES = 2


class UpdateFigures(NamedTuple):
    """How an update went, on average over its samples."""

    policy_loss: float
    value_loss: float
    approximate_kl: float
    """Of the last pass."""
    clip_fraction: float


class PpoLearner:
    """Two networks of the same hidden layers, one that acts and one that values, and what they learn from."""

    def __init__(
        self, shape: NetworkShape, cars: int, ticks: int, rules: PpoRules, seed: int = 0, threads: int | None = None
    ) -> None:
        self.shape = shape
        self.value_shape = NetworkShape(shape.inputs, shape.hidden, 1, shape.activation)
        self.cars, self.ticks, self.rules, self.seed = cars, ticks, rules, seed
        count = shape.parameter_count + self.value_shape.parameter_count + shape.outputs
        self.weights = Weights(
            parameters=np.zeros(count, np.float32),
            gradients=np.zeros(SHARES * count, np.float32),
            first_moments=np.zeros(count, np.float32),
            second_moments=np.zeros(count, np.float32),
            narrow=np.ones(shape.outputs, np.float32),
            figures=np.zeros(SHARES * FIGURES),
        )
        self.policy_steps = 0
        """Steps of Adam that moved the policy."""
        self.value_steps = 0
        """Steps of Adam that moved the rest."""
        self.bounds = Bounds(np.full(shape.outputs, -np.inf, np.float32), np.full(shape.outputs, np.inf, np.float32))
        self.samples = self.room_for(ticks * cars)
        self.after = self.room_for(cars)
        """What the cars see after the last tick."""
        self.rollout = Rollout(
            rewards=np.zeros(ticks * cars, np.float32),
            values=self.samples.values,
            starts=np.zeros((ticks + 1) * cars, np.float32),
            last_values=self.after.values,
            advantages=self.samples.advantages,
            returns=self.samples.returns,
        )
        self.peers: Peers = Alone()
        """Who learns with it."""
        self.threads = threads
        self.work = work_for([shape, self.value_shape], SHARES)
        self.passes = Passes(self, self.samples)

    def use_threads(self, threads: int) -> None:
        """Compute with so many threads instead of on all cores; what comes out is the same."""
        self.threads = threads
        self.passes = Passes(self, self.samples)

    def room_for(self, rows: int) -> Samples:
        """Zeroed samples."""
        inputs, actions = self.shape.inputs, self.shape.outputs
        widths = {"observations": inputs, "actions": actions, "noise": actions}
        arrays = {name: np.zeros(rows * widths.get(name, 1), np.float32) for name in Samples._fields[:-1]}
        return Samples(**arrays, order=np.arange(rows, dtype=np.int32))

    def layers(self, array: Floats) -> dict[str, list[tuple[Floats, Floats]]]:
        """The parts of an array that is laid out like the parameters: weights and biases of each layer."""
        value = self.value_shape.views(array, self.shape.parameter_count)
        return {"policy": self.shape.views(array, 0), "value": value}

    def log_std(self, array: Floats) -> Floats:
        """The part of such an array that belongs to the spread of the actions."""
        return array[-self.shape.outputs :]

    def begin_rollout(self, step: int) -> None:
        """Draw what the actions of a rollout stray by: a function of the seed and the step, and of nothing else."""
        self.weights.narrow[:] = np.exp(-self.log_std(self.weights.parameters))
        noise = self.generator(NOISE, step)
        noise.standard_normal(dtype=np.float32, out=self.samples.noise)

    def generator(self, purpose: int, step: int) -> np.random.Generator:
        """Counter-based randomness, of each learner its own: no state of it has to be kept."""
        stream = purpose + PURPOSES * self.peers.rank
        return np.random.Generator(np.random.Philox(key=[self.seed, stream], counter=[0, 0, step, 0]))

    def act(self, tick: int) -> Floats:
        """Draw the actions of a tick for what the cars see; the array is the one of the samples."""
        self.passes.draw(tick * self.cars, self.cars)
        actions: Floats = self.samples.actions.reshape(self.ticks, self.cars, -1)[tick]
        return actions

    def write_values(self, samples: Samples, count: int) -> None:
        """Write the values of the first of some samples."""
        if count:
            Passes(self, samples).write_values(0, count)

    def finish_rollout(self) -> None:
        """Value what was seen, and say how much better each step went than expected."""
        self.write_values(self.samples, self.ticks * self.cars)
        self.write_values(self.after, self.cars)
        self.write_advantages()

    def write_advantages(self) -> None:
        """Advantages and returns of the rollout."""
        discount = Discount(self.rules.gamma, self.rules.gae_lambda, self.ticks, self.cars)
        if not jit_is_on():
            advantages.write_advantages(self.rollout, discount, 0, self.cars)
            return
        numbers = np.array(discount, np.float64)
        table = address_table(self.rollout, (numbers,))  # type: ignore[arg-type]
        compiled(advantages.advantage_entry)(table.ctypes.data, 0, self.cars, 0)

    def update(self, step: int, learning_rate: float, clip_range: float, *, learns_spread: bool) -> UpdateFigures:
        """All passes over the rollout."""
        generator, rows = self.generator(ORDER, step), self.ticks * self.cars
        teach = Lesson(self, self.samples, learning_rate, learns_spread)
        kl = 0.0
        for _ in range(self.rules.epochs):
            self.samples.order[:] = generator.permutation(rows)
            if self.peers.count > 1:
                teach.share_scales(rows)
            before = float(teach.figures()[APPROXIMATE_KL])
            for first in range(0, rows, self.rules.batch_size):
                teach.learn(first, min(self.rules.batch_size, rows - first), clip_range)
            kl = (float(teach.figures()[APPROXIMATE_KL]) - before) / rows
        seen = rows * self.rules.epochs
        means = (teach.figures() / seen).tolist()
        return UpdateFigures(means[POLICY_LOSS], means[VALUE_LOSS], kl, means[CLIPPED])

    def imitate(self, shown: Samples, count: int, step: int, learning_rate: float, epochs: int) -> float:
        """Draw the policy towards the actions of some samples; the mean squared distance on the way."""
        generator = self.generator(ORDER, step + 1)
        teach = Lesson(self, shown, learning_rate, learns_spread=False)
        for _ in range(epochs):
            shown.order[:count] = generator.permutation(count)
            for first in range(0, count, self.rules.batch_size):
                teach.imitate(first, min(self.rules.batch_size, count - first))
        return float(teach.figures()[TAUGHT_LOSS]) / (count * epochs)
