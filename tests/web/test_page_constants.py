"""The numbers that the pages are built with are those of the package, and stand nowhere else in the pages."""

import re
from pathlib import Path

import pytest

from hotlap.export.linking import packaged
from hotlap.export.page_numbers import NUMBERS, numbers_text, page_numbers

PAGES = Path(__file__).parents[2] / "frontend" / "src"
HOME = PAGES / "physics" / "numbers.ts"
WRITTEN_BY_HAND = re.compile(
    r"\b0\.44704\b|\b9\.81\b|\b3\.6\b|36_?000\b|\bi \+ 1\) \* 30\b|\bgate / 30\b"
    r"|\b(?:TICKS_PER_SECOND|GATES|ROAD|TOP_SPEED_UPS|RAYS|RAY_RANGE_U|SEEN_CARS|NUMBERS_OF_A_CAR|SIGHT_U"
    r"|MOST_(?:LAYERS|UNITS|INPUTS|TICKS|RESPAWNS)|BYTES_PER_TICK|LONGEST_DRIVER"
    r"|MOTORCYCLE|SUV|TRUCK|\w*LOOKAHEADS_\w+) = \[?[\d._]+"
    r"|'hold' \| 'cruise'"
)
"""How a number or a name of the package looks that somebody wrote into a page."""


def test_numbers_the_pages_are_built_with_are_those_of_the_package():
    assert packaged(NUMBERS).decode() == numbers_text()


@pytest.mark.parametrize("name", page_numbers())
def test_every_number_made_for_the_pages_is_taken_by_them(name):
    assert f"numbers.{name}" in HOME.read_text(encoding="utf-8")


def test_home_of_the_numbers_writes_none_itself():
    assert not re.search(r"= -?\d", HOME.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", sorted(PAGES.rglob("*.ts")), ids=lambda page: page.relative_to(PAGES).as_posix())
def test_page_writes_no_number_of_the_package_itself(page):
    assert WRITTEN_BY_HAND.findall(page.read_text(encoding="utf-8")) == []
