"""What an utterance asks for: the story from the text to a mission or a refusal."""

import re
from dataclasses import replace

from hotlap.highway.missions import Mission, Mode, Source
from hotlap.highway.orders.clauses import VERBS, corrected_parts, taken_apart, without_manners
from hotlap.highway.orders.lanes import find_lanes
from hotlap.highway.orders.meaning import HOLD, PULL_OVER, STOP, Line, Wishes, find_overtake
from hotlap.highway.orders.numbers import is_number
from hotlap.highway.orders.patterns import one_of, phrase, refusal_phrases, words
from hotlap.highway.orders.planning import make_plan
from hotlap.highway.orders.quantities import find_changes
from hotlap.highway.orders.reading import plain_words
from hotlap.highway.orders.results import RefusalError, RefusalKind, Refused, Understood
from hotlap.highway.orders.situation import Situation
from hotlap.highway.orders.vocabulary import KNOWN, PLAIN

MAX_CHARACTERS = 400
ASKS = one_of("what how why when where who whose which is are am was were does did has should shall may might can")
QUESTION = re.compile(
    rf"^(?:{ASKS}"
    rf"|{one_of('could would will tell show explain say describe ask')}|have (?:you|we|i)|do (?:you|we|i|they|it))\b"
)
IDIOM_WORDS = words("pullover gapmore gapless toofast tooslow")
SPEED_HINTS = VERBS | {"at", "to", "speed"}
CALLED_OFF = one_of(
    "the that this my your last previous it all everything order command mission request instruction plan maneuver "
    "manoeuvre overtake stop pullover"
)
ENDS = "(?=$| and| but| then)"
ITS_NAME = f"cruise control|cruise{ENDS}|lane move|move lane|(?:left |right )?(?:lane )?move{ENDS}"
CANCEL = re.compile(rf"^.*(?<!not )\bcancel\b(?: (?:{CALLED_OFF}|{ITS_NAME})\b)*")
NAMED_VEHICLE = phrase(r"(?<=overtake )(?:the|this|that) \w+", r"(?<=follow )(?:the|this|that) \w+")
THINGS_FOLLOW = words("the a an my your our this that his her")
NUMBERS_FOLLOW = words("to at by on of is up down")
PEOPLE = words("me him her them you")
HELP = 'say for example "cruise at 65", "move left", "pass this truck" or "stop".'


def interpret(text: str, situation: Situation, *, source: Source = "text", time_s: float = 0.0) -> Understood | Refused:
    """The mission that the text asks for in this situation, or why there is none; it never raises.

    The same text and situation always give the same result. Case and punctuation do not matter.
    """
    if len(text.strip()) > MAX_CHARACTERS:
        return _not_understood(f"That is longer than {MAX_CHARACTERS} characters; say it in one sentence.")
    line = plain_words(text)
    if not line:
        return _not_understood(f"Nothing was said; {HELP}")
    said = Mission(source=source, text=text.strip(), time_s=time_s)
    results = [_read(part, situation, said) for part in corrected_parts(line)]
    clear = [result for result in results if getattr(result, "kind", None) is not RefusalKind.NOT_UNDERSTOOD]
    return (clear or results[-1:])[0]


def find_wishes(text: str) -> Wishes:
    """All that a line of plain words wishes for; every phrase is read once, the more telling ones first."""
    line = Line(text)
    wishes = Wishes()
    find_overtake(line, wishes)
    wishes.pulls_over = bool(line.take(PULL_OVER))
    wishes.stops = bool(line.take(STOP)) or wishes.pulls_over
    wishes.lanes = find_lanes(line)
    wishes.changes = find_changes(line)
    wishes.holds = bool(line.take(HOLD))
    return wishes


def _read(line: str, situation: Situation, said: Mission) -> Understood | Refused:
    """One line of plain words, without what was corrected."""
    line = without_manners(line)
    refused = _question(line) or _never_done(line)
    if refused:
        return refused
    rest = without_manners(CANCEL.sub("", line).strip())
    if rest != line and not find_wishes(rest).any():
        return Understood(said, cancels=True)
    return _unsupported(rest) or _read_orders(rest, situation, said)


def _read_orders(line: str, situation: Situation, said: Mission) -> Understood | Refused:
    """A line that is neither a question nor out of the question."""
    clauses = taken_apart(line)
    wishes = find_wishes(clauses.orders)
    forbidden = find_wishes(clauses.forbidden)
    if wishes.overtake_at is not None and forbidden.comes_back:
        wishes.comes_back = False
    if not wishes.any():
        return _without_orders(forbidden, clauses.remark, situation, said)
    if _is_too_strange(clauses.orders, wishes) or (clauses.remark and _is_bare(clauses.orders, wishes)):
        return _not_understood(f"That was not clear; {HELP}")
    try:
        plan = make_plan(wishes, situation)
    except RefusalError as refusal:
        return refusal.refused
    mission = replace(plan.mission, source=said.source, text=said.text, time_s=said.time_s)
    return replace(plan, mission=mission)


def _without_orders(forbidden: Wishes, remark: bool, situation: Situation, said: Mission) -> Understood | Refused:
    """Words that order nothing: they may still call off what the car is doing."""
    if forbidden.any():
        if situation.mission is not None and _calls_off(forbidden, situation.mission):
            return Understood(said, cancels=True)
        return Refused(RefusalKind.NOT_AN_ORDER, "That says what not to do, so nothing changes.")
    if remark:
        return Refused(RefusalKind.NOT_AN_ORDER, "That is a remark, not an order, so nothing changes.")
    return _not_understood(f"No order was found in that; {HELP}")


def _calls_off(forbidden: Wishes, mission: Mission) -> bool:
    """Whether what is forbidden is what the car is doing."""
    if mission.mode is Mode.OVERTAKE:
        return forbidden.overtake_at is not None
    if mission.mode is Mode.LANE_CHANGE:
        return any(wish.side in (None, mission.direction) for wish in forbidden.lanes)
    return mission.mode is Mode.STOP and forbidden.stops


def _is_bare(line: str, wishes: Wishes) -> bool:
    """Whether there is only a side or a number, with no verb to it."""
    others = (wishes.overtake_at is not None, wishes.stops, wishes.holds, wishes.comes_back, wishes.gaps)
    sides = ("named",) if "lane" in line.split() else ("named", "shift")
    lanes = all(wish.role == "bare" and wish.kind in sides for wish in wishes.lanes)
    numbers = all(wish.bare for wish in wishes.speeds) and not SPEED_HINTS & set(line.split())
    return not any(others) and lanes and (numbers or not wishes.speeds)


def _is_known(word: str) -> bool:
    return word in KNOWN or word in IDIOM_WORDS or is_number(word)


def _is_too_strange(line: str, wishes: Wishes) -> bool:
    """Whether too little of the line is known to act on it; a bare side or number must stand alone."""
    said = NAMED_VEHICLE.sub("", line).split()
    strangers = [word for word in said if not _is_known(word)]
    if any(not change.unit for change in wishes.changes) and _names_another_thing(said):
        return True
    if not all(word.isascii() for word in strangers):
        return True
    if _is_bare(line, wishes):
        return bool(strangers) or wishes.vehicle is not None
    telling = sum(word in PLAIN or word in IDIOM_WORDS or is_number(word) for word in line.split())
    forgiven = 1 if wishes.speeds or wishes.lanes else 0  # an unknown verb: "settle at 60"
    forgiven = 4 if wishes.pulls_over else forgiven  # whoever wants off the road has a reason to give
    return len(strangers) > max(telling // 2, forgiven)


def _names_another_thing(said: list[str]) -> bool:
    """Whether a strange word is a thing or has somebody for its object: "the volume to 60", "meet me at 60"."""
    around = zip(["", *said], said, [*said[1:], ""], strict=False)
    return any(
        not _is_known(word) and ((before in THINGS_FOLLOW and after in NUMBERS_FOLLOW) or after in PEOPLE)
        for before, word, after in around
    )


def _question(line: str) -> Refused | None:
    """A question is no order."""
    if QUESTION.match(line):
        return Refused(RefusalKind.NOT_AN_ORDER, "That is a question, not an order, so nothing changes.")
    return None


def _never_done(line: str) -> Refused | None:
    """What the car does for nobody."""
    reasons = [reason for pattern, reason in refusal_phrases("never") if pattern.search(line)]
    return Refused(RefusalKind.UNSAFE, reasons[0]) if reasons else None


def _unsupported(line: str) -> Refused | None:
    """What the car, or its road, does not have."""
    reasons = [reason for pattern, reason in refusal_phrases("unsupported") if pattern.search(line)]
    return Refused(RefusalKind.UNSUPPORTED, reasons[0]) if reasons else None


def _not_understood(reason: str) -> Refused:
    """Words in which no single order was found."""
    return Refused(RefusalKind.NOT_UNDERSTOOD, reason)
