"""Runs of both worlds on one shelf: told apart, checked against their own physics, watched by their own page."""

import pytest

from browser.highway_page import highway_run, obedient, publish_driver
from hotlap.errors import PolicyError
from hotlap.web.live import chosen_run
from hotlap.web.policies import PolicyCounter
from hotlap.web.runs import Shelf, fingerprint_problem
from web.sample_runs import make_run, policy_bytes, publish_best


@pytest.fixture
def shelf(tmp_path):
    publish_driver(highway_run(tmp_path, "cruiser"), 1000, obedient(1000))
    publish_best(make_run(tmp_path, "racer"), 100)
    return Shelf(tmp_path)


def test_every_run_and_driver_names_its_world(shelf):
    listing = shelf.listing()
    assert {run.name: (run.world, run.layout, run.tracks) for run in listing.runs} == {
        "cruiser": ("highway", "highway", ()),
        "racer": ("racer", "classic", ("track-01",)),
    }
    assert {driver.name: driver.as_json()["world"] for driver in listing.drivers} == {
        "cruiser": "highway",
        "racer": "racer",
    }


def test_best_driver_of_a_run_says_what_its_evaluation_said(shelf):
    scores = {driver.name: driver.as_json()["score"] for driver in shelf.listing().drivers}
    assert scores["racer"] == (1.0,)


def test_highway_driver_is_handed_out_after_its_own_checks(shelf):
    [driver] = [driver for driver in shelf.listing().drivers if driver.world == "highway"]
    assert driver.problem is None
    assert PolicyCounter().content(driver) == obedient(1000)


def test_driver_of_the_other_world_in_a_run_is_refused(shelf, tmp_path):
    (tmp_path / "cruiser" / "policy.onnx").write_bytes(policy_bytes(100))
    [driver] = [driver for driver in shelf.listing().drivers if driver.world == "highway"]
    with pytest.raises(PolicyError, match='made for the world "racer"'):
        PolicyCounter().content(driver)


def test_page_of_a_world_watches_the_runs_of_that_world(shelf):
    listing = shelf.listing()
    assert chosen_run(listing, None, "highway").name == "cruiser"
    assert chosen_run(listing, None, "racer").name == "racer"
    assert chosen_run(listing, None, "nowhere") is None


def test_run_named_to_the_page_of_another_world_is_an_unknown_one(shelf):
    listing = shelf.listing()
    keys = {run.name: run.key for run in listing.runs}
    assert chosen_run(listing, keys["cruiser"], "highway").name == "cruiser"
    assert chosen_run(listing, keys["cruiser"], "racer") is None
    assert chosen_run(listing, keys["racer"], "highway") is None


def test_unknown_world_and_other_physics_are_named_as_the_problem():
    assert "does not have" in fingerprint_problem("boats", "boats", "boats-1:0")
    assert "Train it again" in fingerprint_problem("highway", "highway", "highway-1:0")
