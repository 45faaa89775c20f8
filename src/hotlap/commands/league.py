"""`hotlap league`, on the options of `hotlap.evaluation.league`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hotlap.checkpoints.names import RUNS
from hotlap.evaluation.league.run_league import LeagueOptions, LeagueOutputs, run_league


@dataclass(frozen=True, kw_only=True)
class League(LeagueOptions, LeagueOutputs):
    """Race drivers against each other over tracks and seeds: Elo, wins, places, overtakes, contacts and faults."""

    drivers: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DRIVER…")]
    """Runs (by name under runs/, or by folder), policy.onnx files, drivers that come with Hotlap, all of these at a
    level (RUN@level-3), or line-50 to line-100, which follow the shortest line at that share of its pace."""
    root: Path = RUNS
    """Folder that holds the runs."""

    def run(self) -> int:
        """Drive what is missing, print."""
        return run_league(self.drivers, self, self.root, self)
