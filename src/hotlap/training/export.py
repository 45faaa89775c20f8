"""A run's policy for use elsewhere: the ONNX file as it is, or the two files that plain stable-baselines3 loads."""

import contextlib
import dataclasses
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hotlap.checkpoints import Checkpoint, list_checkpoints, load_checkpoint, newest_checkpoint, step_of
from hotlap.checkpoints.run_files import POLICY_FILE, read_best
from hotlap.errors import CheckpointError, ExportError
from hotlap.training.config import config_from_document
from hotlap.training.session import restore_session

LOG = logging.getLogger(__name__)
MODEL_FILE, STATISTICS_FILE = "model.zip", "vecnormalize.pkl"


def export_onnx(run: Path, target: Path, *, newest: bool, force: bool) -> None:
    """The policy file of a run's best checkpoint, or its newest."""
    _refuse_existing(target, force)
    checkpoint = find_checkpoint(run, newest=newest)
    if POLICY_FILE not in checkpoint.files:
        raise ExportError(
            f"{run}: step {checkpoint.step:,} has no policy file. Export another with --newest, or train on."
        )
    with _written_whole(target.parent) as folder:
        (folder / target.name).write_bytes(checkpoint.files[POLICY_FILE])


def export_sb3(run: Path, target: Path, *, newest: bool, force: bool) -> list[Path]:
    """`model.zip` and, of a run that normalises, `vecnormalize.pkl`, written by SB3; which of them there are."""
    wanted = [target / MODEL_FILE, target / STATISTICS_FILE]
    for path in wanted:
        _refuse_existing(path, force)
    checkpoint = find_checkpoint(run, newest=newest)
    if "config" not in checkpoint.documents:
        raise CheckpointError(f"{run}: its checkpoint of step {checkpoint.step:,} has no config.json. Use another.")
    # The same weights in a plain model of SB3, whoever learned them.
    config = dataclasses.replace(config_from_document(checkpoint.documents["config"]), learner="sb3")
    session = restore_session(config, checkpoint)
    model: Any = session.model
    # A plain number instead of our schedule: then nothing of hotlap is needed to load it.
    model.learning_rate = float(session.model.lr_schedule(1.0))
    with _written_whole(target) as folder:
        model.save(folder / MODEL_FILE, exclude=["lr_schedule"])
        if session.normalizer is not None:
            session.normalizer.save(str(folder / STATISTICS_FILE))
    return [path for path in wanted if path.exists()]


def find_checkpoint(run: Path, *, newest: bool) -> Checkpoint:
    """The best checkpoint of a run, or the newest."""
    best = None if newest else read_best(run)
    for path in list_checkpoints(run):
        if best is not None and step_of(path) == best.step:
            return load_checkpoint(path)
    return newest_checkpoint(run, LOG.warning)


@contextlib.contextmanager
def _written_whole(target: Path) -> Iterator[Path]:
    """A folder beside the target whose files move there at once when all are written."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".exporting-", dir=target) as folder:
            yield Path(folder)
            for path in sorted(Path(folder).iterdir()):
                path.replace(target / path.name)
    except OSError as problem:
        raise ExportError(
            f"{target}: cannot be written ({problem.strerror}). Choose another --output where you may write."
        ) from problem


def _refuse_existing(target: Path, force: bool) -> None:
    if target.is_dir():
        raise ExportError(f"{target} is a folder; name a file in it with --output.")
    if target.exists() and not force:
        raise ExportError(f"{target} is already there; choose another --output, or write over it with --force.")
