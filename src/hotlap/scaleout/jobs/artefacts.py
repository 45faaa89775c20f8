"""What a job leaves behind: its files in one folder, and a manifest that says what each must be."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import msgspec

from hotlap.checkpoints.disk import (
    opened_file,
    opened_folder,
    read_small_file,
    verify_file,
    write_synced,
)
from hotlap.checkpoints.manifest import FileEntry
from hotlap.checkpoints.names import MANIFEST
from hotlap.errors import CheckpointError, JobError
from hotlap.progress import tracked
from hotlap.whole_files import CHUNK_BYTES, sync_folder, whole_folder

MOST_MANIFEST_BYTES = 1 << 24
MOST_FILES = 100_000


class JobManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a job kept."""

    format: Literal["hotlap-job"]
    exit_code: int
    files: Annotated[dict[str, FileEntry], msgspec.Meta(max_length=MOST_FILES)]


def store(root: Path, patterns: Sequence[str], target: Path, exit_code: int) -> int:
    """Copy what is to be kept into a folder, the manifest last; how many files there were."""
    target.mkdir(parents=True, exist_ok=False)
    entries: dict[str, FileEntry] = {}
    for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
        if not path.is_file() or path.is_symlink():
            continue
        name = path.relative_to(root).as_posix()
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        entries[name] = write_synced(target / name, _chunks(path))
    manifest = JobManifest("hotlap-job", exit_code, entries)
    write_synced(target / MANIFEST, [msgspec.json.encode(manifest)])
    sync_folder(target)
    return len(entries)


def _chunks(path: Path) -> Iterator[bytes]:
    with opened_file(None, str(path)) as (descriptor, _size):
        while chunk := os.read(descriptor, CHUNK_BYTES):
            yield chunk


def fetch(source: Path, target: Path) -> JobManifest:
    """Copy what a job kept, and check every byte of it; what is not whole does not get the target's name."""
    if target.exists():
        raise JobError(f"{target} exists already. Choose another --output, or remove it.")
    manifest = read_manifest(source)
    with whole_folder(target, force=False, error=JobError) as unfinished:
        try:
            _copy(source, manifest, unfinished)
        except (OSError, CheckpointError) as problem:
            raise JobError(f"{source} cannot be fetched whole: {problem} Nothing was kept.") from problem
    return manifest


def _copy(source: Path, manifest: JobManifest, target: Path) -> None:
    for name, entry in tracked(manifest.files.items(), len(manifest.files), "files", "fetching"):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name, follow_symlinks=False)
        with opened_folder((target / name).parent) as folder:
            verify_file(folder, PurePosixPath(name).name, entry)


def read_manifest(source: Path) -> JobManifest:
    """What a job says it kept; names that lead elsewhere are refused."""
    try:
        manifest = msgspec.json.decode(
            read_small_file(None, str(source / MANIFEST), MOST_MANIFEST_BYTES), type=JobManifest
        )
    except FileNotFoundError as problem:
        raise JobError(f"{source} has no {MANIFEST}: the job has not ended yet, or kept nothing.") from problem
    except (OSError, CheckpointError, msgspec.MsgspecError) as problem:
        raise JobError(f"{source / MANIFEST} is not what a job writes ({problem}).") from problem
    for name in manifest.files:
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts or "\\" in name or "\0" in name:
            raise JobError(f"{source / MANIFEST} names {name!r}, which leads outside. Nothing was fetched.")
    return manifest
