"""What `hotlap export wasm` does: compile, link, write the physics with everything a page needs to run it."""

import json
from pathlib import Path

from hotlap.errors import ExportError
from hotlap.export.content import Files
from hotlap.export.driver_browser import WASM, built_driver_wasm, driver_files
from hotlap.export.linking import built_wasm
from hotlap.export.page_numbers import NUMBERS, numbers_text
from hotlap.export.site import track_files
from hotlap.export.track_data import track_data
from hotlap.export.world_browser import browser_of, worlds_with_pages
from hotlap.progress import say, tracked
from hotlap.racer.tracks import circuit_ids, load_track, track_ids
from hotlap.whole_files import write_whole_file

PACKAGE_DATA = Path(__file__).parent / "data"


def export_wasm(output: Path | None, *, package: bool, as_json: bool = False) -> None:
    """Write the physics of every world for the browser to a folder, or where the package keeps its own."""
    modules = {}
    for world in worlds_with_pages():
        say(f"compiling the {world} …")
        modules[world] = built_wasm(world)
    driver = built_driver_wasm()
    if package:
        write_files(PACKAGE_DATA, {WASM: driver_files(driver)[f"data/{WASM}"]})
        (PACKAGE_DATA / NUMBERS).write_text(numbers_text(), encoding="utf-8", newline="\n")
        for world, wasm in modules.items():
            write_files(PACKAGE_DATA, browser_of(world).files_to_package(wasm))
    if output is not None:
        names = (*track_ids(), *circuit_ids())
        tracks = [track_data(load_track(name)) for name in tracked(names, len(names), "tracks", "laying out tracks")]
        write_files(output, track_files(tracks))
        write_files(output, driver_files(driver))
        for world, wasm in modules.items():
            write_files(output, browser_of(world).files(wasm))
    folders = [folder for folder in (PACKAGE_DATA if package else None, output) if folder is not None]
    if as_json:
        sizes_by_world = {world: len(wasm) for world, wasm in {**modules, "driver": driver}.items()}
        print(json.dumps({"written": list(map(str, folders)), "bytes": sizes_by_world}))
        return
    for folder in folders:
        sizes = ", ".join(f"{name}.wasm {len(wasm):,} bytes" for name, wasm in {**modules, "driver": driver}.items())
        print(f"{folder}: {sizes}; how to run them: docs/web.md")


def write_files(folder: Path, files: Files) -> None:
    """Files of a site, without the folder that URLs have them in."""
    for url, content in files.items():
        write_whole_file(folder / url.removeprefix("data/"), content.read(), force=True, error=ExportError)
