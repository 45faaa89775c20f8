"""The highway's rule-based expert as a driver of many egos, compiled like the world itself."""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from hotlap.highway.expert import Sight, drive_experts, expert_entry
from hotlap.highway.fleet import Actions
from hotlap.highway.sensors import OBSERVATION_SIZE
from hotlap.kernel import Entry, address_table, jit_is_on, zeros
from hotlap.learning.teacher_kernel import TeacherKernel
from hotlap.native_code import native_entry
from hotlap.policies.policy import Array, FloatArray

if TYPE_CHECKING:
    from hotlap.highway.batch import HighwayBatch


@cache
def _compiled_expert() -> Entry:
    return native_entry(expert_entry)


class HighwayExpert:
    """Carries out missions by the intelligent-driver model and MOBIL; it sees what a trained driver sees."""

    name = "expert"
    layout = "highway"

    def __init__(self) -> None:
        self._entry = _compiled_expert() if jit_is_on() else None

    def reset(self, cars: Array) -> None:
        """Nothing is remembered."""

    def act(self, observation: Array, world: Any = None) -> Array:  # noqa: ARG002 - it sees observations only
        """Throttle, brake and lane request (n, 3) for observations (n, 36)."""
        count = len(observation)
        seen = np.array(observation, np.float64).reshape(count * OBSERVATION_SIZE)
        sight, actions = Sight(observation=seen), zeros(Actions, count)
        if self._entry is None:
            drive_experts(sight, actions, 0, count)
        else:
            addresses = address_table(sight, actions)
            self._entry(int(addresses.ctypes.data), 0, count, 0)
        return np.column_stack(actions)

    def kernel(self, batch: "HighwayBatch", controls: FloatArray) -> TeacherKernel:
        """The same for the egos of a world, on another machine, as a learner with such controls would do it."""
        actions = zeros(Actions, batch.count)
        return TeacherKernel(expert_entry, (Sight(observation=batch.out.observation), actions), actions, controls)
