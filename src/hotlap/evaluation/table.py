"""What the tables of every evaluation share: where they go, how they look, how an absent figure is written."""

import sys
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

WIDTH_OF_FILES = 110
NAME_WIDTH = 17
FRAME, BETWEEN = 2, 2
"""Columns of the screen that the edges of a table take, and those between two of its columns."""
NONE = "–"


def console_for_results() -> Console:
    """Standard output; a pipe or a file gets whole lines, whatever width it pretends to have."""
    width = None if sys.stdout.isatty() else WIDTH_OF_FILES
    return Console(file=sys.stdout, highlight=False, width=width)


def empty_table(title: str, headings: Sequence[str], names: str = "") -> Table:
    """A table with names on the left, under a heading of their own where they need one, and numbers beside them."""
    table = Table(box=SIMPLE_HEAD, title=Text(title, style="bold"), title_justify="left", padding=(0, 1, 0, 0))
    table.add_column(names, no_wrap=True, min_width=NAME_WIDTH)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    return table


def print_table(console: Console, table: Table) -> None:
    """Print a table whole; where the terminal is too narrow its columns go into parts, one below the other."""
    for part in _parts(console, table):
        console.print(part)


def _parts(console: Console, table: Table) -> Iterator[Table]:
    """Tables with the names on the left and as many columns as fit, at least one; the title stands over the first."""
    names, *others = table.columns
    widths = [_width(console, column) for column in others]
    left = _room_of_names(console, names, max(widths))
    first = 0
    while first < len(others):
        last, room = first, console.width - FRAME - left
        while last < len(others) and (last == first or widths[last] <= room):
            room -= widths[last]
            last += 1
        yield _part(table, [names, *others[first:last]], left - BETWEEN, with_title=first == 0)
        first = last


def _room_of_names(console: Console, names: Column, widest: int) -> int:
    """What the names take of a line: all they need, unless the widest column then has no room beside them."""
    needed = max(NAME_WIDTH + BETWEEN, _width(console, names))
    return min(needed, max(NAME_WIDTH + BETWEEN, console.width - FRAME - widest))


def _width(console: Console, column: Column) -> int:
    cells = [console.measure(cell).maximum for cell in (column.header, *column.cells)]
    return max(cells, default=0) + BETWEEN


def _part(table: Table, columns: list[Column], name_width: int, *, with_title: bool) -> Table:
    """Some columns of a table; a text that is wider than the screen goes on in the next line."""
    part = Table(box=table.box, title=table.title if with_title else None, title_justify="left", padding=(0, 1, 0, 0))
    for number, column in enumerate(columns):
        part.add_column(
            column.header,
            justify=column.justify,
            overflow="fold",
            vertical=column.vertical,
            min_width=NAME_WIDTH if number == 0 else None,
            max_width=name_width if number == 0 else None,
        )
    for row, cells in zip(table.rows, zip(*(column.cells for column in columns), strict=True), strict=True):
        part.add_row(*cells, style=row.style)
    return part
