"""The checkpoints of one run: which there are, the newest that is intact, and which may go."""

import stat
from collections.abc import Callable, Collection
from pathlib import Path

from hotlap.checkpoints.checkpoint import Checkpoint
from hotlap.checkpoints.disk import discard
from hotlap.checkpoints.loading import load_checkpoint, verify_checkpoint
from hotlap.checkpoints.lock import check_held
from hotlap.checkpoints.names import CHECKPOINTS, MANIFEST, SAVING, age_key, step_folder_name, step_of
from hotlap.checkpoints.saving import clear_leftovers
from hotlap.errors import CheckpointError, CheckpointWriteError
from hotlap.whole_files import reason


def list_checkpoints(run: Path) -> list[Path]:
    """The folders of the run's checkpoints, oldest first, without those that are visibly unfinished."""
    return [path for path in _step_folders(run) if _looks_complete(path)]


def has_checkpoint(run: Path, step: int) -> bool:
    """Whether the run has a checkpoint of this step that looks complete."""
    return _looks_complete(Path(run) / CHECKPOINTS / step_folder_name(step))


def newest_checkpoint(run: Path, report: Callable[[str], None]) -> Checkpoint:
    """The newest checkpoint that is intact; a line to `report` for each newer one that had to be skipped."""
    for path in sorted([*_step_folders(run), *_unfinished(run)], key=_age, reverse=True):
        if path.name.startswith(SAVING):
            report(f"skipped {_published(path)}: is half written, because the run was stopped while saving it.")
            continue
        try:
            return load_checkpoint(path)
        except CheckpointError as problem:
            report(f"skipped {problem}")
    raise CheckpointError(f'{run}: has no intact checkpoint. Name another run, or start one with "hotlap train".')


def checkpoint_at(run: Path, step: int) -> Checkpoint:
    """The checkpoint of a certain step; where it is not kept, the error says which are."""
    if has_checkpoint(run, step):
        return load_checkpoint(Path(run) / CHECKPOINTS / step_folder_name(step))
    kept = ", ".join(str(step_of(path)) for path in list_checkpoints(run))
    raise CheckpointError(f"{run}: has no checkpoint of step {step}. Kept: {kept or 'none'}.")


def checkpoints_after(run: Path, step: int) -> list[Path]:
    """The folders of checkpoints of later steps, oldest first."""
    return [path for path in list_checkpoints(run) if (step_of(path) or 0) > step]


def discard_checkpoints_after(run: Path, step: int) -> None:
    """Remove the checkpoints of later steps: the run went back to before them, and goes on another way."""
    check_held(run)
    try:
        for path in reversed(checkpoints_after(run, step)):
            discard(path)
    except OSError as problem:
        raise CheckpointWriteError(
            f"{run}: later checkpoints cannot be removed ({reason(problem)}). Give permission there."
        ) from problem


def prune_checkpoints(run: Path, keep_last: int, keep: Collection[int] = ()) -> None:
    """Remove all checkpoints but the last few, the steps in `keep`, and the newest that is intact."""
    if keep_last < 1:
        raise CheckpointError(f"keeping the last {keep_last} checkpoints would leave nothing. Keep at least 1.")
    check_held(run)
    paths = list_checkpoints(run)
    doomed = [path for path in paths[:-keep_last] if step_of(path) not in keep]
    if not doomed:
        return
    newest_intact = next((path for path in reversed(paths) if _is_intact(path)), None)
    try:
        clear_leftovers(Path(run) / CHECKPOINTS)
        for path in doomed:
            if path != newest_intact:
                discard(path)
    except OSError as problem:
        raise CheckpointWriteError(
            f"{run}: old checkpoints cannot be removed ({reason(problem)}). Give permission there."
        ) from problem


def _step_folders(run: Path) -> list[Path]:
    """Everything named like a checkpoint, oldest first."""
    return sorted((path for path in folder_entries(Path(run) / CHECKPOINTS) if step_of(path) is not None), key=age_key)


def _unfinished(run: Path) -> list[Path]:
    return [
        path
        for path in folder_entries(Path(run) / CHECKPOINTS)
        if path.name.startswith(SAVING) and step_of(_published(path)) is not None
    ]


def folder_entries(folder: Path) -> list[Path]:
    """What is in a folder of a run, nothing where there is none; never through a link."""
    try:
        if folder.is_symlink():
            raise CheckpointError(f"{folder}: is a link. Put the folder itself there.")
        return list(folder.iterdir()) if folder.is_dir() else []
    except OSError as problem:
        raise CheckpointError(f"{folder}: cannot be read ({reason(problem)}). Give permission there.") from problem


def _published(unfinished: Path) -> Path:
    return unfinished.with_name(unfinished.name.removeprefix(SAVING))


def _age(path: Path) -> tuple[int, bool]:
    return age_key(_published(path))


def _looks_complete(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode) and stat.S_ISREG((path / MANIFEST).lstat().st_mode)
    except OSError:
        return False


def _is_intact(path: Path) -> bool:
    try:
        verify_checkpoint(path)
    except CheckpointError:
        return False
    return True
