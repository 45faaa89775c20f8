"""One SQLite file: opened safely, brought to the newest schema, used by one thread at a time."""

import datetime as dt
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hotlap.errors import StoreError

DATABASE_FILE = "hotlap.sqlite"
"""What the file is called, beside the runs."""
APPLICATION_ID = 0x484F544C  # "HOTL": tells our files from other people's
BUSY_SECONDS = 5.0

# Each script brings a file from the schema before it to the next one; never edit one that was released, append.
MIGRATIONS = (
    """
    CREATE TABLE laps (
        id TEXT PRIMARY KEY,
        track TEXT NOT NULL,
        shape TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        name TEXT NOT NULL,
        ticks INTEGER NOT NULL CHECK (ticks > 0),
        lap INTEGER NOT NULL CHECK (lap > 0),
        set_at TEXT NOT NULL,
        inputs BLOB NOT NULL,
        respawns TEXT NOT NULL
    ) STRICT;
    CREATE INDEX laps_by_time ON laps (shape, fingerprint, ticks, set_at);
    """,
    """
    CREATE TABLE missions (
        id INTEGER PRIMARY KEY,
        ended_at TEXT NOT NULL,
        record TEXT NOT NULL
    ) STRICT;
    CREATE TABLE evaluations (
        id INTEGER PRIMARY KEY,
        made_at TEXT NOT NULL,
        world TEXT NOT NULL,
        driver TEXT NOT NULL,
        setup TEXT NOT NULL,
        document BLOB NOT NULL
    ) STRICT;
    CREATE INDEX evaluations_by_setup ON evaluations (world, setup);
    """,
    """
    ALTER TABLE evaluations ADD COLUMN passed INTEGER NOT NULL DEFAULT 1;
    """,
    """
    ALTER TABLE laps ADD COLUMN driven_by TEXT NOT NULL DEFAULT 'analogue';
    """,
    """
    ALTER TABLE evaluations ADD COLUMN branch TEXT NOT NULL DEFAULT '';
    ALTER TABLE evaluations ADD COLUMN commit_id TEXT NOT NULL DEFAULT '';
    ALTER TABLE missions ADD COLUMN branch TEXT NOT NULL DEFAULT '';
    ALTER TABLE missions ADD COLUMN commit_id TEXT NOT NULL DEFAULT '';
    """,
)


class Database:
    """A connection that several threads share; every use is one transaction."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._connection = self._opened()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The connection to ourselves: what is done in it is kept whole, or not at all."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.Error as problem:
                self._roll_back()
                raise StoreError(f"{self.path}: {problem}. Make room or give permission there.") from problem
            except BaseException:
                self._roll_back()
                raise

    def close(self) -> None:
        """Close the file; the write-ahead log is folded back into it."""
        with self._lock:
            self._connection.close()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _opened(self) -> sqlite3.Connection:
        connection = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            connection.row_factory = sqlite3.Row
            self._migrate(connection)
        except BaseException as problem:
            if connection is not None:
                connection.close()
            if isinstance(problem, sqlite3.Error | OSError):
                raise StoreError(
                    f"{self.path}: cannot be used as a database ({problem}). "
                    "Move that file away, or name another with --database."
                ) from problem
            raise
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Bring the file to the newest schema, step by step; two servers that start at once do it once."""
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # what is acknowledged survives a power cut
        connection.execute("BEGIN IMMEDIATE")
        version, owner, tables = (connection.execute(query).fetchone()[0] for query in _QUESTIONS)
        if owner != APPLICATION_ID and (owner or version or tables):
            raise StoreError(f"{self.path}: belongs to another program. Name another file with --database.")
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{self.path}: was written by a newer Hotlap (schema {version}, and this one knows {len(MIGRATIONS)}). "
                "Install the newer one, or name another file with --database."
            )
        for script in MIGRATIONS[version:]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")


_QUESTIONS = ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master")


def utc_now() -> str:
    """The time as the tables keep it, to the second."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
