"""Speeds and gaps by meaning: an amount with its unit, what it is an amount of, what is done with it, and from where.

An amount belongs to the quantity of its unit; a number alone or a percentage to the quantity that is named nearest, in
its own part of the line. "To", "at" and "of" before it set the quantity, "by" changes it, and so does a word of more or
less beside it. Which way is said by the nearest word of more or less, in this part of the line or the one before.
"""

import re
from dataclasses import dataclass
from itertools import takewhile

from hotlap.highway.orders.meaning import Change, Line, Operation, Quantity, Reference
from hotlap.highway.orders.numbers import is_number
from hotlap.highway.orders.patterns import CAR, NUMBER, one_of, phrase, some, words
from hotlap.highway.physics import MPH
from hotlap.units import KMH_PER_MPS

MPH_PER_UNIT = {
    "mph": 1.0,
    "mile": 1.0,
    "kmh": 1.0 / (KMH_PER_MPS * MPH),
    "kilometer": 1.0 / (KMH_PER_MPS * MPH),
    "mps": 1.0 / MPH,
}
METERS_PER_UNIT = {
    "meter": 1.0,
    "foot": 0.3048,
    "yard": 0.9144,
    "length": 4.8,
    "mile": 1609.344,
    "kilometer": 1000.0,
}
LARGEST_CHANGE_MPH = 25.0
"""After a verb of more or less and without "by", a larger number is the speed itself: "speed up 65"."""
SMALLEST_BARE_MPH = 20.0

RAISES = words("faster tooslow increase more up plus gapmore further farther extra another over")
LOWERS = words("slower toofast reduce down gapless close off under")
SETS = words("to at of is be")
SPEED_WORDS = words("speed limit cruise faster slower")
GAP_WORDS = words("gap gapmore gapless")
GAP_CONTEXT = GAP_WORDS | words("behind follow close between keep leave stay hold")
PARTS = words("and but then so while")
BETWEEN = words("about another further a an extra just only exactly roughly full more up down it speed the your our my")
"""Words between a preposition or verb and its amount."""
NOT_AMOUNTS = words("lane th minute hour times truck suv sedan motorcycle car mission")
SPEED_BEFORE = words("at to do go cruise drive speed about around of is")

THE = some("the this my your our posted local")
AMOUNT = rf"(?<![\w.-])(?P<number>{NUMBER})\b(?: (?P<unit>{'|'.join(filter(None, MPH_PER_UNIT))}|percent)\b)?"
FROM_LIMIT = [
    re.compile(rf"{AMOUNT} of{THE} limit\b"),
    re.compile(rf"{AMOUNT} (?P<way>under|over|(?:reduce|more|slower|faster) than)(?:{THE} limit\b|$)"),
    re.compile(rf"\b(?P<way>under|over){THE} limit by {AMOUNT}"),
    re.compile(rf"\blimit (?:(?P<way>plus) )?{AMOUNT}"),
]
FROM_AHEAD = re.compile(rf"{AMOUNT} (?P<way>reduce|more|slower|faster) than(?: \w+){{0,2}}? {CAR}\b(?: ahead)?")
OVER_LIMIT = phrase(f"(?:over|past|(?:faster|more) than){THE} limit")
UNDER_LIMIT = phrase(f"(?:bit|just) under{THE} limit")
LIMIT = phrase("limit")
THIS = some("at with to on it this same the your my our steady a")
PRESENT = phrase(
    rf"{one_of('keep hold stay continue')}{THIS} speed(?!(?: \w+)? \d)",
    f"(?:at|this|same){some('this same your')} speed",
    r"hold (?:it )?(?:here|there|steady)(?!(?: \w+)? \d)",
)
SPEED_STEP = phrase(
    r"(?P<much>much )?(?P<way>faster|slower|toofast|tooslow)(?P<more>(?: by)?(?: a)? much)?",
    f"(?P<noun_way>increase|reduce|more){some('the your our my same some up down bit a of set')} (?:speed|cruise)",
    "(?:speed|cruise control|cruise) (?P<way_after>up|down|increase|reduce)",
)
CRUISE_ON = phrase(
    "cruise control", "^cruise$", "cruise on$", f"resume(?! gap){some('the our my to set cruise same')}(?: speed)?"
)
OF_GAP = rf"{some('of the a bit your our my this that up some')} gap\b"
GAP_STEP = phrase(
    f"(?P<more>gapmore|{one_of('increase more further farther extra up')}(?={OF_GAP}))",
    "gapless",
    f"{one_of('reduce close down')}(?={OF_GAP})",
    f"gap{some('a bit much')} (?:(?P<after>increase|more)|reduce)",
)
FOLLOW = phrase(
    r"(?:match|follow)(?! \d|(?: the)? ~)",
    f"{one_of('keep hold stay')}{some('a your the our safe some good proper at this same')} gap",
    f"{one_of('reset restore resume default usual normal')}(?: \\w+){{0,2}}? gap",
)


@dataclass(frozen=True)
class Amount:
    """A number in a line, by the places of its words."""

    value: float
    unit: str
    start: int
    end: int


def find_changes(line: Line) -> list[Change]:
    """Every change of speed or gap that is asked for; a mere "faster" or "closer" only where nothing says how far."""
    changes = [*_from_the_limit(line), *_from_ahead(line), *_by_amounts(line)]
    if not any(change.quantity == "speed" for change in changes):
        changes += _speeds_without_amount(line)
    if not any(change.quantity == "gap" for change in changes):
        changes += _gaps_without_amount(line)
    return changes


def _from_the_limit(line: Line) -> list[Change]:
    """So much from the limit, or a share of it; of "limit minus five" the number has the sign."""
    changes = []
    for pattern in FROM_LIMIT:
        for match in line.take(pattern):
            way, number, unit = match.groupdict().get("way"), float(match["number"]), match["unit"] or ""
            is_share = unit == "percent" and way is None
            changes.append(Change("speed", "set" if is_share else _way(way or "plus"), number, unit, "limit"))
    changes += [Change("speed", "raise", 0.0, "bit", "limit") for _ in line.take(OVER_LIMIT)]
    changes += [Change("speed", "lower", 0.0, "bit", "limit") for _ in line.take(UNDER_LIMIT)]
    return changes + [Change("speed", "restore", reference="limit") for _ in line.take(LIMIT)]


def _from_ahead(line: Line) -> list[Change]:
    """So much faster or slower than the vehicle ahead."""
    return [
        Change("speed", _way(match["way"]), float(match["number"]), match["unit"] or "", "ahead")
        for match in line.take(FROM_AHEAD)
    ]


def _by_amounts(line: Line) -> list[Change]:
    """Every amount with what it is for; what belongs to no quantity is left alone."""
    said = line.open.split()
    changes: list[Change] = []
    end, way = 0, None
    for amount in _amounts(said):
        change, way = _change(said, amount, end, way)
        if change is not None:
            changes.append(change)
        end = amount.end
    return changes


def _amounts(said: list[str]) -> list[Amount]:
    found = []
    for place, word in enumerate(said):
        after = place + 1
        is_article = word in ("a", "another") and said[after : after + 1] == ["second"]
        if not is_number(word) and not is_article:
            continue
        while after < len(said) and said[after] in ("more", "further", "extra", "full"):
            after += 1  # "10 more metres"
        unit = said[after] if after < len(said) else ""
        if unit == "car" and GAP_CONTEXT & set(said):
            unit = "length"
        if unit in NOT_AMOUNTS or (is_article and not (GAP_CONTEXT | RAISES | LOWERS | {"set"}) & set(said)):
            continue
        has_unit = unit in MPH_PER_UNIT or unit in METERS_PER_UNIT or unit in ("second", "percent")
        value = 1.0 if is_article else float(word)
        found.append(Amount(value, unit if has_unit else "", place, after + 1 if has_unit else place + 1))
    return found


def _change(
    said: list[str], amount: Amount, end: int, last: Operation | None
) -> tuple[Change | None, Operation | None]:
    """What is asked for with an amount, and which way, for amounts after it."""
    before, after = _part_before(said, amount.start, end), _part_after(said, amount.end)
    quantity, how = _quantity(amount, before, after), _how(before)
    beside = _way_beside(said[amount.start + 1 : amount.end] + after)
    way = beside or _way_before(before)
    goes_to = after[:1] in (["to"], ["from"], ["off"]) and bool({"speed", "gap", "cruise"} & set(after))
    operation: Operation = "set"
    if how == "by" and way is None and amount.value < 0:
        return Change(quantity, "lower", -amount.value, amount.unit), "lower"
    if how != "set" or goes_to or (beside and before[-1] == "be"):
        by = how == "by" or beside or goes_to or amount.unit == "percent"
        if by and not (way or last):
            return None, last
        is_speed = quantity == "speed" and amount.value * MPH_PER_UNIT.get(amount.unit, 1.0) > LARGEST_CHANGE_MPH
        operation = (way or last or "set") if by else "set" if is_speed else way or "set"
    if quantity == "speed" and operation == "set" and not _is_speed(amount, before):
        return None, last
    reference: Reference = "now" if "same" in before + after and quantity == "speed" else "set"
    return Change(quantity, operation, amount.value, amount.unit, reference), way or last


def _part_before(said: list[str], start: int, end: int) -> list[str]:
    """The words before an amount in its part of the line."""
    end += bool(end and said[end] in GAP_WORDS)  # "2 second gap" has its quantity already
    return list(takewhile(lambda word: word not in PARTS, reversed(said[end:start])))[::-1]


def _part_after(said: list[str], end: int) -> list[str]:
    return list(takewhile(lambda word: word not in PARTS and not is_number(word), said[end:]))


def _quantity(amount: Amount, before: list[str], after: list[str]) -> Quantity:
    """By the unit, else by the quantity that is named nearest."""
    named = [word for word in (*reversed(before), *after) if word in SPEED_WORDS or word in GAP_WORDS]
    if amount.unit in ("second", "meter", "foot", "yard", "length"):
        return "gap"
    if amount.unit in ("", "percent", "mile", "kilometer") and named and named[0] in GAP_WORDS:
        return "gap"
    return "speed"


def _how(before: list[str]) -> str:
    """Whether the word before an amount sets or changes."""
    for word in reversed(before):
        if word in SETS:
            return "set"
        if word in ("by", "minus", "plus"):
            return "by"
        if word not in BETWEEN:
            break
    return ""


def _way_beside(after: list[str]) -> Operation | None:
    """The way that follows an amount closely: "5 mph faster", "10 metres more gap", "5 off"."""
    for word in after[:4]:
        if word in RAISES or word in LOWERS:
            return _way(word)
        if word in ("to", "from", "in", "behind"):
            break
    return None


def _way_before(before: list[str]) -> Operation | None:
    """The way that the nearest word before says."""
    ways = [word for word in before if word in RAISES or word in LOWERS]
    verbs = [word for word in ways if word not in ("up", "down", "over", "under", "off")]
    return _way((verbs or ways)[-1]) if ways else None


def _is_speed(amount: Amount, before: list[str]) -> bool:
    """A small number without unit is a speed only after "at", "to" or a verb of driving."""
    if amount.unit == "percent":
        return False
    small = 0 <= amount.value < SMALLEST_BARE_MPH
    return bool(amount.unit) or not small or bool(SPEED_BEFORE.intersection(before[-1:]))


def _speeds_without_amount(line: Line) -> list[Change]:
    """The present speed, some faster or slower, or cruise control at the speed that is set."""
    if line.take(PRESENT):
        return [Change("speed", "restore", reference="now")]
    steps = [_step(match) for match in line.take(SPEED_STEP)]
    on = [Change("speed", "restore") for _ in line.take(CRUISE_ON)]
    return steps or on[:1]


def _step(match: re.Match[str]) -> Change:
    much = match["much"] or match["more"]
    way = match["way"] or match["noun_way"] or match["way_after"]
    return Change("speed", _way(way), unit="much" if much else "bit")


def _gaps_without_amount(line: Line) -> list[Change]:
    """Some more or less gap, or simply to follow."""
    more = [bool(match["more"] or match["after"]) for match in line.take(GAP_STEP)]
    steps = [Change("gap", "raise" if each else "lower", unit="bit") for each in more]
    follows = [Change("gap", "restore", reference="ahead") for _ in line.take(FOLLOW)]
    return steps or follows


def _way(way: str) -> Operation:
    return "raise" if way.split(maxsplit=1)[0] in RAISES else "lower"
