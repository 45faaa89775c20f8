"""Makes this process poorer: no POSIX-only modules for our own code, no flags or signals that Windows lacks.

Imported before `hotlap` by scripts that show what still works there. `hide(names)` takes packages away for everybody.
"""

import builtins
import os
import signal
import sys

POSIX_ONLY = {"fcntl", "grp", "posix", "pwd", "resource", "termios", "tty"}
real_import = builtins.__import__


def import_without(name, globals_=None, locals_=None, fromlist=(), level=0):
    """Refuse POSIX-only modules to our own modules; other libraries know themselves where they are."""
    if name in POSIX_ONLY and str((globals_ or {}).get("__name__", "")).startswith("hotlap"):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return real_import(name, globals_, locals_, fromlist, level)


class Hidden:
    """Packages that are not installed."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide(names):
    sys.meta_path.insert(0, Hidden(set(names)))


def become_another_system():
    builtins.__import__ = import_without
    for name in (
        "fork",
        "O_NOFOLLOW",
        "O_DIRECTORY",
        "O_NONBLOCK",
        "readv",
        "register_at_fork",
        "pread",
        "pwrite",
        "killpg",
        "sched_yield",
        "sched_getaffinity",
        "sched_setaffinity",
    ):
        delattr(os, name)
    for name in ("SIGALRM", "setitimer", "ITIMER_REAL"):
        delattr(signal, name)
