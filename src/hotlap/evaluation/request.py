"""What `hotlap evaluate` and `hotlap compare` are asked for, from the command line or from a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hotlap.checkpoints.names import RUNS
from hotlap.errors import ConfigError
from hotlap.settings import merged, read_toml


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """How a driver is evaluated; each option is about one world."""

    track: tuple[str, ...] = ()
    """Racer: track-01, generated:7:hard, a .json or .csv file; by default those it was trained on."""
    car: tuple[str, ...] = ()
    """Racer: cars with grip to drive, like gt or a .toml file; by default those it was trained with."""
    laps: int = 4
    """Racer: laps from each start, the first of them standing; 2 or more."""
    steps: int | None = None
    """Racer: ticks each start has for its laps, 60 a second; by default 6,000, and more on long tracks."""
    vehicles: tuple[int, ...] = (8, 20, 40)
    """Highway: densities to drive at, vehicles around the ego, 0 to 40."""
    episodes: int = 100
    """Highway: episodes of three minutes at each density."""
    first_episode: int = 0
    """Highway: number of the first episode, among those held out from training."""
    missions: str = "mixed"
    """Highway: mixed, or only one mode: hold, cruise, lane_change, overtake, stop."""
    orders: int = 10
    """Highway: orders of each of ten kinds spoken to the driver at each density; 0 leaves the order evaluation out."""


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """What is driven beside a driver, and what it is set against."""

    baselines: bool = True
    """Highway: drive the simple drivers too, for the table."""
    against: str | None = None
    """Exit with 1 when a figure is worse beyond chance than that of a run, a policy, a saved evaluation (.json),
    or of one in the history: "last", "branch:main", "commit:1a2b3c"."""


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig(EvaluationOptions, Requirements):
    """One evaluation; a file such as evals/highway_cruise.toml has these keys."""

    policy: str | None = None
    """A run, its folder, a .onnx file, or a scripted driver: reference, human, expert, cruise, random, zero."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Figures that must be reached, by name: at least so much where more is better, else at most."""

    def says(self, name: str) -> bool:
        """Whether something else than the default is asked for."""
        return bool(getattr(self, name) != getattr(DEFAULT, name))


DEFAULT = EvaluationConfig()


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What to do with the result of an evaluation."""

    require_percent: float | None = None
    """Racer: exit with 1 unless every start is completed and the best clean lap within so many percent of the
    reference."""
    episodes_file: Path | None = None
    """Highway: write every episode, with its seed, to this file of JSON lines."""
    traces: Path | None = None
    """Drive once more and write every step to this folder as a Minari data set, such as traces/expert-v0; needs the
    extra minari."""
    report: Path | None = None
    """Write a page with pictures to this HTML file."""
    root: Path = RUNS
    """Folder that holds the runs, and the history of evaluations."""
    json: bool = False
    """Print one JSON object instead of tables."""
    force: bool = False
    """Write over files that are already there."""


def config_from(options: EvaluationOptions) -> EvaluationConfig:
    """The evaluation that the options of a verb ask for."""
    given = [each.name for each in fields(EvaluationConfig) if hasattr(options, each.name)]
    return EvaluationConfig(**{name: getattr(options, name) for name in given})


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
