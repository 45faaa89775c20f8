"""Rollouts on all cores: what the compiled driving is called with."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import AllCores, address_table, jit_is_on, native_entry
from hotlap.learning import driving
from hotlap.learning.calls import PROTOTYPE, entry_address
from hotlap.learning.driving import COLUMN_NUMBERS, Cars, Driving, Kept, Machine, Scales, Stretch
from hotlap.learning.losses import Batch
from hotlap.learning.passes import SHARES, Adam, Learning
from hotlap.learning.ppo import PpoLearner

Array = NDArray[Any]


def new_kept(learner: PpoLearner) -> Kept:
    """Room for what a rollout of a learner leaves beside its samples."""
    rows, inputs = learner.ticks * learner.cars, learner.shape.inputs
    return Kept(
        rewards=np.zeros(rows, np.float32),
        ended=np.zeros(rows, np.uint8),
        cut_values=np.zeros(rows, np.float32),
        after=learner.after.observations,
        discounted=np.zeros(learner.cars),
        sums=np.zeros(SHARES * 2 * (inputs + 1)),
        columns=np.zeros(0, np.int64),
    )


class Rollouts:
    """Drives the cars of a compiled world for a learner, and keeps columns of that world, (ticks, cars) each."""

    def __init__(
        self,
        learner: PpoLearner,
        batch: Any,
        kept: Kept,
        scales: Scales,
        watched: Mapping[str, Array],
        *,
        gamma: float = 1.0,
        clip: float = np.inf,
    ) -> None:
        """`gamma` discounts the returns that are added up; a scaled observation is at most `clip` from 0."""
        self.columns = {name: np.zeros((learner.ticks, learner.cars), column.dtype) for name, column in watched.items()}
        tick, out, passes = batch.compiled_tick(), batch.out, learner.passes
        self._entry: Any = tick.update if jit_is_on() else PROTOTYPE(tick.update)
        seen = (out.observation, out.reward, out.terminated, out.truncated)
        cars = Cars._make([*seen, *batch.actions, tick.draws])
        machine = Machine(np.array([entry_address(self._entry), *tick[1:4]], np.int64))
        self._watched, self._learning_parts = watched, passes.parts
        self._groups = (cars, batch.episodes, kept._replace(columns=self._column_table()), scales, machine)
        sizes = (learner.cars, learner.shape.inputs, tick.draws.size // learner.cars, len(watched))
        self._stretch = np.array(Stretch(0, 0, *sizes, gamma, clip), np.float64)
        numbers = (passes.batch, passes.adam)
        self._table = address_table(*passes.parts, numbers, *self._groups, (self._stretch,))  # type: ignore[arg-type]
        entry = native_entry(driving.driving_entry) if jit_is_on() else self._interpreted
        self._cores = AllCores(entry, learner.threads, 1)

    def _column_table(self) -> Array:
        """Where each column lies and where it is kept."""
        rows = [
            (column.ctypes.data, column.strides[0], column.itemsize, self.columns[name].ctypes.data)
            for name, column in self._watched.items()
        ]
        return np.array(rows, np.int64).reshape(-1, COLUMN_NUMBERS).ravel()

    def drive(self, first: int, last: int) -> None:
        """All cars from one tick of the rollout up to another."""
        self._stretch[0], self._stretch[1] = first, last
        self._cores.call(int(self._table.ctypes.data), SHARES, 0)

    def _interpreted(self, _address: int, first: int, last: int, _mode: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        batch, adam = Batch(*[0.0] * len(Batch._fields)), Adam(*[0.0] * len(Adam._fields))
        learning: Any = Learning._make([*self._learning_parts, batch, adam])
        driving.drive_shares(Driving(learning, *self._groups, Stretch(*self._stretch.tolist())), first, last)
