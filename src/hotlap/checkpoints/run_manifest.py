"""The files that stand beside a run's checkpoints, each with its hash in the run's manifest, and no links among them.

The manifest is written before a file is replaced and lists both contents, the new one and the one before. So a process
may be killed at any moment, and whoever reads the file first and the manifest then finds the two in agreement.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from hotlap.checkpoints.bounded_json import check_depth, encode_object, parse_object
from hotlap.checkpoints.disk import opened_folder, read_small_file, verify_file
from hotlap.checkpoints.documents import write_file
from hotlap.checkpoints.lock import check_held
from hotlap.checkpoints.manifest import (
    MOST_DOCUMENT_BYTES,
    MOST_MANIFEST_BYTES,
    MOST_VERBATIM_BYTES,
    FileEntry,
    Sha256,
)
from hotlap.checkpoints.names import BEST_DOCUMENT, MANIFEST, PAST, POLICY_FILE, RUN_DOCUMENT
from hotlap.errors import CheckpointError, CheckpointWriteError, RunFolderError
from hotlap.whole_files import reason

VERSION = 1
KEPT_ENTRIES = 2
MOST_FILES = 128
_COVERED = re.compile(rf"run\.json|best\.json|policy\.onnx|{PAST}/step-[0-9]{{12}}\.onnx")

Entries = dict[str, Annotated[list[FileEntry], msgspec.Meta(min_length=1, max_length=KEPT_ENTRIES)]]


class RunManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the files beside the checkpoints must be."""

    format: Literal["hotlap-run"]
    """Always this word."""
    version: Annotated[int, msgspec.Meta(ge=1, le=VERSION)]
    """Of the format; 1 is the only one so far."""
    sha256: Sha256
    """Of `files` as compact JSON: damage to the manifest itself is found, too."""
    files: Annotated[Entries, msgspec.Meta(max_length=MOST_FILES)]
    """By name, the content a file was given last, and the one before."""


def write_covered_file(run: Path, name: str, data: bytes) -> None:
    """Write a file of a run in one step, its hash before it."""
    run = Path(run)
    check_held(run)
    try:
        entries = _read_entries(run)
    except CheckpointError as problem:
        raise CheckpointWriteError(str(problem)) from problem
    entry = FileEntry(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    if entries.get(name, [])[:1] != [entry]:
        entries[name] = [entry, *entries.get(name, [])][:KEPT_ENTRIES]
        write_file(run / MANIFEST, _encoded(entries))
    write_file(run / name, data)


def write_covered_document(run: Path, name: str, document: Mapping[str, Any]) -> None:
    """Write a JSON object of a run in one step, its hash before it."""
    write_covered_file(run, name, encode_object(document, name))


def read_covered_file(run: Path, name: str, most_bytes: int = MOST_VERBATIM_BYTES) -> bytes:
    """The bytes of a file of a run, as they were written; damage, links and great size are a CheckpointError."""
    run = Path(run)
    try:
        data = read_small_file(None, str(run / name), most_bytes)
        entries = _read_entries(run).get(name)
    except OSError as problem:
        raise CheckpointError(
            f"{run / name}: cannot be read ({reason(problem)}). Is this the folder of a run?"
        ) from problem
    if entries and FileEntry(bytes=len(data), sha256=hashlib.sha256(data).hexdigest()) not in entries:
        raise CheckpointError(_damage(run, name))
    return data


def read_covered_document(run: Path, name: str) -> dict[str, Any]:
    """The JSON object in a file of a run, as it was written."""
    data = read_covered_file(run, name, MOST_DOCUMENT_BYTES)
    try:
        return parse_object(data, str(Path(run) / name))
    except CheckpointError as problem:
        raise CheckpointError(f"{problem} Restore it from a copy, or start a new run.") from problem


def check_run(run: Path) -> None:
    """Raise unless a run's folder holds no link and every file beside the checkpoints is as it was written."""
    check_no_links(run)
    for name, entries in _read_entries(Path(run)).items():
        if not _is_one_of(Path(run), name, entries):
            raise CheckpointError(_damage(Path(run), name))


def check_no_links(run: Path) -> None:
    """Raise a RunFolderError if anything in a run's folder is a link: it could lead anywhere."""
    for path in _links(Path(run)):
        raise RunFolderError(f"{path}: is a link, and a run holds none. Put the file or folder itself there.")


def _links(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # what cannot be listed is not followed either
    for entry in entries:
        if entry.is_symlink():
            yield Path(entry.path)
        elif entry.is_dir(follow_symlinks=False):
            yield from _links(Path(entry.path))


def _is_one_of(run: Path, name: str, entries: list[FileEntry]) -> bool:
    """Whether a file has one of these contents; one that is not there was never written, or removed on purpose."""
    folder, _, file = name.rpartition("/")
    try:
        with opened_folder(run / folder) as descriptor:
            for entry in entries:
                try:
                    verify_file(descriptor, file, entry)
                except CheckpointError:
                    continue
                return True
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _read_entries(run: Path) -> Entries:
    """What the manifest says; nothing where there is none, as in a run of an earlier version."""
    try:
        data = read_small_file(None, str(run / MANIFEST), MOST_MANIFEST_BYTES)
        check_depth(data, MANIFEST)
        manifest = msgspec.json.decode(data, type=RunManifest)
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as problem:
        raise CheckpointError(_damage(run, MANIFEST)) from problem
    names_are_ours = all(_COVERED.fullmatch(name) for name in manifest.files)
    if not names_are_ours or hashlib.sha256(msgspec.json.encode(manifest.files)).hexdigest() != manifest.sha256:
        raise CheckpointError(_damage(run, MANIFEST))
    return dict(manifest.files)


def _encoded(entries: Entries) -> bytes:
    digest = hashlib.sha256(msgspec.json.encode(entries)).hexdigest()
    manifest = RunManifest(format="hotlap-run", version=VERSION, sha256=digest, files=entries)
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1)


_REMEDIES = {
    RUN_DOCUMENT: "Restore it from a copy; config.json in each checkpoint says how the run was made.",
    BEST_DOCUMENT: f"Remove it and {POLICY_FILE}, and the next evaluation of the run writes both again.",
    POLICY_FILE: 'Take one from a checkpoint with "hotlap export policy RUN", or restore it from a copy.',
    MANIFEST: "Remove it if you trust the files beside it; the next save writes it again.",
}


def _damage(run: Path, name: str) -> str:
    remedy = _REMEDIES.get(name, "Remove it or restore it from a copy.")
    return f"{run / name}: is damaged: it is not what was written there. {remedy}"
