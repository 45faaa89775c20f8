"""The racer in the page is the trainer's: Node and Chromium drive recorded drives again, to 1e-9 and to the tick."""

import functools
from pathlib import Path

import numpy as np
import pytest

from export.machines import assert_same_columns, driven_in_chromium, driven_in_node, write_job
from export.recorded_drives import CARS, EXACT_FIELDS, FIELDS, GRIP_FIELDS, Drive, record_drive, record_grip_drive
from hotlap.export.browser_kernel import kernel_document
from hotlap.export.linking import packaged
from hotlap.export.track_data import track_data
from hotlap.racer.tracks import load_track, track_ids

TICKS = 1800
GRIP_TICKS = 600
# Sine and arc tangent differ in their last bit between libraries, and walls magnify that.
TOLERANCE = 1e-9

recorded = functools.cache(record_drive)


def job_in(folder: Path, track: str, layout: str, drive: Drive) -> Path:
    data, wasm = track_data(load_track(track)), packaged("racer.wasm")
    fields = [*FIELDS, *EXACT_FIELDS]
    job = {"cars": CARS, "ticks": len(drive.actions), "layout": layout, "delay": drive.delays, "fields": fields}
    documents = {"kernel.json": kernel_document(wasm), "track.json": data.document, "job.json": job}
    contents = {"racer.wasm": wasm, "track.bin": data.tables, "actions.bin": drive.actions.tobytes()}
    write_job(folder, {**documents, **contents})
    return folder


def assert_same_drive(states: np.ndarray, drive: Drive, fields: list[tuple[str, str]] = FIELDS) -> None:
    """Flags, counters and lap ticks exactly, everything else to the tolerance."""
    assert_same_columns(states, drive.columns, EXACT_FIELDS, fields, TOLERANCE)


@pytest.mark.parametrize("layout", ["classic", "full"])
@pytest.mark.parametrize("track", track_ids())
def test_recorded_drives_end_the_same_in_node(track, layout, tmp_path):
    drive = recorded(track, layout, TICKS)
    assert_same_drive(driven_in_node("racer", job_in(tmp_path, track, layout, drive)), drive)


@pytest.mark.parametrize("car", ["gt", "formula", "street"])
def test_cars_with_grip_drive_the_same_in_node(car, tmp_path):
    drive = record_grip_drive("track-02", car, GRIP_TICKS)
    fields = [*GRIP_FIELDS, *EXACT_FIELDS]
    job = {"cars": CARS, "ticks": GRIP_TICKS, "layout": "grip", "delay": drive.delays, "fields": fields, "car": car}
    data, wasm = track_data(load_track("track-02")), packaged("racer.wasm")
    documents = {"kernel.json": kernel_document(wasm), "track.json": data.document, "job.json": job}
    contents = {"racer.wasm": wasm, "track.bin": data.tables, "actions.bin": drive.actions.tobytes()}
    write_job(tmp_path, {**documents, **contents})
    assert_same_drive(driven_in_node("racer", tmp_path), drive, GRIP_FIELDS)
    assert drive.columns["fleet", "speed_ups"].max() > 20.0


@pytest.mark.browser
@pytest.mark.parametrize("layout", ["classic", "full"])
@pytest.mark.parametrize("track", track_ids())
def test_recorded_drives_end_the_same_in_chromium(track, layout, page, tmp_path):
    drive = recorded(track, layout, TICKS)
    assert_same_drive(driven_in_chromium(page, "racer", job_in(tmp_path, track, layout, drive)), drive)


@pytest.mark.parametrize("track", track_ids())
def test_recorded_drives_hold_laps_walls_and_every_surface(track):
    drive = recorded(track, "classic", TICKS)
    clean, complete = (drive.columns["outputs", name].astype(bool) for name in ("lap_clean", "lap_complete"))
    assert (complete & clean).any()
    assert drive.columns["outputs", "collided"].any()
    assert set(np.unique(drive.columns["fleet", "surface"])) == {0.0, 1.0, 2.0}
