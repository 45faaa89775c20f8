"""The lap board: the fastest clean laps of every track, each with the drive that proves it."""

import hashlib
import json
import sqlite3
import zlib
from dataclasses import dataclass
from typing import Any

from hotlap.store.database import Database
from hotlap.store.driven_by import ANALOGUE, MACHINE
from hotlap.store.drives import RecordedDrive
from hotlap.store.plain import plain_text
from hotlap.store.same_drive import SAME_TICKS, is_same_drive, lap_inputs

MOST_LAPS_OF_A_COURSE = 100
MOST_LAPS_OF_A_NAME = 10
LONGEST_NAME = 24
NAMELESS = "anonymous"
_COLUMNS = "id, track, name, ticks, lap, set_at, driven_by"


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
    driven_by: str = ANALOGUE
    """The class of its inputs."""

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
        """Put a lap on the board; one that is there already, or another's with the same drive, stays as it was."""
        with self.database.transaction() as db:
            original = self._same_drive(db, course, lap, drive)
        if original is not None and (original.name != lap.name or original.ticks <= lap.ticks):
            lap, drive = original, self._drive(original.id)
        values = (*vars(lap).values(), course.shape, course.fingerprint, zlib.compress(drive.inputs))
        with self.database.transaction() as db:
            added = db.execute(
                f"INSERT OR IGNORE INTO laps ({_COLUMNS}, shape, fingerprint, inputs, respawns) "  # noqa: S608 - no input in it
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, json.dumps(drive.respawns)),
            ).rowcount
            if original is not None and original.id != lap.id:
                db.execute("DELETE FROM laps WHERE id = ?", (original.id,))
            self._forget_slow_ones(db, course)
            board = self._fastest(db, course, MOST_LAPS_OF_A_COURSE)
        ranks = {kept.id: rank for rank, kept in enumerate(board, 1)}
        kept = next((each for each in board if each.id == lap.id), lap)
        return Placed(kept, ranks.get(lap.id), bool(added) and lap.id in ranks)

    def fastest(self, course: Course, limit: int = MOST_LAPS_OF_A_COURSE) -> list[Lap]:
        """The board of a course, fastest first; of two equal laps the older leads."""
        with self.database.transaction() as db:
            return self._fastest(db, course, limit)

    def fastest_by_hand(self, course: Course) -> Lap | None:
        """The fastest lap of a course that no machine drove."""
        return next((lap for lap in self.fastest(course) if lap.driven_by != MACHINE), None)

    def find(self, lap_id: str) -> tuple[Lap, RecordedDrive] | None:
        """A lap with its drive."""
        with self.database.transaction() as db:
            row = db.execute(f"SELECT {_COLUMNS}, inputs, respawns FROM laps WHERE id = ?", (lap_id,)).fetchone()  # noqa: S608
        if row is None:
            return None
        *lap, inputs, respawns = row
        return Lap(*lap), RecordedDrive(zlib.decompress(inputs), tuple(json.loads(respawns)))

    def _drive(self, lap_id: str) -> RecordedDrive:
        found = self.find(lap_id)
        assert found is not None  # noqa: S101 - it was on the board a moment ago
        return found[1]

    def _same_drive(self, db: sqlite3.Connection, course: Course, lap: Lap, drive: RecordedDrive) -> Lap | None:
        """The oldest lap on the board that is the same drive as this one, or nearly."""
        rows = db.execute(
            f"SELECT {_COLUMNS}, inputs FROM laps "  # noqa: S608
            "WHERE shape = ? AND fingerprint = ? AND ticks BETWEEN ? AND ? ORDER BY set_at, rowid",
            (course.shape, course.fingerprint, lap.ticks - SAME_TICKS, lap.ticks + SAME_TICKS),
        )
        for row in rows:
            *facts, inputs = row
            known = Lap(*facts)
            if is_same_drive(lap_inputs(drive.inputs, lap.ticks), lap_inputs(zlib.decompress(inputs), known.ticks)):
                return known
        return None

    def _fastest(self, db: sqlite3.Connection, course: Course, limit: int) -> list[Lap]:
        rows = db.execute(
            f"SELECT {_COLUMNS} FROM laps WHERE shape = ? AND fingerprint = ? ORDER BY ticks, set_at, rowid LIMIT ?",  # noqa: S608
            (course.shape, course.fingerprint, limit),
        )
        return [Lap(*row) for row in rows]

    def _forget_slow_ones(self, db: sqlite3.Connection, course: Course) -> None:
        """Keep the fastest of each name, all machines together being one, and of those the fastest."""
        same = (course.shape, course.fingerprint)
        db.execute(
            "DELETE FROM laps WHERE shape = ? AND fingerprint = ? AND id NOT IN (SELECT id FROM ("
            "SELECT id, ticks, set_at, rowid AS place, row_number() OVER "
            "(PARTITION BY CASE driven_by WHEN ? THEN NULL ELSE name END ORDER BY ticks, set_at, rowid) AS own "
            "FROM laps WHERE shape = ? AND fingerprint = ?"
            ") WHERE own <= ? ORDER BY ticks, set_at, place LIMIT ?)",
            (*same, MACHINE, *same, MOST_LAPS_OF_A_NAME, MOST_LAPS_OF_A_COURSE),
        )


def lap_id(course: Course, drive: RecordedDrive) -> str:
    """A name for what was driven: the same drive sent twice is the same lap."""
    parts = (course.shape.encode(), course.fingerprint.encode(), json.dumps(drive.respawns).encode(), drive.inputs)
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:24]


def plain_name(name: str) -> str:
    """A name that can be shown anywhere: no control or invisible characters, single spaces, not too long."""
    return plain_text(name, LONGEST_NAME) or NAMELESS
