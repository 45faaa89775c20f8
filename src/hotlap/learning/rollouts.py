"""Rollouts on all cores: what the compiled driving is called with."""

from typing import Any

import numpy as np

from hotlap.episodes import Episodes
from hotlap.kernel import AllCores, address_table, jit_is_on, native_entry
from hotlap.learning import driving
from hotlap.learning.driving import Cars, Driving, Kept, Machine, Scales, Stretch
from hotlap.learning.losses import Batch
from hotlap.learning.passes import SHARES, Adam, Learning
from hotlap.learning.ppo import PpoLearner


class Rollouts:
    """Drives the cars of a compiled world for a learner."""

    def __init__(
        self,
        learner: PpoLearner,
        groups: tuple[Cars, Episodes, Kept, Scales, Machine],
        stretch: Stretch,
    ) -> None:
        passes = learner.passes
        self._learning_parts, self._groups = passes.parts, groups
        self._stretch = np.array(stretch, np.float64)
        numbers = (passes.batch, passes.adam)
        self._table = address_table(*passes.parts, numbers, *self._groups, (self._stretch,))  # type: ignore[arg-type]
        entry = native_entry(driving.driving_entry) if jit_is_on() else self._interpreted
        self._cores = AllCores(entry, learner.threads, 1)

    def drive(self, first: int, last: int) -> None:
        """All cars from one tick of the rollout up to another."""
        self._stretch[0], self._stretch[1] = first, last
        self._cores.call(int(self._table.ctypes.data), SHARES, 0)

    def _interpreted(self, _address: int, first: int, last: int, _mode: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        batch, adam = Batch(*[0.0] * len(Batch._fields)), Adam(*[0.0] * len(Adam._fields))
        learning: Any = Learning._make([*self._learning_parts, batch, adam])
        driving.drive_shares(Driving(learning, *self._groups, Stretch(*self._stretch.tolist())), first, last)
