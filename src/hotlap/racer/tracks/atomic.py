"""Files that appear whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path

from hotlap.errors import TrackError


def write_whole_file(path: Path, content: bytes, *, force: bool) -> None:
    """Write a file in one step: readers see the old one or the new one, and a failure leaves the old one as it was.

    An existing file is only replaced with `force`; the folder is made where it is missing.
    """
    try:
        refuse_to_overwrite(path, force=force)
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content)
    except (OSError, ValueError) as problem:
        if isinstance(problem, TrackError):
            raise
        raise TrackError(f"{path}: cannot be written ({problem}). Choose a place where you may write.") from problem


def refuse_to_overwrite(path: Path, *, force: bool) -> None:
    """Raise a TrackError when the path is taken and may not be replaced."""
    if path.is_dir():
        raise TrackError(f"{path}: is a folder. Name a file in it.")
    if path.exists() and not force:
        raise TrackError(f"{path}: exists already. Use --force to replace it, or choose another name.")


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
