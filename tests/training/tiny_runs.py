"""Runs that are over in a second: few cars, small networks, short episodes, and ways to look at what they left."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.backend.event_processing.event_accumulator import SCALARS, EventAccumulator

from hotlap.checkpoints import load_checkpoint
from hotlap.checkpoints.names import TENSORBOARD_FOLDER
from hotlap.settings import merged
from hotlap.training.config import TrainConfig

CARS = 4
TINY: dict[str, Any] = {
    "steps": 6 * CARS * 16,
    "cars": CARS,
    "network": {"hidden": [8]},
    "ppo": {"n_steps": 16, "batch_size": 32, "n_epochs": 2},
    "highway": {"pedals": "two", "vehicles": [0, 4], "config": {"episode": {"decisions": 25}}},
    "dqn": {"buffer_size": 200, "learning_starts": 40, "batch_size": 16, "train_freq": 2, "gradient_steps": 2}
    | {"target_update_interval": 24},
    "sac": {"buffer_size": 200, "learning_starts": 40, "batch_size": 16, "train_freq": 2, "gradient_steps": 2},
    "checkpoint_every": "1",
    "checkpoint": {"keep_last": 100},
    "evaluation": {"every_steps": 0, "episodes": 2, "steps": 100},
    "racer": {"config": {"episode": {"maxSteps": 25, "stillnessTimeoutTicks": 10}}},
}


def tiny_config(algorithm: str = "ppo", **changes: Any) -> TrainConfig:
    """A run of a few hundred steps that saves after every rollout; changes are merged in, nested ones too."""
    return merged(merged(TrainConfig(algorithm=algorithm), TINY, "tiny"), changes, "changes")


def steps_saved(run: Path) -> list[int]:
    names = [path.name.removeprefix("step-") for path in (run / "checkpoints").glob("step-*")]
    return sorted(int(name) for name in names if name.isdecimal())


def checkpoint_folder(run: Path, step: int) -> Path:
    return run / "checkpoints" / f"step-{step:012d}"


def weights_hash(run: Path, step: int) -> str:
    """SHA-256 over names and bytes of every parameter saved at a step."""
    digest = hashlib.sha256()
    for name, array in sorted(load_checkpoint(checkpoint_folder(run, step)).tensors["policy"].items()):
        digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def state_of(run: Path, step: int) -> dict[str, bytes]:
    """Every byte of the saved state but the clock's, by file and name."""
    checkpoint = load_checkpoint(checkpoint_folder(run, step))
    found = {
        f"{group}/{name}": array.tobytes() for group, part in checkpoint.tensors.items() for name, array in part.items()
    }
    counters = dict(checkpoint.documents["counters"])
    counters["episodes"] = [{**episode, "t": 0} for episode in counters["episodes"]]
    counters["log"] = {key: value for key, value in counters["log"].items() if not key.startswith("time/")}
    found["counters"] = repr(sorted(counters.items())).encode()
    found["policy.onnx"] = checkpoint.files["policy.onnx"]
    return found


def scalars(run: Path) -> dict[str, list[tuple[int, float]]]:
    """TensorBoard's view of a run: by tag, steps and values, as TensorBoard itself reads the files."""
    events = EventAccumulator(str(run / TENSORBOARD_FOLDER), size_guidance={SCALARS: 0})
    events.Reload()
    return {tag: [(event.step, event.value) for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
