"""What is no order, or one that is never carried out, seen from the words alone."""

import re

from hotlap.highway.orders.patterns import CAR, NUMBER, one_of, phrase, some, up_to
from hotlap.highway.orders.results import RefusalKind, Refused

ASKS = one_of("what how why when where who whose which is are am was were does did has should shall may might can")
QUESTION = re.compile(
    rf"^(?:{ASKS}"
    rf"|{one_of('could would will tell show explain say describe ask')}|have (?:you|we|i)|do (?:you|we|i|they|it))\b"
)
HIM = one_of("him her it them")
RULES = one_of("safety supervisor rule rules limit law laws guard sensors collision")
NEVER = [
    (
        phrase(
            "uturn",
            "spin (?:around|round)",
            "(?:other|opposite) (?:way|direction)",
            f"turn{some('it us him the car')} (?:around|round|back)",
        ),
        "The car never turns round on a highway.",
    ),
    (
        phrase("revers(?:e|ing)", "backwards?", r"back up(?! to \d)", "wrong way", "oncoming"),
        "The car only drives forwards.",
    ),
    (
        phrase(one_of("shoulder grass median ditch sidewalk verge offroad"), "off(?: the)? road", "emergency lane"),
        "The car stays on the lanes.",
    ),
    (
        phrase(
            one_of("ram crash smash collide kill hurt"),
            "rear end",
            "run (?:over|into|him|her|them)",
            "hit (?!the road|the gas)",
        ),
        "The car never touches another one.",
    ),
    (phrase("tailgat(?:e|ing)", "bumper"), "The car keeps at least one second behind others."),
    (
        phrase(
            r"brake check\w*",
            f"cut{up_to(3)} off",
            "cut (?:in|ahead)",
            rf"block{up_to(2)} (?:{CAR}|{HIM}|lane)",
            r"drift(?:ing)?(?! over| to| left| right)",
            one_of("race racing swerve swerving weave weaving zigzag slalom donut burnout straddle"),
            "between(?: the)? lane",
            "on the line",
            "split(?: the)? lane",
        ),
        "The car does nothing that puts others in danger.",
    ),
    (
        phrase(
            f"{one_of('floor gun punch')} {HIM}",
            "full throttle",
            "flat out",
            "pedal to the metal",
            one_of("redline lightspeed warp ludicrous"),
            "no limit",
        ),
        "The car does not go beyond the limit.",
    ),
    (
        phrase(
            f"(?:{one_of('ignore ignoring disable override overtake cancel brake forget disobey without violate')}"
            f"|(?:turn|move|take) off){up_to(3)} {RULES}"
        ),
        "The rules of the road stay on.",
    ),
    (
        phrase("close your eyes", "hands off", "let go of", r"blindfold\w*", "turn off"),
        "The car keeps watching and driving.",
    ),
]
UNIT = one_of("second minute hour mile kilometer meter foot yard")
UNSUPPORTED = [
    (
        phrase(
            one_of("exit intersection junction roundabout crossroad crossroads"),
            "turn (?:left|right)",
            "(?:left|right) turn",
            rf"{one_of('road route interstate street avenue')} {NUMBER}(?! (?:mph|kmh|mps))",
        ),
        'This road has no exits or junctions; say "move left" or "move right" to change lanes.',
    ),
    (
        phrase(
            rf"let (?:{HIM}|{one_of('the that this')}(?: \w+)? {CAR})(?: \w+)? {one_of('overtake by past go in move')}"
        ),
        'The car cannot wave others by; say "move right" or "slow down" instead.',
    ),
    (
        phrase(
            rf"{one_of('in after for every next within have')}{some('the next about another like')} {NUMBER} {UNIT}",
            rf"in (?:a|an|another|some)(?: few)? (?:{UNIT}|moment|bit|while)",
            rf"another {NUMBER} (?:mile|kilometer)",
            rf"{NUMBER} (?:mile|kilometer) (?:to go|away|remaining|from|further)",
            one_of("later tomorrow tonight"),
        ),
        "The car acts at once; say it again when it is time.",
    ),
    (
        phrase(one_of("if unless until when whenever once before after while"), "in case"),
        "The car does not wait for conditions; say it again when it is time.",
    ),
    (
        re.compile(
            rf"^(?!.*\bovertake\b).*\b(?:left|right) of {one_of('the this that these those a')}(?: \w+)? {CAR}\b"
        ),
        "The car does not drive beside others; name a lane, or say which way to move.",
    ),
    (
        phrase(rf"{NUMBER} {one_of('percent knot knots degree degrees rpm gear times mach hz')}", "mach", "gear"),
        "Speeds are in mph, km/h or m/s, and gaps in seconds.",
    ),
]


def question(line: str) -> Refused | None:
    """A question is no order."""
    if QUESTION.match(line):
        return Refused(RefusalKind.NOT_AN_ORDER, "That is a question, not an order, so nothing changes.")
    return None


def never_done(line: str) -> Refused | None:
    """What the car does for nobody."""
    reasons = [reason for pattern, reason in NEVER if pattern.search(line)]
    return Refused(RefusalKind.UNSAFE, reasons[0]) if reasons else None


def unsupported(line: str) -> Refused | None:
    """What the car, or its road, does not have."""
    reasons = [reason for pattern, reason in UNSUPPORTED if pattern.search(line)]
    return Refused(RefusalKind.UNSUPPORTED, reasons[0]) if reasons else None


def not_understood(reason: str) -> Refused:
    """Words in which no single order was found."""
    return Refused(RefusalKind.NOT_UNDERSTOOD, reason)
