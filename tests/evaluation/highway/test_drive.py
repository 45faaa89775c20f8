"""`hotlap drive`: orders carried out, refused, not done in time; by whom; and that they are logged."""

import json
import re
import shutil

import pytest

from evaluation.highway.tiny_highway import highway_model
from hotlap import cli
from hotlap.checkpoints.run_files import PolicyScore, publish_best
from hotlap.evaluation.highway.drive_orders import best_highway_run, live_line
from hotlap.highway.missions import Ending
from hotlap.highway.ordered_drive import Moment, OrderedDrive
from hotlap.highway.scene import Scene
from hotlap.policies.highway_expert import HighwayExpert
from hotlap.store.database import Database
from hotlap.store.missions import MissionLog
from policies.tiny_models import linear_model


@pytest.fixture
def drive(tmp_path, capsys):
    """Run the command in a folder of its own; exit code, stdout and stderr."""

    def run(*words):
        code = cli.main(["drive", *words, "--root", str(tmp_path / "runs")])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def logged(tmp_path):
    database = Database(tmp_path / "runs" / "hotlap.sqlite")
    missions = MissionLog(database).newest()
    database.close()
    return [each.record for each in missions]


def test_order_is_carried_out_explained_and_logged(drive, tmp_path):
    code, out, err = drive("cruise at 60, keep two seconds")
    assert code == 0
    understood, happened, guarded = out.splitlines()
    assert understood == "Understood: Cruise at 60 mph, 2 seconds behind the vehicle ahead."
    assert happened.startswith("Done after ")
    assert "mph from what was asked" in happened
    assert guarded.startswith("The supervisor changed ")
    assert "motorist, which comes with Hotlap, since no run under" in err
    [record] = logged(tmp_path)
    assert (record.mode, record.ending, record.driver) == ("cruise", "done", "motorist")
    assert record.text == "cruise at 60, keep two seconds"
    assert abs(record.speed_error_mps) < 1.0


def test_json_is_all_there_is_on_stdout(drive):
    code, out, _ = drive("move right", "--json", "--seed", "3", "--vehicles", "5")
    document = json.loads(out)
    assert code == 0
    assert document["scene"]["seed"] == 3
    [order] = document["orders"]
    assert order["understood"]["target_lane"] == 3
    assert order["outcome"]["ending"] == "done"


def test_same_seed_gives_the_same_drive_and_another_one_another(drive):
    words = ["stop in the right lane", "--json", "--seconds", "90", "--seed"]
    first, again, other = (drive(*words, seed)[1] for seed in ("1", "1", "2"))
    assert first == again
    assert json.loads(first)["orders"] != json.loads(other)["orders"]


def test_orders_follow_one_another(drive, tmp_path):
    code, out, _ = drive("cruise at 55", "--then", "move left", "stop", "--vehicles", "4", "--json")
    assert code == 0
    assert [order["understood"]["mode"] for order in json.loads(out)["orders"]] == ["cruise", "lane_change", "stop"]
    assert [record.mode for record in logged(tmp_path)] == ["stop", "lane_change", "cruise"]
    assert logged(tmp_path)[0].time_s > 5.0


def test_refused_order_drives_nothing_and_exits_with_one(drive, tmp_path):
    code, out, _ = drive("move left", "--lane", "1")
    assert (code, out) == (1, "Refused: There is no lane to the left of lane 1.\n")
    assert not (tmp_path / "runs").exists()
    code, out, _ = drive("pass this truck", "--vehicles", "0")
    assert (code, out) == (1, "Refused: Nobody drives ahead in this lane.\n")


def test_order_that_is_not_done_in_time_exits_with_one(drive, tmp_path):
    code, out, _ = drive("stop", "--seconds", "2")
    assert code == 1
    assert "Cancelled after 2.0 s (the drive was over)" in out
    assert logged(tmp_path)[0].ending is Ending.CANCELLED


def test_hold_lasts_as_long_as_the_drive(drive):
    code, out, _ = drive("hold", "--seconds", "10", "--vehicles", "0", "--policy", "expert")
    assert code == 0
    assert "Held for 10.0 s: 58.0 mph" in out
    _, out, _ = drive("hold", "--seconds", "10", "--vehicles", "0")
    assert re.search(r"Held for 10\.0 s: 5[78]\.\d mph", out)


def test_newest_run_of_the_highway_drives_and_others_do_not(drive, tmp_path):
    for name, model in (("racer", linear_model()), ("pilot", highway_model())):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "policy.onnx").write_bytes(model.SerializeToString())
    assert best_highway_run(tmp_path / "runs") == tmp_path / "runs" / "pilot"
    code, out, err = drive("cruise at 55", "--vehicles", "0", "--json")
    assert code == 0
    assert json.loads(out)["driver"] == "pilot"
    assert "the best evaluated run of the highway" in err
    assert "drives in the racer" in drive("stop", "--policy", "racer")[2]
    shutil.rmtree(tmp_path / "runs" / "pilot")
    assert best_highway_run(tmp_path / "runs") is None


def test_best_evaluated_run_drives_rather_than_the_newest(tmp_path):
    for name, score in (("better", 90.0), ("worse", 40.0)):
        (tmp_path / name).mkdir()
        publish_best(tmp_path / name, PolicyScore(1, (score,), {}, {}, ""), highway_model().SerializeToString())
    (tmp_path / "unknown").mkdir()
    (tmp_path / "unknown" / "policy.onnx").write_bytes(highway_model().SerializeToString())
    assert best_highway_run(tmp_path) == tmp_path / "better"


def test_driver_that_comes_along_is_known_by_name_and_said(drive):
    code, out, err = drive("hold", "--seconds", "2", "--vehicles", "0", "--json")
    assert code == 0
    assert json.loads(out)["driver"] == "motorist"
    assert "driver: motorist, which comes with Hotlap" in err
    assert json.loads(drive("hold", "--seconds", "2", "--policy", "motorist", "--json")[1])["driver"] == "motorist"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["stop", "--seed", "-1"], "--seed must be 0 or more"),
        (["stop", "--seconds", "0"], "--seconds must be from"),
        (["stop", "--vehicles", "99"], "vehicles must be from 0 to 40"),
        (["stop", "--lane", "9"], "from 1 (leftmost) to 5, or 6, the shoulder, not 9"),
        (["stop", "--speed-mph", "900"], "from 0 to 89 mph"),
        (["stop", "--policy", "expret"], 'Did you mean "expert"?'),
    ],
)
def test_mistake_exits_with_two_and_says_what_would_be_right(drive, words, complaint):
    code, out, err = drive(*words)
    assert (code, out) == (2, "")
    assert complaint in err


def test_log_that_cannot_be_written_does_not_spoil_the_drive(drive, tmp_path):
    (tmp_path / "runs").write_text("a file where the folder should be")
    code, out, err = drive("move left", "--vehicles", "0")
    assert code == 0
    assert "Done after" in out
    assert "the missions are not logged" in err


def test_orders_are_judged_by_who_is_around():
    ahead = set()
    for seed in range(20):
        situation = OrderedDrive(HighwayExpert().act, Scene(seed=seed, vehicles=40)).situation()
        ahead.add(situation.traffic.ahead)
        assert situation.limits_mph[0] == pytest.approx(70.0)
    assert {"sedan", "truck"} <= ahead
    alone = OrderedDrive(HighwayExpert().act, Scene(vehicles=0)).situation()
    assert (alone.traffic.ahead, alone.traffic.left_occupied) == (None, False)


def test_live_line_says_what_the_car_does():
    moment = Moment(12.4, 2, 64.8, 65.0, 2.1, "cruise", ("distance",))
    assert live_line(moment) == "  12.4 s  cruise  lane 3   64.8 of 65 mph  gap 2.1 s  supervisor: distance"
