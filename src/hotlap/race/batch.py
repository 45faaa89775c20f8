"""Many grids at once: owns the arrays of the race beside those of the fleet, and calls the compiled tick."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.episodes import Rollout
from hotlap.errors import ConfigError
from hotlap.kernel import AllCores, Entry, address_table, interpreted, jit_is_on, zeros
from hotlap.native_code import native_entry
from hotlap.race import grip_tick, tick
from hotlap.race.config import RaceConfig, checked_cars, checked_laps, checked_start, race_rules
from hotlap.race.grid import CONTACT_COLUMNS, DRAWN_SLOT, Contenders, Facts, Grids, Pairs, Race, RaceRules, Slots, Work
from hotlap.race.senses import OTHERS_SIZE
from hotlap.racer.batch import RacerBatch, layout_size
from hotlap.racer.cars import Car
from hotlap.racer.tick import AUTORESET, DRIVE, LOOK, PLACE, RESET, Racer
from hotlap.racer.tracks import Track

CARS_WORTH_A_THREAD = 32


@cache
def _compiled_update(entry: Any) -> Entry:
    return native_entry(entry)


class RaceSettings(NamedTuple):
    """What is the same for all grids of a batch."""

    cars: int = 8
    """Cars of a grid."""
    laps: int = 0
    """Laps of a race; 0 for no end."""
    start: str = "standing"
    layout: str = "classic"
    config: RaceConfig = RaceConfig()
    stagger: bool = False


class RaceBatch:
    """Grids of cars that race each other; the rows of all cars of all grids are one fleet.

    The cars of a grid are neighbours: grid g has the rows from g * cars on. Everything of a car alone is the racing
    world's own, in `alone`; what the race adds is in `contenders` and `facts`.
    """

    autoreset_mode = AUTORESET
    """The mode in which other machines advance it."""

    def __init__(
        self,
        grids: int,
        tracks: Sequence[Track],
        settings: RaceSettings | None = None,
        threads: int | None = None,
        cars: Sequence[Car] = (),
    ) -> None:
        settings = settings or RaceSettings()
        self.settings = settings
        self.grid_count, self.cars = grids, checked_cars(settings.cars)
        self.count = count = grids * self.cars
        self.kernel_count = grids
        """A call of the kernel advances a grid."""
        if grids < 1:
            raise ConfigError(f"a batch has at least one grid, not {grids}.")
        self.alone = RacerBatch(
            count, tracks, settings.config.solo(), settings.layout, 1, stagger=settings.stagger, cars=cars
        )
        self.alone.starts.track_count[:] = len(self.alone.tracks)
        self.alone.starts.delay_count[:] = 1
        self.episodes, self.actions = self.alone.episodes, self.alone.actions
        self.fleet, self.out, self.tracks = self.alone.fleet, self.alone.out, self.alone.tracks
        self.observation_size = layout_size(settings.layout) + OTHERS_SIZE
        self.rules = self._rules(has_grip=bool(cars))
        self._make_arrays()
        self.entry = grip_tick.update_grip_race_entry if cars else tick.update_race_entry
        """What is compiled, here and for other machines."""
        self._ready_kernel(threads)

    def _rules(self, *, has_grip: bool) -> RaceRules:
        """The rules of every race, as numbers."""
        return race_rules(
            self.settings.config,
            self.cars,
            checked_laps(self.settings.laps),
            checked_start(self.settings.start),
            layout_size(self.settings.layout),
            self.alone.physics.max_speed_ups,
            has_grip=has_grip,
        )

    def _make_arrays(self) -> None:
        """What a race keeps beside the fleet; until somebody says more, every car draws its slot."""
        count, size = self.count, self.observation_size
        self.rollout = zeros(Rollout, count, observation=size, final_observation=size)
        self.contenders = zeros(Contenders, count)
        self.pairs = zeros(Pairs, count, **dict.fromkeys(Pairs._fields, self.cars))
        self.grids = zeros(Grids, self.grid_count)
        self.slots = zeros(Slots, count)
        self.slots.wanted[:] = DRAWN_SLOT
        self.facts = zeros(Facts, count, seen=size)
        self.observation = self.facts.seen.reshape(count, size)
        self.work = zeros(Work, count, **dict.fromkeys(CONTACT_COLUMNS, self.cars))
        self.work.order[:] = np.arange(count)

    def _ready_kernel(self, threads: int | None) -> None:
        """The compiled tick, with all arrays it reads or writes and the table of where they lie."""
        self.race = Race(
            self._racer(), self.contenders, self.pairs, self.grids, self.slots, self.facts, self.work, self.rules
        )
        self.groups = (
            *self.race.racer[:-2],
            (np.array(self.alone.rules), np.array(self.alone.physics)),
            *self.race[1:-1],
            (np.array(self.rules),),
        )
        """All arrays of the kernel, in the order of its address table."""
        self._addresses = address_table(*self.groups)  # type: ignore[arg-type]
        self._address = int(self._addresses.ctypes.data)
        self._update = _compiled_update(self.entry) if jit_is_on() else self._interpreted_update
        self._cores = AllCores(self._update, threads, max(CARS_WORTH_A_THREAD // self.cars, 1))

    def _racer(self) -> Racer:
        """The racing world's arrays, with what a learner gets as wide as a race shows it."""
        alone = self.alone
        return Racer(*alone.groups[:-1], alone.rules, alone.physics)._replace(rollout=self.rollout)

    def _interpreted_update(self, _address: int, first: int, last: int, mode: int) -> None:
        """The same kernels as plain Python, for coverage and for stepping through them."""
        interpreted(tick.update_grids, self.entry)(self.race, first, last, mode)

    def set_actions(self, actions: NDArray[np.floating[Any]]) -> None:
        """Take a (count, 3) array of raw actions in the precision it comes in."""
        self.alone.set_actions(actions)

    def step(self) -> None:
        """Advance every grid by one tick with what is in the actions."""
        self._cores.call(self._address, self.grid_count, DRIVE)

    def step_and_reset(self) -> None:
        """Advance every grid by one tick; where a race ended, keep its end in `rollout` and begin the next."""
        self._cores.call(self._address, self.grid_count, AUTORESET)

    def reset(self) -> None:
        """Begin the first race of every grid by seed and stream."""
        self._cores.call(self._address, self.grid_count, RESET)

    def begin(self, grid: int) -> None:
        """Begin a race by what the starts and the draws of its cars say."""
        self._update(self._address, grid, grid + 1, PLACE)

    def look(self) -> None:
        """Recompute where cars are and what their drivers see, after their state was written by hand."""
        self._cores.call(self._address, self.grid_count, LOOK)
