"""What `hotlap export wasm` does: compile, link, write the physics with everything a page needs to run it."""

import sys
from pathlib import Path

from hotlap.export.linking import WASM_FILE, built_wasm
from hotlap.export.reference_laps import REFERENCES_FILE, built_references
from hotlap.export.site import physics_files, track_files
from hotlap.export.track_data import track_data
from hotlap.racer.tracks import load_track, track_ids

PACKAGE_DATA = Path(__file__).parent / "data"


def export_wasm(output: Path | None, *, package: bool) -> None:
    """Write the physics for the browser to a folder, or where the package keeps its own."""
    print("compiling the physics …", file=sys.stderr)
    wasm = built_wasm()
    if package:
        PACKAGE_DATA.mkdir(exist_ok=True)
        (PACKAGE_DATA / WASM_FILE).write_bytes(wasm)
        (PACKAGE_DATA / REFERENCES_FILE).write_bytes(built_references())
        print(f"{PACKAGE_DATA / WASM_FILE}: {len(wasm):,} bytes")
    if output is not None:
        write_physics(output, wasm)
        print(f"{output / WASM_FILE}: {len(wasm):,} bytes; how to run it: {output / 'kernel.json'}, docs/web.md")


def write_physics(folder: Path, wasm: bytes) -> None:
    """The module, how to lay out its memory, and the built-in tracks."""
    tracks = [track_data(load_track(track_id)) for track_id in track_ids()]
    for url, content in {**physics_files(wasm), **track_files(tracks)}.items():
        path = folder / url.removeprefix("data/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.read())
