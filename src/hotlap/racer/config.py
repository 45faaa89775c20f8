"""What a driver is paid for and when an episode ends: the keys of `ai-config.json`, merged with defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotlap.errors import ConfigError
from hotlap.racer.fleet import Rules
from hotlap.settings import check_ranges, merged, read_json
from hotlap.worlds import LARGEST_WEIGHT

MAX_COUNT = 1_000_000_000


@dataclass(frozen=True)
class RewardWeights:
    """Weights of the facts of one tick; names as in `ai-config.json`."""

    progress: float = 1.0
    """Paid for a whole lap of distance gained; lost again when driving back."""
    speedBonus: float = 0.0
    """Paid per tick at top speed."""
    wallPenalty: float = -0.002
    """Per tick with a wall within two units."""
    offTrackPenalty: float = -0.001
    """Per tick with the car's centre off the road."""
    backwardPenalty: float = 0.0
    """Per tick that loses distance along the lap."""
    stillnessPenalty: float = -0.001
    """Per tick slower than the stillness threshold."""
    stillnessSpeedThreshold: float = 2.0
    """Below this speed, in u/s, the car counts as still."""
    distanceBonus: float = 0.0
    """Paid for 1,000 u of distance gained, so that a unit is worth the same on long and on short tracks."""

    def __post_init__(self) -> None:
        """No weight so large that a reward could overflow."""
        check_ranges(self, "config.weights.", **dict.fromkeys(vars(self), (-LARGEST_WEIGHT, LARGEST_WEIGHT)))


@dataclass(frozen=True)
class EpisodeLimits:
    """When an episode ends; names as in `ai-config.json`."""

    maxSteps: int = 3000
    """Steps until the episode is cut off, 60 a second."""
    stillnessTimeoutTicks: int = 180
    """Ticks in a row below the stillness threshold until the episode ends."""
    offTrackTimeoutTicks: int = 0
    """Ticks off the road in one lap until the episode ends; 0 for never."""

    def __post_init__(self) -> None:
        """Counts are whole, and at least one where never is no choice."""
        limits = {"maxSteps": (1, MAX_COUNT), "stillnessTimeoutTicks": (1, MAX_COUNT)}
        check_ranges(self, "config.episode.", **limits, offTrackTimeoutTicks=(0, MAX_COUNT))


@dataclass(frozen=True)
class RacerConfig:
    """Rewards and limits of an episode."""

    weights: RewardWeights = field(default_factory=RewardWeights)
    episode: EpisodeLimits = field(default_factory=EpisodeLimits)

    @classmethod
    def load(cls, source: "RacerConfig | Mapping[str, Any] | str | Path | None") -> "RacerConfig":
        """From a path to a JSON file, a dict or nothing; what is not said keeps its default."""
        if source is None:
            return cls()
        if isinstance(source, RacerConfig):
            return source
        if isinstance(source, str | Path):
            return cls.load(_read_json(Path(source)))
        return merged(cls(), source, "config")

    def rules(self, layout: int, *, stagger: bool = False) -> Rules:
        """The same as numbers for the kernel."""
        return Rules(
            progress=self.weights.progress,
            speed_bonus=self.weights.speedBonus,
            wall_penalty=self.weights.wallPenalty,
            off_track_penalty=self.weights.offTrackPenalty,
            backward_penalty=self.weights.backwardPenalty,
            stillness_penalty=self.weights.stillnessPenalty,
            stillness_threshold_ups=self.weights.stillnessSpeedThreshold,
            max_steps=float(self.episode.maxSteps),
            stillness_timeout_ticks=float(self.episode.stillnessTimeoutTicks),
            layout=float(layout),
            distance_bonus=self.weights.distanceBonus,
            stagger=float(stagger),
            off_track_timeout_ticks=float(self.episode.offTrackTimeoutTicks),
        )


def _read_json(path: Path) -> Mapping[str, Any]:
    try:
        content = read_json(path)
    except ConfigError as error:
        raise ConfigError(f"{error} Give a file like ai-config.json.") from error
    if not isinstance(content, Mapping):
        raise ConfigError(
            f'{path}: a config is a JSON object with "weights" and "episode", not {type(content).__name__}.'
        )
    return content
