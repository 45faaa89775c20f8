"""Tables on narrow terminals: no digit is lost, columns go below each other, and colours stay away when asked."""

import io
import re

import pytest
from rich.console import Console

from hotlap.evaluation.table import empty_table, print_table

HEADINGS = (
    "starts",
    "standing",
    "best",
    "best\nclean",
    "mean",
    "spread",
    "laps",
    "% over\nref",
    "wall",
    "road",
    "return",
)
FIGURES = (
    "31/31",
    "110.800*",
    "101.417",
    "101.427",
    "103.426",
    "0.008",
    "31/31",
    "+49.87",
    "12,017",
    "1,274",
    "-12.989",
)


def printed(width: int, **options) -> str:
    table = empty_table("A circuit", HEADINGS)
    table.add_row("reference", *FIGURES)
    table.add_row("a driver of a long name", *reversed(FIGURES), style="dim")
    console = Console(file=io.StringIO(), width=width, highlight=False, **options)
    print_table(console, table)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_every_digit_is_there_at_every_width(width):
    said = printed(width)
    assert all(said.split().count(cell) == 2 * FIGURES.count(cell) for cell in set(FIGURES))
    assert "…" not in said
    assert max(map(len, said.splitlines())) <= width


def test_wide_terminal_has_one_table_and_a_narrow_one_several():
    assert printed(200).count("reference") == 1
    assert printed(80).count("reference") > 1
    assert printed(80).count("A circuit") == 1


def test_no_color_is_respected(monkeypatch):
    assert re.search(r"\x1b\[[0-9;]*m", printed(80, force_terminal=True))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", printed(80, force_terminal=True))
