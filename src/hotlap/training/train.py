"""One train() for every algorithm and world: make a run or go on with one, learn, keep it, say how it went."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from hotlap import __version__
from hotlap.checkpoints import (
    RunLock,
    check_writable,
    new_run_folder,
    newest_checkpoint,
    read_document,
    write_document,
)
from hotlap.errors import CheckpointError, RunFolderError
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.training.config import TrainConfig, config_document, config_from_document
from hotlap.training.judge import Verdict
from hotlap.training.keeper import RunKeeper
from hotlap.training.progress import ProgressBar
from hotlap.training.runs import RUN_DOCUMENT
from hotlap.training.session import Session, open_session, restore_session
from hotlap.training.signals import DeadlineError, StopSignals

TENSORBOARD_FOLDER = "tensorboard"
Report = Callable[[str], None]


@dataclass(frozen=True)
class TrainingResult:
    """How a training ended."""

    run: Path
    step: int
    finished: bool
    seconds: float
    best: Verdict | None


def train(config: TrainConfig, name: str, root: Path, report: Report = print) -> TrainingResult:
    """Train a new run to its last step, or until a signal."""
    check_writable(root if root.exists() else root.absolute().parent)
    run = new_run_folder(root, name)
    with RunLock(run), StopSignals() as stop:
        document = {
            "config": config_document(config),
            "physics_fingerprint": physics_fingerprint(),
            "hotlap": __version__,
        }
        write_document(run / RUN_DOCUMENT, document)
        return _learn(open_session(config), run, stop, report)


def resume(run: Path, report: Report = print, steps: int | None = None) -> TrainingResult:
    """Go on with a run from its newest whole checkpoint, as if it had never stopped; `steps` sets a new end."""
    if not (run / RUN_DOCUMENT).is_file():
        raise RunFolderError(f"{run} is no run: it has no {RUN_DOCUMENT}. Run `hotlap runs` to see what there is.")
    with RunLock(run), StopSignals() as stop:
        document = read_document(run / RUN_DOCUMENT)
        _check_fingerprint(run, str(document.get("physics_fingerprint")))
        checkpoint = newest_checkpoint(run, report)
        config = config_from_document({**checkpoint.documents["config"], **({"steps": steps} if steps else {})})
        session = restore_session(config, checkpoint)
        report(f"going on with {run} at step {session.step:,} of {config.steps:,}")
        return _learn(session, run, stop, report)


def _check_fingerprint(run: Path, trained_in: str) -> None:
    if trained_in != physics_fingerprint():
        raise CheckpointError(
            f"{run} was trained in physics {trained_in}, and this is physics {physics_fingerprint()}: "
            "its driver would not be the same. Train a new run, or install the version of hotlap it was trained with."
        )


def _learn(session: Session, run: Path, stop: StopSignals, report: Report) -> TrainingResult:
    """Learn what is left to learn, with everything kept."""
    began = time.monotonic()
    config, model = session.config, session.model
    keeper = RunKeeper(session, run, stop, report)
    bar = ProgressBar(config.steps, keeper.metrics)
    model.set_logger(_tensorboard(run / TENSORBOARD_FOLDER, session.step))
    left = config.steps - session.step
    try:
        if left > 0:
            model.learn(left, CallbackList([keeper.metrics, bar, keeper]), reset_num_timesteps=session.step == 0)
        if not keeper.stopped:
            keeper.finish()
            model.logger.dump(session.step)
    except DeadlineError:
        keeper.rescue_now()
        keeper.stopped = True
    finally:
        bar.close()
        model.logger.close()
    if keeper.stopped:
        report(f"stopped at step {session.step:,}; go on with: hotlap resume {_shown(run)}")
    return TrainingResult(run, session.step, not keeper.stopped, time.monotonic() - began, keeper.kept.best)


def _tensorboard(folder: Path, step: int) -> Logger:
    """SB3's logger into the run folder; after a resume, later events of the lost part are hidden."""
    folder.mkdir(exist_ok=True)
    output: Any = TensorBoardOutputFormat(str(folder))
    if step:
        output.writer.close()
        output.writer = SummaryWriter(log_dir=str(folder), purge_step=step + 1)
    return Logger(str(folder), [output])


def _shown(run: Path) -> str:
    """The run as a person would type it from here."""
    return os.path.relpath(run) if run.is_relative_to(Path.cwd()) else str(run)
