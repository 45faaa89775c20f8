"""The racer in the browser: one function, its memory layout, the laps of the reference."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotlap.export.browser_kernel import kernel_document
from hotlap.export.content import Files, content_of, json_content
from hotlap.export.linking import packaged
from hotlap.export.reference_laps import (
    GRIP_REFERENCES_FILE,
    REFERENCES_FILE,
    built_grip_references,
    built_references,
)
from hotlap.export.world_browser import RunFacts
from hotlap.racer.cars.catalogue import CLASSIC
from hotlap.racer.fingerprint import fingerprint_of_layout
from hotlap.racer.grip_tick import update_grip_entry
from hotlap.racer.tick import update_entry

WASM = "racer.wasm"


class RacerBrowser:
    """The racer's `WorldBrowser`."""

    page = ""
    entries = {"update": update_entry, "update_grip": update_grip_entry}  # noqa: RUF012 - never written to

    def files(self, wasm: bytes) -> Files:
        """The physics and how to lay out its memory."""
        return {"data/kernel.json": json_content(kernel_document(wasm)), f"data/{WASM}": content_of(WASM, wasm)}

    def packaged_files(self) -> Files:
        """The layout follows from the code; only the module is packaged."""
        return self.files(packaged(WASM))

    def files_to_package(self, wasm: bytes) -> Files:
        """The module, and the laps that take minutes to find."""
        laps = {REFERENCES_FILE: built_references(), GRIP_REFERENCES_FILE: built_grip_references()}
        references = {f"data/{name}": content_of(name, content) for name, content in laps.items()}
        return {f"data/{WASM}": content_of(WASM, wasm), **references}

    def fingerprint(self, layout: str) -> str:
        """The racer's physics; cars with grip have their own."""
        return fingerprint_of_layout(layout)

    def run_facts(self, config: Mapping[str, Any]) -> RunFacts:
        """What drivers see, where they drive, in which cars and with which help, of the racer's settings."""
        racer = config["racer"]
        cars = tuple(Path(str(car)).stem for car in racer.get("car", (CLASSIC,)))
        assists = str(racer.get("assists", "off"))
        return RunFacts(str(racer["observation"]), tuple(map(str, racer["tracks"])), cars, assists)


BROWSER = RacerBrowser()
