"""What `hotlap export wasm` does: compile, link, write the physics with everything a page needs to run it."""

import sys
from pathlib import Path

from hotlap.export.linking import ENTRIES, built_wasm
from hotlap.export.reference_laps import REFERENCES_FILE, built_references
from hotlap.export.site import Files, highway_files, racer_files, track_files
from hotlap.export.track_data import track_data
from hotlap.racer.tracks import load_track, track_ids

PACKAGE_DATA = Path(__file__).parent / "data"


def export_wasm(output: Path | None, *, package: bool) -> None:
    """Write the physics of every world for the browser to a folder, or where the package keeps its own."""
    modules = {}
    for world in ENTRIES:
        print(f"compiling the {world} …", file=sys.stderr)
        modules[world] = built_wasm(world)
    if package:
        write_package(modules)
    if output is not None:
        tracks = [track_data(load_track(track_id)) for track_id in track_ids()]
        files = {**racer_files(modules["racer"]), **highway_files(modules["highway"]), **track_files(tracks)}
        write_files(output, files)
    for folder in filter(None, (PACKAGE_DATA if package else None, output)):
        sizes = ", ".join(f"{world}.wasm {len(wasm):,} bytes" for world, wasm in modules.items())
        print(f"{folder}: {sizes}; how to run them: docs/web.md")


def write_package(modules: dict[str, bytes]) -> None:
    """What comes with the package, so that nobody has to compile anything before they play."""
    write_files(PACKAGE_DATA, highway_files(modules["highway"]))
    (PACKAGE_DATA / "racer.wasm").write_bytes(modules["racer"])
    (PACKAGE_DATA / REFERENCES_FILE).write_bytes(built_references())


def write_files(folder: Path, files: Files) -> None:
    """Files of a site, without the folder that URLs have them in."""
    for url, content in files.items():
        path = folder / url.removeprefix("data/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.read())
