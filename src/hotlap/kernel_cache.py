"""Where compiled kernels are kept between two starts: checked by hash before they are read, compiled again otherwise.

numba's own cache unpickles whatever lies in its folder. Here every file begins with the SHA-256 of the rest, and the
folder must belong to the user alone; an empty, cut, flipped or foreign file is a reason to compile, not to fail.
"""

import contextlib
import functools
import hashlib
import io
import logging
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import caching

from hotlap.progress import say_to_whoever_waits, waiting
from hotlap.whole_files import replace_file

LOG = logging.getLogger(__name__)
KEPT_CACHES = 4
SEAL_BYTES = hashlib.sha256().digest_size


def sealed(content: bytes) -> bytes:
    """What a kept file holds: the hash of the rest, then the rest."""
    return hashlib.sha256(content).digest() + content


@functools.cache
def kernel_hash() -> str:
    """A hash of all that kernels are compiled from: numba's own cache does not notice an edit in another file."""
    return sources_hash(Path(__file__).parent)


def sources_hash(package: Path) -> str:
    """The hash for a folder with the package's sources, and for the versions of the compilers."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__}".encode())
    for path in [package / "kernel.py", *_kernel_sources(package)]:
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _kernel_sources(package: Path) -> list[Path]:
    """Files with kernels, and all they import: constants and the layout of structs become part of the machine code.

    Where machine code is kept, that is this file, is no part of it.
    """
    waiting = [
        path for path in package.glob("*/*.py") if re.search(rb"^@(kernel|builder)", path.read_bytes(), re.MULTILINE)
    ]
    this_file, found = package / Path(__file__).name, set[Path]()
    while waiting:
        path = waiting.pop()
        if path not in found and path != this_file:
            found.add(path)
            for name in re.findall(rb"^from hotlap\.([\w.]+) import", path.read_bytes(), re.MULTILINE):
                module = package.joinpath(*name.decode().split("."))
                waiting += [module.with_suffix(".py")] if module.with_suffix(".py").exists() else module.glob("*.py")
    return sorted(found)


@functools.cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept: `HOTLAP_CACHE_DIR` or the user's cache folder; None if it cannot be used."""
    user = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "hotlap"
    folder = Path(os.environ.get("HOTLAP_CACHE_DIR") or user) / f"kernels-{kernel_hash()}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not _is_ours_alone(folder):
            say_once(f"{folder} can be written by others, so compiled kernels are not kept there. Make it yours alone.")
            return None
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
    except OSError:
        return None
    _forget_old_caches(folder)
    return folder


def _forget_old_caches(current: Path) -> None:
    """Keep the caches used last; the rest were compiled from sources that are gone."""
    with contextlib.suppress(FileNotFoundError):  # another process is tidying up
        caches = [path for path in current.parent.glob("kernels-*") if path.is_dir()]
        caches.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for stale in caches[KEPT_CACHES:]:
            shutil.rmtree(stale, ignore_errors=True)


def _is_ours_alone(folder: Path) -> bool:
    """Whether nobody else may put files into a folder, or another folder into its place."""
    if not hasattr(os, "getuid"):  # on Windows a user's folders are the user's
        return True
    own, above = folder.lstat(), folder.parent.stat()
    others = stat.S_IWGRP | stat.S_IWOTH
    replaceable = above.st_mode & others and not above.st_mode & stat.S_ISVTX
    return stat.S_ISDIR(own.st_mode) and own.st_uid == os.getuid() and not own.st_mode & others and not replaceable


@functools.cache
def say_once(line: str) -> None:
    """One line to whoever looks at the log, the first time."""
    LOG.warning("%s", line)


@functools.cache
def say_that_it_compiles() -> None:
    """Once in a process, since many kernels are compiled together."""
    say_to_whoever_waits("compiling kernels, which are kept for the next time: this takes up to half a minute …")


class PackageCacheLocator(caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """Where machine code is kept: by its place in this package, so that every copy of it finds what one compiled."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """The folder of one source file; numba names it by its path on this machine."""
        source, package = Path(py_file).absolute(), Path(__file__).parent
        if not source.is_relative_to(package):
            return str(super().get_suitable_cache_subpath(py_file))
        return "_".join(source.relative_to(package.parent).parts[:-1])


class SealedCacheFile(caching.IndexDataCacheFile):  # type: ignore[misc]
    """numba's cache of one function, in files that begin with the hash of the rest."""

    def load(self, key: Any) -> Any:
        """Machine code of an earlier start; without it numba compiles, and somebody waits."""
        found = super().load(key)
        if found is None:
            say_that_it_compiles()
        return found

    def save(self, key: Any, data: Any) -> None:
        """Keep machine code; on a full disk it is only compiled again next time."""
        try:
            super().save(key, data)
        except OSError as problem:
            say_once(f"compiled kernels cannot be kept in {self._cache_path} ({problem.strerror}).")

    def _load_index(self) -> dict[Any, Any]:
        content = unsealed(Path(self._index_path))
        if content is None:
            return {}
        stream = io.BytesIO(content)
        if caching.pickle.load(stream) != self._version:
            return {}
        stamp, overloads = caching.pickle.loads(stream.read())
        return dict(overloads) if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        content = unsealed(Path(self._data_path(name)))
        if content is None:
            raise FileNotFoundError(name)  # which numba takes for a reason to compile
        return caching.pickle.loads(content)

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(sealed(content.getvalue()))


def unsealed(path: Path) -> bytes | None:
    """The content of a file that is as it was written; None, with a line unless it is missing, for any other."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    seal, content = found[:SEAL_BYTES], found[SEAL_BYTES:]
    if content and hashlib.sha256(content).digest() == seal:
        return content
    say_once(f"compiled kernels in {path.parent.parent} are damaged and compiled again.")
    return None


def kept(name: str, make: Callable[[], bytes]) -> bytes:
    """Compiled code, made once and then kept; whoever waits for it on a terminal sees for how long."""

    def compiled() -> bytes:
        with waiting("compiling kernels"):
            return make()

    return kept_file(name, compiled)


def kept_file(name: str, make: Callable[[], bytes]) -> bytes:
    """What was made with the kernels once and then kept beside them; made again when it was damaged."""
    folder = cache_folder()
    found = None if folder is None else unsealed(folder / name)
    if found is not None:
        return found
    content = make()
    if folder is not None:
        try:
            replace_file(folder / name, sealed(content))
        except OSError as problem:  # a full disk: it is made again next time
            say_once(f"compiled kernels cannot be kept in {folder} ({problem.strerror}).")
    return content


def with_cache(compile_it: Callable[[bool], Any]) -> Any:
    """Run a numba decorator with its cache pointed at our folder and files, leaving other users of numba alone."""
    folder, config = cache_folder(), numba.config
    before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES, caching.IndexDataCacheFile
    config.CACHE_DIR = str(folder) if folder else before[0]
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{PackageCacheLocator.__name__}"
    caching.IndexDataCacheFile = SealedCacheFile
    try:
        return compile_it(folder is not None)
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES, caching.IndexDataCacheFile = before
