"""What comes of an utterance: a mission that was understood, or a refusal with its reason."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hotlap.highway.missions import Mission, Mode
from hotlap.highway.orders.situation import Units, lane_name, speed_words


class RefusalKind(StrEnum):
    """Why nothing comes of an utterance."""

    NOT_UNDERSTOOD = "not_understood"
    """No order was found in it, or two that exclude each other."""
    NOT_AN_ORDER = "not_an_order"
    """A question, a remark, or something not to do."""
    IMPOSSIBLE = "impossible"
    """There is no such lane, speed or vehicle."""
    UNSAFE = "unsafe"
    """Too fast, too close, or against the rules of the road."""
    UNSUPPORTED = "unsupported"
    """Understood, yet not among the things the car can do: exits, turns, conditions."""


@dataclass(frozen=True)
class Refused:
    """Nothing changes; the mission stays what it was."""

    kind: RefusalKind
    """Why, for machines."""
    reason: str
    """Why, in one sentence."""


@dataclass(frozen=True)
class Understood:
    """The mission that the words ask for."""

    mission: Mission
    """What to do now; it takes the place of the mission before."""
    note: str | None = None
    """Something to know about it, as half a sentence."""
    cancels: bool = False
    """Whether the words only call off the mission before."""
    on_shoulder: bool = False
    """Whether its lane is the emergency lane."""


def as_record(result: Understood | Refused) -> dict[str, Any]:
    """The result as plain values: every key always there, None where nothing was said."""
    mission = result.mission if isinstance(result, Understood) else None
    speed_mph = mission.target_speed_mph if mission else None
    return {
        "mode": mission.mode.value if mission else None,
        "target_lane": mission.target_lane if mission else None,
        "target_speed_mph": None if speed_mph is None else round(speed_mph, 3),
        "gap_s": None if mission is None or mission.gap_s is None else round(mission.gap_s, 3),
        "direction": mission.direction if mission else None,
        "return_lane": mission.return_lane if mission else None,
        "note": result.note if isinstance(result, Understood) else None,
        "refused": result.reason if isinstance(result, Refused) else None,
        "refused_as": result.kind.value if isinstance(result, Refused) else None,
    }


def as_sentence(result: Understood | Refused, units: Units = "mph") -> str:
    """The result as one sentence to read out; lanes are counted from 1 there."""
    if isinstance(result, Refused):
        return result.reason
    sentence = "Cancelled: hold lane and speed" if result.cancels else _sentence(result.mission, units)
    sentence = "Stop on the shoulder" if result.on_shoulder else sentence
    return f"{sentence}; {result.note}." if result.note else f"{sentence}."


def _sentence(mission: Mission, units: Units) -> str:
    details = [*_lanes(mission), *_speed_and_gap(mission, units)]
    if mission.mode is Mode.HOLD and not details:
        return "Hold lane and speed"
    return " ".join([_opening(mission), ", ".join(details)]).strip()


def _opening(mission: Mission) -> str:
    openings = {
        Mode.HOLD: "Stay",
        Mode.CRUISE: "Cruise",
        Mode.LANE_CHANGE: "Move",
        Mode.OVERTAKE: f"Overtake on the {mission.direction}",
        Mode.STOP: "Stop",
    }
    return openings[mission.mode]


def _lanes(mission: Mission) -> list[str]:
    if mission.mode is Mode.OVERTAKE:
        after = "and stay there" if mission.return_lane is None else f"then to {lane_name(mission.return_lane)}"
        return [f"through {lane_name(mission.target_lane or 0)}", after]
    if mission.target_lane is None:
        return []
    place = "to" if mission.mode is Mode.LANE_CHANGE else "in"
    way = f", to the {mission.direction}" if mission.direction else ""
    return [f"{place} {lane_name(mission.target_lane)}{way}"]


def _speed_and_gap(mission: Mission, units: Units) -> list[str]:
    parts = []
    if mission.target_speed_mph is not None and mission.mode is not Mode.STOP:
        parts.append(f"at {speed_words(mission.target_speed_mph, units)}")
    if mission.gap_s is not None:
        parts.append(f"{mission.gap_s:.3g} seconds behind the vehicle ahead")
    return parts


class RefusalError(Exception):
    """Carries a refusal up to where the utterance came in; it never leaves this package."""

    def __init__(self, kind: RefusalKind, reason: str) -> None:
        super().__init__(reason)
        self.refused = Refused(kind, reason)
