"""`hotlap runs`: every run in one line."""

import json as json_format
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap.checkpoints.names import RUNS


@dataclass(frozen=True)
class Runs:
    """List the runs, each with its best figures."""

    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON array instead of a table."""

    def run(self) -> None:
        """Print the list."""
        from hotlap.training.runs import describe_run, run_folders

        rows = [describe_run(run) for run in run_folders(self.root)]
        if self.json:
            print(json_format.dumps(rows))
        elif rows:
            width = max(len(row["run"]) for row in rows)
            print("\n".join(f"{row['run']:<{width}}  {_run_line(row)}" for row in rows))
        else:
            print(f"no runs under {self.root} yet; make one with: hotlap train")


def _run_line(row: dict[str, Any]) -> str:
    if "problem" in row:
        return f"cannot be read: {row['problem']}"
    share = f"{row['step']:>12,} of {row['steps']:,} steps"
    return f"{row['world']} {row['algorithm']}  {share}  {row['best'].get('summary', 'not evaluated yet')}"
