"""The options of `hotlap evaluate` and `hotlap compare`."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro

RUNS = Path("runs")
Tracks = Annotated[tuple[str, ...], tyro.conf.arg(metavar="TRACK…")]


@dataclass(frozen=True)
class Evaluate:
    """Measure a driver: laps from every gate and the grid, with and without delay, next to what others do."""

    policy: str
    """A run (its name under runs/, or its folder), a policy.onnx, or one of the drivers "reference" and "human"."""
    track: Tracks = ()
    """Tracks to drive: track-01, generated:7:hard, a .json or .csv file; by default those it was trained on."""
    laps: int = 4
    """Laps from each start, the first of them standing; 2 or more."""
    steps: int = 6000
    """Ticks each start has for its laps, 60 a second."""
    report: Path | None = None
    """Write a page with pictures to this HTML file: lines, speeds, the learning curve."""
    require_percent: float | None = None
    """Exit with 1 unless every start is completed and the best clean lap is within so many percent of the reference."""
    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON object instead of tables."""
    force: bool = False
    """Write over a report that is already there."""

    def run(self) -> int:
        """Drive, print, draw."""
        from hotlap.evaluation.command import EvaluationRequest, run_evaluation

        return run_evaluation(EvaluationRequest(**asdict(self)))


@dataclass(frozen=True)
class Compare:
    """Measure two drivers on the same tracks and show what differs."""

    first: str
    """A run, a policy.onnx, "reference" or "human"."""
    second: str
    """The one to set against it; differences are second less first."""
    track: Tracks = ()
    """Tracks to drive; by default those that both were trained on."""
    laps: int = 4
    """Laps from each start, the first of them standing; 2 or more."""
    steps: int = 6000
    """Ticks each start has for its laps, 60 a second."""
    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON object instead of tables."""

    def run(self) -> int:
        """Drive both, print."""
        from hotlap.evaluation.command import run_comparison
        from hotlap.evaluation.drives import DriveLimits

        names = (self.first, self.second)
        limits = DriveLimits(self.laps, self.steps)
        return run_comparison(names, self.track, self.root, limits, as_json=self.json)
