"""The mission log: what comes back, what is refused, what is forgotten."""

import json
import sqlite3

import msgspec
import pytest

import hotlap.store.database as database_module
import hotlap.store.missions as missions_module
from hotlap.errors import MissionError
from hotlap.highway.missions import Ending, Mission, Mode, Outcome
from hotlap.store.database import Database
from hotlap.store.missions import MissionLog, record_from_json, record_of

CRUISE = Mission(Mode.CRUISE, target_speed_mps=29.0, gap_s=2.0, text="cruise at 65", source="voice")
DONE = Outcome(CRUISE, Ending.DONE, "", 12.4, speed_error_mps=-0.2)
SENT = {"mode": "stop", "ending": "done", "duration_s": 9.8, "driver": "expert"}


@pytest.fixture
def log(tmp_path):
    database = Database(tmp_path / "hotlap.sqlite")
    yield MissionLog(database)
    database.close()


def test_mission_comes_back_as_it_ended(log):
    added = log.add(record_of(DONE, "pilot", {"distance": 3}), ended_at="2026-01-01T00:00:00Z")
    assert log.newest() == [added]
    shown = added.as_json()
    assert (shown["mode"], shown["ending"], shown["source"], shown["text"]) == ("cruise", "done", "voice", CRUISE.text)
    assert (shown["duration_s"], shown["speed_error_mps"], shown["interventions"]) == (12.4, -0.2, {"distance": 3})
    assert json.loads(json.dumps(shown)) == shown


def test_newest_missions_come_first(log):
    for number in range(3):
        log.add(record_from_json(json.dumps({**SENT, "duration_s": number}).encode()))
    assert [each.record.duration_s for each in log.newest(2)] == [2, 1]


def test_oldest_missions_are_forgotten(log, monkeypatch):
    monkeypatch.setattr(missions_module, "MOST_MISSIONS", 5)
    for number in range(9):
        log.add(record_from_json(json.dumps({**SENT, "duration_s": number}).encode()))
    assert [each.record.duration_s for each in log.newest()] == [8, 7, 6, 5, 4]


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "fly"}, {"ending": "great"}, {"duration_s": -1}, {"duration_s": "soon"}, {"driver": ""},
        {"target_lane": 7}, {"target_lane": 1.5}, {"target_speed_mps": 900}, {"gap_s": 0}, {"text": "x" * 401},
        {"reason": "y" * 201}, {"speed_error_mps": 1e9}, {"interventions": {"edge": -1}}, {"surprise": 1},
    ],
)  # fmt: skip
def test_record_that_cannot_be_is_refused(change):
    with pytest.raises(MissionError, match="not a mission's record"):
        record_from_json(json.dumps({**SENT, **change}).encode())


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_record_at_all_is_refused(body):
    with pytest.raises(MissionError):
        record_from_json(body)


def test_record_made_in_python_is_checked_too(log):
    with pytest.raises(MissionError):
        log.add(msgspec.structs.replace(record_of(DONE, "pilot"), duration_s=-3.0))
    assert log.newest() == []


def test_texts_are_made_fit_to_be_shown(log):
    sent = {**SENT, "text": "stop\u202e now\x00\n please", "driver": "\x07"}
    record = log.add(record_from_json(json.dumps(sent).encode())).record
    assert (record.text, record.driver) == ("stop now please", "unknown")


def test_file_with_laps_only_learns_to_keep_missions(tmp_path, monkeypatch):
    path = tmp_path / "hotlap.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(database_module, "MIGRATIONS", database_module.MIGRATIONS[:1])
        Database(path).close()
    with sqlite3.connect(path) as old:
        assert old.execute("PRAGMA user_version").fetchone()[0] == 1
    old.close()
    database = Database(path)
    assert MissionLog(database).add(record_of(DONE, "pilot")).id == 1
    database.close()
