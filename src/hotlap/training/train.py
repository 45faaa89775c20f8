"""One train() for every algorithm and world: make a run or go on with one, learn, keep it, say how it went."""

import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stable_baselines3.common.callbacks import BaseCallback, CallbackList

from hotlap import __version__
from hotlap.checkpoints import (
    Checkpoint,
    RunLock,
    check_run_name,
    check_writable,
    checkpoint_at,
    checkpoints_after,
    new_run_folder,
    newest_checkpoint,
    step_of,
)
from hotlap.checkpoints.lock import LOCK_FILE
from hotlap.checkpoints.names import CHECKPOINTS, MANIFEST, RUN_DOCUMENT, TENSORBOARD_FOLDER, step_folder_name
from hotlap.checkpoints.run_files import PolicyScore, is_run, read_run_document, write_run_document
from hotlap.checkpoints.run_manifest import check_no_links
from hotlap.errors import CheckpointError, ConfigError, RunFolderError
from hotlap.training.beginnings import Beginning, begin_with, find_beginning
from hotlap.training.config import TrainConfig, config_document, config_from_document, with_steps
from hotlap.training.event_log import check_tensorboard
from hotlap.training.progress import ProgressBar
from hotlap.training.run_callback import RunCallback
from hotlap.training.runs import free_name
from hotlap.training.session import TrainingSession, open_session, restore_session
from hotlap.training.signals import DeadlineError, StopRequestedError, StopSignals
from hotlap.training.world_training import PolicyEvaluator, training_of

LOG = logging.getLogger(__name__)
NEVER_BEGUN = {LOCK_FILE, MANIFEST, *(f".{name}.saving" for name in (MANIFEST, RUN_DOCUMENT))}
"""What is in the folder of a trainer that was killed before it wrote down what it was to do."""
Report = Callable[[str], None]
Learner = Callable[[TrainingSession, CallbackList], None]


@dataclass(frozen=True)
class TrainingResult:
    """How a training ended."""

    run: Path
    step: int
    """Steps of the run so far."""
    steps_made: int
    """Steps made this time."""
    seconds: float
    """How long they took, measuring and saving included."""
    stopped_by: int | None
    """The signal that ended it early; None when it reached its last step."""
    best: PolicyScore | None
    config: TrainConfig
    """What it was trained with."""


def train(
    config: TrainConfig,
    name: str,
    root: Path,
    report: Report = LOG.info,
    watchers: Sequence[BaseCallback] = (),
    learner: Learner | None = None,
) -> TrainingResult:
    """Train a new run to its last step, or until a signal; whatever is wrong is said before anything is made.

    A "*" in the name stands for the first number that is free. A learner makes the steps instead of SB3's own loop.
    """
    check_tensorboard()
    refuse_existing(root / check_run_name(name.replace("*", "1")), name)
    check_writable(root)
    evaluator, session = training_of(config).evaluator(config), open_session(config)
    if config.begin_from:
        _begin(session, find_beginning(config.begin_from, root), report)
    run = new_folder(root, name)
    with RunLock(run), StopSignals() as stop:
        write_run(run, config, training_of(config).physics_fingerprint(config))
        return _Training(session, evaluator, run, stop, report).result(watchers, learner or learn_here)


def resume(
    run: Path,
    report: Report = LOG.info,
    steps: int | None = None,
    watchers: Sequence[BaseCallback] = (),
    learner: Learner | None = None,
    at: int | None = None,
) -> TrainingResult:
    """Go on with a run from its newest whole checkpoint, as if it had never stopped; `steps` sets a new end.

    With `at`, from the checkpoint of that step, as if it had never gone beyond it: later ones go with the next save.
    """
    if not is_run(run):
        raise RunFolderError(f"{run} is no run: it has no {RUN_DOCUMENT}. Run `hotlap runs` to see what there is.")
    check_tensorboard()
    with RunLock(run):
        check_no_links(run)
        config, trained_in = _read_run(run)
        _check_fingerprint(run, trained_in, training_of(config).physics_fingerprint(config))
        check_writable(run)
        session = _session(config if steps is None else with_steps(config, steps), run, report, at)
        if steps is not None:
            _check_goal(steps, session.step)
            write_run(run, session.config, trained_in)
        with StopSignals() as stop:
            evaluator = training_of(config).evaluator(config)
            return _Training(session, evaluator, run, stop, report).result(watchers, learner or learn_here)


def _begin(session: TrainingSession, beginning: Beginning, report: Report) -> None:
    """Give a new run the weights and the normaliser of another."""
    begin_with(session, beginning)
    report(f"beginning with the weights of {beginning.source}. {beginning.missing}".rstrip())


def refuse_existing(run: Path, name: str) -> None:
    """Refuse a name that is taken."""
    if "*" not in name and os.path.lexists(run) and not _was_never_begun(run):
        raise RunFolderError(
            f'{run}: exists already. Continue it with "hotlap resume {run}", or choose another name with --name.'
        )


def new_folder(root: Path, name: str) -> Path:
    """The run's folder; of two trainers that begin together, each gets a number of its own."""
    while True:
        chosen = free_name(name, root)
        if _was_never_begun(root / chosen):
            return root / chosen
        try:
            return new_run_folder(root, chosen)
        except RunFolderError:
            if chosen == name or not (root / chosen).exists():
                raise


def _was_never_begun(run: Path) -> bool:
    """Whether a folder is all that a trainer left that was killed before it could write down what it was to do."""
    return run.is_dir() and {path.name for path in run.iterdir()} <= NEVER_BEGUN


def write_run(run: Path, config: TrainConfig, fingerprint: str) -> None:
    """Say what a run is: its settings, its physics, the version that made it."""
    document = {"config": config_document(config), "physics_fingerprint": fingerprint, "hotlap": __version__}
    write_run_document(run, document)


def _read_run(run: Path) -> tuple[TrainConfig, str]:
    """What a run was started with: its settings and its physics."""
    document = read_run_document(run)
    return config_from_document(document["config"]), str(document["physics_fingerprint"])


def _check_fingerprint(run: Path, trained_in: str, ours: str) -> None:
    if trained_in != ours:
        raise CheckpointError(
            f"{run} was trained in physics {trained_in}, and this is physics {ours}: "
            "its driver would not be the same. Train a new run, or install the version of hotlap it was trained with."
        )


def _check_goal(steps: int, made: int) -> None:
    if steps <= made:
        raise ConfigError(f"the run has made {made:,} steps already; --steps {steps} must be more than that.")


def _session(config: TrainConfig, run: Path, report: Report, at: int | None) -> TrainingSession:
    """The run as its newest checkpoint or another has it, or at its beginning where it never came to save one."""
    try:
        checkpoint = newest_checkpoint(run, report) if at is None else checkpoint_at(run, at)
    except CheckpointError:
        if at is not None or any(run.glob(f"{CHECKPOINTS}/step-*")):
            raise
        if config.begin_from:
            raise CheckpointError(
                f"{run} was stopped before it had saved the weights of {config.begin_from}. Train it again."
            ) from None
        report(f"{run} has no checkpoint yet, and begins again at step 0 of {config.steps:,}")
        return open_session(config)
    _check_configuration(run, config, checkpoint)
    session = restore_session(config, checkpoint)
    report(f"going on with {run} at step {session.step:,} of {config.steps:,}")
    if later := checkpoints_after(run, session.step):
        names = ", ".join(f"{step_of(path) or 0:,}" for path in later)
        report(f"its later checkpoints ({names}) go when the next one is saved")
    return session


def _check_configuration(run: Path, config: TrainConfig, checkpoint: Checkpoint) -> None:
    """A checkpoint of this run was saved with this run's configuration; only the number of steps may have changed."""
    saved = config_from_document(checkpoint.documents.get("config", {}))
    saved, wanted = with_steps(saved, saved.steps), with_steps(config, saved.steps)
    if saved == wanted:
        return
    ours, theirs = config_document(wanted), config_document(saved)
    key = next(key for key in ours if ours[key] != theirs[key])
    folder = run / CHECKPOINTS / step_folder_name(checkpoint.step)
    raise CheckpointError(
        f"{folder}: is of another training: its {key} is {theirs[key]!r:.80}, "
        f"and {RUN_DOCUMENT} says {ours[key]!r:.80}. "
        "Remove that folder to resume from the checkpoint before it, or start another run."
    )


class _Training:
    """A run that is being trained."""

    def __init__(
        self, session: TrainingSession, evaluator: PolicyEvaluator, run: Path, stop: StopSignals, report: Report
    ) -> None:
        self.session = session
        self.stop = stop
        self.run = run
        self.report = report
        self.run_callback = RunCallback(session, evaluator, run, stop, report)

    def result(self, watchers: Sequence[BaseCallback], learner: Learner) -> TrainingResult:
        """Learn what is left to learn, with everything kept."""
        began_s, first_step = time.monotonic(), self.session.step
        finished = self._learn(watchers, learner)
        if not finished:
            self.report(f"stopped at step {self.session.step:,}; go on with: hotlap resume {_shown(self.run)}")
        return TrainingResult(
            run=self.run,
            step=self.session.step,
            steps_made=self.session.step - first_step,
            seconds=time.monotonic() - began_s,
            stopped_by=None if finished else self.stop.number,
            best=self.run_callback.best,
            config=self.session.config,
        )

    def _learn(self, watchers: Sequence[BaseCallback], learner: Learner) -> bool:
        """Until the last step, which is True, or a signal."""
        session, run_callback = self.session, self.run_callback
        bar = ProgressBar(session)
        try:
            session.logger.open(self.run / TENSORBOARD_FOLDER, session.step, self.report)
            callbacks = [session.metrics, *session.schedules, *watchers, bar, run_callback]
            self._learn_steps(learner, CallbackList(callbacks))
            run_callback.finish()
        except StopRequestedError:
            return False
        except DeadlineError:
            run_callback.rescue()
            return False
        finally:
            bar.close()
            session.logger.close()
        return not self.stop.requested  # a signal in the last evaluation: the run is saved, and nothing more is done

    def _learn_steps(self, learner: Learner, callbacks: CallbackList) -> None:
        try:
            learner(self.session, callbacks)
        except ValueError as error:
            # torch refuses to draw actions from a distribution that is none, in the middle of an update.
            self.run_callback.check_weights(broke="satisfy the constraint" in str(error))
            raise


def learn_here(session: TrainingSession, callbacks: CallbackList) -> None:
    """SB3's own loop. It goes on with its counters, and resets the cars only where there is no last observation."""
    session.model.learn(session.config.steps - session.step, callbacks, reset_num_timesteps=False)


def _shown(run: Path) -> str:
    """The run as a person would type it from here."""
    return os.path.relpath(run) if run.is_relative_to(Path.cwd()) else str(run)
