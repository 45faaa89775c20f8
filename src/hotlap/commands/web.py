"""The options of `hotlap play`, `hotlap export wasm` and `hotlap export site`."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ExportWasm:
    """Compile the racer's physics to WebAssembly, with its memory layout and the built-in tracks as data."""

    output: Path | None = None
    """Folder to write racer.wasm, kernel.json and the tracks to; by default hotlap-wasm in the current folder."""
    package: bool = False
    """Write the files that come with the package instead; for a source checkout, as `make wasm` does."""

    def run(self) -> None:
        """Compile, link, write."""
        from hotlap.export.command import export_wasm

        export_wasm(self.output or (None if self.package else Path("hotlap-wasm")), package=self.package)
