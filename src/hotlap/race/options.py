"""How a world of races is made: grids, laps, starts and opponents, beside what a racing world takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hotlap.race.config import RaceConfig
from hotlap.racer.cars import CLASSIC
from hotlap.racer.options import CarChoice, TrackChoice

DEFAULT_OPPONENTS = ("line-80", "line-84", "line-88", "line-90", "line-92", "line-94", "line-96")


@dataclass(frozen=True)
class RaceOptions:
    """What a world of races takes beside the number of its learners."""

    track: TrackChoice = "track-01"
    """A track by its name, as a path or as a Track, or several: each race draws one."""
    config: RaceConfig | Mapping[str, Any] | None = None
    """Rewards of the drive and of the race, and when a race is cut off."""
    cars: int = 8
    """Cars of a grid, 1 to 20."""
    laps: int = 3
    """Laps of a race; 0 for no end."""
    start: str = "standing"
    """"standing" or "rolling" from the grid, or "spread" anywhere along the lap."""
    opponents: Any = DEFAULT_OPPONENTS
    """Who drives the other cars, in turn: line-50 to line-100, level-1 to level-5, policy files (FILE@level-3 at a
    level), or objects with `name` and `act`; or a folder of policy files or runs."""
    learners: int = 1
    """Cars of each grid that are driven from outside; the first seats are theirs."""
    slot: int | str = "drawn"
    """Where the first learner of a grid starts: from 0 (pole), "last" or "drawn"."""
    observation: str | None = None
    """What a driver sees of its own car and the road, by the name of its layout."""
    car: CarChoice = CLASSIC
    """The classic car, or one or more with grip: each race draws one for each car."""
    assists: str = "off"
    """What helps the drivers of cars with grip."""
