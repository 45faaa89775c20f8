"""What an order is held against: the lane and speed of the car, the limits, its mission, and who is around."""

import math
from dataclasses import dataclass
from typing import Literal

from hotlap.errors import MissionError
from hotlap.highway.missions import Mission
from hotlap.highway.physics import FEWEST_LANES, MOST_LANES, MPH, TOP_SPEED_MPS
from hotlap.highway.road_config import RoadConfig
from hotlap.units import KMH_PER_MPS

Kind = Literal["motorcycle", "sedan", "suv", "truck"]
Units = Literal["mph", "km/h"]
MPH_PER: dict[Units, float] = {"mph": 1.0, "km/h": 1.0 / (KMH_PER_MPS * MPH)}
MAX_SPEED_MPH = TOP_SPEED_MPS / MPH
LEFT_LIMIT_MPH, RIGHT_LIMIT_MPH = RoadConfig.left_limit_mph, RoadConfig.right_limit_mph


def lane_name(lane: int, lanes: int = MOST_LANES) -> str:
    """A lane as people count, from 1 on the left; only the code counts from 0."""
    return "the shoulder" if lane >= lanes else f"lane {lane + 1}"


def speed_words(speed_mph: float, units: Units) -> str:
    """A speed in the units of whoever reads it."""
    return f"{speed_mph:.4g} mph" if units == "mph" else f"{speed_mph / MPH_PER[units]:.3g} {units}"


def even_limits_mph(lanes: int) -> tuple[float, ...]:
    """The limits of a road's lanes: 70 mph on the left, 55 on the right, evenly between them."""
    step_mph = (LEFT_LIMIT_MPH - RIGHT_LIMIT_MPH) / (lanes - 1)
    return tuple(LEFT_LIMIT_MPH - step_mph * lane for lane in range(lanes))


@dataclass(frozen=True)
class Traffic:
    """Who is around the car."""

    ahead: Kind | None = None
    """What drives ahead in the car's lane, within sight."""
    ahead_speed_mph: float | None = None
    """How fast it drives."""
    left_occupied: bool = False
    """Whether somebody is beside the car on the left, or too near there to move over."""
    right_occupied: bool = False
    """The same on the right."""


@dataclass(frozen=True)
class Situation:
    """Where the car is and what it does when the order comes."""

    lane: int = 2
    """Lane of the car, 0 leftmost; as many as there are lanes on the shoulder."""
    speed_mph: float = 58.0
    """Speed of the car, 0 to 89."""
    lanes: int = 5
    """Lanes of the road, 2 to 6."""
    limits_mph: tuple[float, ...] = ()
    """Limit of each lane, from the left; by default evenly from 70 to 55."""
    mission: Mission | None = None
    """What the car is doing, if anything."""
    traffic: Traffic | None = None
    """Who is around; None when nobody looked, and then nothing is refused because of traffic."""
    units: Units = "mph"
    """What a speed without a unit is meant in, and answers are given in."""

    def __post_init__(self) -> None:
        """The car is on the road, at a speed it can drive."""
        if not FEWEST_LANES <= self.lanes <= MOST_LANES:
            raise MissionError(f"a road has {FEWEST_LANES} to {MOST_LANES} lanes, not {self.lanes}.")
        if not 0 <= self.lane <= self.lanes:
            shoulder = f"{self.lanes} (the shoulder)"
            raise MissionError(f"the lane must be from 0 (leftmost) to {shoulder}, not {self.lane}.")
        if not 0.0 <= self.speed_mph <= MAX_SPEED_MPH:
            raise MissionError(f"the speed must be from 0 to {MAX_SPEED_MPH:.0f} mph, not {self.speed_mph:g}.")
        limits = self.limits_mph or even_limits_mph(self.lanes)
        if len(limits) != self.lanes or not all(math.isfinite(limit) and limit > 0 for limit in limits):
            raise MissionError(f"{self.lanes} lanes need as many limits above 0, not {self.limits_mph}.")
        object.__setattr__(self, "limits_mph", limits)

    @property
    def shoulder(self) -> int:
        """The number of the emergency lane, right of the rightmost."""
        return self.lanes

    def name_of(self, lane: int) -> str:
        """A lane as people call it."""
        return lane_name(lane, self.lanes)

    def limit_of_mph(self, lane: int) -> float:
        """The limit of a lane; on the shoulder that of the lane beside it."""
        return self.limits_mph[min(lane, self.lanes - 1)]

    @property
    def limit_mph(self) -> float:
        """The limit of the car's lane."""
        return self.limit_of_mph(self.lane)

    @property
    def highest_limit_mph(self) -> float:
        """The limit of the fastest lane: above it nothing is allowed anywhere."""
        return max(self.limits_mph)

    @property
    def set_speed_mph(self) -> float:
        """The speed that "faster" starts from: the one asked for before, else the present one."""
        asked = None if self.mission is None else self.mission.target_speed_mph
        return asked or self.speed_mph
