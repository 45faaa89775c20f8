"""The lap board: what is kept, in which order, and that the file is ours."""

import dataclasses
import random
import sqlite3

import pytest

from hotlap.errors import StoreError
from hotlap.store.database import MIGRATIONS, Database
from hotlap.store.driven_by import MACHINE
from hotlap.store.drives import RecordedDrive
from hotlap.store.laps import MOST_LAPS_OF_A_COURSE, MOST_LAPS_OF_A_NAME, Course, Lap, LapBoard, lap_id, plain_name

COURSE = Course("track-01", "shape", "physics")


@pytest.fixture
def database(tmp_path):
    database = Database(tmp_path / "laps.sqlite")
    yield database
    database.close()


def a_lap(number: int, ticks: int = 400, name: str | None = None) -> tuple[Lap, RecordedDrive]:
    """A lap that is like no other number's, by a driver of its own."""
    drive = RecordedDrive(random.Random(number).randbytes(3 * ticks))
    name = f"driver {number}" if name is None else name
    return Lap(lap_id(COURSE, drive), "track-01", name, ticks, 1, f"2026-01-01T00:00:{number % 60:02d}Z"), drive


def test_lap_comes_back_with_its_drive(database):
    lap, drive = a_lap(1)
    placed = LapBoard(database).add(COURSE, lap, RecordedDrive(drive.inputs, (0,)))
    assert (placed.rank, placed.is_new) == (1, True)
    assert LapBoard(database).find(lap.id) == (lap, RecordedDrive(drive.inputs, (0,)))


def test_fastest_lap_leads_and_of_two_equal_ones_the_older(database):
    board = LapBoard(database)
    for number, ticks in [(1, 400), (2, 380), (3, 400), (4, 390)]:
        board.add(COURSE, *a_lap(number, ticks))
    assert [lap.set_at[-3:-1] for lap in board.fastest(COURSE)] == ["02", "04", "01", "03"]


def test_lap_sent_twice_is_kept_once_under_its_first_name(database):
    board = LapBoard(database)
    board.add(COURSE, *a_lap(1))
    again = board.add(COURSE, *a_lap(1, name="Eve"))
    assert (again.rank, again.is_new, again.lap.name) == (1, False, "driver 1")
    assert len(board.fastest(COURSE)) == 1


def test_board_keeps_only_its_fastest_laps(database):
    board = LapBoard(database)
    for number in range(MOST_LAPS_OF_A_COURSE):
        board.add(COURSE, *a_lap(number, 500 + number))
    slow = board.add(COURSE, *a_lap(1000, 900))
    fast = board.add(COURSE, *a_lap(1001, 300))
    assert (slow.rank, slow.is_new) == (None, False)
    assert (fast.rank, fast.is_new) == (1, True)
    kept = board.fastest(COURSE, limit=10_000)
    assert len(kept) == MOST_LAPS_OF_A_COURSE
    assert max(lap.ticks for lap in kept) == 500 + MOST_LAPS_OF_A_COURSE - 2


@pytest.mark.parametrize("other", [Course("track-01", "other", "physics"), Course("track-01", "shape", "other")])
def test_laps_of_another_shape_or_physics_are_not_compared(database, other):
    board = LapBoard(database)
    board.add(COURSE, *a_lap(1))
    assert board.fastest(other) == []


def test_laps_are_still_there_when_the_file_is_opened_again(tmp_path):
    lap, drive = a_lap(1)
    first = Database(tmp_path / "laps.sqlite")
    LapBoard(first).add(COURSE, lap, drive)
    first.close()
    second = Database(tmp_path / "laps.sqlite")
    assert LapBoard(second).fastest(COURSE) == [lap]
    second.close()


def test_two_servers_can_share_one_file(tmp_path):
    first, second = Database(tmp_path / "laps.sqlite"), Database(tmp_path / "laps.sqlite")
    LapBoard(first).add(COURSE, *a_lap(1))
    LapBoard(second).add(COURSE, *a_lap(2))
    assert len(LapBoard(first).fastest(COURSE)) == 2
    first.close()
    second.close()


def forget_all_and_fail(database: Database) -> None:
    with database.transaction() as db:
        db.execute("DELETE FROM laps")
        raise ZeroDivisionError


def test_failed_transaction_changes_nothing(database):
    lap, drive = a_lap(1)
    LapBoard(database).add(COURSE, lap, drive)
    with pytest.raises(ZeroDivisionError):
        forget_all_and_fail(database)
    assert LapBoard(database).fastest(COURSE) == [lap]


def test_broken_statement_is_a_store_error(database):
    with pytest.raises(StoreError, match="no such table"), database.transaction() as db:
        db.execute("SELECT * FROM recipes")


def test_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("dear diary " * 100, encoding="utf-8")
    with pytest.raises(StoreError, match="name another with --database"):
        Database(path)
    assert path.read_text(encoding="utf-8").startswith("dear diary")


def test_database_of_another_program_is_refused(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        Database(path)


def test_database_of_a_newer_version_is_refused(tmp_path):
    path = tmp_path / "laps.sqlite"
    Database(path).close()
    with sqlite3.connect(path) as newer:
        newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    newer.close()
    with pytest.raises(StoreError, match="newer Hotlap"):
        Database(path)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ada", "Ada"),
        ("  Ada \t Lovelace\n", "Ada Lovelace"),
        ("", "anonymous"),
        ("\x00\x1b[31m\u202e", "[31m"),
        ("\u200b\u200b", "anonymous"),
        ("x" * 1000, "x" * 24),
        ("<script>alert(1)</script>", "<script>alert(1)</script"),
        ("e\u0301", "é"),
    ],
)
def test_names_are_made_plain(given, kept):
    assert plain_name(given) == kept


def changed(drive: RecordedDrive, places: int, seed: int = 0) -> RecordedDrive:
    """The same drive with some bytes moved by one."""
    inputs = bytearray(drive.inputs)
    for place in random.Random(seed).sample(range(len(inputs)), places):
        inputs[place] ^= 1
    return RecordedDrive(bytes(inputs))


def sent(board: LapBoard, drive: RecordedDrive, name: str, ticks: int = 400, second: int = 30):
    return board.add(
        COURSE, Lap(lap_id(COURSE, drive), "track-01", name, ticks, 1, f"2026-01-01T00:00:{second}Z"), drive
    )


def test_near_copies_of_one_drive_under_other_names_do_not_flood_the_board(database):
    board = LapBoard(database)
    lap, drive = a_lap(1)
    board.add(COURSE, lap, drive)
    for copy in range(50):
        placed = sent(board, changed(drive, copy + 1, copy), f"copy {copy}")
        assert (placed.lap, placed.rank, placed.is_new) == (lap, 1, False)
    longer = RecordedDrive(bytes(300) + drive.inputs)  # a wait on the grid before the same lap
    assert sent(board, longer, "patient").lap == lap
    assert board.fastest(COURSE) == [lap]


def test_near_copy_that_is_faster_belongs_to_nobody_else_and_replaces_ones_own(database):
    board = LapBoard(database)
    lap, drive = a_lap(1, name="Ada")
    board.add(COURSE, lap, drive)
    faster = RecordedDrive(drive.inputs[3:])
    assert sent(board, faster, "Eve", ticks=399).lap == lap
    improved = sent(board, faster, "Ada", ticks=399)
    assert (improved.rank, improved.is_new, improved.lap.ticks) == (1, True, 399)
    assert [kept.ticks for kept in board.fastest(COURSE)] == [399]


def test_one_name_cannot_hold_all_places(database):
    board = LapBoard(database)
    for number in range(30):
        board.add(COURSE, *a_lap(number, 400 + 10 * number, "Ada"))
    board.add(COURSE, *a_lap(99, 990, "Bob"))
    names = [lap.name for lap in board.fastest(COURSE)]
    assert names == ["Ada"] * MOST_LAPS_OF_A_NAME + ["Bob"]


def test_equal_laps_of_one_second_rank_in_the_order_they_came(database):
    board = LapBoard(database)
    for number in (5, 3, 9, 1):
        lap, drive = a_lap(number)
        sent(board, drive, lap.name)
    assert [lap.name for lap in board.fastest(COURSE)] == ["driver 5", "driver 3", "driver 9", "driver 1"]


def test_what_is_acknowledged_survives_a_power_cut(database):
    with database.transaction() as db:
        assert db.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL: the log is on the disk before an answer


def test_all_machines_together_hold_as_many_places_as_one_name_and_no_record(database):
    board = LapBoard(database)
    for number in range(MOST_LAPS_OF_A_NAME + 5):
        lap, drive = a_lap(number, 300 + 10 * number)
        board.add(COURSE, dataclasses.replace(lap, driven_by=MACHINE), drive)
    board.add(COURSE, *a_lap(100, 900, name="Ada"))
    kept = board.fastest(COURSE)
    assert [lap.driven_by for lap in kept].count(MACHINE) == MOST_LAPS_OF_A_NAME
    assert board.fastest_by_hand(COURSE).name == "Ada"
