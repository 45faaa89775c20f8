"""A driver in the layout of a model repository: policy, weights, evaluation and model card, in a folder or on a Hub."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx
from onnx import numpy_helper

from hotlap import __version__
from hotlap.checkpoints.tensor_files import encode_tensors
from hotlap.errors import ConfigError, PolicyError
from hotlap.evaluation.any_driver import evaluate
from hotlap.evaluation.measures import Evaluation, Measure
from hotlap.evaluation.sources import find_driver
from hotlap.policies.onnx_checks import read_model_file
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.whole_files import refuse_to_overwrite, write_whole_file

POLICY, WEIGHTS, CARD, EVALUATION, CONFIG = (
    "policy.onnx",
    "model.safetensors",
    "README.md",
    "evaluation.json",
    "config.json",
)
HUB = "hf:"
"""What the name of a repository on the Hugging Face Hub begins with; anything else is a folder."""
FIGURES_IN_CARD = 24


@dataclass(frozen=True)
class Published:
    """A driver and what a model card tells about it."""

    name: str
    policy: bytes
    metadata: dict[str, Any]
    evaluation: Evaluation


def push(driver: str, target: str, root: Path, options: dict[str, Any], *, force: bool) -> str:
    """Evaluate a trained driver and write its repository; where it is now."""
    published = _published(driver, root, options)
    if not target.startswith(HUB):
        write_repository(published, Path(target), force=force)
        return target
    with TemporaryDirectory() as folder:
        write_repository(published, Path(folder), force=True)
        return _upload(Path(folder), target.removeprefix(HUB))


def pull(source: str, output: Path, *, force: bool) -> OnnxPolicy:
    """Take the policy out of a repository, checked, into a file."""
    refuse_to_overwrite(output, force=force, error=PolicyError)
    folder = _download(source.removeprefix(HUB)) if source.startswith(HUB) else Path(source)
    content = read_model_file(folder / POLICY)
    _check_hash(folder, content)
    OnnxPolicy(content, world=None)  # refuses what could not be driven here, before anything is written
    write_whole_file(output, content, force=force, error=PolicyError)
    return OnnxPolicy(output, world=None)


def _published(driver: str, root: Path, options: dict[str, Any]) -> Published:
    source = find_driver(driver, root)
    if source.about["kind"] != "policy":
        raise PolicyError(f'"{driver}" is a scripted driver, which has no file. Name a run or a .onnx file.')
    content = read_model_file(Path(source.about["path"]))
    return Published(source.name, content, OnnxPolicy(content, None).metadata, evaluate(driver, root=root, **options))


def write_repository(published: Published, folder: Path, *, force: bool) -> None:
    """Write every file of a repository; none when one of them is there already."""
    files = dict(repository_files(published))
    for name in files:
        refuse_to_overwrite(folder / name, force=force, error=PolicyError)
    for name, content in files.items():
        write_whole_file(folder / name, content, force=force, error=PolicyError)


def repository_files(published: Published) -> Iterator[tuple[str, bytes]]:
    """The files of a repository by name."""
    config = {
        "format": "hotlap-policy",
        "version": 1,
        "hotlap": __version__,
        "sha256": hashlib.sha256(published.policy).hexdigest(),
        "metadata": published.metadata,
    }
    yield POLICY, published.policy
    yield WEIGHTS, b"".join(map(bytes, encode_tensors(weights_of(published.policy), WEIGHTS)))
    yield CONFIG, (json.dumps(config, indent=2, sort_keys=True) + "\n").encode()
    yield EVALUATION, (json.dumps(published.evaluation.plain(), indent=2) + "\n").encode()
    yield CARD, model_card(published).encode()


def weights_of(policy: bytes) -> dict[str, Any]:
    """Every array that a policy stores, by its name in the graph."""
    model = onnx.load_from_string(policy)
    return {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}


def model_card(published: Published) -> str:
    """The README of a repository: what the driver is, how good it is, how to drive it."""
    world, layout, name = published.metadata["world"], published.metadata["layout"], published.name
    measured = [each for each in published.evaluation.measures() if each.estimate is not None][:FIGURES_IN_CARD]
    facts = {"library_name": "hotlap", "license": "mit", "pipeline_tag": "reinforcement-learning"}
    front = "\n".join(f"{key}: {value}" for key, value in facts.items())
    rows = "\n".join(f"| {each.place} | {each.quantity.label} | {_figure(each)} |" for each in measured)
    return f"""---
{front}
tags: [hotlap, reinforcement-learning, onnx, {world}]
model-index:
- name: {json.dumps(name)}
  results:
  - task: {{type: reinforcement-learning, name: Hotlap {world}}}
    dataset: {{type: hotlap/{world}, name: held-out evaluation}}
    metrics:
{_metrics(measured)}
---

# {name}

A driver for the {world} of Hotlap {__version__}. `{POLICY}` takes raw observations (layout `{layout}`) and gives final
actions. `{WEIGHTS}` has the same weights.

```text
hotlap pull FOLDER_OR_REPOSITORY --output driver.onnx
hotlap evaluate driver.onnx
```

| where | figure | value (95 % interval) |
|---|---|---|
{rows}

All figures: `{EVALUATION}`. The physics it was trained in and the hash of the policy: `{CONFIG}`.
"""


def _metrics(measured: list[Measure]) -> str:
    lines = [
        f"    - {{type: {each.quantity.name}, name: {json.dumps(f'{each.place}: {each.quantity.label}')}, "
        f"value: {each.estimate.value:.6g}}}"
        for each in measured
        if each.estimate is not None
    ]
    return "\n".join(lines)


def _figure(measure: Measure) -> str:
    form, estimate = measure.quantity.form, measure.estimate
    if estimate is None:
        return "none"
    value = format(estimate.value, form)
    return value if estimate.low == estimate.high else f"{value} ({estimate.low:{form}} to {estimate.high:{form}})"


def _check_hash(folder: Path, policy: bytes) -> None:
    """The policy is the one that the repository describes."""
    try:
        promised = json.loads((folder / CONFIG).read_bytes())["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise PolicyError(f"{folder / CONFIG}: is no description of a driver ({problem}). Push it again.") from problem
    if hashlib.sha256(policy).hexdigest() != promised:
        raise PolicyError(f"{folder / POLICY}: is not the policy that {CONFIG} describes. Push it again.")


def _check_repository(name: str) -> None:
    if name.count("/") != 1 or not all(name.split("/")):
        raise ConfigError(f'"{HUB}{name}" names no repository. Write {HUB}USER/NAME, or a folder.')


def _upload(folder: Path, name: str) -> str:
    _check_repository(name)
    hub = import_module("huggingface_hub")  # an extra
    hub.create_repo(name, exist_ok=True)
    return str(hub.upload_folder(repo_id=name, folder_path=str(folder)))


def _download(name: str) -> Path:
    _check_repository(name)
    hub = import_module("huggingface_hub")
    return Path(hub.snapshot_download(name, allow_patterns=[POLICY, CONFIG]))
