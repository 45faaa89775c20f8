"""The others on the road: drivers in some of the seats of every grid, parked when they fail."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError
from hotlap.race.batch import RaceBatch
from hotlap.race.grid import RACING, RETIRED

Array = NDArray[Any]


class RaceDriver(Protocol):
    """A driver of cars of a race: it may look at what they see, and at the race."""

    name: str

    def act(self, observation: Array, race: RaceBatch, rows: Array) -> Array:
        """The actions (n, 3) of the cars in these rows, for their observations (n, size)."""


def memory_of(drivers: Sequence[RaceDriver]) -> dict[str, Array]:
    """The live arrays of all that drivers carry from step to step, by name; most carry nothing."""
    return {name: column for each in drivers if hasattr(each, "memory") for name, column in each.memory().items()}


class Opponents:
    """Drives seats of every grid. A driver that raises, or answers with anything but numbers, is parked and named."""

    def __init__(self, race: RaceBatch, drivers: Sequence[RaceDriver], first_seat: int) -> None:
        self.race = race
        self.drivers = list(drivers)
        self.parked: dict[int, str] = {}
        """By row: what was wrong with the driver."""
        seats = [first_seat + number for number in range(len(self.drivers))]
        rows = np.arange(race.count).reshape(race.grid_count, race.cars)
        same = {id(driver): [s for s, d in zip(seats, drivers, strict=True) if d is driver] for driver in drivers}
        by_id = {id(driver): driver for driver in drivers}
        self._seated = [(by_id[key], np.sort(rows[:, taken].ravel())) for key, taken in same.items()]

    def write_actions(self, actions: Array) -> None:
        """What every opponent does, into the rows of its cars."""
        for driver, rows in self._seated:
            try:
                given = np.asarray(driver.act(self.race.observation[rows], self.race, rows), np.float64)
                if given.shape != (len(rows), 3):
                    self._park(driver, rows, f"answered with shape {given.shape} and not {(len(rows), 3)}")
                    continue
            except Exception as problem:  # noqa: BLE001 - whatever a driver of somebody else's raises, the race goes on
                self._park(driver, rows, f"raised {type(problem).__name__}: {problem}")
                continue
            wrong = np.asarray(~np.isfinite(given).all(axis=1))
            if wrong.any():
                self._park(driver, rows[wrong], "answered with NaN or infinity")
            actions[rows] = np.where(wrong[:, None], 0.0, given)

    def _park(self, driver: RaceDriver, rows: Array, why: str) -> None:
        """Take cars off the road whose driver failed."""
        status = self.race.contenders.status
        for row in rows[status[rows] == RACING].tolist():
            self.parked[row] = f"{driver.name} {why}"
        status[rows[status[rows] == RACING]] = RETIRED

    def forget(self, first: int, last: int) -> None:
        """A new race: everybody gets another chance."""
        for row in range(first, last):
            self.parked.pop(row, None)
        for driver, _ in self._seated:
            if hasattr(driver, "forget"):
                driver.forget(first, last)


def seated_drivers(wanted: Any, seats: int, race: RaceBatch) -> list[RaceDriver]:
    """A driver for every seat: those that are given, by name, file, folder of files or as they are, in turn."""
    # Drivers are built on top of the worlds, so they are loaded by name and only when asked for.
    drivers = import_module("hotlap.policies.race_drivers")
    if isinstance(wanted, str | Path) and Path(wanted).is_dir():
        wanted = drivers.drivers_in(Path(wanted))
    chosen = [wanted] if isinstance(wanted, str | Path) or hasattr(wanted, "act") else list(wanted)
    if seats and not chosen:
        raise ConfigError(f"{seats} of {race.cars} cars have no driver: name opponents, like line-90.")
    if len(chosen) > seats:
        raise ConfigError(f"{len(chosen)} opponents for {seats} seats: a grid has {race.cars} cars.")
    load = drivers.race_driver
    made = {name: load(name, race) for name in dict.fromkeys(each for each in chosen if isinstance(each, str))}
    seated = [made[each] if isinstance(each, str) else load(each, race) for each in chosen]
    return [seated[seat % len(seated)] for seat in range(seats)]
