"""Runs and drivers as pages see them: what is listed, what is handed out, what is refused."""

import hashlib
import os

import pytest

from hotlap.checkpoints import PastPolicies, RunLock, prune_checkpoints
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.web.runs import Shelf, is_being_trained
from web.game_server import running
from web.sample_runs import make_run, policy_bytes, publish_best, save_step


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def test_run_with_its_best_driver_and_its_checkpoints_newest_first(root):
    folder = make_run(root, "first")
    for step in (100, 200, 300):
        save_step(folder, step)
    publish_best(folder, 200)
    listing = Shelf(root).listing()
    [run] = listing.runs
    assert (run.name, run.state, run.step, run.steps) == ("first", "stopped", 300, 1000)
    assert [(driver.kind, driver.step) for driver in listing.drivers] == [
        ("best", 200),
        ("checkpoint", 300),
        ("checkpoint", 200),
        ("checkpoint", 100),
    ]
    assert listing.drivers[0].laps == {"track-01": 6.75}
    assert {driver.fingerprint for driver in listing.drivers} == {physics_fingerprint()}
    assert all(driver.problem is None for driver in listing.drivers)


def test_past_policies_are_drivers_too_and_outlive_their_checkpoints(root):
    folder = make_run(root, "first")
    past = PastPolicies(folder, 100)
    for step in (100, 200, 300):
        save_step(folder, step)
        if past.is_due(step):
            past.keep(step, policy_bytes(step))
    drivers = {driver.step: driver.key for driver in Shelf(root).listing().drivers}
    assert list(drivers) == [300, 200, 100]
    prune_checkpoints(folder, keep_last=1)
    assert {driver.step: driver.key for driver in Shelf(root).listing().drivers} == drivers


def test_age_of_a_driver_is_when_its_run_had_made_its_steps(root):
    folder = make_run(root, "first")
    for step in (100, 200, 300):
        save_step(folder, step)
    assert [driver.trained_s for driver in Shelf(root).listing().drivers] == [None] * 3
    curve = folder / "curve.jsonl"
    curve.write_text('{"step": 90, "seconds": 1.5}\n{"step": 150, "seconds": 2.5}\n{"step": 250, "seconds": 30.0}\n')
    assert [driver.trained_s for driver in Shelf(root).listing().drivers] == [None, 30.0, 2.5]
    curve.write_text(curve.read_text() + '{"step": 300, "seconds": 40.0}\n')
    assert [driver.trained_s for driver in Shelf(root).listing().drivers] == [40.0, 30.0, 2.5]


def test_run_is_finished_at_its_last_step_and_in_training_while_locked(root):
    folder = make_run(root, "first", steps=300)
    save_step(folder, 300)
    assert Shelf(root).listing().runs[0].state == "finished"
    with RunLock(folder):
        assert is_being_trained(folder)
        assert Shelf(root).listing().runs[0].state == "training"
    assert not is_being_trained(folder)


def test_looking_at_a_run_does_not_keep_a_trainer_out(root):
    folder = make_run(root, "first")
    for _ in range(50):
        assert not is_being_trained(folder)
        with RunLock(folder):
            assert is_being_trained(folder)


def test_driver_is_handed_out_by_its_key(root, tmp_path):
    folder = make_run(root, "first")
    save_step(folder, 100)
    with running(tmp_path / "game", root) as server:
        [driver] = server.get("/data/policies.json").json()["policies"]
        answer = server.get(f"/data/policies/{driver['key']}.onnx")
        assert (answer.status, answer.body) == (200, policy_bytes(100))
        assert "immutable" in answer.headers["cache-control"]
        assert server.get("/data/policies/first.onnx").status == 404


def test_listing_names_no_folder(root, tmp_path):
    folder = make_run(root, "first")
    save_step(folder, 100)
    with running(tmp_path / "game", root) as server:
        assert str(tmp_path) not in server.get("/data/policies.json").body.decode()


def test_driver_of_another_physics_is_listed_with_the_reason_and_not_handed_out(root, tmp_path):
    folder = make_run(root, "old", fingerprint="feedfeedfeedfeed")
    save_step(folder, 100)
    with running(tmp_path / "game", root) as server:
        [driver] = server.get("/data/policies.json").json()["policies"]
        assert "feedfeedfeedfeed" in driver["problem"]
        answer = server.get(f"/data/policies/{driver['key']}.onnx")
        assert (answer.status, answer.json()) == (409, {"error": driver["problem"]})


def test_file_that_is_no_policy_is_never_sent(root, tmp_path):
    folder = make_run(root, "odd")
    publish_best(folder, 100)
    (folder / "policy.onnx").write_text("root:x:0:0", encoding="utf-8")
    with running(tmp_path / "game", root) as server:
        [driver] = server.get("/data/policies.json").json()["policies"]
        answer = server.get(f"/data/policies/{driver['key']}.onnx")
        assert answer.status == 409
        assert b"root:x" not in answer.body
        assert str(tmp_path).encode() not in answer.body


def test_links_are_not_followed(root, tmp_path):
    secret = tmp_path / "secret.onnx"
    secret.write_bytes(policy_bytes(1))
    folder = make_run(root, "first")
    publish_best(folder, 100)
    (folder / "policy.onnx").unlink()
    (folder / "policy.onnx").symlink_to(secret)
    (root / "linked").symlink_to(folder)
    listing = Shelf(root).listing()
    assert [run.name for run in listing.runs] == ["first"]
    assert not listing.drivers


def test_damaged_runs_are_left_out(root):
    make_run(root, "good")
    broken = {"empty": "", "list": "[]", "nothing": "{}", "odd": '{"config": {"racer": 3, "steps": "many"}}'}
    for name, text in broken.items():
        (root / name).mkdir()
        (root / name / "run.json").write_text(text, encoding="utf-8")
    (root / "no-run").mkdir()
    (root / "file.txt").write_text("hello", encoding="utf-8")
    assert [run.name for run in Shelf(root).listing().runs] == ["good"]


def test_damaged_best_document_leaves_the_checkpoints(root):
    folder = make_run(root, "first")
    save_step(folder, 100)
    publish_best(folder, 100)
    (folder / "best.json").write_text('{"step": "x"}', encoding="utf-8")
    assert [driver.kind for driver in Shelf(root).listing().drivers] == ["checkpoint"]


def test_listing_is_at_most_two_seconds_old(root):
    now = [0.0]
    shelf = Shelf(root, clock=lambda: now[0])
    assert not shelf.listing().runs
    make_run(root, "first")
    now[0] = 1.9
    assert not shelf.listing().runs
    now[0] = 2.0
    assert [run.name for run in shelf.listing().runs] == ["first"]


def test_driver_that_was_just_announced_is_found_at_once(root):
    folder = make_run(root, "first")
    shelf = Shelf(root, clock=lambda: 0.0)
    shelf.listing()
    save_step(folder, 100)
    [driver] = Shelf(root).listing().drivers
    assert shelf.driver(driver.key) is None
    shelf.announce(driver)
    assert shelf.driver(driver.key) == driver


def test_key_changes_with_the_content(root):
    folder = make_run(root, "first")
    publish_best(folder, 100)
    before = Shelf(root).listing().drivers[0].key
    publish_best(folder, 200)
    assert Shelf(root).listing().drivers[0].key != before


def test_removed_checkpoint_is_not_found(root, tmp_path):
    folder = make_run(root, "first")
    save_step(folder, 100)
    with running(tmp_path / "game", root) as server:
        [driver] = server.get("/data/policies.json").json()["policies"]
        save_step(folder, 200)
        prune_checkpoints(folder, keep_last=1)
        assert server.get(f"/data/policies/{driver['key']}.onnx").status in (404, 409)


def test_newer_run_comes_first(root):
    for name in ("old", "new"):
        make_run(root, name)
    os.utime(root / "old" / "run.json", (1, 1))
    assert [run.name for run in Shelf(root).listing().runs] == ["new", "old"]


def test_keys_tell_nothing(root):
    folder = make_run(root, "first")
    save_step(folder, 100)
    listing = Shelf(root).listing()
    for key in (listing.runs[0].key, listing.drivers[0].key):
        assert len(key) == 16
        assert int(key, 16) >= 0
    assert listing.runs[0].key != hashlib.sha256(b"first").hexdigest()[:16]
