"""All that a line of plain words wishes for."""

from hotlap.highway.orders.gap_phrases import find_gaps
from hotlap.highway.orders.lane_phrases import find_lanes
from hotlap.highway.orders.patterns import CAR, one_of, phrase, some, up_to
from hotlap.highway.orders.speed_phrases import find_speeds
from hotlap.highway.orders.wishes import Line, Wishes

OVERTAKE = phrase("overtake(?! (?:us|me)\\b)")
VEHICLE = phrase(CAR)
STAYS_OUT = phrase(
    f"without{up_to(2)} (?:return|back)",
    f"stay (?:{one_of('there out over left right')}|in (?:that|the {one_of('left right new other leftmost')}) lane)",
)
COMES_BACK = phrase(
    f"{one_of('come get go move pull cut slot tuck fall slip be reduce')}{some('right over us in')} (?:back|in again)"
    r"(?!(?: down| up)? to \d)",
    "return",
    f"back {one_of('in again where here over')}",
    "back$",
    "pullover (?:again|ahead)",
)
STOP = phrase("stop", "halt")
PULL_OVER = phrase("pullover")
HOLD = phrase(
    "continue",
    "^(?:hold|stay|steady)$",
    f"(?:stay|hold|keep)(?: {one_of('put here steady straight course the your position it like this on as is')})+$",
    "(?:stay|continue|keep)(?: on)? (?:where|as) (?:you|we) are",
    "keep (?:do|go)(?: exactly)? what you are do",
    "keep drive$",
    "(?:keep|stay|hold)(?: in)?(?: the)? lane",
    "(?:go|drive) straight",
)


def find_wishes(text: str) -> Wishes:
    """Read every phrase of a line once, the more telling ones first."""
    line = Line(text)
    wishes = Wishes()
    _find_overtake(line, wishes)
    wishes.pulls_over = bool(line.take(PULL_OVER))
    wishes.stops = bool(line.take(STOP)) or wishes.pulls_over
    wishes.lanes = find_lanes(line)
    wishes.gaps = find_gaps(line)
    wishes.speeds = find_speeds(line)
    wishes.holds = bool(line.take(HOLD))
    return wishes


def _find_overtake(line: Line, wishes: Wishes) -> None:
    """The overtake, whom, and whether to come back after it; coming back alone may be an order too."""
    vehicle = VEHICLE.search(line.text)
    wishes.vehicle = vehicle[0] if vehicle else None
    overtakes = line.take(OVERTAKE)
    if overtakes:
        wishes.overtake_at = overtakes[0].start()
        if line.take(STAYS_OUT):
            wishes.comes_back = False
            return
    back = line.take(COMES_BACK)
    if back:
        wishes.comes_back, wishes.back_at = True, back[0].start()
