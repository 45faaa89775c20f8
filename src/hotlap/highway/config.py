"""The road, what a driver is paid for and when an episode ends, merged with defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hotlap.errors import ConfigError
from hotlap.highway.fleet import Rules
from hotlap.highway.physics import EPISODE_DECISIONS, MPH
from hotlap.highway.road_config import RoadConfig
from hotlap.settings import check_ranges, merged
from hotlap.worlds import LARGEST_WEIGHT

MAX_DECISIONS = 1_000_000


@dataclass(frozen=True)
class RewardWeights:
    """Weights of the facts of one decision."""

    tracking: float = 0.2
    """Paid at the speed the mission asks for, or on the comfortable way there."""
    lane_keeping: float = -0.05
    """Per lane between the ego and the lane of its mission, up to two."""
    distance: float = -0.5
    """Without any gap to the vehicle ahead, or if only the hardest braking avoids it; nothing at 0.6 of the gap."""
    comfort: float = -0.04
    """At the strongest acceleration or a jerk of 10 m/s³; grows with the square."""
    needless_change: float = -1.0
    """For beginning a lane change that leads away from the mission's lane."""
    unsafe_change: float = -5.0
    """For beginning a lane change into a gap that is not safe."""
    legality: float = -0.1
    """Per m/s over the limit, up to 10."""
    intervention: float = 0.0
    """For a decision that the supervisor changed."""
    passing: float = 0.02
    """Per metre gained on the vehicle to be overtaken, until it is passed."""
    mission_done: float = 3.0
    """For a mission that is done."""
    mission_timed_out: float = -60.0
    """For one whose time is over."""
    crash: float = -40.0
    """For a collision, whoever's fault it is."""

    def __post_init__(self) -> None:
        """No weight so large that a reward could overflow."""
        check_ranges(self, "config.weights.", **dict.fromkeys(vars(self), (-LARGEST_WEIGHT, LARGEST_WEIGHT)))


@dataclass(frozen=True)
class TrafficConfig:
    """Shares of the other drivers that are not polite, 0 to 1; all of them together at most 1."""

    tailgaters: float = 0.0
    """Drive fast and follow at 0.4 s."""
    hard_brakers: float = 0.0
    """Brake as hard as they can for 1.5 s, every 30 s."""
    cutters: float = 0.0
    """Move over 2 to 20 m ahead of the ego."""
    adversaries: float = 0.0
    """Cut in, and brake hard with the ego close behind."""

    def __post_init__(self) -> None:
        """They are shares."""
        shares = (self.tailgaters, self.hard_brakers, self.cutters, self.adversaries)
        if not all(0.0 <= share <= 1.0 for share in shares) or sum(shares) > 1.0 + 1e-9:
            raise ConfigError(f"config.traffic needs shares from 0 to 1, together at most 1, not {shares}.")


@dataclass(frozen=True)
class EpisodeLimits:
    """When an episode ends, apart from a collision."""

    decisions: int = EPISODE_DECISIONS
    """Decisions until the episode is cut off, five a second."""

    def __post_init__(self) -> None:
        """At least one decision."""
        if not 1 <= self.decisions <= MAX_DECISIONS:
            raise ConfigError(f"config.episode.decisions must be from 1 to {MAX_DECISIONS}, not {self.decisions!r}.")


@dataclass(frozen=True)
class HighwayConfig:
    """Road, traffic, rewards and limits."""

    road: RoadConfig = field(default_factory=RoadConfig)
    traffic: TrafficConfig = field(default_factory=TrafficConfig)
    weights: RewardWeights = field(default_factory=RewardWeights)
    episode: EpisodeLimits = field(default_factory=EpisodeLimits)

    @classmethod
    def load(cls, source: "HighwayConfig | Mapping[str, Any] | None") -> "HighwayConfig":
        """From a mapping or nothing; what is not said keeps its default."""
        if isinstance(source, HighwayConfig):
            return source
        return cls() if source is None else merged(cls(), source, "config")

    def rules(self, slots: int, *, supervised: bool, stagger: bool = False) -> Rules:
        """The same as numbers for the kernel."""
        weights = self.weights
        return Rules(
            lanes=float(self.road.lanes),
            limit_left_mps=self.road.left_limit_mph * MPH,
            limit_right_mps=self.road.right_limit_mph * MPH,
            slots=float(slots),
            supervised=float(supervised),
            max_decisions=float(self.episode.decisions),
            tracking=weights.tracking,
            lane_keeping=weights.lane_keeping,
            distance=weights.distance,
            comfort=weights.comfort,
            legality=weights.legality,
            mission_done=weights.mission_done,
            mission_timed_out=weights.mission_timed_out,
            crash=weights.crash,
            needless_change=weights.needless_change,
            unsafe_change=weights.unsafe_change,
            intervention=weights.intervention,
            passing=weights.passing,
            tailgaters=self.traffic.tailgaters,
            hard_brakers=self.traffic.hard_brakers,
            cutters=self.traffic.cutters,
            adversaries=self.traffic.adversaries,
            stagger=float(stagger),
        )
