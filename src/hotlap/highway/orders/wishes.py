"""What an utterance wishes for, before anybody asks whether it can be: lanes, speeds, gaps, and the kind of order."""

import re
from dataclasses import dataclass, field
from typing import Literal

from hotlap.highway.missions import Direction

Role = Literal["move", "stay", "at", "bare"]
LaneKind = Literal["shift", "number", "from_left", "from_right", "edge", "named", "middle", "own", "somewhere"]


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
class SpeedWish:
    """A speed that was named, and how."""

    kind: Literal["absolute", "relative", "step", "limit", "present"]
    """At a speed, by so much, a bit, so much from the limit, or the present one."""
    mph: float = 0.0
    """The speed or the difference; its sign is the way."""
    bare: bool = False
    """A number without unit: it needs a verb or nothing at all beside it."""


@dataclass(frozen=True)
class GapWish:
    """A gap that was named, and how."""

    kind: Literal["seconds", "meters", "relative", "follow"]
    """In seconds, in metres, so many seconds more or less, or simply to follow."""
    value: float = 0.0
    """Seconds or metres."""


@dataclass
class Wishes:
    """All that one utterance wishes for."""

    lanes: list[LaneWish] = field(default_factory=list)
    """Every lane named, in order."""
    speeds: list[SpeedWish] = field(default_factory=list)
    """Every speed named, in order."""
    gaps: list[GapWish] = field(default_factory=list)
    """Every gap named, in order."""
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
    """To stop at the right side."""
    holds: bool = False
    """To go on as it is."""

    def any(self) -> bool:
        """Whether there is an order at all."""
        found = (self.lanes, self.speeds, self.gaps, self.overtake_at is not None)
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
