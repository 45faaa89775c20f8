"""Where else the physics runs: Node, and a page in Chromium; both drive a job that lies in a folder."""

import base64
import functools
import http.server
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page

HERE = Path(__file__).parent
IN_PAGE = """async world => {
  const { driveJob } = await import(`./${world}.mjs`);
  const states = await driveJob(async name => new Uint8Array(await (await fetch(name)).arrayBuffer()));
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([states.buffer]));
  await new Promise(done => { reader.onload = done; });
  return reader.result.split(',')[1];
}"""


def write_job(folder: Path, files: Mapping[str, Any]) -> None:
    """Everything that a page gets, and what to do with it: bytes as they are, anything else as JSON."""
    for name, content in files.items():
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / name).write_bytes(body)


def driven_in_node(world: str, folder: Path) -> np.ndarray:
    """The states that Node comes to."""
    node = shutil.which("node") or shutil.which("node", path=Path(sys.executable).parent)
    assert node, "Node is not installed: run make node"
    subprocess.run([node, HERE / "drive.mjs", world, folder], check=True, timeout=240)
    return np.fromfile(folder / "states.bin")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments) -> None:
        """Say nothing."""


def driven_in_chromium(page: Page, world: str, folder: Path) -> np.ndarray:
    """The states that a page comes to."""
    for name in ("memory.mjs", f"{world}.mjs"):
        shutil.copy(HERE / name, folder)
    (folder / "index.html").write_text("<!doctype html>", encoding="utf-8")
    handler = functools.partial(QuietHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        states = page.evaluate(IN_PAGE, world)
        server.shutdown()
        thread.join()
    return np.frombuffer(base64.b64decode(states))


def split_columns(states: np.ndarray, columns: Mapping[Any, np.ndarray]) -> dict[Any, np.ndarray]:
    """States as a machine wrote them, by the fields of the recorded ones."""
    steps = len(next(iter(columns.values())))
    widths = [column.shape[1] for column in columns.values()]
    parts = np.split(states.reshape(steps, -1), np.cumsum(widths)[:-1], axis=1)
    return dict(zip(columns, parts, strict=True))


def assert_same_columns(
    states: np.ndarray, recorded: Mapping[Any, np.ndarray], exact: Sequence[Any], near: Sequence[Any], tolerance: float
) -> None:
    """Some columns to the last bit, others to a tolerance."""
    driven = split_columns(states, recorded)
    for field in exact:
        np.testing.assert_array_equal(driven[field], recorded[field], err_msg=str(field))
    for field in near:
        np.testing.assert_allclose(driven[field], recorded[field], rtol=0.0, atol=tolerance, err_msg=str(field))
