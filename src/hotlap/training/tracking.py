"""A run's curve in a tracker as well: Trackio or Weights & Biases, on this machine unless the user says otherwise."""

import contextlib
import importlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter

from hotlap.checkpoints.run_files import read_run_document

Service = Literal["trackio", "wandb"]
PROJECT = "hotlap"


class TrackedRun(KVWriter):
    """Hands every value that TensorBoard gets to a tracker, at its step."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def write(self, key_values: Mapping[str, Any], key_excluded: Mapping[str, tuple[str, ...]], step: int = 0) -> None:
        """One entry with every number."""
        values = {
            key: float(value)
            for key, value in key_values.items()
            if isinstance(value, int | float | np.number) and "tensorboard" not in key_excluded.get(key, ())
        }
        self._module.log(values, step=step)

    def close(self) -> None:
        """The run is over here."""
        with contextlib.redirect_stdout(sys.stderr):
            self._module.finish()


class Tracking(BaseCallback):
    """Begins a tracked run when training starts; the run's logger writes to it, and closes it."""

    needs_samples = False

    def __init__(self, service: Service) -> None:
        super().__init__()
        self._service = service
        if service == "wandb" and wandb_mode() == "offline":
            os.environ.setdefault("WANDB_ERROR_REPORTING", "false")  # read when the package is imported
        self._module = importlib.import_module(service)  # refused before anything is trained where it is missing

    def _on_training_start(self) -> None:
        run = Path(str(self.logger.get_dir())).parent
        settings = read_run_document(run)["config"]
        start_run(self._module, self._service, run, settings)
        self.logger.output_formats.append(TrackedRun(self._module))

    def _on_step(self) -> bool:
        return True


def start_run(module: Any, service: Service, run: Path, settings: dict[str, Any]) -> None:
    """Begin a run of the tracker, named after ours and resumed with it; what it says goes to stderr.

    Trackio keeps its data on this machine. Weights & Biases writes to a folder beside the runs, and sends nothing,
    error reports included, unless WANDB_MODE says so.
    """
    options: dict[str, Any] = {"project": PROJECT, "name": run.name, "config": settings, "resume": "allow"}
    if service == "trackio":
        options |= {"embed": False, "auto_log_gpu": False, "auto_log_cpu": False}
    else:
        options |= {"id": run.name, "dir": str(run.parent), "mode": wandb_mode()}
    with contextlib.redirect_stdout(sys.stderr):
        module.init(**options)


def wandb_mode() -> str:
    """Offline, unless the user's environment says otherwise."""
    return os.environ.get("WANDB_MODE", "offline")
