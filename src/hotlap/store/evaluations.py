"""The history of evaluations: every one with what was driven, so that a later one can be set against it."""

import json
import sqlite3
import zlib
from dataclasses import dataclass
from typing import Any

from hotlap.errors import StoreError
from hotlap.store.database import Database, utc_now
from hotlap.store.revision import SHOWN_DIGITS, current_revision

MOST_EVALUATIONS = 1000
MOST_BYTES = 1 << 24


@dataclass(frozen=True)
class KeptEvaluation:
    """One evaluation of the history."""

    id: int
    """Counts up; later evaluations have higher ones."""
    made_at: str
    """When, in UTC."""
    world: str
    driver: str
    setup: str
    """What was driven, as JSON: only evaluations of the same setup can be compared."""
    document: dict[str, Any]
    """What `hotlap evaluate --json` printed."""
    passed: bool
    """Whether it reached what was asked of it, and was no worse than what it was set against."""
    branch: str = ""
    """The branch and the commit of the folder it was made in; empty where there are none."""
    commit_id: str = ""


class EvaluationHistory:
    """Reads and writes the history; beyond its bound the oldest evaluations are forgotten."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, document: dict[str, Any], made_at: str | None = None, *, passed: bool = True) -> int:
        """Keep an evaluation's document; its number."""
        keys = (document["world"], document["driver"], setup_text(document))
        content = zlib.compress(json.dumps(document).encode())
        with self.database.transaction() as db:
            number = db.execute(
                "INSERT INTO evaluations (made_at, world, driver, setup, document, passed, branch, commit_id) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (made_at or utc_now(), *keys, content, int(passed), *current_revision()),
            ).lastrowid
            db.execute("DELETE FROM evaluations WHERE id <= ?", ((number or 0) - MOST_EVALUATIONS,))
        return number or 0

    def last(self, world: str, setup: str, *, branch: str = "", commit: str = "") -> KeptEvaluation | None:
        """The newest evaluation of a world with a setup that passed, whoever drove; of a branch or commit if named."""
        query = (
            "SELECT * FROM evaluations WHERE world = ? AND setup = ? AND passed "
            "AND (? = '' OR branch = ?) AND substr(commit_id, 1, ?) = ? ORDER BY id DESC LIMIT 1"
        )
        commit = commit[:SHOWN_DIGITS]
        with self.database.transaction() as db:
            row = db.execute(query, (world, setup, branch, branch, len(commit), commit)).fetchone()
        return None if row is None else _kept(row)

    def newest(self, limit: int = 20) -> list[KeptEvaluation]:
        """The evaluations made last, newest first."""
        with self.database.transaction() as db:
            rows = db.execute("SELECT * FROM evaluations ORDER BY id DESC LIMIT ?", (max(limit, 0),)).fetchall()
        return [_kept(row) for row in rows]


def setup_text(document: dict[str, Any]) -> str:
    """What was driven, in the one spelling that can be compared."""
    return json.dumps(document["setup"], sort_keys=True)


def _kept(row: sqlite3.Row) -> KeptEvaluation:
    unpacker = zlib.decompressobj()
    try:
        document = json.loads(unpacker.decompress(row["document"], MOST_BYTES))
    except (zlib.error, ValueError) as problem:
        raise StoreError(f"evaluation {row['id']} of the history is damaged ({problem}). Remove the file.") from problem
    return KeptEvaluation(**{**dict(row), "document": document, "passed": bool(row["passed"])})
