"""What a race pays beside the drive, how far it goes and how it starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hotlap.errors import ConfigError, did_you_mean
from hotlap.race.grid import FEWEST_CARS, MOST_CARS, START_KINDS, RaceRules
from hotlap.racer.config import EpisodeLimits, RacerConfig, RewardWeights
from hotlap.settings import check_ranges, is_whole, merged

LARGEST = 1e6
MOST_LAPS = 10_000
CLASSIC_ROW_U, GRIP_ROW_M = 8.0, 8.0
ROLLING_SHARE = 0.5
CLASSIC_SCALES, GRIP_SCALES = (20.0, 80.0), (10.0, 50.0)
"""What sideways distances and speeds of others are divided by."""


@dataclass(frozen=True)
class RaceWeights:
    """What a race adds to the reward of the drive."""

    placeBonus: float = 0.05
    """Paid for each place gained, and lost with each place lost."""
    faultPenalty: float = -0.1
    """For a contact that was the car's own fault."""
    contactPenalty: float = -0.002
    """Per tick of contact, whoever is at fault."""
    riskPenalty: float = 0.0
    """Per tick just before a contact that would be the car's own fault, the more the nearer."""

    def __post_init__(self) -> None:
        """No weight so large that a reward could overflow."""
        check_ranges(self, "config.race.", **dict.fromkeys(vars(self), (-LARGEST, LARGEST)))


@dataclass(frozen=True)
class RaceConfig:
    """Rewards of the drive and of the race, and when a race is cut off."""

    weights: RewardWeights = field(default_factory=RewardWeights)
    episode: EpisodeLimits = field(default_factory=lambda: EpisodeLimits(maxSteps=18_000))
    race: RaceWeights = field(default_factory=RaceWeights)

    @classmethod
    def load(cls, source: "RaceConfig | Mapping[str, Any] | None") -> "RaceConfig":
        """From a mapping or nothing; what is not said keeps its default."""
        if source is None or isinstance(source, RaceConfig):
            return source or cls()
        return merged(cls(), source, "config")

    def solo(self) -> RacerConfig:
        """The part that a car alone has too."""
        return RacerConfig(self.weights, self.episode)


def checked_cars(cars: Any) -> int:
    """How many cars a grid has."""
    if not is_whole(cars) or not FEWEST_CARS <= cars <= MOST_CARS:
        raise ConfigError(f"a grid has {FEWEST_CARS} to {MOST_CARS} cars, not {cars!r}.")
    return int(cars)


def checked_laps(laps: Any) -> int:
    """How many laps a race has; 0 for no end."""
    if not is_whole(laps) or not 0 <= laps <= MOST_LAPS:
        raise ConfigError(f"laps must be a whole number from 0 (no end) to {MOST_LAPS}, not {laps!r}.")
    return int(laps)


def checked_start(start: Any) -> str:
    """How a race starts."""
    if not isinstance(start, str) or start not in START_KINDS:
        hint = did_you_mean(str(start), START_KINDS)
        raise ConfigError(f'no start "{start}".{hint} Known: {", ".join(START_KINDS)}.')
    return start


def race_rules(
    config: RaceConfig, cars: int, laps: int, start: str, solo_size: int, top_ups: float, *, has_grip: bool
) -> RaceRules:
    """All of it as numbers for the kernel."""
    side, speed = GRIP_SCALES if has_grip else CLASSIC_SCALES
    return RaceRules(
        cars=float(cars),
        laps=float(laps),
        start=float(START_KINDS.index(start)),
        place_bonus=config.race.placeBonus,
        fault_penalty=config.race.faultPenalty,
        contact_penalty=config.race.contactPenalty,
        risk_penalty=config.race.riskPenalty,
        row_u=GRIP_ROW_M if has_grip else CLASSIC_ROW_U,
        rolling_ups=ROLLING_SHARE * top_ups,
        side_scale_u=side,
        speed_scale_ups=speed,
        solo_size=float(solo_size),
    )
