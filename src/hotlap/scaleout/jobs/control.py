"""What `hotlap submit` and `hotlap jobs …` print."""

import json
import sys
from pathlib import Path
from typing import Any

from hotlap.errors import JobError
from hotlap.exit_codes import BELOW_WHAT_WAS_ASKED, DONE
from hotlap.progress import say
from hotlap.scaleout.jobs.artefacts import fetch
from hotlap.scaleout.jobs.client import Jobs, new_job_name, request
from hotlap.scaleout.jobs.packing import Parcel, pack
from hotlap.scaleout.jobs.rendering import RENDERERS
from hotlap.scaleout.jobs.spec import JobSpec, load_job

ENDED_WELL = "SUCCEEDED"


def submit(path: Path, *, dry_run: bool, render: str, as_json: bool) -> int:
    """Send a job, or only show what would be sent or what another runner needs."""
    spec = load_job(path)
    job = new_job_name(spec)
    if render:
        sys.stdout.write(RENDERERS[render](spec, job))
        return DONE
    parcel = pack(spec, Path.cwd())
    for name in parcel.left_out:
        say(f"left out, since it looks like a secret: {name}")
    if dry_run:
        return _show(spec, job, parcel)
    Jobs(spec.address).submit(spec, job, parcel)
    say(f"{len(parcel.files)} files, {parcel.total_bytes / 1e6:.1f} MB, sent")
    say(f"follow it with: hotlap jobs logs {job} --follow")
    print(json.dumps({"job": job, "address": spec.address}) if as_json else job)
    return DONE


def _show(spec: JobSpec, job: str, parcel: Parcel) -> int:
    document = {
        "address": spec.address,
        "request": request(spec, job, "a package of the files below"),
        "files": list(parcel.files),
        "left_out": list(parcel.left_out),
        "total_bytes": parcel.total_bytes,
    }
    print(json.dumps(document, indent=2))
    return DONE


def list_jobs(address: str, *, as_json: bool) -> int:
    """Every job of a cluster."""
    found = Jobs(address).all()
    if as_json:
        print(json.dumps(found))
    elif not found:
        print("no jobs yet; send one with: hotlap submit JOB.toml")
    for facts in [] if as_json else found:
        print(_line(facts))
    return DONE


def _line(facts: dict[str, Any]) -> str:
    """A job in a line: a message may go on with the end of its log, which `hotlap jobs logs` has whole."""
    message = (facts["message"] or "").split(", last available logs")[0].split("\n")[0]
    return f"{facts['job']}  {facts['status']}  {message}".rstrip()


def status(job: str, address: str, *, as_json: bool) -> int:
    """How one job is doing; 1 when it failed."""
    facts = Jobs(address).one(job)
    print(json.dumps(facts) if as_json else _line(facts))
    return BELOW_WHAT_WAS_ASKED if facts["status"] == "FAILED" else DONE


def logs(job: str, address: str, *, follow: bool, as_json: bool = False) -> int:
    """What a job says; followed to its end, 1 when that was not a good one."""
    jobs = Jobs(address)
    if as_json:
        ended = jobs.follow(job, _leave_out) if follow else str(jobs.one(job)["status"])
        print(json.dumps({"job": job, "status": ended, "log": jobs.logs(job)}))
        return DONE if not follow or ended == ENDED_WELL else BELOW_WHAT_WAS_ASKED
    if not follow:
        sys.stdout.write(jobs.logs(job))
        return DONE
    ended = jobs.follow(job, _pass_on)
    say(f"{job}: {ended}")
    return DONE if ended == ENDED_WELL else BELOW_WHAT_WAS_ASKED


def _pass_on(lines: str) -> None:
    sys.stdout.write(lines)
    sys.stdout.flush()


def _leave_out(_lines: str) -> None:
    """Lines that are printed as a whole later."""


def stop(job: str, address: str, *, as_json: bool = False) -> int:
    """Ask a job to stop."""
    asked = Jobs(address).stop(job)
    if as_json:
        print(json.dumps({"job": job, "asked_to_stop": asked}))
        return DONE
    print(f"{job}: asked to stop" if asked else f"{job}: was over already")
    return DONE


def fetch_job(job: str, address: str, output: Path | None, *, as_json: bool = False) -> int:
    """Copy what a job kept, every byte checked."""
    storage = Jobs(address).one(job)["storage"]
    if not storage:
        raise JobError(f"{job} kept nothing: its file names no storage that the cluster and you both see.")
    target = output or Path(job)
    manifest = fetch(Path(storage), target)
    total = sum(entry.bytes for entry in manifest.files.values())
    if as_json:
        print(json.dumps({"job": job, "written": str(target), "files": len(manifest.files), "bytes": total}))
        return DONE
    print(f"{target}: {len(manifest.files)} files of {total / 1e6:.1f} MB, as the manifest says")
    return DONE
