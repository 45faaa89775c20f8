"""Talking to a cluster's Jobs API: sending, looking, following, stopping."""

import asyncio
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hotlap.errors import JobError, did_you_mean
from hotlap.scaleout.cluster import load_ray
from hotlap.scaleout.jobs.packing import Parcel
from hotlap.scaleout.jobs.process import ORDERS
from hotlap.scaleout.jobs.rendering import ENTRY
from hotlap.scaleout.jobs.spec import JobSpec, check_address

OVER = ("SUCCEEDED", "FAILED", "STOPPED")
STORAGE = "hotlap_storage"
"""Under which name a job remembers where it keeps its files."""


def new_job_name(spec: JobSpec) -> str:
    """The job's name, with a number that no other has."""
    return f"{spec.name}-{secrets.token_hex(4)}"


def request(spec: JobSpec, job: str, working_dir: str) -> dict[str, Any]:
    """Exactly what the cluster is asked for."""
    runtime: dict[str, Any] = {
        "working_dir": working_dir,
        "env_vars": {**spec.environment, ORDERS: json.dumps(spec.orders(job))},
    }
    if spec.requirements:
        runtime["pip"] = list(spec.requirements)
    return {
        "entrypoint": " ".join(ENTRY),
        "submission_id": job,
        "entrypoint_num_cpus": spec.cpus,
        "entrypoint_num_gpus": spec.gpus,
        "entrypoint_memory": int(spec.memory_gb * 1e9),
        "metadata": {"name": spec.name, STORAGE: spec.orders(job)["storage"]},
        "runtime_env": runtime,
    }


class Jobs:
    """The jobs of one cluster."""

    def __init__(self, address: str) -> None:
        check_address(address)
        submission = load_ray("job_submission")
        with _explained(f"no cluster at {address} takes jobs"):
            self._client = submission.JobSubmissionClient(address)

    def submit(self, spec: JobSpec, job: str, parcel: Parcel) -> None:
        """Send the files and start the job."""
        with TemporaryDirectory(prefix="hotlap-job-") as folder, _explained(f"{job} cannot be sent"):
            parcel.stage(Path(folder))
            self._client.submit_job(**request(spec, job, folder))

    def all(self) -> list[dict[str, Any]]:
        """Every job that was submitted, the newest first."""
        with _explained("the jobs cannot be listed"):
            found = [details for details in self._client.list_jobs() if details.submission_id]
        return [_facts(details) for details in sorted(found, key=lambda each: -(each.start_time or 0))]

    def one(self, job: str) -> dict[str, Any]:
        """How a job is doing."""
        for facts in (known := self.all()):
            if facts["job"] == job:
                return facts
        names = [facts["job"] for facts in known]
        raise JobError(f'no job "{job}".{did_you_mean(job, names)} Run "hotlap jobs list".')

    def logs(self, job: str) -> str:
        """What a job has said so far."""
        self.one(job)
        with _explained(f"the log of {job} cannot be read"):
            return str(self._client.get_job_logs(job))

    def follow(self, job: str, write: Callable[[str], Any]) -> str:
        """Pass on what a job says until it ends; how it ended."""
        self.one(job)

        async def tail() -> None:
            async for lines in self._client.tail_job_logs(job):
                write(lines)

        with _explained(f"the log of {job} cannot be followed"):
            asyncio.run(tail())
        return str(self.one(job)["status"])

    def stop(self, job: str) -> bool:
        """Ask a job to stop; False when it was over already."""
        if self.one(job)["status"] in OVER:
            return False
        with _explained(f"{job} cannot be stopped"):
            return bool(self._client.stop_job(job))


def _facts(details: Any) -> dict[str, Any]:
    metadata = details.metadata or {}
    return {
        "job": details.submission_id,
        "status": str(getattr(details.status, "value", details.status)),
        "message": details.message,
        "started_ms": details.start_time,
        "ended_ms": details.end_time,
        "storage": metadata.get(STORAGE, ""),
    }


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Ray's complaints in one sentence of our own."""
    try:
        yield
    except (RuntimeError, ConnectionError, ValueError, OSError) as problem:
        if isinstance(problem, JobError):
            raise
        first = str(problem).strip().split("\n")[0][:300]
        raise JobError(
            f"{what} ({first}). Is it there, does the address fit, and is its token in RAY_AUTH_TOKEN or "
            "~/.ray/auth_token?"
        ) from problem
