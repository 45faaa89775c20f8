"""Speeds in plain words: "at 65", "100 kmh", "faster by 5", "10 under the limit", "slower", "keep this speed"."""

import re

from hotlap.highway.missions import MPS_PER_MPH
from hotlap.highway.orders.patterns import NUMBER, one_of, phrase, some, words
from hotlap.highway.orders.wishes import Line, SpeedWish

MPH_PER_UNIT = {
    "mph": 1.0,
    "mile": 1.0,
    "kmh": 1.0 / (3.6 * MPS_PER_MPH),
    "kilometer": 1.0 / (3.6 * MPS_PER_MPH),
    "mps": 1.0 / MPS_PER_MPH,
}
STEP_MPH = 5.0
BIG_STEP_MPH = 10.0
LARGEST_CHANGE_MPH = 25.0
SMALLEST_BARE_MPH = 20.0

UPWARDS = words("faster tooslow increase more over up plus")
ELSEWHERE = one_of("second minute hour meter foot yard length lane th percent times truck suv sedan motorcycle car")
AMOUNT = rf"(?<![\w.-])(?P<number>{NUMBER})\b(?! {ELSEWHERE}\b)(?: (?P<unit>{'|'.join(MPH_PER_UNIT)})\b)?"
SPEED_BEFORE = words("at to do go cruise drive speed about around of is")
CHANGE = "(?P<way>faster|slower|increase|reduce)"
OF_SPEED = some("speed the your my our it a bit up down")
THIS = some("at with to on it this same the your my our steady a")
THE = some("the this my your posted local")

FROM_LIMIT = [
    re.compile(rf"{AMOUNT} (?P<way>under|over|(?:reduce|more|slower|faster) than)(?:{THE} limit\b|$)"),
    re.compile(rf"\b(?P<way>under|over){THE} limit by {AMOUNT}"),
    re.compile(rf"\blimit (?:(?P<way>plus) )?{AMOUNT}"),
]
OVER_LIMIT = phrase(f"(?:over|past|(?:faster|more) than){THE} limit")
UNDER_LIMIT = phrase(f"(?:bit|just) under{THE} limit")
LIMIT = phrase("limit")
PRESENT = phrase(
    rf"{one_of('keep hold stay continue')}{THIS} speed(?!(?: \w+)? \d)",
    f"(?:at|this|same){some('this same your')} speed",
    r"hold (?:it )?(?:here|there|steady)(?!(?: \w+)? \d)",
)
BY = [
    re.compile(rf"{AMOUNT} (?P<way>faster|slower|more|increase|reduce|up|down)\b"),
    re.compile(rf"\b{CHANGE}{OF_SPEED} {one_of('by with another')}(?: about| another)? {AMOUNT}"),
    re.compile(rf"\b(?P<way>up|down) by {AMOUNT}"),
]
BY_OR_TO = re.compile(rf"\b(?P<way>faster|slower|increase|reduce|up|down|plus){OF_SPEED} {AMOUNT}")
CRUISE_ON = phrase("cruise control", "^cruise$", "cruise on$")
ABSOLUTE = re.compile(AMOUNT)
STEP = phrase(
    r"(?P<much>much )?(?P<way>faster|slower|toofast|tooslow)(?P<more>(?: by)?(?: a)? much)?",
    f"(?P<noun_way>increase|reduce|more){some('the your our my')} speed",
)


def find_speeds(line: Line) -> list[SpeedWish]:
    """Every speed the line names; mere "faster" and "slower" only where nothing says how fast."""
    wishes = [*_from_the_limit(line), *_changes(line)]
    if line.take(PRESENT):
        wishes.append(SpeedWish("present"))
    wishes += [_absolute(match) for match in line.take(ABSOLUTE) if _is_speed(match)]
    steps = [_step(match) for match in line.take(STEP)]
    on = [SpeedWish("relative") for _ in line.take(CRUISE_ON)]  # at the speed that is set
    return wishes or steps or on[:1]


def _from_the_limit(line: Line) -> list[SpeedWish]:
    """So much from the limit; of "limit minus five" the number has the sign."""
    wishes = [
        SpeedWish("limit", _sign(match["way"] or "plus") * _mph(match))
        for pattern in FROM_LIMIT
        for match in line.take(pattern)
    ]
    wishes += [SpeedWish("limit", STEP_MPH) for _ in line.take(OVER_LIMIT)]
    wishes += [SpeedWish("limit", -STEP_MPH) for _ in line.take(UNDER_LIMIT)]
    return wishes + [SpeedWish("limit") for _ in line.take(LIMIT)]


def _changes(line: Line) -> list[SpeedWish]:
    """By so much; but a large number right after the verb, as in "speed up 65", is the speed itself."""
    wishes = [SpeedWish("relative", _sign(match["way"]) * _mph(match)) for by in BY for match in line.take(by)]
    for match in line.take(BY_OR_TO):
        mph = _mph(match)
        is_change = mph <= LARGEST_CHANGE_MPH
        wishes.append(SpeedWish("relative", _sign(match["way"]) * mph) if is_change else SpeedWish("absolute", mph))
    return wishes


def _absolute(match: re.Match[str]) -> SpeedWish:
    return SpeedWish("absolute", _mph(match), bare=match["unit"] is None)


def _is_speed(match: re.Match[str]) -> bool:
    """No speed comes after "by"; a small one without unit only after "at", "to" or a verb of driving."""
    before = match.string[: match.start()].split()[-1:]
    if before == ["by"]:
        return False
    small = 0 <= _mph(match) < SMALLEST_BARE_MPH
    return match["unit"] is not None or not small or bool(SPEED_BEFORE.intersection(before))


def _step(match: re.Match[str]) -> SpeedWish:
    much = match["much"] or match["more"]
    return SpeedWish("step", _sign(match["way"] or match["noun_way"]) * (BIG_STEP_MPH if much else STEP_MPH))


def _sign(way: str) -> float:
    return 1.0 if way.split(maxsplit=1)[0] in UPWARDS else -1.0


def _mph(match: re.Match[str]) -> float:
    return float(match["number"]) * MPH_PER_UNIT[match["unit"] or "mph"]
