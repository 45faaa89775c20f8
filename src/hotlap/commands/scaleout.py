"""The options of `hotlap sweep`, `submit` and `jobs …`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hotlap.scaleout.sweep.request import SweepRequest

DASHBOARD = "http://127.0.0.1:8265"


@dataclass(frozen=True)
class Sweep(SweepRequest):
    """Many trainings from one file, then the best driver on every track; run again, it goes on where it stopped."""

    def run(self) -> int:
        """Train, compare, evaluate."""
        from hotlap.scaleout.sweep.run_sweep import run_sweep

        return run_sweep(self)


@dataclass(frozen=True)
class Submit:
    """Send a job to a cluster: the commands, resources and files that a file names."""

    job: Path
    """A .toml file; docs/remote.md shows what may be in it."""
    dry_run: bool = False
    """Only print exactly what would be sent."""
    render: Literal["", "kubernetes", "skypilot"] = ""
    """Print the job for another runner instead, as a starting point."""
    json: bool = False
    """Print one JSON object instead of the job's name."""

    def run(self) -> int:
        """Pack, send, say its name."""
        from hotlap.scaleout.jobs.control import submit

        return submit(self.job, dry_run=self.dry_run, render=self.render, as_json=self.json)


@dataclass(frozen=True)
class ListJobs:
    """List the jobs of a cluster, the newest first."""

    address: str = DASHBOARD
    """Where the cluster's dashboard answers."""
    json: bool = False
    """Print one JSON array instead of lines."""

    def run(self) -> int:
        """Ask and print."""
        from hotlap.scaleout.jobs.control import list_jobs

        return list_jobs(self.address, as_json=self.json)


@dataclass(frozen=True)
class JobStatus:
    """Say how a job is doing; exit 1 when it failed."""

    job: str
    """Its name, as submit printed it."""
    address: str = DASHBOARD
    """Where the cluster's dashboard answers."""
    json: bool = False
    """Print one JSON object instead of a line."""

    def run(self) -> int:
        """Ask and print."""
        from hotlap.scaleout.jobs.control import status

        return status(self.job, self.address, as_json=self.json)


@dataclass(frozen=True)
class JobLogs:
    """Print what a job says."""

    job: str
    """Its name, as submit printed it."""
    address: str = DASHBOARD
    """Where the cluster's dashboard answers."""
    follow: bool = False
    """Go on until the job ends; exit 1 when it did not end well."""
    json: bool = False
    """Print one JSON object with all of it instead of the text."""

    def run(self) -> int:
        """Ask and pass on."""
        from hotlap.scaleout.jobs.control import logs

        return logs(self.job, self.address, follow=self.follow, as_json=self.json)


@dataclass(frozen=True)
class StopJob:
    """Ask a job to stop; a training saves itself first."""

    job: str
    """Its name, as submit printed it."""
    address: str = DASHBOARD
    """Where the cluster's dashboard answers."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> int:
        """Ask."""
        from hotlap.scaleout.jobs.control import stop

        return stop(self.job, self.address, as_json=self.json)


@dataclass(frozen=True)
class FetchJob:
    """Copy what a job kept, and check every byte of it."""

    job: str
    """Its name, as submit printed it."""
    output: Path | None = None
    """Folder to make; by default named after the job."""
    address: str = DASHBOARD
    """Where the cluster's dashboard answers."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> int:
        """Copy and check."""
        from hotlap.scaleout.jobs.control import fetch_job

        return fetch_job(self.job, self.address, self.output, as_json=self.json)
