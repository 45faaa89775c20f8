"""What the car is asked to do: a mission, when it is done, how long it may take, and how it ended."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from hotlap.errors import MissionError

MPS_PER_MPH = 0.44704
MAX_SPEED_MPS = 40.0
MIN_GAP_S = 1.0
MAX_GAP_S = 10.0
DEFAULT_GAP_S = 2.0
SPEED_TOLERANCE_MPS = 1.5 * MPS_PER_MPH
STANDSTILL_MPS = 0.1
IN_LANE_M = 0.3

Direction = Literal["left", "right"]
Source = Literal["text", "voice", "script"]


class Mode(StrEnum):
    """The five kinds of mission, in the order of the observation."""

    HOLD = "hold"
    CRUISE = "cruise"
    LANE_CHANGE = "lane_change"
    OVERTAKE = "overtake"
    STOP = "stop"


TIME_LIMITS_S: dict[Mode, float | None] = {
    Mode.HOLD: None,
    Mode.CRUISE: 60.0,
    Mode.LANE_CHANGE: 30.0,
    Mode.OVERTAKE: 90.0,
    Mode.STOP: 60.0,
}
"""How long each mode may take until it is done; a hold has nothing to finish."""


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
        """Lanes, speed and gap are within what the world can do, whatever the mission came from."""
        for name in ("target_lane", "return_lane"):
            lane = getattr(self, name)
            if lane is not None and lane < 0:
                raise MissionError(f"a mission's {name} is counted from 0, the leftmost lane; it cannot be {lane!r}.")
        _check_range("target_speed_mps", self.target_speed_mps, 0.0, MAX_SPEED_MPS)
        _check_range("gap_s", self.gap_s, MIN_GAP_S, MAX_GAP_S)

    @property
    def target_speed_mph(self) -> float | None:
        """The speed as drivers say it."""
        return None if self.target_speed_mps is None else self.target_speed_mps / MPS_PER_MPH


def _check_range(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        raise MissionError(f"a mission's {name} must be from {low:g} to {high:g}, not {value!r}.")


class Ending(StrEnum):
    """How a mission can end."""

    DONE = "done"
    REFUSED = "refused"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"


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


@dataclass(frozen=True)
class Progress:
    """The facts that tell whether a mission is done."""

    time_s: float
    """Seconds of the episode."""
    lane: int
    """Lane the car's centre is in."""
    lateral_offset_m: float
    """Distance of the car's centre from the middle of its lane, to the right positive."""
    speed_mps: float
    """Speed of the car."""
    limit_mps: float
    """Limit of the lane."""
    following: bool = False
    """Whether a slower vehicle ahead, at the gap that was asked for, sets the speed."""
    passed: bool = False
    """Whether the vehicle to overtake is behind, with a safe gap."""


def is_done(mission: Mission, now: Progress) -> bool:
    """Whether the car has done what was asked.

    hold: never, it lasts until the next order. cruise: at the speed, or at the lane's limit if that is lower, or
    following a slower vehicle. lane_change: settled in the lane. overtake: past the vehicle and settled in the return
    lane. stop: standing, in the lane that was named. Where a lane is named with a cruise, or a speed with a lane
    change, only the mode's own condition counts.
    """
    if mission.mode is Mode.CRUISE:
        return now.following or abs(speed_error_mps(mission, now) or 0.0) <= SPEED_TOLERANCE_MPS
    if mission.mode is Mode.LANE_CHANGE:
        return _settled(mission.target_lane, now)
    if mission.mode is Mode.OVERTAKE:
        return now.passed and _settled(mission.return_lane, now)
    if mission.mode is Mode.STOP:
        return now.speed_mps <= STANDSTILL_MPS and _settled(mission.target_lane, now)
    return False


def _settled(lane: int | None, now: Progress) -> bool:
    """In the lane, or in any where none is named, and near its middle."""
    return lane in (None, now.lane) and abs(now.lateral_offset_m) <= IN_LANE_M


def speed_error_mps(mission: Mission, now: Progress) -> float | None:
    """Speed less the speed asked for, as far as the lane's limit allows it."""
    if mission.target_speed_mps is None:
        return None
    return now.speed_mps - min(mission.target_speed_mps, now.limit_mps)


def outcome(mission: Mission, now: Progress) -> Outcome | None:
    """How the mission has ended by now, or None while it goes on; done counts even at the last moment."""
    duration_s = now.time_s - mission.time_s
    limit_s = TIME_LIMITS_S[mission.mode]
    if is_done(mission, now):
        return Outcome(mission, Ending.DONE, "", duration_s, speed_error_mps(mission, now))
    if limit_s is not None and duration_s >= limit_s:
        reason = f"It was not done within {limit_s:g} seconds."
        return Outcome(mission, Ending.TIMED_OUT, reason, duration_s, speed_error_mps(mission, now))
    return None


def cancelled(mission: Mission, now: Progress, by: str) -> Outcome:
    """The outcome of a mission that another order took the place of."""
    duration_s = now.time_s - mission.time_s
    return Outcome(mission, Ending.CANCELLED, f'"{by}" took its place.', duration_s, speed_error_mps(mission, now))
