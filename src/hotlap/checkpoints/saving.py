"""Saving a checkpoint: whole and on the disk, or not at all."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from hotlap.checkpoints.bounded_json import encode_object
from hotlap.checkpoints.checkpoint import Checkpoint
from hotlap.checkpoints.disk import discard, remove_tree, write_synced
from hotlap.checkpoints.lock import check_held
from hotlap.checkpoints.manifest import MOST_FILES, check_size, encode_manifest, new_manifest
from hotlap.checkpoints.names import (
    CHECKPOINTS,
    DOCUMENT_SUFFIX,
    MANIFEST,
    REMOVING,
    REPLACED,
    SAVING,
    TENSORS_SUFFIX,
    check_file_name,
    step_folder_name,
)
from hotlap.checkpoints.tensor_files import MOST_HEADER_BYTES, encode_tensors
from hotlap.errors import CheckpointError, CheckpointWriteError
from hotlap.whole_files import Chunk, reason, sync_folder

Contents = dict[str, Iterable[Chunk]]


def save_checkpoint(run: Path, checkpoint: Checkpoint) -> Path:
    """Write the checkpoint into the run; returns its folder once that is whole and on the disk.

    A checkpoint of the same step is replaced. Until the new one is complete the old ones stay as they were, also
    when this fails. Call it while holding the run's lock, and leave the arrays alone until it returns.
    """
    folder = Path(run) / CHECKPOINTS
    target = folder / step_folder_name(checkpoint.step)
    unfinished = folder / (SAVING + target.name)
    contents = _encode(checkpoint)
    check_held(run)
    try:
        _make_folder(folder)
        clear_leftovers(folder)
        _write_files(unfinished, checkpoint.step, contents)
        check_held(run)
        _publish(unfinished, target)
    except (OSError, ValueError) as problem:
        with contextlib.suppress(OSError, ValueError):
            remove_tree(unfinished)
        raise CheckpointWriteError(
            f"{target}: cannot be saved ({reason(problem)}). The checkpoints before it are untouched. "
            "Make room or give permission there; the next save tries again."
        ) from problem
    return target


def clear_leftovers(folder: Path) -> None:
    """Remove what a killed process left half written or half removed."""
    for entry in list(os.scandir(folder)):
        if entry.name.startswith((SAVING, REMOVING)):
            remove_tree(Path(entry.path))


def _encode(checkpoint: Checkpoint) -> Contents:
    """File name -> chunks; all that can be wrong with the checkpoint is found here, before anything is written."""
    parts = [*_tensor_files(checkpoint), *_documents(checkpoint), *_verbatim_files(checkpoint)]
    contents = dict(parts)
    if len(parts) > MOST_FILES:
        raise CheckpointError(f"a checkpoint of {len(parts)} files is too much: put them into at most {MOST_FILES}.")
    return contents


def _tensor_files(checkpoint: Checkpoint) -> Iterable[tuple[str, Iterable[Chunk]]]:
    for group, tensors in checkpoint.tensors.items():
        name = check_file_name(f"{group}{TENSORS_SUFFIX}")
        chunks = encode_tensors(tensors, name)
        check_size(name, MOST_HEADER_BYTES + sum(array.nbytes for array in tensors.values()))
        yield name, chunks


def _documents(checkpoint: Checkpoint) -> Iterable[tuple[str, Iterable[Chunk]]]:
    for title, document in checkpoint.documents.items():
        name = check_file_name(f"{title}{DOCUMENT_SUFFIX}")
        data = encode_object(document, name)
        check_size(name, len(data))
        yield name, [data]


def _verbatim_files(checkpoint: Checkpoint) -> Iterable[tuple[str, Iterable[Chunk]]]:
    for name, data in checkpoint.files.items():
        if check_file_name(name).endswith((TENSORS_SUFFIX, DOCUMENT_SUFFIX)):
            raise CheckpointError(f"{name} cannot be kept byte for byte: that ending belongs to tensors or documents.")
        check_size(name, len(data))
        yield name, [bytes(data)]


def _make_folder(folder: Path) -> None:
    if folder.is_symlink():
        raise NotADirectoryError(f"{folder} is a link, and must be a folder")
    if not folder.is_dir():
        folder.mkdir()
        sync_folder(folder.parent)


def _write_files(unfinished: Path, step: int, contents: Contents) -> None:
    """All files, the manifest last, and their names, on the disk."""
    unfinished.mkdir()
    entries = {name: write_synced(unfinished / name, chunks) for name, chunks in contents.items()}
    write_synced(unfinished / MANIFEST, [encode_manifest(new_manifest(step, entries))])
    sync_folder(unfinished)


def _publish(unfinished: Path, target: Path) -> None:
    """Give the finished folder its name; one of the same name steps aside first and stays loadable until then."""
    aside = target.with_name(target.name + REPLACED)
    if os.path.lexists(target):
        discard(aside)
        target.rename(aside)
        sync_folder(target.parent)
    unfinished.rename(target)
    sync_folder(target.parent)
    with contextlib.suppress(OSError):  # saved it is; what stepped aside goes with a later save or pruning
        discard(aside)
