"""Many cars at once: owns the arrays, calls the compiled tick on all cores, puts cars where an episode begins."""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.episodes import CompiledTick, Rollout, new_episodes
from hotlap.errors import ConfigError, did_you_mean
from hotlap.kernel import AllCores, Entry, address_table, interpreted, jit_is_on, zeros
from hotlap.native_code import native_entry
from hotlap.racer import grip_tick, tick
from hotlap.racer.cars import Car
from hotlap.racer.config import RacerConfig
from hotlap.racer.fleet import Actions, FleetState, Starts, StepOutputs
from hotlap.racer.grip_fleet import GripFleet, build_car_table
from hotlap.racer.grip_physics import GRIP_PHYSICS
from hotlap.racer.grip_sensors import GRIP_AND_CAR_SIZE, GRIP_SIZE
from hotlap.racer.physics import PHYSICS, Physics
from hotlap.racer.sensors import CLASSIC_SIZE, FULL_SIZE
from hotlap.racer.starts import DRAWS, POSE, Start
from hotlap.racer.tables import TrackTables, build_tables
from hotlap.racer.tracks import Track

LAYOUTS = {"classic": CLASSIC_SIZE, "full": FULL_SIZE, "grip": GRIP_SIZE, "grip-car": GRIP_AND_CAR_SIZE}
GRIP_LAYOUTS = ("grip", "grip-car")
"""What drivers of cars with grip see; the others are for the classic car."""
CARS_WORTH_A_THREAD = 64


@cache
def _compiled_update(entry: Any) -> Entry:
    return native_entry(entry)


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

    autoreset_mode = tick.AUTORESET
    """The mode in which other machines advance it."""

    def __init__(
        self,
        count: int,
        tracks: Sequence[Track],
        config: RacerConfig | None = None,
        layout: str = "classic",
        threads: int | None = None,
        physics: Physics | None = None,
        *,
        stagger: bool = False,
        cars: Sequence[Car] = (),
    ) -> None:
        self.count = self.kernel_count = count
        self.tracks = tuple(tracks)
        self.observation_size = size = layout_size(layout)
        self.fleet = zeros(FleetState, count)
        self.actions = zeros(Actions, count)
        self.out = zeros(StepOutputs, count, observation=size)
        self.starts = zeros(Starts, count, draws=DRAWS)
        self.episodes = new_episodes(count)
        self.rollout = zeros(Rollout, count, observation=size, final_observation=size)
        self.draws = self.starts.draws.reshape(count, DRAWS)
        self.observation = self.out.observation.reshape(count, size)
        self.tables: TrackTables = _shared_tables(self.tracks)
        self.rules = (config or RacerConfig()).rules(list(LAYOUTS).index(layout), stagger=stagger)
        self.physics = physics or (GRIP_PHYSICS if cars else PHYSICS)
        self.cars = tuple(cars)
        """The cars with grip that episodes draw from; none for the classic car."""
        self.grip = zeros(GripFleet, count)
        self._racer = self._everything()
        self.groups = (*self._racer[:-2], (np.array(self.rules), np.array(self.physics)))
        """All arrays of the kernel, in the order of its address table."""
        self.entry = grip_tick.update_grip_entry if cars else tick.update_entry
        """What is compiled, here and for other machines."""
        self._ready_kernel(threads)

    def _everything(self) -> tick.Racer:
        """All that a tick reads or writes."""
        return tick.Racer(
            fleet=self.fleet,
            tables=self.tables,
            actions=self.actions,
            out=self.out,
            starts=self.starts,
            episodes=self.episodes,
            rollout=self.rollout,
            grip=self.grip,
            cars=build_car_table([car.data for car in self.cars]),
            rules=self.rules,
            physics=self.physics,
        )

    def _ready_kernel(self, threads: int | None) -> None:
        """The compiled tick, with the table of where its arrays lie."""
        self._addresses = address_table(*self.groups)  # type: ignore[arg-type]
        self._address = int(self._addresses.ctypes.data)
        self._update = _compiled_update(self.entry) if jit_is_on() else self._interpreted_update
        self._cores = AllCores(self._update, threads, CARS_WORTH_A_THREAD)
        self._drive = self._ready_drive() if threads == 1 and jit_is_on() else self._drive_on_all_cores

    def step(self) -> None:
        """Advance every car by one tick with what is in `actions`."""
        self._drive()

    def step_part(self, first: int, last: int) -> None:
        """Advance some of the cars, on this thread."""
        self._update(self._address, first, last, tick.DRIVE)

    def _ready_drive(self) -> Callable[[], None]:
        """A tick on one thread, its arguments turned into C's once: half a microsecond less for each tick."""
        numbers = [ctypes.c_int64(number) for number in (0, self.count, tick.DRIVE)]
        return partial(self._update, ctypes.c_void_p(self._address), *numbers)  # type: ignore[arg-type]

    def _drive_on_all_cores(self) -> None:
        self._cores.call(self._address, self.count, tick.DRIVE)

    def reset(self) -> None:
        """Begin every car's first episode by its seed and stream."""
        self._cores.call(self._address, self.count, tick.RESET)

    def step_and_reset(self) -> None:
        """Advance every car by one tick; where an episode ended, keep its end in `rollout` and begin the next."""
        self._cores.call(self._address, self.count, tick.AUTORESET)

    def compiled_tick(self) -> CompiledTick:
        """For learners that drive without Python; the batch keeps what it points to."""
        return CompiledTick(self._update, self._address, tick.DRIVE, tick.PLACE, self.starts.draws)

    def _interpreted_update(self, _address: int, first: int, last: int, mode: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        interpreted(tick.update_fleet, self.entry)(self._racer, first, last, mode)

    def set_actions(self, actions: NDArray[np.floating[Any]]) -> None:
        """Take a (count, 3) array of raw actions in the precision it comes in."""
        self.actions.steer[:] = actions[:, 0]
        self.actions.throttle[:] = actions[:, 1]
        self.actions.brake[:] = actions[:, 2]

    def begin(self, car: int) -> None:
        """Begin an episode by what `starts` says of a car, and write what its driver sees."""
        self._update(self._address, car, car + 1, tick.PLACE)

    def place(self, car: int, track: int, start: Start, delay: int) -> None:
        """Begin an episode at one exact place."""
        starts = self.starts
        starts.kind[car] = POSE
        starts.first_track[car], starts.first_gate[car], starts.first_delay[car] = track, start.gate, delay
        starts.x_u[car], starts.y_u[car] = start.x_u, start.y_u
        starts.heading_rad[car], starts.speed_ups[car] = start.heading_rad, start.speed_ups
        self.draws[car] = 0.0
        self.begin(car)

    def respawn(self, car: int) -> None:
        """Put a car back on the road, at rest on the last gate it passed."""
        self._update(self._address, car, car + 1, tick.RESPAWN)

    def observe(self, first: int, last: int) -> None:
        """Recompute where cars are and what their drivers see, after their state was written by hand."""
        self._update(self._address, first, last, tick.LOOK)
