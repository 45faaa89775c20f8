"""The lap board: the fastest clean laps of every track, each with the drive that proves it."""

import hashlib
import json
import sqlite3
import zlib
from dataclasses import dataclass
from typing import Any

from hotlap.store.database import Database
from hotlap.store.drives import RecordedDrive
from hotlap.store.plain import plain_text

MOST_LAPS = 100
LONGEST_NAME = 24
NAMELESS = "anonymous"
_COLUMNS = "id, track, name, ticks, lap, set_at"


@dataclass(frozen=True)
class Course:
    """What laps are compared on: a track of one shape in one physics."""

    track: str
    shape: str
    fingerprint: str


@dataclass(frozen=True)
class Lap:
    """One lap on the board."""

    id: str
    track: str
    name: str
    ticks: int
    lap: int
    """Which lap of its drive; 1 is from the grid."""
    set_at: str
    """When, in UTC."""

    def as_json(self) -> dict[str, Any]:
        """As pages get it."""
        return vars(self).copy()


@dataclass(frozen=True)
class Placed:
    """Where a lap ended up."""

    lap: Lap
    rank: int | None
    """Its place on the board, from 1; None when it was too slow to be kept."""
    is_new: bool


class LapBoard:
    """Reads and writes the board; it keeps the fastest laps of each course and forgets the rest."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, course: Course, lap: Lap, drive: RecordedDrive) -> Placed:
        """Put a lap on the board; one that is there already stays as it was."""
        values = (*vars(lap).values(), course.shape, course.fingerprint, zlib.compress(drive.inputs))
        with self.database.transaction() as db:
            added = db.execute(
                f"INSERT OR IGNORE INTO laps ({_COLUMNS}, shape, fingerprint, inputs, respawns) "  # noqa: S608 - no input in it
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, json.dumps(drive.respawns)),
            ).rowcount
            self._forget_slow_ones(db, course)
            board = self._fastest(db, course, MOST_LAPS)
        ranks = {kept.id: rank for rank, kept in enumerate(board, 1)}
        kept = next((each for each in board if each.id == lap.id), lap)
        return Placed(kept, ranks.get(lap.id), bool(added) and lap.id in ranks)

    def fastest(self, course: Course, limit: int = MOST_LAPS) -> list[Lap]:
        """The board of a course, fastest first; of two equal laps the older leads."""
        with self.database.transaction() as db:
            return self._fastest(db, course, limit)

    def find(self, lap_id: str) -> tuple[Lap, RecordedDrive] | None:
        """A lap with its drive."""
        with self.database.transaction() as db:
            row = db.execute(f"SELECT {_COLUMNS}, inputs, respawns FROM laps WHERE id = ?", (lap_id,)).fetchone()  # noqa: S608
        if row is None:
            return None
        *lap, inputs, respawns = row
        return Lap(*lap), RecordedDrive(zlib.decompress(inputs), tuple(json.loads(respawns)))

    def _fastest(self, db: sqlite3.Connection, course: Course, limit: int) -> list[Lap]:
        rows = db.execute(
            f"SELECT {_COLUMNS} FROM laps WHERE shape = ? AND fingerprint = ? ORDER BY ticks, set_at, id LIMIT ?",  # noqa: S608
            (course.shape, course.fingerprint, limit),
        )
        return [Lap(*row) for row in rows]

    def _forget_slow_ones(self, db: sqlite3.Connection, course: Course) -> None:
        same = (course.shape, course.fingerprint)
        db.execute(
            "DELETE FROM laps WHERE shape = ? AND fingerprint = ? AND id NOT IN "
            "(SELECT id FROM laps WHERE shape = ? AND fingerprint = ? ORDER BY ticks, set_at, id LIMIT ?)",
            (*same, *same, MOST_LAPS),
        )


def lap_id(course: Course, drive: RecordedDrive) -> str:
    """A name for what was driven: the same drive sent twice is the same lap."""
    parts = (course.shape.encode(), course.fingerprint.encode(), json.dumps(drive.respawns).encode(), drive.inputs)
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:24]


def plain_name(name: str) -> str:
    """A name that can be shown anywhere: no control or invisible characters, single spaces, not too long."""
    return plain_text(name, LONGEST_NAME) or NAMELESS
