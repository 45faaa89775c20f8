"""The highway in the page is the trainer's: traffic, supervisor, missions and expert, in Node and in Chromium."""

import functools
from pathlib import Path

import numpy as np
import pytest

from export.machines import assert_same_columns, driven_in_chromium, driven_in_node, write_job
from export.recorded_missions import EXACT_FIELDS, FIELDS, RoadDrive, record_missions
from hotlap.export.linking import packaged
from hotlap.highway.mission_rules import CRUISE, DONE, LANE_CHANGE

DECISIONS = 600
# Only the boxes of collisions and the headings need sines; everything else is plain arithmetic.
TOLERANCE = 1e-9

recorded = functools.cache(record_missions)


def job_in(folder: Path, drive: RoadDrive, *, supervised: bool) -> Path:
    about = {"scenes": drive.scenes, "orders": drive.orders, "fields": [*FIELDS, *EXACT_FIELDS]}
    job = {**about, "decisions": len(drive.actions), "supervised": int(supervised)}
    contents = {"dice.bin": drive.dice.tobytes(), "actions.bin": drive.actions.tobytes()}
    kernel = {name: packaged(name) for name in ("highway.json", "highway.wasm")}
    write_job(folder, {"job.json": job, **contents, **kernel})
    return folder


def assert_same_drive(states: np.ndarray, drive: RoadDrive) -> None:
    """Lanes, crashes, rules and endings exactly, everything else to the tolerance."""
    assert_same_columns(states, drive.columns, EXACT_FIELDS, FIELDS, TOLERANCE)


@pytest.mark.parametrize("supervised", [True, False])
def test_recorded_missions_end_the_same_in_node(supervised, tmp_path):
    drive = recorded(DECISIONS, supervised=supervised)
    assert_same_drive(driven_in_node("highway", job_in(tmp_path, drive, supervised=supervised)), drive)


@pytest.mark.browser
@pytest.mark.parametrize("supervised", [True, False])
def test_recorded_missions_end_the_same_in_chromium(supervised, page, tmp_path):
    drive = recorded(DECISIONS, supervised=supervised)
    assert_same_drive(driven_in_chromium(page, "highway", job_in(tmp_path, drive, supervised=supervised)), drive)


def test_recorded_missions_hold_what_there_is_to_compare():
    watched, free = recorded(DECISIONS, supervised=True).columns, recorded(DECISIONS, supervised=False).columns
    assert free["roads", "crashed"].any()
    assert not watched["roads", "ego_fault"].any()
    assert (watched["roads", "interventions"][-1].reshape(6, -1).sum(0) > 0).sum() >= 5
    ended = watched["outputs", "ended_mode"][watched["outputs", "mission_ended"] == DONE]
    assert {CRUISE, LANE_CHANGE} <= set(ended)
