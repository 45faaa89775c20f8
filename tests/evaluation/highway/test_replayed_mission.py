"""`hotlap missions --replay`: a logged mission driven again, to the bit where nothing has changed since."""

import json

import msgspec
import pytest

from evaluation.highway.tiny_highway import highway_model
from hotlap import cli
from hotlap.highway.missions import Ending, Mission, Mode, Outcome
from hotlap.store.database import Database
from hotlap.store.missions import MissionLog, record_of

ORDERS = ["cruise at 60", "--then", "move left", "pull over", "--seed", "5", "--vehicles", "12", "--lane", "2"]


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def hotlap(root, *words):
    return cli.main([*words, "--root", str(root)])


def newest(root):
    database = Database(root / "hotlap.sqlite")
    missions = MissionLog(database).newest()
    database.close()
    return missions


def add(root, record):
    database = Database(root / "hotlap.sqlite")
    mission = MissionLog(database).add(record)
    database.close()
    return mission


def test_every_mission_of_a_drive_replays_bit_for_bit(root, capsys):
    assert hotlap(root, "drive", *ORDERS, "--policy", "expert") == 0
    for mission in newest(root):
        capsys.readouterr()
        assert hotlap(root, "missions", "--replay", str(mission.id), "--json") == 0
        document = json.loads(capsys.readouterr().out)
        assert document["same"] is True
        assert document["mission"]["drive"]["orders"][-1] == mission.record.text
    assert hotlap(root, "missions", "--replay", "2") == 0
    assert "The same as logged, bit for bit." in capsys.readouterr().out


def test_replay_that_comes_out_otherwise_exits_with_one(root, capsys):
    assert hotlap(root, "drive", *ORDERS, "--policy", "expert") == 0
    record = newest(root)[0].record
    other = add(root, msgspec.structs.replace(record, duration_s=record.duration_s + 0.2))
    assert hotlap(root, "missions", "--replay", str(other.id)) == 1
    assert "It came out otherwise than logged." in capsys.readouterr().out


def test_another_driver_in_the_same_scenario_is_named_and_judged_by_what_it_does(root, capsys):
    assert hotlap(root, "drive", *ORDERS, "--policy", "expert") == 0
    assert hotlap(root, "missions", "--replay", "1", "--policy", "motorist") == 0
    assert "expert drove it, now motorist does" in capsys.readouterr().err


def test_driver_that_was_trained_since_is_told(root, capsys):
    (root / "pilot").mkdir(parents=True)
    policy = root / "pilot" / "policy.onnx"
    policy.write_bytes(highway_model().SerializeToString())
    hotlap(root, "drive", "cruise at 55", "--policy", "pilot", "--vehicles", "0")
    policy.write_bytes(highway_model(steps="more").SerializeToString())
    hotlap(root, "missions", "--replay", "1", "--json")
    printed = capsys.readouterr()
    assert "pilot was trained or replaced since" in printed.err
    assert '"same": null' in printed.out


def test_mission_of_a_page_is_driven_in_fresh_traffic(root, capsys):
    outcome = Outcome(Mission(Mode.CRUISE, text="cruise at 55"), Ending.TIMED_OUT, "", 5.0)
    mission = add(root, record_of(outcome, "expert"))
    assert hotlap(root, "missions", "--replay", str(mission.id)) == 0
    printed = capsys.readouterr()
    assert "driven in fresh traffic" in printed.err
    assert "Cruise at 55 mph" in printed.out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--replay", "7"], "no mission 7 is in the log"),
        (["--policy", "expert"], "--policy is for --replay"),
        (["--replay", "1", "--policy", "human"], "drives in the racer"),
        (["--replay", "1"], "neither traffic nor words"),
    ],
)
def test_what_cannot_be_replayed_is_refused(root, capsys, words, complaint):
    add(root, record_of(Outcome(Mission(Mode.STOP), Ending.DONE, "", 5.0), "expert"))
    assert hotlap(root, "missions", *words) == 2
    assert complaint in capsys.readouterr().err
