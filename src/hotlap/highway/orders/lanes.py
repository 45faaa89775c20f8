"""Lanes in plain words: "2 lane left", "lane 3", "second lane from the right", "leftmost", "middle", "this lane"."""

import re

from hotlap.highway.missions import Direction
from hotlap.highway.orders.meaning import LaneKind, LaneWish, Line, Role
from hotlap.highway.orders.patterns import NUMBER, phrase, some, words

ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}
ORDINAL = rf"(?P<place>{'|'.join(ORDINALS)}|\d+ th)"
SIDE = "(?P<side>left|right)"
OF = some("over to on in toward towards the my your further more from of")
NOT_A_NAME = "(?<!left )(?<!right )(?<!most )(?<!middle )(?<!this )"
NOT_A_SPEED = r"(?! (?:mph|kmh|mps|second|meter)\b)"

MOVES = words("move go get take pick put come return pull bring be back ease cut drift want let")
STAYS = words("stay keep hold continue")
DOES_SOMETHING = words("cruise drive do stop halt pullover overtake follow match set")

SPEED_VERB = phrase(rf"(?:go|get|take|bring|pull)(?: it)?(?: up| down)?(?: at| to)? {NUMBER}(?! lane)")

PATTERNS: list[tuple[LaneKind, re.Pattern[str]]] = [
    ("shift", phrase(rf"(?P<count>{NUMBER}) lane{OF} {SIDE}(?! lane)")),
    ("shift", phrase(f"{SIDE}(?: by| over)* (?P<count>{NUMBER}) lane")),
    ("shift", phrase(rf"(?P<count>[1-9]){OF} {SIDE}(?! lane)")),
    ("shift", phrase(f"{SIDE} by (?P<count>[1-9])")),
    ("shift", phrase(f"{SIDE}(?: over)? (?P<count>[2-9])$")),
    ("from_right", phrase(rf"{ORDINAL}(?: lane)? (?:from|on|to)(?: \w+)? right(?: side)?")),
    ("from_left", phrase(rf"{ORDINAL}(?: lane)? (?:from|on|to)(?: \w+)? left(?: side)?")),
    ("from_left", phrase(f"{ORDINAL} lane")),
    ("number", phrase(rf"{NOT_A_NAME}lane (?:number )?(?P<count>{NUMBER})\b{NOT_A_SPEED}")),
    ("edge", phrase(f"{SIDE}most(?: (?:lane|side))?")),
    ("middle", phrase("middle(?: lane)?")),
    ("own", phrase("(?:this|same|my|your|our|its)(?: same)? lane")),
    ("named", phrase(f"{SIDE} lane")),
    ("shift", phrase(f"{SIDE}(?! (?:now|away|here|there|behind|ahead))(?: side)?")),
    ("somewhere", phrase(r"(?:move|go over)(?: \w+)? lane", "lane move", "move over(?: [1-9])?$")),
]


def find_lanes(line: Line) -> list[LaneWish]:
    """Every lane the line names, in the order they are said."""
    wishes = [
        LaneWish(match.start(), _role(line.text, match.start()), kind, _count(match), _side(match))
        for kind, pattern in PATTERNS
        for match in line.take(pattern)
    ]
    told = [wish for wish in wishes if wish.kind != "somewhere"]
    return sorted(told or wishes, key=lambda wish: wish.start)


def _count(match: re.Match[str]) -> float:
    groups = match.groupdict()
    if groups.get("place"):
        place = groups["place"]
        return float(ORDINALS.get(place) or place.split(maxsplit=1)[0])
    return float(groups.get("count") or 1.0)


def _side(match: re.Match[str]) -> Direction | None:
    side = match.groupdict().get("side")
    return None if side is None else "left" if side == "left" else "right"


def _role(text: str, start: int) -> Role:
    """What the nearest verb before the phrase makes of it."""
    before = SPEED_VERB.sub("cruise", text[:start])  # "go 65 in lane 1" is about the speed
    for word in reversed(before.split()):
        if word in MOVES:
            return "move"
        if word in STAYS:
            return "stay"
        if word in DOES_SOMETHING:
            return "at"
    return "at" if re.search(r"\bin(?: the)? $", before) else "bare"
