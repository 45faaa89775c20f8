"""The racer in the browser: one function, its memory layout, the laps of the reference."""

from collections.abc import Mapping
from typing import Any

from hotlap.export.browser_kernel import kernel_document
from hotlap.export.content import Files, content_of, json_content
from hotlap.export.linking import packaged
from hotlap.export.reference_laps import REFERENCES_FILE, built_references
from hotlap.export.world_browser import RunFacts
from hotlap.racer.fingerprint import physics_fingerprint
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
        references = content_of(REFERENCES_FILE, built_references())
        return {f"data/{WASM}": content_of(WASM, wasm), f"data/{REFERENCES_FILE}": references}

    def fingerprint(self) -> str:
        """The racer's physics."""
        return physics_fingerprint()

    def run_facts(self, config: Mapping[str, Any]) -> RunFacts:
        """The observation and the tracks of the racer's settings."""
        racer = config["racer"]
        return RunFacts(str(racer["observation"]), tuple(map(str, racer["tracks"])))


BROWSER = RacerBrowser()
