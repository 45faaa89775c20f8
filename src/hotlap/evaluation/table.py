"""What the tables of every evaluation share: where they go, how they look, how an absent figure is written."""

import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_OF_FILES = 110
NAME_WIDTH = 17
NONE = "–"


def console_for_results() -> Console:
    """Standard output; a pipe or a file gets whole lines, whatever width it pretends to have."""
    width = None if sys.stdout.isatty() else WIDTH_OF_FILES
    return Console(file=sys.stdout, highlight=False, width=width)


def empty_table(title: str, headings: tuple[str, ...]) -> Table:
    """A table with names on the left and numbers beside them."""
    table = Table(box=SIMPLE_HEAD, title=Text(title, style="bold"), title_justify="left", padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True, min_width=NAME_WIDTH)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    return table
