"""The options of `hotlap sweep`."""

from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sweep:
    """Many trainings from one file, then the best driver on every track; run again, it goes on where it stopped."""

    spec: Path
    """A .toml file; docs/scaleout.md shows what may be in it."""
    name: str = ""
    """Name of the sweep's folder; by default the file's."""
    root: Path = Path("sweeps")
    """Folder that holds the sweeps."""
    workers: int = 0
    """Trainings at a time on this machine; 0 for one per core."""
    dry_run: bool = False
    """Only list the trainings."""
    json: bool = False
    """Print one JSON object instead of tables."""

    def run(self) -> int:
        """Train, compare, evaluate."""
        from hotlap.scaleout.sweep.command import SweepRequest, run_sweep

        return run_sweep(SweepRequest(**asdict(self)))
