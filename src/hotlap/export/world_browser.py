"""What each world brings to the browser: the functions of its module, its files, its page, and what a page is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hotlap.export.content import Files
from hotlap.kernel_ir import KernelEntry
from hotlap.worlds import WORLDS, registered


@dataclass(frozen=True)
class RunFacts:
    """What a page is told of a run, from its configuration."""

    layout: str
    """What its drivers see."""
    tracks: tuple[str, ...]
    """Where they were trained, as the configuration names it."""
    cars: tuple[str, ...] = ()
    """The ids of the cars they learned to drive; worlds with one kind of car name none."""
    assists: str = "off"
    """What helped the driver of a car with grip: off, on, traction-control or anti-lock."""


class WorldBrowser(Protocol):
    """How a page runs a world."""

    page: str
    """The address of its page, relative to the site."""
    entries: Mapping[str, KernelEntry]
    """The functions of its WebAssembly module, by the names that pages call."""

    def files(self, wasm: bytes) -> Files:
        """What a page needs to run a module: the module, its memory layout, its data."""

    def packaged_files(self) -> Files:
        """The same as it comes with the package, so that serving it takes no compiler."""

    def files_to_package(self, wasm: bytes) -> Files:
        """What is to be kept in the package of a module that was just built."""

    def fingerprint(self, layout: str) -> str:
        """The physics that the packaged module runs for drivers who see this layout."""

    def run_facts(self, config: Mapping[str, Any]) -> RunFacts:
        """What a page is told of a run with this configuration."""


def browser_of(world: str) -> WorldBrowser:
    """How a page runs a world."""
    found: WorldBrowser = registered(world).part("browser")
    return found


def worlds_with_pages() -> list[str]:
    """Every world that a page can run."""
    return [name for name, registration in WORLDS.items() if registration.browser]
