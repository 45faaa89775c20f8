"""Races in the browser: one function for each kind of car, all packaged, since building the document races."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hotlap.export import racer_browser
from hotlap.export.content import Files, content_of, json_content
from hotlap.export.linking import packaged
from hotlap.export.race_kernel import DOCUMENT, PREFIX, WASM, packaged_fingerprints, race_document
from hotlap.export.world_browser import RunFacts
from hotlap.race.grip_tick import update_grip_race_entry
from hotlap.race.tick import update_race_entry


class RaceBrowser:
    """The `WorldBrowser` of races; the game's page runs them."""

    page = racer_browser.BROWSER.page
    entries = {"update_race": update_race_entry, "update_grip_race": update_grip_race_entry}  # noqa: RUF012 - never written to

    def files(self, wasm: bytes) -> Files:
        """The physics, and what its memory holds beside that of a car alone."""
        return {f"data/{DOCUMENT}": json_content(race_document(wasm)), f"data/{WASM}": content_of(WASM, wasm)}

    def packaged_files(self) -> Files:
        """Serving them takes no compiler, not even the native one."""
        return {f"data/{name}": content_of(name, packaged(name)) for name in (DOCUMENT, WASM)}

    def files_to_package(self, wasm: bytes) -> Files:
        """Both of them."""
        return self.files(wasm)

    def fingerprint(self, layout: str) -> str:
        """As it is packaged; a layout that no race shows has none."""
        return packaged_fingerprints().get(layout, "")

    def run_facts(self, config: Mapping[str, Any]) -> RunFacts:
        """What a run of the racer is told by, and that its drivers see the others."""
        alone = racer_browser.BROWSER.run_facts(config)
        return replace(alone, layout=PREFIX + alone.layout)


BROWSER = RaceBrowser()
