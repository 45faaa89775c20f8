"""Loading a checkpoint: intact or refused, and never more than numbers and text."""

from pathlib import Path

from hotlap.checkpoints.bounded_json import parse_object
from hotlap.checkpoints.checkpoint import Checkpoint
from hotlap.checkpoints.disk import Bytes, Folder, opened_folder, read_small_file, read_verified, verify_file
from hotlap.checkpoints.manifest import MOST_MANIFEST_BYTES, Manifest, parse_manifest
from hotlap.checkpoints.names import DOCUMENT_SUFFIX, MANIFEST, TENSORS_SUFFIX, step_folder_name, step_of
from hotlap.checkpoints.tensor_files import parse_tensors
from hotlap.errors import CheckpointError

LONGEST_REASON = 400
_REFUSED = (CheckpointError, OSError, ValueError, MemoryError)


def load_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in this folder, every file checked against the manifest; otherwise a CheckpointError.

    Nothing in a checkpoint is ever executed. The arrays may be written to: they belong to the caller.
    """
    path = Path(path)
    try:
        with opened_folder(path) as folder:
            manifest = _read_manifest(path, folder)
            contents = {name: read_verified(folder, name, entry) for name, entry in manifest.files.items()}
        return _decode(manifest, contents)
    except _REFUSED as problem:
        raise _refusal(path, problem) from problem


def verify_checkpoint(path: Path) -> None:
    """Raise a CheckpointError unless every file is what the manifest says; needs little memory."""
    path = Path(path)
    try:
        with opened_folder(path) as folder:
            for name, entry in _read_manifest(path, folder).files.items():
                verify_file(folder, name, entry)
    except _REFUSED as problem:
        raise _refusal(path, problem) from problem


def _read_manifest(path: Path, folder: Folder) -> Manifest:
    manifest = parse_manifest(read_small_file(folder, MANIFEST, MOST_MANIFEST_BYTES))
    if manifest.step != step_of(path):
        expected = step_folder_name(manifest.step)
        raise CheckpointError(f"its manifest is of step {manifest.step}, whose folder is named {expected}.")
    return manifest


def _decode(manifest: Manifest, contents: dict[str, Bytes]) -> Checkpoint:
    tensors, documents, files = {}, {}, {}
    for name, content in contents.items():
        if name.endswith(TENSORS_SUFFIX):
            tensors[name.removesuffix(TENSORS_SUFFIX)] = parse_tensors(content, name)
        elif name.endswith(DOCUMENT_SUFFIX):
            documents[name.removesuffix(DOCUMENT_SUFFIX)] = parse_object(content.tobytes(), name)
        else:
            files[name] = content.tobytes()
    return Checkpoint(step=manifest.step, tensors=tensors, documents=documents, files=files)


def _refusal(path: Path, problem: Exception) -> CheckpointError:
    """One line about the folder, whatever the reason."""
    if isinstance(problem, MemoryError):
        why = "it does not fit into memory."
    elif isinstance(problem, OSError):
        why = f"{problem.filename or path.name}: {problem.strerror}."
    else:
        why = str(problem)
    return CheckpointError(f"{path}: is not an intact checkpoint: {_one_line(why)} Use another of the same run.")


def _one_line(text: str) -> str:
    """The text without what a hostile file could have put into it: line ends, control characters, great length."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:LONGEST_REASON])
    return shown if len(text) <= LONGEST_REASON else shown + "..."
