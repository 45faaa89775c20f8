"""The options of `hotlap play`, `hotlap export wasm`, `hotlap export site` and `hotlap export laps`."""

from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import Literal

from hotlap.checkpoints.names import RUNS
from hotlap.web.options import PlayOptions


@dataclass(frozen=True)
class ExportWasm:
    """Compile the physics of both worlds to WebAssembly, with memory layouts and the built-in tracks as data."""

    output: Path | None = None
    """Folder to write the modules, their layouts and the tracks to; by default hotlap-wasm in the current folder."""
    package: bool = False
    """Write the files that come with the package instead; for a source checkout, as `make wasm` does."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Compile, link, write."""
        from hotlap.export.write_wasm import export_wasm

        export_wasm(
            self.output or (None if self.package else Path("hotlap-wasm")), package=self.package, as_json=self.json
        )


@dataclass(frozen=True)
class ExportSite:
    """Write the game as static files that any web host can serve; laps are then kept in each browser."""

    folder: Path
    """The folder to write; it appears whole or not at all."""
    runs: tuple[str, ...] = ()
    """Runs to race, each with all its checkpoints; by default the best driver of every run."""
    tracks: tuple[str, ...] = ()
    """Further tracks: generated:SEED:DIFFICULTY, or the paths of .json or .csv track files."""
    url: str = ""
    """Where the site will be, such as https://example.org/hotlap/: messengers need full addresses for pictures."""
    force: bool = False
    """Replace a folder that is already there."""
    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Gather and write."""
        from hotlap.web.play import SiteOptions, export_site

        options = SiteOptions(self.url, self.force, self.json)
        export_site(self.folder, self.runs, self.tracks, self.root, options)


@dataclass(frozen=True)
class ExportLaps:
    """Write the laps that people drove on the page as a Minari data set, for imitation and offline learning."""

    folder: Path
    """The folder to write, with a version at the end, such as laps-v0; it appears whole or not at all."""
    track: tuple[str, ...] = ()
    """Tracks whose laps to write; by default the three built-in ones."""
    observation: Literal["classic", "full"] = "classic"
    """What the driver sees: the 14 numbers of the classic layout, or all 59."""
    root: Path = RUNS
    """Folder that holds the runs, and the lap board."""
    force: bool = False
    """Replace a data set that is already there."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Drive again and write."""
        from hotlap.export.lap_data import write_laps
        from hotlap.racer.tracks import track_ids

        tracks = self.track or track_ids()
        written = write_laps(self.folder, tracks, self.observation, self.root, force=self.force)
        print(dumps({"folder": str(self.folder), "written": written}) if self.json else written)


@dataclass(frozen=True)
class Play(PlayOptions):
    """Serve the game to your browser: race against every driver you trained, watch a training live."""

    def run(self) -> int:
        """Serve."""
        from hotlap.web.play import play

        return play(self)
