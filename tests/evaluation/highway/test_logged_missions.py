"""`hotlap missions`: the log as a list, failures first, filtered; and what is said when there is none."""

import json
import sqlite3

import pytest

from hotlap import cli
from hotlap.highway.missions import Ending, Mission, Mode, Outcome
from hotlap.store.database import Database
from hotlap.store.missions import MissionLog, record_of


def logged(mode: Mode, ending: Ending, driver: str, text: str):
    return record_of(Outcome(Mission(mode, text=text), ending, "", 5.0, speed_error_mps=0.5), driver)


@pytest.fixture
def root(tmp_path):
    database = Database(tmp_path / "hotlap.sqlite")
    log = MissionLog(database)
    log.add(logged(Mode.CRUISE, Ending.CRASHED, "expert", "cruise at 60"))
    log.add(logged(Mode.CRUISE, Ending.DONE, "expert", "cruise at 65"))
    log.add(logged(Mode.STOP, Ending.TIMED_OUT, "pilot", "pull over"))
    log.add(logged(Mode.STOP, Ending.DONE, "pilot", "stop"))
    database.close()
    return tmp_path


def listed(capsys, root, *options) -> list[dict]:
    assert cli.main(["missions", "--root", str(root), "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_failures_come_first_and_the_newest_of_the_rest(capsys, root):
    assert [each["ending"] for each in listed(capsys, root)] == ["crashed", "timed_out", "done", "done"]
    assert listed(capsys, root)[2]["text"] == "stop"


def test_missions_are_chosen_by_driver_mode_and_ending(capsys, root):
    assert {each["driver"] for each in listed(capsys, root, "--driver", "pilot")} == {"pilot"}
    assert {each["mode"] for each in listed(capsys, root, "--mode", "cruise")} == {"cruise"}
    assert [each["text"] for each in listed(capsys, root, "--ending", "timed_out")] == ["pull over"]
    assert len(listed(capsys, root, "--failures")) == 2
    assert len(listed(capsys, root, "--limit", "1")) == 1


def test_table_says_how_each_driver_did(capsys, root):
    assert cli.main(["missions", "--root", str(root)]) == 0
    out = capsys.readouterr().out
    assert "expert: 1 of 2 done, 1 crashed" in out
    assert "pull over" in out


def test_without_a_log_nothing_is_listed_and_nothing_is_made(capsys, tmp_path):
    assert cli.main(["missions", "--root", str(tmp_path)]) == 0
    assert "No such missions are logged" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"not a database at all, whatever it says", b""])
def test_file_that_is_no_log_is_one_sentence(capsys, tmp_path, content):
    (tmp_path / "hotlap.sqlite").write_bytes(content)
    code = cli.main(["missions", "--root", str(tmp_path)])
    err = capsys.readouterr().err
    assert code == (2 if content else 0)
    assert not content or ("hotlap.sqlite" in err and err.count("\n") == 1)


def test_damaged_record_is_one_sentence(capsys, root):
    connection = sqlite3.connect(root / "hotlap.sqlite")
    connection.execute("UPDATE missions SET record = '{\"mode\": 3}' WHERE id = 2")
    connection.commit()
    connection.close()
    assert cli.main(["missions", "--root", str(root)]) == 2
    assert "the log of missions is damaged" in capsys.readouterr().err
