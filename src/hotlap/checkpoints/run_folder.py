"""The folder of a run: made once, under a harmless name, where there is room to write."""

import os
import shutil
import tempfile
from pathlib import Path

from hotlap.checkpoints.names import check_run_name
from hotlap.errors import RunFolderError
from hotlap.whole_files import reason, sync_folder

LEAST_FREE_BYTES = 1 << 26


def new_run_folder(root: Path, name: str) -> Path:
    """Make and return the folder `root/name`; one that exists is refused."""
    run = Path(root) / check_run_name(name)
    _make_root(run.parent)
    try:
        run.mkdir()
        sync_folder(run.parent)
    except FileExistsError as problem:
        raise RunFolderError(
            f'{run}: exists already. Continue it with "hotlap resume {run}", or choose another name with --name.'
        ) from problem
    except OSError as problem:
        raise _not_writable(run, problem) from problem
    return run


def check_writable(folder: Path, needed_bytes: int = LEAST_FREE_BYTES) -> None:
    """Raise a RunFolderError unless files can be written in this folder, which is made where it is missing."""
    folder = Path(folder)
    _make_root(folder)
    try:
        free_bytes = shutil.disk_usage(folder).free
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(4096))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as problem:
        raise _not_writable(folder, problem) from problem
    if free_bytes < needed_bytes:
        free_mb, needed_mb = free_bytes / 1e6, needed_bytes / 1e6
        raise RunFolderError(
            f"{folder}: only {free_mb:,.0f} MB are free, and a run needs {needed_mb:,.0f} MB. Make room."
        )


def _make_root(root: Path) -> None:
    try:
        missing = [folder for folder in (root, *root.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            sync_folder(folder.parent)
    except (OSError, ValueError) as problem:
        raise _not_writable(root, problem) from problem


def _not_writable(folder: Path, problem: Exception) -> RunFolderError:
    return RunFolderError(
        f"{folder}: cannot be written ({reason(problem)}). Choose a place with room where you may write."
    )
