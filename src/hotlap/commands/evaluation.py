"""The options of `hotlap evaluate` and `hotlap compare`."""

from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

if TYPE_CHECKING:
    from hotlap.evaluation.request import EvaluationConfig

RUNS = Path("runs")
Tracks = Annotated[tuple[str, ...], tyro.conf.arg(metavar="TRACK…")]
Densities = Annotated[tuple[int, ...], tyro.conf.arg(metavar="NUMBER…")]
DENSITIES = (8, 20, 40)


@dataclass(frozen=True)
class Evaluate:
    """Measure drivers: laps from every start of a track, or missions in traffic, next to what others do."""

    drivers: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DRIVER…")] = ()
    """Runs (by name under runs/, or by folder), policy.onnx files, or scripted drivers: reference and human race;
    expert, cruise, random and zero drive on the highway."""
    track: Tracks = ()
    """Racer: track-01, generated:7:hard, a .json or .csv file; by default those it was trained on."""
    laps: int = 4
    """Racer: laps from each start, the first of them standing; 2 or more."""
    steps: int | None = None
    """Racer: ticks each start has for its laps, 60 a second; by default 6,000, and more on long tracks."""
    require_percent: float | None = None
    """Racer: exit with 1 unless every start is completed and the best clean lap within so many percent of the
    reference."""
    vehicles: Densities = DENSITIES
    """Highway: densities to drive at, vehicles around the ego, 0 to 40."""
    episodes: int = 100
    """Highway: episodes of three minutes at each density."""
    first_episode: int = 0
    """Highway: number of the first episode, among those held out from training."""
    missions: str = "mixed"
    """Highway: mixed, or only one mode: hold, cruise, lane_change, overtake, stop."""
    baselines: bool = True
    """Highway: drive the simple drivers too, for the table."""
    episodes_file: Path | None = None
    """Highway: write every episode, with its seed, to this file of JSON lines."""
    against: str | None = None
    """Exit with 1 when a figure is worse beyond chance than that of a run, a policy, a saved evaluation (.json),
    or of the "last" one in the history."""
    config: Path | None = None
    """Take what is to be measured, and thresholds, from a TOML file such as evals/highway_cruise.toml."""
    report: Path | None = None
    """Write a page with pictures to this HTML file."""
    history: int | None = None
    """Only list so many of the evaluations made last."""
    root: Path = RUNS
    """Folder that holds the runs, and the history of evaluations."""
    json: bool = False
    """Print one JSON object instead of tables."""
    force: bool = False
    """Write over files that are already there."""
    on: Literal["here", "ray"] = "here"
    """Where they drive: in this process, or each driver on each track or density by itself on a Ray cluster."""
    address: str = ""
    """HOST:PORT of the cluster; by default one is made of this machine."""

    def run(self) -> int:
        """Drive, print, draw; or list what was measured before."""
        from hotlap.evaluation.evaluate_and_compare import run_evaluations, show_history
        from hotlap.evaluation.request import Outputs

        if self.history is not None:
            return show_history(self.root, self.history, as_json=self.json)
        outputs = Outputs(**{each.name: getattr(self, each.name) for each in fields(Outputs)})
        asked = [replace(_measured_from(self), policy=name) for name in self.drivers or (None,)]
        if self.on == "here":
            return run_evaluations(asked, self.config, outputs)
        from hotlap.scaleout.ray_evaluation import evaluate_on_ray

        return run_evaluations(asked, self.config, outputs, partial(evaluate_on_ray, address=self.address))


@dataclass(frozen=True)
class Compare:
    """Measure two drivers in the same way and show what differs."""

    first: str
    """A run, a policy.onnx, or a scripted driver."""
    second: str
    """The one to set against it; differences are second less first."""
    track: Tracks = ()
    """Racer: tracks to drive; by default those that both were trained on."""
    laps: int = 4
    """Racer: laps from each start, the first of them standing; 2 or more."""
    steps: int | None = None
    """Racer: ticks each start has for its laps, 60 a second; by default 6,000, and more on long tracks."""
    vehicles: Densities = DENSITIES
    """Highway: densities to drive at, vehicles around the ego, 0 to 40."""
    episodes: int = 100
    """Highway: episodes of three minutes at each density."""
    first_episode: int = 0
    """Highway: number of the first episode, among those held out from training."""
    missions: str = "mixed"
    """Highway: mixed, or only one mode: hold, cruise, lane_change, overtake, stop."""
    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON object instead of tables."""

    def run(self) -> int:
        """Drive both, print."""
        from hotlap.evaluation.evaluate_and_compare import run_comparison

        return run_comparison((self.first, self.second), _measured_from(self), self.root, as_json=self.json)


def _measured_from(options: Any) -> "EvaluationConfig":
    """What is to be measured, out of the options of a verb."""
    from hotlap.evaluation.request import EvaluationConfig

    given = [each.name for each in fields(EvaluationConfig) if hasattr(options, each.name)]
    return EvaluationConfig(**{name: getattr(options, name) for name in given})
