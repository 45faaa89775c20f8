"""The physics in the page is the trainer's: Node and Chromium drive recorded drives again, to 1e-9 and to the tick."""

import base64
import functools
import http.server
import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from export.recorded_drives import CARS, EXACT_FIELDS, FIELDS, Drive, record_drive
from hotlap.export.browser_kernel import kernel_document
from hotlap.export.linking import packaged_wasm
from hotlap.export.track_data import track_data
from hotlap.racer.tracks import load_track, track_ids

HERE = Path(__file__).parent
TICKS = 1800
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Sine and arc tangent differ in their last bit between libraries, and walls magnify that.
TOLERANCE = 1e-9

recorded = functools.cache(record_drive)


def write_job(folder: Path, track: str, layout: str, drive: Drive) -> None:
    """Everything that a page gets, and what to do with it."""
    data, wasm = track_data(load_track(track)), packaged_wasm()
    fields = [*FIELDS, *EXACT_FIELDS]
    job = {"cars": CARS, "ticks": len(drive.actions), "layout": layout, "delay": drive.delays, "fields": fields}
    documents = {"kernel.json": kernel_document(wasm), "track.json": data.document, "job.json": job}
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document), encoding="utf-8")
    contents = {"racer.wasm": wasm, "track.bin": data.tables, "actions.bin": drive.actions.tobytes()}
    for name, content in contents.items():
        (folder / name).write_bytes(content)


def driven_in_node(folder: Path) -> np.ndarray:
    node = shutil.which("node") or shutil.which("node", path=Path(sys.executable).parent)
    assert node, "Node is not installed: run make node"
    subprocess.run([node, HERE / "drive.mjs", folder], check=True, timeout=60)
    return np.fromfile(folder / "states.bin")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments) -> None:
        """Say nothing."""


IN_PAGE = """async () => {
  const { drive } = await import('./physics.mjs');
  const bytes = async name => new Uint8Array(await (await fetch(name)).arrayBuffer());
  const json = async name => (await fetch(name)).json();
  const states = await drive({
    kernel: await json('kernel.json'), wasm: await bytes('racer.wasm'), track: await json('track.json'),
    tables: await bytes('track.bin'), job: await json('job.json'),
    actions: new Float64Array((await bytes('actions.bin')).buffer),
  });
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([states.buffer]));
  await new Promise(done => { reader.onload = done; });
  return reader.result.split(',')[1];
}"""


def driven_in_chromium(folder: Path) -> np.ndarray:
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert chromium, "no Chromium: run make setup-browser"
    shutil.copy(HERE / "physics.mjs", folder)
    (folder / "index.html").write_text("<!doctype html>", encoding="utf-8")
    handler = functools.partial(QuietHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as playwright:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        states = page.evaluate(IN_PAGE)
        browser.close()
        server.shutdown()
        thread.join()
    return np.frombuffer(base64.b64decode(states))


def assert_same_drive(states: np.ndarray, drive: Drive) -> None:
    """Flags, counters and lap ticks exactly, everything else to the tolerance."""
    fields = [*FIELDS, *EXACT_FIELDS]
    widths = [drive.columns[field].shape[1] for field in fields]
    columns = np.split(states.reshape(len(drive.actions), -1), np.cumsum(widths)[:-1], axis=1)
    driven = dict(zip(fields, columns, strict=True))
    for field in EXACT_FIELDS:
        np.testing.assert_array_equal(driven[field], drive.columns[field], err_msg=str(field))
    for field in FIELDS:
        np.testing.assert_allclose(driven[field], drive.columns[field], rtol=0.0, atol=TOLERANCE, err_msg=str(field))


@pytest.mark.parametrize("layout", ["classic", "full"])
@pytest.mark.parametrize("track", track_ids())
def test_recorded_drives_end_the_same_in_node(track, layout, tmp_path):
    drive = recorded(track, layout, TICKS)
    write_job(tmp_path, track, layout, drive)
    assert_same_drive(driven_in_node(tmp_path), drive)


@pytest.mark.browser
@pytest.mark.parametrize("layout", ["classic", "full"])
@pytest.mark.parametrize("track", track_ids())
def test_recorded_drives_end_the_same_in_chromium(track, layout, tmp_path):
    drive = recorded(track, layout, TICKS)
    write_job(tmp_path, track, layout, drive)
    assert_same_drive(driven_in_chromium(tmp_path), drive)


@pytest.mark.parametrize("track", track_ids())
def test_recorded_drives_hold_laps_walls_and_every_surface(track):
    drive = recorded(track, "classic", TICKS)
    clean, complete = (drive.columns["outputs", name].astype(bool) for name in ("lap_clean", "lap_complete"))
    assert (complete & clean).any()
    assert drive.columns["outputs", "collided"].any()
    assert set(np.unique(drive.columns["fleet", "surface"])) == {0.0, 1.0, 2.0}
