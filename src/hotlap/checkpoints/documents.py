"""Small files of a run, such as `run.json` and `best.json`, that are always whole."""

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotlap.checkpoints.bounded_json import encode_object, parse_object
from hotlap.checkpoints.disk import read_small_file, reason, sync_folder, write_all
from hotlap.checkpoints.manifest import MOST_DOCUMENT_BYTES
from hotlap.errors import CheckpointError, CheckpointWriteError


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Write a JSON object in one step: readers see the old file or the new one, and a failure leaves the old one."""
    data = encode_object(document, Path(path).name)
    if len(data) > MOST_DOCUMENT_BYTES:
        raise CheckpointError(f"{path}: {len(data)} bytes are too many: a document has at most {MOST_DOCUMENT_BYTES}.")
    write_file(path, data)


def write_file(path: Path, data: bytes) -> None:
    """Write any bytes in one step, as `write_document` does."""
    try:
        _replace(Path(path), data)
    except (OSError, ValueError) as problem:
        raise CheckpointWriteError(
            f"{path}: cannot be written ({reason(problem)}). What was there is untouched. "
            "Make room or give permission there."
        ) from problem


def read_document(path: Path) -> dict[str, Any]:
    """The JSON object in a file that `write_document` wrote; anything else is a CheckpointError."""
    path = Path(path)
    try:
        return parse_object(read_small_file(None, str(path), MOST_DOCUMENT_BYTES), str(path))
    except OSError as problem:
        raise CheckpointError(f"{path}: cannot be read ({reason(problem)}). Is this the folder of a run?") from problem
    except ValueError as problem:
        raise CheckpointError(f"{problem} Restore it from a copy, or start a new run.") from problem


def _replace(path: Path, data: bytes) -> None:
    unfinished = path.with_name(f".{path.name}.saving")
    descriptor = _locked(unfinished)
    try:
        os.ftruncate(descriptor, 0)
        write_all(descriptor, data)
        os.fsync(descriptor)
        unfinished.replace(path)
        sync_folder(path.parent)
    finally:
        os.close(descriptor)


def _locked(unfinished: Path) -> int:
    """The one temporary file of a document, to ourselves: a killed writer leaves nothing that would pile up."""
    while True:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, unfinished):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """False when another writer has renamed the file into place while we waited: then it is not ours to write."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
