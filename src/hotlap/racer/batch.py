"""Many cars at once: owns the arrays, calls the compiled tick on all cores, puts cars where an episode begins."""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError, did_you_mean
from hotlap.kernel import AllCores, Entry, address_table, jit_is_on, native_entry, zeros
from hotlap.racer import tick
from hotlap.racer.config import RacerConfig
from hotlap.racer.fleet import Actions, FleetState, StepOutputs
from hotlap.racer.physics import PHYSICS, Physics
from hotlap.racer.sensors import CLASSIC_SIZE, FULL_SIZE
from hotlap.racer.starts import Start
from hotlap.racer.tables import TrackTables, build_tables
from hotlap.racer.tracks import Track

LAYOUTS = {"classic": CLASSIC_SIZE, "full": FULL_SIZE}
CARS_WORTH_A_THREAD = 64


@cache
def _compiled_update() -> Entry:
    return native_entry(tick.update_entry)


@lru_cache(maxsize=8)
def _shared_tables(tracks: tuple[Track, ...]) -> TrackTables:
    """Kernels only read the tables, so every batch on the same tracks shares them: building takes 7 to 18 ms."""
    return build_tables(tracks)


def layout_size(layout: str) -> int:
    """How many numbers an observation layout has; unknown names are refused with the nearest."""
    if layout not in LAYOUTS:
        raise ConfigError(
            f'no observation "{layout}".{did_you_mean(str(layout), LAYOUTS)} Known: {", ".join(LAYOUTS)}.'
        )
    return LAYOUTS[layout]


class RacerBatch:
    """A fleet of cars, each on its own track of a set, advanced together; cars never touch each other.

    `fleet` and `out` are the truth, structs of arrays that the kernels write in place; whoever hands parts of them to
    users hands out copies.
    """

    def __init__(
        self,
        count: int,
        tracks: Sequence[Track],
        config: RacerConfig | None = None,
        layout: str = "classic",
        threads: int | None = None,
        physics: Physics = PHYSICS,
    ) -> None:
        self.count = count
        self.tracks = tuple(tracks)
        self.observation_size = layout_size(layout)
        self.fleet = zeros(FleetState, count)
        self.actions = zeros(Actions, count)
        self.out = zeros(StepOutputs, count, observation=self.observation_size)
        self.observation = self.out.observation.reshape(count, self.observation_size)
        self.tables: TrackTables = _shared_tables(self.tracks)
        self.rules = (config or RacerConfig()).rules(list(LAYOUTS).index(layout))
        self.physics = physics
        numbers = (np.array(self.rules), np.array(physics))
        self.groups = (self.fleet, self.tables, self.actions, self.out, numbers)
        """All arrays of the kernel, in the order of its address table."""
        self._addresses = address_table(*self.groups)  # type: ignore[arg-type]
        self._address = int(self._addresses.ctypes.data)
        self._update = _compiled_update() if jit_is_on() else self._interpreted_update
        self._cores = AllCores(self._update, threads, CARS_WORTH_A_THREAD)
        self._drive = self._ready_drive() if threads == 1 and jit_is_on() else self._drive_on_all_cores

    def step(self) -> None:
        """Advance every car by one tick with what is in `actions`."""
        self._drive()

    def _ready_drive(self) -> Callable[[], None]:
        """A tick on one thread, its arguments turned into C's once: half a microsecond less for each tick."""
        numbers = [ctypes.c_int64(number) for number in (0, self.count, 1)]
        return partial(self._update, ctypes.c_void_p(self._address), *numbers)  # type: ignore[arg-type]

    def _drive_on_all_cores(self) -> None:
        self._cores.call(self._address, self.count, 1)

    def _interpreted_update(self, _address: int, first: int, last: int, drives: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        numbers = (self.rules, self.physics)
        tick.update_fleet(self.fleet, self.tables, self.actions, self.out, *numbers, first, last, drives)

    def set_actions(self, actions: NDArray[np.floating[Any]]) -> None:
        """Take a (count, 3) array of raw actions in the precision it comes in."""
        self.actions.steer[:] = actions[:, 0]
        self.actions.throttle[:] = actions[:, 1]
        self.actions.brake[:] = actions[:, 2]

    def place(self, car: int, track: int, start: Start, delay: int) -> None:
        """Begin an episode: put a car at its start, with everything else as new, and write what its driver sees."""
        fleet = self.fleet
        for column in fleet:
            column[car] = 0
        fleet.track[car] = track
        fleet.x_u[car], fleet.y_u[car], fleet.heading_rad[car] = start.x_u, start.y_u, start.heading_rad
        fleet.vx_ups[car] = start.speed_ups * np.cos(start.heading_rad)
        fleet.vy_ups[car] = start.speed_ups * np.sin(start.heading_rad)
        fleet.speed_ups[car] = start.speed_ups
        fleet.gate[car] = fleet.finish_gate[car] = start.gate
        fleet.arc_u[car] = self.tracks[track].gate_arcs_u[start.gate]
        fleet.lap[car] = 1
        fleet.best_lap_ticks[car] = -1
        fleet.delay[car] = delay
        for result in self.out[1:]:
            result[car] = 0
        self.observe(car, car + 1)

    def observe(self, first: int, last: int) -> None:
        """Recompute where cars are and what their drivers see, after their state was written by hand."""
        self._update(self._address, first, last, 0)
