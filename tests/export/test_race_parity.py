"""Races in the page are the trainer's: Node and Chromium race recorded races again, contact by contact."""

from pathlib import Path

import numpy as np
import pytest

from export.machines import assert_same_columns, driven_in_chromium, driven_in_node, write_job
from export.recorded_races import EXACT_FIELDS, FIELDS, RecordedRace, record_race
from hotlap.export.browser_kernel import kernel_document
from hotlap.export.linking import packaged
from hotlap.export.track_data import track_data
from hotlap.racer.tracks import load_track

TICKS = 900
GRIP_TICKS = 600
# Node's sine differs from ours in its last bit, and every contact magnifies that: a thousandfold in these ticks, and
# beyond all bounds in a whole race.
NODE_TICKS, NODE_TOLERANCE = 240, 1e-6
# Chromium's does not differ, and gives the same bits; other versions of it may need what the racer's tests allow.
TOLERANCE = 1e-9


def job_in(folder: Path, track: str, race: RecordedRace) -> Path:
    data = track_data(load_track(track))
    documents = {
        "kernel.json": kernel_document(packaged("racer.wasm")),
        "track.json": data.document,
        "job.json": race.job,
    }
    contents = {"race.wasm": packaged("race.wasm"), "race.json": packaged("race.json"), "track.bin": data.tables}
    write_job(folder, {**documents, **contents, "actions.bin": race.actions.tobytes()})
    return folder


def assert_same_race(states: np.ndarray, race: RecordedRace, tolerance: float = TOLERANCE) -> None:
    """Places, contacts, faults and finishes exactly, everything else to the tolerance."""
    assert_same_columns(states, race.columns, EXACT_FIELDS, FIELDS, tolerance)


@pytest.mark.parametrize("layout", ["classic", "full"])
def test_recorded_race_goes_the_same_way_in_node(layout, tmp_path):
    race = record_race("track-01", layout, NODE_TICKS)
    assert_same_race(driven_in_node("race", job_in(tmp_path, "track-01", race)), race, NODE_TOLERANCE)
    assert race.columns["facts", "fault"].any()


def test_race_of_cars_with_grip_goes_the_same_way_in_node(tmp_path):
    race = record_race("ridgeway", "grip", NODE_TICKS, "gt")
    assert_same_race(driven_in_node("race", job_in(tmp_path, "ridgeway", race)), race, NODE_TOLERANCE)
    assert race.columns["facts", "fault"].any()


@pytest.mark.browser
@pytest.mark.parametrize("layout", ["classic", "full"])
def test_recorded_race_ends_the_same_in_chromium(layout, page, tmp_path):
    race = record_race("track-01", layout, TICKS)
    assert_same_race(driven_in_chromium(page, "race", job_in(tmp_path, "track-01", race)), race)


@pytest.mark.browser
def test_race_of_cars_with_grip_ends_the_same_in_chromium(page, tmp_path):
    race = record_race("ridgeway", "grip", GRIP_TICKS, "gt")
    assert_same_race(driven_in_chromium(page, "race", job_in(tmp_path, "ridgeway", race)), race)


def test_recorded_race_holds_contacts_faults_passes_finishes_and_cars_put_back():
    columns = record_race("track-01", "classic", TICKS).columns
    assert columns["facts", "impulse"].any()
    assert columns["facts", "fault"].any()
    assert columns["facts", "passes"].any()
    assert columns["facts", "put_back"].any()
    assert (columns["contenders", "status"] == 1).any()
