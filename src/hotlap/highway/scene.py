"""Where a drive by orders begins; its fields are options of `hotlap drive`."""

from dataclasses import dataclass
from typing import Any

from hotlap.errors import ConfigError
from hotlap.highway.physics import DECISION_S
from hotlap.highway.road_config import RoadConfig

MOST_SECONDS = 86_400.0


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One car in seeded traffic."""

    lane: int = 3
    """Lane the car is in, 1 (leftmost) to 5; 6 is the shoulder."""
    speed_mph: float = 58.0
    """Speed of the car, 0 to 89 mph."""
    seed: int = 0
    """Seed of the traffic, 0 or more: the same seed, order and driver give the same drive."""
    vehicles: int = 20
    """Vehicles around the car, 0 to 40."""
    seconds: float = 120.0
    """What each order has to be carried out."""

    def check(self) -> None:
        """Refuse what the world does not check itself."""
        lanes = RoadConfig.lanes
        if not 1 <= self.lane <= lanes + 1:
            raise ConfigError(
                f"--lane must be from 1 (leftmost) to {lanes}, or {lanes + 1}, the shoulder, not {self.lane}."
            )
        if self.seed < 0:
            raise ConfigError(f"--seed must be 0 or more, not {self.seed}.")
        if not DECISION_S <= self.seconds <= MOST_SECONDS:
            raise ConfigError(f"--seconds must be from {DECISION_S:g} to {MOST_SECONDS:g}, not {self.seconds:g}.")

    def plain(self) -> dict[str, Any]:
        """As logs and JSON have it, the lane counted from 0."""
        facts = {"seed": self.seed, "vehicles": self.vehicles, "lane": self.lane_number}
        return {**facts, "speed_mph": self.speed_mph, "seconds": self.seconds}

    @property
    def lane_number(self) -> int:
        """As the world counts lanes, from 0."""
        return self.lane - 1
