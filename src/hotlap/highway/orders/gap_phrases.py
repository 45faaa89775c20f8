"""Gaps in plain words: "2 second", "gap of 2.5", "60 meter behind", "increase the gap", "follow the truck"."""

import re

from hotlap.highway.orders.patterns import NUMBER, one_of, phrase, some
from hotlap.highway.orders.wishes import GapWish, Line

METERS_PER_UNIT = {"meter": 1.0, "foot": 0.3048, "yard": 0.9144, "length": 4.8}
STEP_S = 0.5

MORE = one_of("increase more further farther extra gapmore up")
LESS = one_of("reduce close gapless down")
WAY = f"(?:(?P<more>{MORE})|{LESS})"
SECONDS = f"(?P<seconds>{NUMBER}) second"
OF_GAP = rf"{some('of the a bit your our my this that up')} gap\b"
NOT_SECONDS = r"(?! (?:mph|kmh|mps|meter|foot|yard|length)\b)"
BY = [
    phrase(rf"{WAY}(?: (?!to\b)\w+){{0,4}}? by (?:a|(?P<seconds>{NUMBER})) second"),
    phrase(rf"{SECONDS}{some('of a bit')} {WAY}(?: gap)?"),
]
IN_SECONDS = phrase(
    f"{SECONDS}(?: gap)?", rf"gap{some('of to at is should be the set in control')} (?P<plain>{NUMBER})\b{NOT_SECONDS}"
)
ONE_SECOND = phrase(f"{one_of('keep stay hold gap follow leave set')}{some('at of to a full')} second")
IN_METERS = phrase(rf"(?P<length>{NUMBER}) (?P<unit>{'|'.join(METERS_PER_UNIT)})")
STEP = phrase(f"(?P<more>gapmore|{MORE}(?={OF_GAP}))", "gapless", f"{LESS}(?={OF_GAP})")
FOLLOW = phrase(
    r"(?:match|follow)(?! \d|(?: the)? limit)",
    f"{one_of('keep hold stay')}{some('a your the our safe some good proper at')} gap",
)


def find_gaps(line: Line) -> list[GapWish]:
    """Every gap the line names; merely more or less, or to follow, only where nothing says how much."""
    wishes = [_by(match) for pattern in BY for match in line.take(pattern)]
    wishes += [GapWish("seconds", float(match["seconds"] or match["plain"])) for match in line.take(IN_SECONDS)]
    wishes += [GapWish("seconds", 1.0) for _ in line.take(ONE_SECOND)]
    wishes += [_meters(match) for match in line.take(IN_METERS)]
    steps = [GapWish("relative", STEP_S if match["more"] else -STEP_S) for match in line.take(STEP)]
    follows = [GapWish("follow") for _ in line.take(FOLLOW)]
    return wishes or steps or follows


def _by(match: re.Match[str]) -> GapWish:
    seconds = float(match["seconds"] or 1.0)
    return GapWish("relative", seconds if match["more"] else -seconds)


def _meters(match: re.Match[str]) -> GapWish:
    return GapWish("meters", float(match["length"]) * METERS_PER_UNIT[match["unit"]])
