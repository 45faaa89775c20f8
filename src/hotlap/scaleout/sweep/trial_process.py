"""One training of a sweep in a process of its own: begins or goes on, looks at the others, says how it ends.

`python -m hotlap.scaleout.sweep.trial_process SWEEP NAME` is started by a sweep, never by hand. How far it is stands
in the sweep's folder. It stops, saved, when its standard input closes: then whoever started it is gone.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

from hotlap.checkpoints import (
    list_checkpoints,
    newest_checkpoint,
    save_checkpoint,
    step_of,
)
from hotlap.checkpoints.disk import discard
from hotlap.checkpoints.run_files import is_run, read_run_document, write_run_document
from hotlap.errors import CheckpointError, HotlapError, RunLockedError
from hotlap.scaleout.sweep.early_stopping import EarlyStopping, TakeOver
from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.search import nested
from hotlap.scaleout.training_process import stop_when_alone
from hotlap.settings import merged
from hotlap.training.config import config_document, config_from_document
from hotlap.training.train import TrainingResult, resume, train

PATIENCE_S = 20.0
"""How long to wait for a run that another process still holds: one that lost its starter is saving."""
RETRY_S = 0.2


def main(arguments: list[str]) -> int:
    """Train until the run is over, or a signal; 0 when it is over."""
    folder, name = SweepFolder(Path(arguments[0])), arguments[1]
    stop_when_alone()
    try:
        return _follow(folder, name)
    except HotlapError as error:
        _log(str(error))
        return 2


def _follow(folder: SweepFolder, name: str) -> int:
    """Train, and train again with what was taken over, until the end."""
    folder.set_state(name, "running")
    while True:
        early_stopping = EarlyStopping(folder, name)
        result = _trained(folder, name, early_stopping)
        if result.stopped_by is None or isinstance(early_stopping.decision, str):
            return _ended(folder, name, result)
        if early_stopping.decision is None:
            return 128 + result.stopped_by
        take_over(folder, name, early_stopping.decision)


def _ended(folder: SweepFolder, name: str, result: TrainingResult) -> int:
    folder.set_state(name, "finished" if result.stopped_by is None else "stopped early")
    return 0


def _trained(folder: SweepFolder, name: str, early_stopping: EarlyStopping) -> TrainingResult:
    """A `hotlap train` from the beginning, or a `hotlap resume` where the run was begun."""
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            if is_run(folder.runs / name):
                finish_take_over(folder.runs / name)
                return resume(folder.runs / name, _log, watchers=[early_stopping])
            return train(folder.record(name).trial.config, name, folder.runs, _log, watchers=[early_stopping])
        except RunLockedError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(RETRY_S)


def take_over(folder: SweepFolder, name: str, succession: TakeOver) -> None:
    """Put another run's newest checkpoint into this run, with settings of its own to go on with."""
    run = folder.runs / name
    checkpoint = newest_checkpoint(folder.runs / succession.donor, _log)
    document = read_run_document(run)
    config = merged(config_from_document(document["config"]), nested(succession.point), "population")
    taken = replace(checkpoint, documents={**checkpoint.documents, "config": config_document(config)})
    kept = save_checkpoint(run, taken)
    # In this order: cut off anywhere, the run never goes on from weights of its own with the settings for another's.
    for path in list_checkpoints(run):
        if path != kept and (step_of(path) or 0) > checkpoint.step:
            discard(path)
    write_run_document(run, {**document, "config": config_document(config)})
    record = folder.record(name)
    note = {"step": checkpoint.step, "from": succession.donor, "point": succession.point}
    folder.write(replace(record, taken_over=(*record.taken_over, note)))
    _log(f"takes over {succession.donor} at step {checkpoint.step:,}")


def finish_take_over(run: Path) -> None:
    """Give a run the settings of its newest checkpoint: a take-over may have been cut off between the two."""
    try:
        config = newest_checkpoint(run, _log).documents["config"]
    except (CheckpointError, KeyError):
        return  # resuming says what is wrong
    document = read_run_document(run)
    if {**document["config"], "steps": 0} != {**config, "steps": 0}:
        write_run_document(run, {**document, "config": {**config, "steps": document["config"]["steps"]}})


def _log(message: str) -> None:
    sys.stderr.write(message + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
