"""What the car is asked to do, a mission, and how one ended; when it is done is the business of `mission_rules`."""

from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral, Real
from typing import Any, Literal, get_args

from hotlap.errors import MissionError, did_you_mean
from hotlap.highway.physics import MPH, TOP_SPEED_MPS

MIN_GAP_S = 1.0
MAX_GAP_S = 10.0
DEFAULT_GAP_S = 2.0

Direction = Literal["left", "right"]
ModeName = Literal["hold", "cruise", "lane_change", "overtake", "stop"]
MODE_NAMES: tuple[str, ...] = get_args(ModeName)
"""The kinds of mission, in the order of the observation."""
MissionChoice = Literal["mixed", ModeName]
"""All kinds in turn, or one kind only."""
Source = Literal["text", "voice", "script"]


class Mode(StrEnum):
    """The five kinds of mission, in the order of the observation."""

    HOLD = "hold"
    CRUISE = "cruise"
    LANE_CHANGE = "lane_change"
    OVERTAKE = "overtake"
    STOP = "stop"


@dataclass(frozen=True)
class Mission:
    """One order, as the car carries it out; what was not said is None and stays as it was."""

    mode: Mode = Mode.HOLD
    """What kind of mission."""
    target_lane: int | None = None
    """Lane to be in, 0 leftmost; of an overtake, the lane to pass in."""
    target_speed_mps: float | None = None
    """Speed to drive where the lane's limit allows it, 0 to 40 m/s."""
    gap_s: float | None = None
    """Time gap to keep to the vehicle ahead, 1 to 10 s."""
    direction: Direction | None = None
    """Which way the target lane lies, seen from the lane where the order was given."""
    return_lane: int | None = None
    """Lane to return to after an overtake; None stays in the lane of the pass."""
    source: Source = "text"
    """Where the order came from."""
    text: str = ""
    """The order in the words it was given in."""
    time_s: float = 0.0
    """When it was given, in seconds of the episode."""

    def __post_init__(self) -> None:
        """Mode, lanes, speed and gap are within what the world can do, whatever the mission came from."""
        object.__setattr__(self, "mode", _known_mode(self.mode))
        for name in ("target_lane", "return_lane"):
            lane = getattr(self, name)
            if lane is not None and not _is_lane(lane):
                raise MissionError(f"a mission's {name} is counted from 0, the leftmost lane; it cannot be {lane!r}.")
        if self.direction is not None and self.direction not in get_args(Direction):
            raise MissionError(f"a mission's direction must be left, right or None, not {self.direction!r}.")
        _check_range("target_speed_mps", self.target_speed_mps, 0.0, TOP_SPEED_MPS)
        _check_range("gap_s", self.gap_s, MIN_GAP_S, MAX_GAP_S)

    @property
    def target_speed_mph(self) -> float | None:
        """The speed as drivers say it."""
        return None if self.target_speed_mps is None else self.target_speed_mps / MPH


def _known_mode(wanted: str) -> Mode:
    known = [mode.value for mode in Mode]
    if wanted not in known:
        raise MissionError(f'no mission "{wanted}".{did_you_mean(str(wanted), known)} Known: {", ".join(known)}.')
    return Mode(wanted)


def _is_lane(value: Any) -> bool:
    """Whether a value is a whole number from 0 on, of Python or numpy; True and False are none."""
    return issubclass(type(value), Integral) and type(value) is not bool and value >= 0


def _check_range(name: str, value: Any, low: float, high: float) -> None:
    if value is not None and not (issubclass(type(value), Real) and low <= value <= high):
        raise MissionError(f"a mission's {name} must be from {low:g} to {high:g}, not {value!r}.")


class Ending(StrEnum):
    """How a mission can end."""

    DONE = "done"
    REFUSED = "refused"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    CRASHED = "crashed"


@dataclass(frozen=True)
class Outcome:
    """How one mission ended, with its figures."""

    mission: Mission
    """What was asked."""
    ending: Ending
    """How it ended."""
    reason: str
    """Why, in one sentence; empty when it is done."""
    duration_s: float
    """Seconds from the order to the end."""
    speed_error_mps: float | None = None
    """Speed at the end less the speed asked for; None where none was asked for."""
