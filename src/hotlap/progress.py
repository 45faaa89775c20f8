"""What a command tells on stderr while it works: lines and a bar; `-q` and `-v` say how much of it."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any, TypeVar

Item = TypeVar("Item")
BAR_AFTER_S = 2.0
"""What is done sooner needs no bar."""
REDRAWN_S = 0.5


class Verbosity(IntEnum):
    """How much a command tells."""

    QUIET = 0
    """Results and errors only."""
    USUAL = 1
    VERBOSE = 2
    """Also what is compiled, and where an error came from."""


class _Chosen:
    verbosity = Verbosity.USUAL
    waits = False
    """Whether seconds are counted already."""


@contextlib.contextmanager
def telling(verbosity: Verbosity) -> Iterator[None]:
    """So much while this lasts, and afterwards what was told before."""
    before, _Chosen.verbosity = _Chosen.verbosity, verbosity
    try:
        yield
    finally:
        _Chosen.verbosity = before


def say_no_more() -> None:
    """Results and errors only, from here on in this process."""
    _Chosen.verbosity = Verbosity.QUIET


def say(message: str) -> None:
    """A line of progress, unless the user wants quiet."""
    if _Chosen.verbosity > Verbosity.QUIET:
        sys.stderr.write(message + "\n")
        sys.stderr.flush()


def say_more(message: str) -> None:
    """A line for those who want to know more."""
    if _Chosen.verbosity > Verbosity.USUAL:
        say(message)


def say_to_whoever_waits(message: str) -> None:
    """A line for a terminal, where somebody would wonder what takes so long; elsewhere for those who want more."""
    if shows_bars() or _Chosen.verbosity == Verbosity.VERBOSE:
        say(message)


def shows_bars() -> bool:
    """Whether somebody looks at a terminal and has not asked for quiet."""
    return _Chosen.verbosity > Verbosity.QUIET and sys.stderr.isatty()


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """The seconds, counted on a terminal, where nobody can say how far the work is; a part of it counts none itself."""
    if _Chosen.waits or not shows_bars():
        yield
        return
    from tqdm import tqdm  # noqa: PLC0415 - see `bar`

    over = threading.Event()
    with tqdm(bar_format=f"{what}, {{elapsed}}", file=sys.stderr, delay=BAR_AFTER_S, leave=False) as drawn:
        clock = threading.Thread(target=lambda: _redraw(drawn, over), daemon=True)
        clock.start()
        _Chosen.waits = True
        try:
            yield
        finally:
            _Chosen.waits = False
            over.set()
            clock.join()


def _redraw(drawn: Any, over: threading.Event) -> None:
    while not over.wait(REDRAWN_S):
        drawn.update()


@contextlib.contextmanager
def bar(total: float | None, unit: str, what: str = "") -> Iterator[Callable[[float], object]]:
    """A bar on a terminal once the work takes longer than two seconds; calls of what it gives advance it.

    Without a total it counts what is done.
    """
    from tqdm import tqdm  # noqa: PLC0415 - most commands are done before a bar would show

    shown = {"desc": what or None, "unit": f" {unit}", "delay": BAR_AFTER_S, "dynamic_ncols": True, "leave": False}
    with tqdm(total=total, file=sys.stderr, disable=not shows_bars(), **shown) as drawn:
        yield drawn.update


def tracked(items: Iterable[Item], total: int | None, unit: str, what: str = "") -> Iterator[Item]:
    """The items one by one, with a bar that counts those that are done."""
    with bar(total, unit, what) as advance:
        for item in items:
            yield item
            advance(1)
