"""What `hotlap evaluate` is asked for, from the command line or from a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hotlap.errors import ConfigError
from hotlap.evaluation.highway.setup import HighwaySetup
from hotlap.evaluation.racer.figures import DriveLimits
from hotlap.settings import merged, read_toml


@dataclass(frozen=True)
class EvaluationConfig:
    """What to measure; a file such as evals/highway_cruise.toml has these keys."""

    policy: str | None = None
    """A run, its folder, a .onnx file, or a scripted driver: reference, human, expert, cruise, random, zero."""
    track: tuple[str, ...] = ()
    """Racer: tracks to drive; by default those the driver was trained on."""
    laps: int = 4
    """Racer: laps from each start, the first of them standing; 2 or more."""
    steps: int | None = None
    """Racer: ticks each start has for its laps, 60 a second; by default 6,000, and more on long tracks."""
    vehicles: tuple[int, ...] = (8, 20, 40)
    """Highway: densities, each the number of vehicles around the ego, 0 to 40."""
    episodes: int = 100
    """Highway: episodes of three minutes at each density."""
    first_episode: int = 0
    """Highway: number of the first episode, among those held out from training."""
    missions: str = "mixed"
    """Highway: "mixed", or only one mode: hold, cruise, lane_change, overtake, stop."""
    baselines: bool = True
    """Highway: drive the simple drivers too, for the table."""
    against: str | None = None
    """What it must not be worse than: a run, a policy, a saved evaluation, or "last"."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Figures that must be reached, by name: at least so much where more is better, else at most."""

    def says(self, name: str) -> bool:
        """Whether something else than the default is asked for."""
        return bool(getattr(self, name) != getattr(DEFAULT, name))

    def limits(self) -> DriveLimits:
        """How far each car of the racer drives."""
        return DriveLimits(self.laps, self.steps)

    def setup(self) -> HighwaySetup:
        """The episodes of the highway."""
        return HighwaySetup(self.vehicles, self.episodes, self.first_episode, self.missions)


DEFAULT = EvaluationConfig()


@dataclass(frozen=True)
class Outputs:
    """What to do with the result of an evaluation."""

    report: Path | None = None
    episodes_file: Path | None = None
    require_percent: float | None = None
    root: Path = Path("runs")
    json: bool = False
    force: bool = False


def combined(given: EvaluationConfig, file: Path | None) -> EvaluationConfig:
    """What the file says, with the driver and the base of the command line; anything else is said in one place only."""
    if file is None:
        return given
    for each in fields(given):
        if each.name not in ("policy", "against") and given.says(each.name):
            raise ConfigError(f"{each.name} is given beside --config {file}. Say it there, or leave --config out.")
    config = merged(DEFAULT, read_toml(file), str(file))
    chosen: dict[str, Any] = {name: getattr(given, name) for name in ("policy", "against") if getattr(given, name)}
    return replace(config, **chosen)
