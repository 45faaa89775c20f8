"""A run's policy for use elsewhere: the ONNX file as it is, or the two files that plain stable-baselines3 loads."""

import logging
import os
import shutil
from pathlib import Path

from hotlap.checkpoints import Checkpoint, list_checkpoints, load_checkpoint, newest_checkpoint, read_document, step_of
from hotlap.errors import ExportError
from hotlap.training.config import config_from_document
from hotlap.training.runs import BEST_DOCUMENT
from hotlap.training.session import restore_session

LOG = logging.getLogger(__name__)


def export_onnx(run: Path, target: Path, *, newest: bool, force: bool) -> None:
    """The policy file of a run's best checkpoint, or its newest."""
    _refuse_existing(target, force)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    unfinished.write_bytes(_checkpoint(run, newest).files["policy.onnx"])
    unfinished.replace(target)


def export_sb3(run: Path, target: Path, *, newest: bool, force: bool) -> None:
    """`model.zip` and `vecnormalize.pkl`, written by SB3 from the model put back in memory."""
    _refuse_existing(target, force)
    checkpoint = _checkpoint(run, newest)
    session = restore_session(config_from_document(checkpoint.documents["config"]), checkpoint)
    # A plain number instead of our schedule: then nothing of hotlap is needed to load it.
    session.model.learning_rate = float(session.model.lr_schedule(1.0))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    unfinished.mkdir(parents=True)
    session.model.save(unfinished / "model.zip", exclude=["lr_schedule"])
    if session.normalizer is not None:
        session.normalizer.save(str(unfinished / "vecnormalize.pkl"))
    if target.exists():
        shutil.rmtree(target)
    unfinished.replace(target)


def _checkpoint(run: Path, newest: bool) -> Checkpoint:
    """The best checkpoint of a run, or the newest."""
    if not newest and (run / BEST_DOCUMENT).is_file():
        best = int(read_document(run / BEST_DOCUMENT)["step"])
        for path in list_checkpoints(run):
            if step_of(path) == best:
                return load_checkpoint(path)
    return newest_checkpoint(run, LOG.warning)


def _refuse_existing(target: Path, force: bool) -> None:
    if target.exists() and not force:
        raise ExportError(f"{target} is already there; choose another --output, or write over it with --force.")
