"""Five levels of one driver for people to race: it sees everything a little later and gives less throttle.

Never a rubber band: a level is the same whoever is ahead.
"""

import re
from typing import NamedTuple

import numpy as np

from hotlap.policies.policy import Array
from hotlap.race.batch import RaceBatch
from hotlap.race.opponents import RaceDriver


class Level(NamedTuple):
    """What a level takes from a driver."""

    late_ticks: int
    """How long ago it saw what it acts on; 60 ticks are a second."""
    throttle: float
    """The share that it gives of the throttle it would give."""


LEVELS = {1: Level(2, 0.26), 2: Level(2, 0.37), 3: Level(2, 0.52), 4: Level(1, 0.75), 5: Level(0, 0.97)}
LEVEL_NAME = re.compile(r"(?:(.+)@)?level-(\d+)", re.DOTALL)
"""DRIVER@level-3, or level-3 of the driver that comes with Hotlap."""


class LevelDriver:
    """Another driver at a level. What its cars saw in the last ticks is part of the world's state."""

    def __init__(self, driver: RaceDriver, number: int, key: str, race: RaceBatch) -> None:
        """Of a race, with a key that no other driver of it has."""
        self.name, self.key = f"{driver.name}@level-{number}", key
        self.driver, self.level = driver, LEVELS[number]
        self._seen = np.zeros((1 + self.level.late_ticks, race.count, race.observation_size))
        self._ticks = np.zeros(race.count, np.int64)

    def memory(self) -> dict[str, Array]:
        """What was seen, and for how long each car is driven."""
        return {f"{self.key} seen": self._seen, f"{self.key} ticks": self._ticks}

    def forget(self, first: int, last: int) -> None:
        """New races begin for the cars of these rows."""
        self._ticks[first:last] = 0

    def act(self, observation: Array, race: RaceBatch, rows: Array) -> Array:
        """What the driver would do with what it saw, with less throttle."""
        actions = np.array(self.driver.act(self._late(observation, rows), race, rows), np.float64)
        actions[:, 1] *= self.level.throttle
        return actions

    def _late(self, observation: Array, rows: Array) -> Array:
        """Put away what is seen, and take out what was seen some ticks ago; a fresh driver has only the first."""
        places = len(self._seen)
        fresh = self._ticks[rows] == 0
        self._seen[:, rows[fresh]] = observation[fresh]
        self._seen[self._ticks[rows] % places, rows] = observation
        late: Array = self._seen[(self._ticks[rows] + 1) % places, rows]
        self._ticks[rows] += 1
        return late
