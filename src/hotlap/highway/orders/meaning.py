"""What a line of plain words means: lanes, changes of speed and gap, the kind of order; not yet whether it can be."""

import re
from dataclasses import dataclass, field
from typing import Literal

from hotlap.highway.missions import Direction
from hotlap.highway.orders.patterns import CAR, one_of, phrase, some, up_to

Role = Literal["move", "stay", "at", "bare"]
LaneKind = Literal["shift", "number", "from_left", "from_right", "edge", "named", "middle", "own", "somewhere"]
Quantity = Literal["speed", "gap"]
Operation = Literal["set", "raise", "lower", "restore"]
Reference = Literal["set", "now", "limit", "ahead"]


@dataclass(frozen=True)
class LaneWish:
    """A lane that was named, and how."""

    start: int
    """Where in the line it was said."""
    role: Role
    """What the verb before it makes of it: go there, be there, do something there; bare without a verb."""
    kind: LaneKind
    """How the lane was named."""
    count: float = 1.0
    """Lanes to move, the lane's number, or its place from one side."""
    side: Direction | None = None
    """The side that was said, if any."""


@dataclass(frozen=True)
class Change:
    """What is to happen to the speed or the gap."""

    quantity: Quantity
    operation: Operation
    """Set it, raise or lower it by the amount, or go back to what the reference says."""
    amount: float = 0.0
    unit: str = ""
    """A unit of the quantity, percent, or the steps "bit" and "much"; empty is mph or seconds."""
    reference: Reference = "set"
    """What percents, raises and restores start from: what was asked for, now, the limit, the vehicle ahead."""

    @property
    def bare(self) -> bool:
        """A number without unit: it needs a verb or nothing at all beside it."""
        return self.quantity == "speed" and self.operation == "set" and not self.unit


@dataclass
class Wishes:
    """All that one utterance wishes for."""

    lanes: list[LaneWish] = field(default_factory=list)
    """Every lane named, in order."""
    changes: list[Change] = field(default_factory=list)
    """Every change of speed or gap, in order."""
    overtake_at: int | None = None
    """Where in the line overtaking was said."""
    vehicle: str | None = None
    """The kind of vehicle to overtake or follow: truck, suv, sedan, motorcycle, or car for any."""
    comes_back: bool | None = None
    """Whether to return after the overtake; None when nothing was said."""
    back_at: int | None = None
    """Where in the line coming back was said."""
    stops: bool = False
    """To come to a stop."""
    pulls_over: bool = False
    """To stop on the shoulder."""
    holds: bool = False
    """To go on as it is."""

    @property
    def speeds(self) -> list[Change]:
        """The changes of the speed."""
        return [change for change in self.changes if change.quantity == "speed"]

    @property
    def gaps(self) -> list[Change]:
        """The changes of the gap."""
        return [change for change in self.changes if change.quantity == "gap"]

    @property
    def follows(self) -> bool:
        """Whether to go with the vehicle ahead."""
        return any(change.operation == "restore" and change.reference == "ahead" for change in self.gaps)

    def any(self) -> bool:
        """Whether there is an order at all."""
        found = (self.lanes, self.changes, self.overtake_at is not None)
        return any((*found, self.comes_back, self.stops, self.pulls_over, self.holds))


class Line:
    """A line of plain words from which found phrases are crossed out, so that nothing counts twice."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.open = text

    def take(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Every match of the pattern in what is still open; they are crossed out."""
        found = list(pattern.finditer(self.open))
        for match in found:
            crossed = re.sub(r"\S", "~", match[0])
            self.open = self.open[: match.start()] + crossed + self.open[match.end() :]
        return found


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


def find_overtake(line: Line, wishes: Wishes) -> None:
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
