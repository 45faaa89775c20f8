"""`hotlap evaluate`, `hotlap compare` and `hotlap trends`, on the options of `hotlap.evaluation.request`."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import tyro

from hotlap.checkpoints.names import RUNS
from hotlap.evaluation.history_filter import HistoryFilter
from hotlap.evaluation.request import EvaluationOptions, Outputs, Requirements, config_from


@dataclass(frozen=True, kw_only=True)
class Evaluate(EvaluationOptions, Requirements, Outputs):
    """Evaluate drivers: laps from every start of a track, or missions in traffic, next to what others do."""

    drivers: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DRIVER…")] = ()
    """Runs (by name under runs/, or by folder), policy.onnx files, or scripted drivers: reference and human race;
    expert, cruise, random and zero drive on the highway."""
    config: Path | None = None
    """Take the options, and thresholds, from a TOML file such as evals/highway_cruise.toml."""
    history: int | None = None
    """Only list so many of the evaluations made last."""
    on: Literal["here", "ray"] = "here"
    """Where they drive: in this process, or each driver on each track or density by itself on a Ray cluster."""
    address: str = ""
    """HOST:PORT of the cluster; by default one is made of this machine."""

    def run(self) -> int:
        """Drive, print, draw; or list what was evaluated before."""
        from hotlap.evaluation.evaluate_and_compare import run_evaluations, show_history

        if self.history is not None:
            return show_history(self.root, self.history, as_json=self.json)
        asked = [replace(config_from(self), policy=name) for name in self.drivers or (None,)]
        if self.on == "here":
            return run_evaluations(asked, self.config, self)
        from hotlap.scaleout.ray_evaluation import evaluate_on_ray

        return run_evaluations(asked, self.config, self, partial(evaluate_on_ray, address=self.address))


@dataclass(frozen=True)
class Compare(EvaluationOptions):
    """Evaluate two drivers in the same way and show what differs."""

    first: str
    """A run, a policy.onnx, or a scripted driver."""
    second: str
    """The one to set against it; differences are second less first."""
    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON object instead of tables."""

    def run(self) -> int:
        """Drive both, print."""
        from hotlap.evaluation.evaluate_and_compare import run_comparison

        return run_comparison((self.first, self.second), config_from(self), self.root, as_json=self.json)


@dataclass(frozen=True)
class Trends(HistoryFilter):
    """Show the evaluations and missions of a folder over time, by driver, branch and commit."""

    report: Path | None = None
    """Write a page with a picture of every figure to this HTML file."""
    check: bool = False
    """Exit with 1 when the newest evaluation of a driver failed, or its missions are worse beyond chance than at the
    commit before."""
    root: Path = RUNS
    """Folder that holds the history of evaluations and the log of missions."""
    json: bool = False
    """Print one JSON object instead of tables."""
    force: bool = False
    """Write over a file that is already there."""

    def run(self) -> int:
        """Read, print, draw."""
        from hotlap.evaluation.trends import show_trends

        options = {"check": self.check, "as_json": self.json, "force": self.force}
        return show_trends(self.root, self, self.report, **options)
