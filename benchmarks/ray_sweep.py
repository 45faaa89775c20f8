"""What Ray adds to a sweep: the same trainings on local processes and on Ray: `python -m benchmarks.ray_sweep`."""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import tyro

from hotlap.benchmark.report import describe_machine
from hotlap.checkpoints.names import RUN_DOCUMENT
from hotlap.errors import ConfigError, SweepError
from hotlap.evaluation.table import console_for_results, empty_table
from hotlap.exit_codes import BELOW_WHAT_WAS_ASKED, DONE
from hotlap.progress import say
from hotlap.scaleout.cluster import load_ray
from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.local_engine import run_on_processes
from hotlap.scaleout.sweep.ray_engine import run_on_ray
from hotlap.scaleout.sweep.spec import SweepSpec

Engine = Callable[[SweepFolder, Sequence[str]], None]


@dataclass(frozen=True)
class SweepMeasurement:
    """What to measure."""

    preset: str = "racer-ppo"
    """A preset, or a .toml file."""
    runs: int = 8
    """Trainings on each side, which differ in their seeds."""
    steps: int = 1_700_000
    """Environment steps of each."""
    target: float = 10.0
    """Percent that Ray may add; above it the exit code is 1."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Trainings at a time."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def __post_init__(self) -> None:
        """Every core is busy on both sides, and in each half of one."""
        if self.runs < 1 or self.runs % (2 * self.workers) or self.steps < 1:
            raise ConfigError(f"runs must be a multiple of {2 * self.workers} on this machine, and steps at least 1.")


@dataclass(frozen=True)
class Took:
    """How long some trainings took; seconds."""

    whole_s: float
    first_s: float
    """Until the first of them had begun; its own start, which every training has, included."""


@dataclass(frozen=True)
class Comparison:
    """The same trainings, twice."""

    bare: Took
    ray: Took

    @property
    def added_percent(self) -> float:
        """What Ray adds to the whole."""
        return 100.0 * (self.ray.whole_s / self.bare.whole_s - 1.0)

    @property
    def start_s(self) -> float:
        """What of it comes before the first training."""
        return self.ray.first_s - self.bare.first_s


def run_sweep_benchmark(measurement: SweepMeasurement) -> int:
    """Measure and print; 1 where Ray adds more than it may."""
    found = compare(measurement)
    if measurement.json:
        figures = {**asdict(found), "added_percent": found.added_percent, "start_s": found.start_s}
        document = {"machine": describe_machine(), "measurement": asdict(measurement), **figures}
        sys.stdout.write(json.dumps(document) + "\n")
    else:
        show(measurement, found)
    return DONE if found.added_percent <= measurement.target else BELOW_WHAT_WAS_ASKED


def compare(measurement: SweepMeasurement) -> Comparison:
    """Half of the bare trainings, all of them on Ray, the other half: a machine that changes its pace favours none."""
    loading_s = loading_ray_s()
    spec = SweepSpec((measurement.preset,), tuple(range(measurement.runs)), set={"steps": measurement.steps})
    with TemporaryDirectory(prefix="hotlap-sweeps-") as root:
        bare, spread = SweepFolder(Path(root) / "bare"), SweepFolder(Path(root) / "ray")
        for folder in (bare, spread):
            folder.begin(spec)
        names, half = bare.names(), measurement.runs // 2

        def on_processes(folder: SweepFolder, names: Sequence[str]) -> None:
            run_on_processes(folder, names, measurement.workers, say)

        def on_ray(folder: SweepFolder, names: Sequence[str]) -> None:
            run_on_ray(folder, names, "", 1.0, say)

        before = timed(on_processes, bare, names[:half])
        on_cluster = timed(on_ray, spread, names)
        after = timed(on_processes, bare, names[half:])
    whole = Took(before.whole_s + after.whole_s, before.first_s)
    return Comparison(whole, Took(on_cluster.whole_s + loading_s, on_cluster.first_s + loading_s))


def loading_ray_s() -> float:
    """How long it takes to load Ray, which belongs to what it costs; where it is not there, this is known at once."""
    began_s = time.monotonic()
    load_ray("tune")
    return time.monotonic() - began_s


def timed(engine: Engine, folder: SweepFolder, names: Sequence[str]) -> Took:
    """Train, and look at the clock."""
    began_s, began = time.monotonic(), time.time()
    engine(folder, names)
    whole_s = time.monotonic() - began_s
    failed = [name for name in names if folder.record(name).state != "finished"]
    if failed:
        raise SweepError(f"{', '.join(failed)} did not finish, so there is nothing to compare. Try it with more steps.")
    began_at = min((folder.runs / name / RUN_DOCUMENT).stat().st_mtime for name in names)
    return Took(whole_s, began_at - began)


def show(measurement: SweepMeasurement, found: Comparison) -> None:
    """The two sides, and what is between them."""
    title = f"{measurement.runs} trainings of {measurement.steps:,} steps, {measurement.workers} at a time"
    table = empty_table(title, ("whole, s", "until the first began, s"))
    for name, took in (("local processes", found.bare), ("Ray", found.ray)):
        table.add_row(name, f"{took.whole_s:.1f}", f"{took.first_s:.1f}")
    console_for_results().print(table)
    console_for_results().print(
        f"Ray adds {found.added_percent:.1f} % ({found.ray.whole_s - found.bare.whole_s:.1f} s), of which its start is "
        f"{found.start_s:.1f} s; {measurement.target:g} % is the aim."
    )


if __name__ == "__main__":
    sys.exit(run_sweep_benchmark(tyro.cli(SweepMeasurement)))
