"""Run folders as a trainer leaves them, and a trainer that only pretends to learn."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.checkpoints import Checkpoint, new_run_folder, save_checkpoint, write_document
from hotlap.racer.fingerprint import physics_fingerprint
from policies.tiny_models import good_metadata, linear_model

CLASSIC_SETTINGS = {"tracks": ["track-01"], "observation": "classic"}


def make_run(
    root: Path,
    name: str,
    steps: int = 1000,
    fingerprint: str | None = None,
    world: str = "racer",
    racer: dict[str, Any] = CLASSIC_SETTINGS,
) -> Path:
    """A run that has just begun."""
    folder = new_run_folder(root, name)
    config = {"world": world, "algorithm": "ppo", "steps": steps, "racer": racer}
    about = {"config": config, "physics_fingerprint": fingerprint or physics_fingerprint(), "hotlap": "0"}
    write_document(folder / "run.json", about)
    return folder


def policy_bytes(step: int) -> bytes:
    """A small policy that differs from step to step."""
    return bytes(linear_model(good_metadata(steps=step), bias=(0.0, step / 1000, 0.0)).SerializeToString())


def save_step(folder: Path, step: int) -> None:
    """A checkpoint as the trainer saves them."""
    tensors = {"policy": {"bias": np.full(3, float(step))}}
    save_checkpoint(folder, Checkpoint(step, tensors, files={"policy.onnx": policy_bytes(step)}))


def publish_best(folder: Path, step: int, lap_s: float | None = 6.75) -> None:
    """The best driver so far, as the trainer publishes it."""
    (folder / "policy.onnx").write_bytes(policy_bytes(step))
    write_document(
        folder / "best.json", {"step": step, "score": [1.0], "tags": {}, "laps": {"track-01": lap_s}, "summary": ""}
    )


def add_points(folder: Path, *points: dict[str, Any]) -> None:
    """Lines at the end of the curve."""
    with (folder / "curve.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(point) + "\n" for point in points)


def point(step: int, reward: float | None = 1.0) -> dict[str, Any]:
    return {"step": step, "seconds": step / 1000, "reward": reward, "completion": 0.5, "best_lap_s": None}
