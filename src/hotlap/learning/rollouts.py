"""Rollouts on all cores: what the compiled driving is called with."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import AllCores, address_table, jit_is_on
from hotlap.learning import driving
from hotlap.learning.calls import entry_address
from hotlap.learning.driving import (
    COLUMN_NUMBERS,
    TEACHER_ENTRY,
    TEACHER_TABLE,
    Cars,
    Driving,
    Kept,
    Machine,
    Scales,
    Shown,
    Stretch,
)
from hotlap.learning.lessons import compiled
from hotlap.learning.losses import Batch, Samples
from hotlap.learning.passes import SHARES, Adam, Learning
from hotlap.learning.ppo import PpoLearner
from hotlap.learning.teacher_kernel import TeacherKernel
from hotlap.native_code import PROTOTYPE

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
        tick, out = batch.compiled_tick(), batch.out
        self._entry: Any = tick.update if jit_is_on() else PROTOTYPE(tick.update)
        seen = (out.observation, out.reward, out.terminated, out.truncated)
        cars = Cars._make([*seen, *batch.actions, tick.draws])
        self._machine = Machine(np.array([entry_address(self._entry), *tick[1:4], 0, 0], np.int64))
        self._watched, self._learner = watched, learner
        self._groups = (cars, batch.episodes, kept._replace(columns=self._column_table()), scales)
        self._shown = Shown._make([*[np.zeros(1)] * 4, np.zeros(1, np.float32)])
        sizes = (learner.cars, learner.shape.inputs, tick.draws.size // learner.cars, len(watched))
        self._stretch = np.array(Stretch(0, 0, *sizes, gamma, clip, is_taught=0.0), np.float64)
        self._table = self._new_table()
        entry = compiled(driving.driving_entry) if jit_is_on() else self._interpreted
        self._cores = AllCores(entry, learner.threads, 1)

    def _new_table(self) -> Array:
        """Where everything is."""
        passes = self._learner.passes
        numbers: Any = (passes.batch, passes.adam)
        stretch: Any = (self._stretch,)
        return address_table(*passes.parts, numbers, *self._groups, self._shown, self._machine, stretch)

    def take_teacher(self, teacher: TeacherKernel) -> Samples:
        """Have what a teacher would do kept while it speaks: the samples with that instead of what was done."""
        groups: Any = teacher.groups
        entry, self._teacher_table = compiled(teacher.entry), address_table(*groups)
        actions, mixing = np.zeros_like(self._learner.samples.actions), np.array(teacher.controls, np.float64)
        self._teacher, self._shown = teacher, Shown._make([*teacher.actions, mixing.ravel(), actions])
        self._machine.numbers[TEACHER_ENTRY] = entry_address(entry)
        self._machine.numbers[TEACHER_TABLE] = self._teacher_table.ctypes.data
        self._table = self._new_table()
        return self._learner.samples._replace(actions=actions)

    def teach(self, *, speaks: bool) -> None:
        """Let the teacher, where there is one, speak or be silent."""
        there_is_one = self._machine.numbers[TEACHER_ENTRY] != 0
        self._stretch[Stretch._fields.index("is_taught")] = speaks and there_is_one

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
        self._cores.call_each(int(self._table.ctypes.data), SHARES, 0)

    def _interpreted(self, _address: int, first: int, last: int, _mode: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        batch, adam = Batch(*[0.0] * len(Batch._fields)), Adam(*[0.0] * len(Adam._fields))
        learning: Any = Learning._make([*self._learner.passes.parts, batch, adam])
        stretch = Stretch(*self._stretch.tolist())
        driving.drive_shares(Driving(learning, *self._groups, self._shown, self._machine, stretch), first, last)
