"""The same job for other runners: a Kubernetes Job and a SkyPilot task, as starting points."""

import json
import re
from typing import Any

from hotlap.errors import JobError
from hotlap.scaleout.jobs.process import ORDERS
from hotlap.scaleout.jobs.spec import JobSpec

ENTRY = ["python", "-m", "hotlap.scaleout.jobs.process"]
NOTE = "# Rendered by `hotlap submit --render {form}`. A starting point: its authors have not run it there.\n"


def kubernetes(spec: JobSpec, job: str) -> str:
    """A Job of the batch/v1 API; its image has hotlap in it, and the storage is a volume of your own."""
    _need_image(spec)
    variables = {**spec.environment, ORDERS: json.dumps(spec.orders(job))}
    limits = _kubernetes_limits(spec)
    container = {
        "name": label(spec.name),
        "image": spec.image,
        "command": ENTRY,
        "env": [{"name": name, "value": value} for name, value in variables.items()],
        "resources": {"requests": limits, "limits": limits},
    }
    document = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": label(job)},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": spec.seconds + 60,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }
    return NOTE.format(form="kubernetes") + as_yaml(document)


def _kubernetes_limits(spec: JobSpec) -> dict[str, str]:
    limits = {"cpu": f"{spec.cpus:g}"}
    if spec.memory_gb:
        limits["memory"] = f"{spec.memory_gb:g}G"
    if spec.gpus:
        limits["nvidia.com/gpu"] = f"{spec.gpus:g}"
    return limits


def skypilot(spec: JobSpec, job: str) -> str:
    """A task that sends this folder, installs what is needed and runs the job on a machine of its own."""
    resources: dict[str, Any] = {"cpus": f"{max(spec.cpus, 1):g}+"}
    if spec.memory_gb:
        resources["memory"] = f"{spec.memory_gb:g}+"
    if spec.gpus:
        resources["accelerators"] = f"A10G:{max(round(spec.gpus), 1)}"
    if spec.image:
        resources["image_id"] = f"docker:{spec.image}"
    packages = " ".join(f"'{each}'" for each in ("hotlap", *spec.requirements))
    document = {
        "name": label(job),
        "workdir": ".",
        "resources": resources,
        "envs": {**spec.environment, ORDERS: json.dumps(spec.orders(job))},
        "setup": f"pip install {packages}",
        "run": " ".join(ENTRY),
    }
    return NOTE.format(form="skypilot") + as_yaml(document)


def label(name: str) -> str:
    """A name as these runners allow it: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _need_image(spec: JobSpec) -> None:
    if not spec.image:
        raise JobError('Kubernetes runs images: name one with hotlap in it, as image = "registry.example/hotlap:1".')


def as_yaml(value: Any, indent: int = 0) -> str:
    """Plain data as YAML in block style, every string in the quotes of JSON, which YAML reads as they are."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(f"{pad}{key}:{_below(each, indent)}" for key, each in value.items())
    if isinstance(value, list) and value:
        return "".join(f"{pad}-{_below(each, indent)}" for each in value)
    return f"{pad}{json.dumps(value)}\n"


def _below(value: Any, indent: int) -> str:
    if isinstance(value, dict | list) and value:
        return "\n" + as_yaml(value, indent + 1)
    return f" {json.dumps(value)}\n"


RENDERERS = {"kubernetes": kubernetes, "skypilot": skypilot}
