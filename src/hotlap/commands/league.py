"""`hotlap league`, on the options of `hotlap.evaluation.league`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hotlap.evaluation.league.run_league import LeagueOptions, run_league


@dataclass(frozen=True, kw_only=True)
class League(LeagueOptions):
    """Race drivers against each other over tracks and seeds: Elo, wins, places, overtakes, contacts and faults."""

    drivers: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DRIVER…")]
    """Runs (by name under runs/, or by folder), policy.onnx files, or line-50 to line-100, which follow the shortest
    line at that share of its pace."""
    root: Path = Path("runs")
    """Folder that holds the runs."""
    file: Path | None = None
    """Keep every race in this file; an interrupted league resumes from it."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int:
        """Drive what is missing, print."""
        return run_league(self.drivers, self, self.root, self.file, as_json=self.json)
