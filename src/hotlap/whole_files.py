"""Files and folders that appear whole or not at all: the one writer of the house, with its caller's error."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hotlap.errors import HotlapError
from hotlap.systems import CLOSED_IN_CHILDREN, FOLDER, OPENED, RENAMES_OPEN_FILES, wait_for_lock

Chunk = memoryview | bytes
CHUNK_BYTES = 1 << 22


def write_whole_file(path: Path, content: bytes, *, force: bool, error: type[HotlapError]) -> None:
    """Write a file in one step: readers see the old one or the new one, and a failure leaves the old one as it was.

    An existing file is only replaced with `force`; the folder is made where it is missing.
    """
    refuse_to_overwrite(path, force=force, error=error)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
    except (OSError, ValueError) as problem:
        raise error(f"{path}: cannot be written ({reason(problem)}). Choose a place where you may write.") from problem


@contextlib.contextmanager
def whole_folder(path: Path, *, force: bool, error: type[HotlapError]) -> Iterator[Path]:
    """A new folder to fill, which gets its name when that is done; a failure leaves what had the name before.

    An existing folder is only replaced, with all that is in it, with `force`.
    """
    refuse_to_replace(path, force=force, error=error)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _folder_beside(path) as beside:
            unfinished = Path(beside).resolve() / "unfinished"
            unfinished.mkdir()
            yield unfinished
            _put_folder_in_place(unfinished, path)
    except OSError as problem:
        raise error(f"{path}: cannot be written ({reason(problem)}). Choose a place where you may write.") from problem


def _folder_beside(path: Path) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent, ignore_cleanup_errors=True)


def _put_folder_in_place(unfinished: Path, path: Path) -> None:
    """Two names change: first that of the old folder, which comes back when the second cannot change."""
    replaced = unfinished.with_name("replaced")
    if path.exists():
        path.rename(replaced)
    try:
        unfinished.rename(path)
    except OSError:
        if replaced.exists():
            replaced.rename(path)
        raise
    sync_folder(path.parent)


def refuse_to_replace(path: Path, *, force: bool, error: type[HotlapError]) -> None:
    """Raise the error when no folder may be put here: a file has the name, or a folder that is to be kept."""
    if path.exists() and not path.is_dir():
        raise error(f"{path}: is a file. Name a folder.")
    if path.exists() and not force:
        raise error(f"{path}: exists already. Use --force to replace it, or choose another name.")


def refuse_to_overwrite(path: Path, *, force: bool, error: type[HotlapError]) -> None:
    """Raise the error when the path is taken and may not be replaced."""
    if path.is_dir():
        raise error(f"{path}: is a folder. Name a file in it.")
    if path.exists() and not force:
        raise error(f"{path}: exists already. Use --force to replace it, or choose another name.")


def replace_file(path: Path, data: bytes) -> None:
    """Put bytes in the place of a file, on the disk before the name changes."""
    unfinished = path.with_name(f".{path.name}.saving")
    descriptor = _locked(unfinished)
    try:
        os.ftruncate(descriptor, 0)
        write_all(descriptor, data)
        os.fsync(descriptor)
        if RENAMES_OPEN_FILES:
            _put_in_place(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            if is_at(descriptor, unfinished):
                unfinished.unlink()
        raise
    finally:
        os.close(descriptor)
    if not RENAMES_OPEN_FILES:
        _put_in_place(unfinished, path)


def _put_in_place(unfinished: Path, path: Path) -> None:
    unfinished.replace(path)
    sync_folder(path.parent)


def _locked(unfinished: Path) -> int:
    """The one temporary file of a document, to ourselves: a killed writer leaves nothing that would pile up."""
    while True:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | OPENED, 0o666)
        try:
            wait_for_lock(descriptor)
            if is_at(descriptor, unfinished):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def is_at(descriptor: int, path: Path) -> bool:
    """Whether an opened file is the one that a path leads to now; another may have been put there meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except (FileNotFoundError, NotADirectoryError):
        return False


def write_all(descriptor: int, chunk: Chunk) -> int:
    """Write every byte, however many calls that takes; returns how many there were."""
    rest = memoryview(chunk)
    while rest:
        rest = rest[os.write(descriptor, rest[:CHUNK_BYTES]) :]
    return len(chunk)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    if FOLDER is None:
        return
    # A run may be named by a link; whether it may be written to is asked before.
    descriptor = os.open(folder, os.O_RDONLY | FOLDER | CLOSED_IN_CHILDREN)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def reason(problem: Exception) -> str:
    """Why the system refused, in its own words, without the number and the path."""
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
