"""Many roads at once: owns the arrays, calls the compiled decision on all cores, begins episodes."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.episodes import CompiledTick, Rollout, new_episodes
from hotlap.highway import tick
from hotlap.highway.config import HighwayConfig
from hotlap.highway.fleet import Actions, Orders, Roads, Scratch, Starts, StepOutputs, Vehicles, dice_size, row_sizes
from hotlap.highway.sensors import OBSERVATION_SIZE
from hotlap.kernel import AllCores, Entry, address_table, jit_is_on, zeros
from hotlap.native_code import native_entry

ROADS_WORTH_A_THREAD = 16


@cache
def _compiled_update() -> Entry:
    return native_entry(tick.update_entry)


class HighwayBatch:
    """Roads that know nothing of each other, each with its ego and up to `slots - 1` other vehicles.

    `vehicles`, `roads` and `out` are the truth, structs of arrays that the kernels write in place; whoever hands parts
    of them to users hands out copies.
    """

    entry = staticmethod(tick.update_entry)
    autoreset_mode = tick.AUTORESET
    """What other machines compile, and the mode in which they advance it."""

    def __init__(
        self,
        count: int,
        slots: int,
        config: HighwayConfig | None = None,
        *,
        supervised: bool = True,
        threads: int | None = None,
        stagger: bool = False,
    ) -> None:
        self.count = self.kernel_count = count
        self.slots = slots
        sizes = row_sizes(slots, OBSERVATION_SIZE)
        self.vehicles = zeros(Vehicles, count, **sizes)
        self.vehicles.order[:] = np.tile(np.arange(slots), count)
        self.roads = zeros(Roads, count, **sizes)
        self.scratch = zeros(Scratch, count, **sizes)
        self.actions = zeros(Actions, count)
        self.orders = zeros(Orders, count)
        self.out = zeros(StepOutputs, count, **sizes)
        self.starts = zeros(Starts, count)
        self.episodes = new_episodes(count)
        self.rollout = zeros(Rollout, count, **sizes)
        self.observation = self.out.observation.reshape(count, OBSERVATION_SIZE)
        self.dice = self.scratch.dice.reshape(count, dice_size(slots))
        self.interventions = self.roads.interventions.reshape(count, -1)
        self.rules = (config or HighwayConfig()).rules(slots, supervised=supervised, stagger=stagger)
        given = (self.vehicles, self.roads, self.scratch, self.actions, self.orders)
        arrays = (*given, self.out, self.starts, self.episodes, self.rollout)
        self._highway = tick.Highway(*arrays, self.rules)
        self.groups = (*arrays, (np.array(self.rules),))
        """All arrays of the kernel, in the order of its address table."""
        self._addresses = address_table(*self.groups)  # type: ignore[arg-type]
        self._address = int(self._addresses.ctypes.data)
        self._update = _compiled_update() if jit_is_on() else self._interpreted_update
        self._cores = AllCores(self._update, threads, ROADS_WORTH_A_THREAD)

    def step(self) -> None:
        """Advance every road by one decision with what is in `actions`."""
        self._cores.call(self._address, self.count, tick.DRIVE)

    def reset(self) -> None:
        """Begin every road's first episode by its seed and stream."""
        self._cores.call(self._address, self.count, tick.RESET)

    def step_and_reset(self) -> None:
        """Advance every road by a decision; where an episode ended, keep its end in `rollout` and begin the next."""
        self._cores.call(self._address, self.count, tick.AUTORESET)

    def compiled_tick(self) -> CompiledTick:
        """For learners that drive without Python; the batch keeps what it points to."""
        return CompiledTick(self._update, self._address, tick.DRIVE, tick.BEGIN, self.scratch.dice)

    def _interpreted_update(self, _address: int, first: int, last: int, mode: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        tick.update_roads(self._highway, first, last, mode)

    def set_actions(self, actions: NDArray[np.floating[Any]]) -> None:
        """Take a (count, 3) array of raw actions."""
        self.actions.throttle[:] = actions[:, 0]
        self.actions.brake[:] = actions[:, 1]
        self.actions.lane[:] = actions[:, 2]

    def begin(self, road: int) -> None:
        """Begin an episode by what `starts` says of a road and by its dice."""
        self._update(self._address, road, road + 1, tick.BEGIN)

    def give(self, road: int) -> int:
        """Give an ego what is in `orders`; the reason when it is refused, else 0."""
        self._update(self._address, road, road + 1, tick.GIVE)
        return int(self.out.ended_reason[road])

    def observe(self, first: int, last: int) -> None:
        """Recompute what the drivers of some roads see, after their state was written by hand."""
        self._update(self._address, first, last, tick.LOOK)
