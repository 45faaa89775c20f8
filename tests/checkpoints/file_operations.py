"""Every call to the operating system that changes a file, in the hands of a test: recorded, killed or made to fail."""

import contextlib
import errno
import itertools
import os
from collections.abc import Callable, Iterator

CHANGES = ("open", "write", "ftruncate", "fsync", "close", "mkdir", "rename", "replace", "unlink", "rmdir")
RENAMES = ("rename", "replace")
NEEDS_NO_ROOM = ("close", "unlink", "rmdir")
KILLED = 77


@contextlib.contextmanager
def intercepted(before: Callable[[str, tuple], None]) -> Iterator[None]:
    """Call `before(name, arguments)` ahead of every file operation."""
    originals = {name: getattr(os, name) for name in CHANGES}

    def wrap(name: str, original: Callable) -> Callable:
        def call(*arguments, **options):
            before(name, arguments)
            return original(*arguments, **options)

        return call

    for name, original in originals.items():
        setattr(os, name, wrap(name, original))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(os, name, original)


def kill_at(call: int, *, torn: bool) -> contextlib.AbstractContextManager[None]:
    """End the process at the given call, as kill -9 would; a torn write has got half of its bytes to the disk."""
    write, remaining = os.write, iter(range(call, -1, -1))

    def before(name: str, arguments: tuple) -> None:
        if next(remaining) == 0:
            if torn and name == "write":
                write(arguments[0], arguments[1][: len(arguments[1]) // 2])
            os._exit(KILLED)

    return intercepted(before)


def fail_at(call: int, *, forever: bool) -> contextlib.AbstractContextManager[None]:
    """Answer the given call with "no space left on device", and all later ones too when `forever`."""
    count = itertools.count()

    def before(name: str, _arguments: tuple) -> None:
        now = next(count)
        if (now == call or (forever and now > call)) and name not in NEEDS_NO_ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return intercepted(before)


def recorded_operations(work: Callable[[], object]) -> list[tuple[str, str, str | None]]:
    """Every file operation as (name, path, second path); descriptors are named by the path they were opened at."""
    original_open, paths, log = os.open, {}, []

    def before(name: str, arguments: tuple) -> None:
        first = paths.get(arguments[0], arguments[0])
        log.append((name, os.fspath(first), os.fspath(arguments[1]) if name in RENAMES else None))

    def named_open(path, *arguments, **options):
        descriptor = original_open(path, *arguments, **options)
        paths[descriptor] = path
        return descriptor

    os.open = named_open
    try:
        with intercepted(before):
            work()
    finally:
        os.open = original_open
    return log
