"""The options of `hotlap sweep`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class SweepRequest:
    """What to sweep, and where."""

    spec: Path
    """A .toml file; docs/scaleout.md shows what may be in it."""
    name: str = ""
    """Name of the sweep's folder; by default the file's."""
    root: Path = Path("sweeps")
    """Folder that holds the sweeps."""
    workers: int = 0
    """Trainings at a time on this machine; 0 for one per core."""
    on: Literal["processes", "ray"] = "processes"
    """What trains: processes of this machine, or a Ray cluster."""
    address: str = ""
    """HOST:PORT of the cluster, which must see the sweep's folder; by default one is made of this machine."""
    cpus: float = 1.0
    """CPUs of the cluster that each training takes."""
    dry_run: bool = False
    """Only list the trainings."""
    json: bool = False
    """Print one JSON object instead of tables."""
