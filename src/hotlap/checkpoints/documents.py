"""Small files of a run, such as `run.json` and `best.json`, that are always whole."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotlap.checkpoints.bounded_json import encode_object, parse_object
from hotlap.checkpoints.disk import read_small_file
from hotlap.checkpoints.manifest import MOST_DOCUMENT_BYTES
from hotlap.errors import CheckpointError, CheckpointWriteError
from hotlap.whole_files import reason, replace_file


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Write a JSON object in one step: readers see the old file or the new one, and a failure leaves the old one."""
    data = encode_object(document, Path(path).name)
    if len(data) > MOST_DOCUMENT_BYTES:
        raise CheckpointError(f"{path}: {len(data)} bytes are too many: a document has at most {MOST_DOCUMENT_BYTES}.")
    write_file(path, data)


def write_file(path: Path, data: bytes) -> None:
    """Write any bytes in one step, as `write_document` does."""
    try:
        replace_file(Path(path), data)
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
