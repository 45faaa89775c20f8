"""The highway in the browser: the world, its expert and its poses; everything packaged, since building it compiles."""

from collections.abc import Mapping
from typing import Any

from hotlap.export.content import Files, content_of, json_content
from hotlap.export.highway_kernel import highway_document, packaged_fingerprint, scene_dice
from hotlap.export.linking import packaged
from hotlap.export.world_browser import RunFacts
from hotlap.highway.poses import poses_entry
from hotlap.highway.tick import update_entry

FILES = ("highway.json", "highway.wasm", "highway-scenes.bin")


class HighwayBrowser:
    """The highway's `WorldBrowser`."""

    page = "highway.html"
    entries = {"update": update_entry, "pose": poses_entry}  # noqa: RUF012 - never written to

    def files(self, wasm: bytes) -> Files:
        """The physics, how to lay out its memory, and the scenes to choose from."""
        document, module, scenes = FILES
        return {
            f"data/{document}": json_content(highway_document(wasm)),
            f"data/{module}": content_of(module, wasm),
            f"data/{scenes}": content_of(scenes, scene_dice()),
        }

    def packaged_files(self) -> Files:
        """Serving them takes no compiler, not even the native one."""
        return {f"data/{name}": content_of(name, packaged(name)) for name in FILES}

    def files_to_package(self, wasm: bytes) -> Files:
        """All of them."""
        return self.files(wasm)

    def fingerprint(self, layout: str) -> str:  # noqa: ARG002 - there is one
        """As it is packaged, since nobody should wait for a compiler here."""
        return packaged_fingerprint()

    def run_facts(self, config: Mapping[str, Any]) -> RunFacts:  # noqa: ARG002 - every run sees the same
        """There is one layout and one road."""
        return RunFacts("highway", ())


BROWSER = HighwayBrowser()
