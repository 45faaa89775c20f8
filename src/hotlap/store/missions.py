"""The mission log: what the car was asked on the highway, how it ended and why; the newest are kept."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from hotlap.errors import MissionError
from hotlap.highway.missions import MAX_GAP_S, MIN_GAP_S, Direction, Ending, Mode, Outcome, Source
from hotlap.highway.orders.interpreting import MAX_CHARACTERS
from hotlap.highway.orders.situation import MAX_SPEED_MPH
from hotlap.highway.physics import MOST_LANES, MOST_VEHICLES, TOP_SPEED_MPS
from hotlap.store.database import Database, utc_now
from hotlap.store.plain import plain_text
from hotlap.store.revision import UNKNOWN, Revision, current_revision

MOST_MISSIONS = 10_000
LONGEST_REASON = 200
LONGEST_DRIVER = 64
LONGEST_MISSION_S = 86_400.0
MOST_ORDERS = 100
MOST_LISTED = 200
"""Missions that a page is told of at once."""

Lane = Annotated[int, msgspec.Meta(ge=0, le=MOST_LANES)]
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=LONGEST_MISSION_S)]
Speed = Annotated[float, msgspec.Meta(ge=0.0, le=TOP_SPEED_MPS)]
SpeedError = Annotated[float, msgspec.Meta(ge=-TOP_SPEED_MPS, le=TOP_SPEED_MPS)]
Order = Annotated[str, msgspec.Meta(max_length=MAX_CHARACTERS)]
Gap = Annotated[float, msgspec.Meta(ge=MIN_GAP_S, le=MAX_GAP_S)]


class DrivenScene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a drive began and what was said in it, up to a mission: enough to drive it again."""

    seed: Annotated[int, msgspec.Meta(ge=0)]
    vehicles: Annotated[int, msgspec.Meta(ge=0, le=MOST_VEHICLES)]
    lane: Lane
    speed_mph: Annotated[float, msgspec.Meta(ge=0.0, le=MAX_SPEED_MPH)]
    seconds: Seconds
    """What each order had."""
    orders: Annotated[list[Order], msgspec.Meta(max_length=MOST_ORDERS)]
    """Every order of the drive, the mission's the last."""
    physics: Annotated[str, msgspec.Meta(max_length=LONGEST_DRIVER)] = ""
    policy: Annotated[str, msgspec.Meta(max_length=LONGEST_DRIVER)] = ""
    """A hash of the driver's file; empty for scripted drivers."""


class MissionRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mission as the log keeps it, and as a page sends it; None is what was not said or not measured."""

    mode: Mode
    ending: Ending
    duration_s: Seconds
    driver: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_DRIVER)]
    reason: Annotated[str, msgspec.Meta(max_length=LONGEST_REASON)] = ""
    text: Annotated[str, msgspec.Meta(max_length=MAX_CHARACTERS)] = ""
    source: Source = "text"
    time_s: Seconds = 0.0
    target_lane: Lane | None = None
    target_speed_mps: Speed | None = None
    gap_s: Gap | None = None
    direction: Direction | None = None
    return_lane: Lane | None = None
    speed_error_mps: SpeedError | None = None
    interventions: dict[str, Annotated[int, msgspec.Meta(ge=0)]] = {}
    drive: DrivenScene | None = None
    """None where only the mission is known, as pages send it."""


@dataclass(frozen=True)
class LoggedMission:
    """A mission of the log."""

    id: int
    """Counts up; later missions have higher ones."""
    ended_at: str
    """When it ended, in UTC."""
    record: MissionRecord
    revision: Revision = UNKNOWN
    """The branch and commit of the folder it was driven in."""

    def as_json(self) -> dict[str, Any]:
        """As pages get it: one flat object."""
        facts = {"id": self.id, "ended_at": self.ended_at, **self.revision._asdict()}
        return {**facts, **msgspec.to_builtins(self.record)}


_NEWEST = "SELECT id, ended_at, record, branch, commit_id FROM missions ORDER BY id DESC LIMIT ?"


class MissionLog:
    """Reads and writes the log; beyond its bound the oldest missions are forgotten."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, record: MissionRecord, ended_at: str | None = None) -> LoggedMission:
        """Log a mission; one that cannot be raises MissionError and nothing is written."""
        kept = checked_record(msgspec.to_builtins(record))
        when = ended_at or utc_now()
        content, revision = msgspec.json.encode(kept).decode(), current_revision()
        with self.database.transaction() as db:
            number = db.execute(
                "INSERT INTO missions (ended_at, record, branch, commit_id) VALUES (?, ?, ?, ?)",
                (when, content, *revision),
            ).lastrowid
            db.execute("DELETE FROM missions WHERE id <= ?", ((number or 0) - MOST_MISSIONS,))
        return LoggedMission(number or 0, when, kept, revision)

    def newest(self, limit: int = 50) -> list[LoggedMission]:
        """The missions that ended last, newest first."""
        with self.database.transaction() as db:
            rows = db.execute(
                "SELECT id, ended_at, record, branch, commit_id FROM missions ORDER BY id DESC LIMIT ?",
                (max(limit, 0),),
            )
            return [
                LoggedMission(number, when, record_from_json(record.encode()), Revision(branch, commit))
                for number, when, record, branch, commit in rows
            ]


def record_from_json(body: bytes) -> MissionRecord:
    """The mission that a page sent, checked; MissionError says what is wrong with it."""
    try:
        return checked_record(msgspec.json.decode(body))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise MissionError(f"this is not a mission's record: {problem}.") from problem


def checked_record(values: Any) -> MissionRecord:
    """A record from plain values: every one within its bounds, every text fit to be shown."""
    try:
        record = msgspec.convert(values, MissionRecord)
    except (msgspec.ValidationError, RecursionError) as problem:
        raise MissionError(f"this is not a mission's record: {problem}.") from problem
    return msgspec.structs.replace(
        record,
        text=plain_text(record.text, MAX_CHARACTERS),
        reason=plain_text(record.reason, LONGEST_REASON),
        driver=plain_text(record.driver, LONGEST_DRIVER) or "unknown",
    )


def record_of(
    outcome: Outcome, driver: str, interventions: dict[str, int] | None = None, drive: DrivenScene | None = None
) -> MissionRecord:
    """The record of a mission that ended, and who drove it."""
    mission = outcome.mission
    return MissionRecord(
        mode=mission.mode,
        ending=outcome.ending,
        duration_s=outcome.duration_s,
        driver=driver[:LONGEST_DRIVER],
        reason=outcome.reason[:LONGEST_REASON],
        text=mission.text[:MAX_CHARACTERS],
        source=mission.source,
        time_s=mission.time_s,
        target_lane=mission.target_lane,
        target_speed_mps=mission.target_speed_mps,
        gap_s=mission.gap_s,
        direction=mission.direction,
        return_lane=mission.return_lane,
        speed_error_mps=outcome.speed_error_mps,
        interventions=interventions or {},
        drive=drive,
    )
