"""The road: how many lanes, and how fast one may drive in them."""

from dataclasses import dataclass

from hotlap.errors import ConfigError
from hotlap.highway.physics import FEWEST_LANES, MOST_LANES

SLOWEST_LIMIT_MPH, FASTEST_LIMIT_MPH = 30.0, 85.0


@dataclass(frozen=True)
class RoadConfig:
    """A straight road; lane 0 is the leftmost."""

    lanes: int = 5
    """Lanes, 2 to 6, each 3.6 m wide."""
    left_limit_mph: float = 70.0
    """Speed limit of the leftmost lane, 30 to 85 mph; those between are spaced evenly."""
    right_limit_mph: float = 55.0
    """Speed limit of the rightmost lane, 30 to 85 mph."""

    def __post_init__(self) -> None:
        """The road can be driven."""
        if not FEWEST_LANES <= self.lanes <= MOST_LANES:
            raise ConfigError(f"config.road.lanes must be from {FEWEST_LANES} to {MOST_LANES}, not {self.lanes!r}.")
        for name in ("left_limit_mph", "right_limit_mph"):
            if not SLOWEST_LIMIT_MPH <= getattr(self, name) <= FASTEST_LIMIT_MPH:
                raise ConfigError(
                    f"config.road.{name} must be from {SLOWEST_LIMIT_MPH:g} to {FASTEST_LIMIT_MPH:g} mph, "
                    f"not {getattr(self, name)!r}."
                )
