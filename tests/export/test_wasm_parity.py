"""The physics in the page is the physics of the trainer: Node drives recorded drives again, to 1e-9 and to the tick."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from export.recorded_drives import CARS, EXACT_FIELDS, FIELDS, Drive, record_drive
from hotlap.export.browser_kernel import kernel_document
from hotlap.export.linking import packaged_wasm
from hotlap.export.track_data import track_data
from hotlap.racer.tracks import load_track, track_ids

TICKS = 1800
# Sine and arc tangent differ in their last bit between libraries, and walls magnify that.
TOLERANCE = 1e-9


def driven_in_node(folder: Path, track: str, layout: str, drive: Drive) -> dict[tuple[str, str], np.ndarray]:
    """The same actions through racer.wasm, set up from nothing but what the page gets."""
    data, wasm = track_data(load_track(track)), packaged_wasm()
    fields = [*FIELDS, *EXACT_FIELDS]
    job = {"cars": CARS, "ticks": len(drive.actions), "layout": layout, "delay": drive.delays, "fields": fields}
    documents = {"kernel.json": kernel_document(wasm), "track.json": data.document, "job.json": job}
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document), encoding="utf-8")
    contents = {"racer.wasm": wasm, "track.bin": data.tables, "actions.bin": drive.actions.tobytes()}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    node = shutil.which("node") or shutil.which("node", path=Path(sys.executable).parent)
    assert node, "Node is not installed: run make node"
    subprocess.run([node, Path(__file__).with_name("drive.mjs"), folder], check=True, timeout=60)
    states = np.fromfile(folder / "states.bin").reshape(len(drive.actions), -1)
    widths = [drive.columns[field].shape[1] for field in fields]
    return dict(zip(fields, np.split(states, np.cumsum(widths)[:-1], axis=1), strict=True))


@pytest.mark.parametrize("layout", ["classic", "full"])
@pytest.mark.parametrize("track", track_ids())
def test_recorded_drives_end_the_same_in_the_page(track, layout, tmp_path):
    drive = record_drive(track, layout, TICKS)
    driven = driven_in_node(tmp_path, track, layout, drive)
    for field in EXACT_FIELDS:
        np.testing.assert_array_equal(driven[field], drive.columns[field], err_msg=str(field))
    for field in FIELDS:
        np.testing.assert_allclose(driven[field], drive.columns[field], rtol=0.0, atol=TOLERANCE, err_msg=str(field))


@pytest.mark.parametrize("track", track_ids())
def test_recorded_drives_hold_laps_walls_and_every_surface(track):
    drive = record_drive(track, "classic", TICKS)
    clean, complete = (drive.columns["outputs", name].astype(bool) for name in ("lap_clean", "lap_complete"))
    assert (complete & clean).any()
    assert drive.columns["outputs", "collided"].any()
    assert set(np.unique(drive.columns["fleet", "surface"])) == {0.0, 1.0, 2.0}
