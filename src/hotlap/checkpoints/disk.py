"""Bytes on the disk: written under a running hash and synced, read within bounds and never through a link."""

import contextlib
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hotlap.checkpoints.manifest import FileEntry
from hotlap.checkpoints.names import REMOVING
from hotlap.errors import CheckpointError
from hotlap.systems import FOLDER, NO_WAIT, OPENED
from hotlap.whole_files import CHUNK_BYTES, Chunk, sync_folder, write_all

Bytes = NDArray[np.uint8]

_READ = os.O_RDONLY | OPENED | NO_WAIT
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPENED
Folder = int | Path
"""A folder whose files are opened: its descriptor, or its path where folders cannot be opened."""


def write_synced(path: Path, chunks: Iterable[Chunk]) -> FileEntry:
    """Write a new file chunk by chunk and wait for the disk; returns its size and hash."""
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(path, _WRITE, 0o666)
    try:
        for chunk in chunks:
            digest.update(chunk)
            size += write_all(descriptor, chunk)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return FileEntry(bytes=size, sha256=digest.hexdigest())


def discard(path: Path) -> None:
    """Remove a file or folder so that no moment shows it half removed: first away with the name, then with the rest."""
    if not os.path.lexists(path):
        return
    doomed = path.with_name(REMOVING + path.name)
    path.rename(doomed)
    sync_folder(path.parent)
    remove_tree(doomed)


def remove_tree(path: Path) -> None:
    """Remove a folder with all that is in it, or a file; links are removed, never followed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def append_to(path: Path, data: bytes) -> None:
    """Add bytes to the end of a file, which is made where it is missing; a link in its place is refused."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | OPENED, 0o666)
    try:
        write_all(descriptor, data)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def opened_folder(path: Path) -> Iterator[Folder]:
    """A descriptor of a real folder, through which its files are opened; a link in its place is refused."""
    if path.is_symlink():
        raise CheckpointError(f"{path.name} is a link, and must be a folder.")
    if FOLDER is None:
        yield path
        return
    descriptor = os.open(path, os.O_RDONLY | FOLDER | OPENED)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def opened_file(folder: Folder | None, name: str) -> Iterator[tuple[int, int]]:
    """Descriptor and size of a plain file in an opened folder, or at a path; links, pipes and devices are refused."""
    try:
        descriptor = _open_in(folder, name)
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise CheckpointError(f"{name} is a link, and must be a plain file.") from problem
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise CheckpointError(f"{name} is no plain file, and must be one.")
        yield descriptor, status.st_size
    finally:
        os.close(descriptor)


def _open_in(folder: Folder | None, name: str) -> int:
    if isinstance(folder, int):
        return os.open(name, _READ, dir_fd=folder)
    path = Path(name) if folder is None else folder / name
    if not getattr(os, "O_NOFOLLOW", 0) and path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return os.open(path, _READ)


def read_small_file(folder: Folder | None, name: str, most_bytes: int) -> bytes:
    """All bytes of a file that must not be larger than the limit."""
    with opened_file(folder, name) as (descriptor, size):
        if size > most_bytes:
            raise CheckpointError(f"{name} has {size} bytes, and may have at most {most_bytes}.")
        return _filled(descriptor, name, size).tobytes()


def read_verified(folder: Folder, name: str, entry: FileEntry) -> Bytes:
    """All bytes of a file, read once into one array and found to be what the manifest says."""
    with opened_file(folder, name) as (descriptor, size):
        _check_size(name, size, entry)
        content = _filled(descriptor, name, size)
    _check_hash(name, hashlib.sha256(content.data).hexdigest(), entry)
    return content


def verify_file(folder: Folder, name: str, entry: FileEntry) -> None:
    """Like `read_verified`, but keeps nothing: memory stays small whatever the size."""
    with opened_file(folder, name) as (descriptor, size):
        _check_size(name, size, entry)
        digest = hashlib.sha256()
        while chunk := os.read(descriptor, CHUNK_BYTES):
            digest.update(chunk)
    _check_hash(name, digest.hexdigest(), entry)


def _filled(descriptor: int, name: str, size: int) -> Bytes:
    content = np.empty(size, dtype=np.uint8)
    filled = 0
    while filled < size:
        count = _read_into(descriptor, content[filled : filled + CHUNK_BYTES])
        if count == 0:
            raise CheckpointError(f"{name} became shorter while it was read.")
        filled += count
    return content


def _read_into(descriptor: int, space: Bytes) -> int:
    """Fill what is there with the next bytes of a file, without a copy where the system can; how many there were."""
    if hasattr(os, "readv"):
        return os.readv(descriptor, [space.data])
    chunk = os.read(descriptor, len(space))
    space[: len(chunk)] = np.frombuffer(chunk, np.uint8)
    return len(chunk)


def _check_size(name: str, size: int, entry: FileEntry) -> None:
    if size != entry.bytes:
        raise CheckpointError(f"{name} has {size} bytes, and the manifest says {entry.bytes}.")


def _check_hash(name: str, sha256: str, entry: FileEntry) -> None:
    if sha256 != entry.sha256:
        raise CheckpointError(f"{name} is damaged: its SHA-256 is {sha256}, and the manifest says {entry.sha256}.")
