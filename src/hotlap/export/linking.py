"""From a WebAssembly object to the module a page loads: `wasm-ld`, and the module that comes with the package."""

import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

from hotlap.errors import ExportError
from hotlap.export.wasm import ENTRY_NAME, racer_wasm_object

LINKER = "wasm-ld"
STACK_BYTES = 1 << 16
LINK_SECONDS = 60
# The stack lies below everything else, so that one that overflows traps instead of writing over the data.
OPTIONS = ("--no-entry", "--import-undefined", "--strip-all", "--stack-first", "-z", f"stack-size={STACK_BYTES}")
EXPORTS = (ENTRY_NAME, "__heap_base")
WASM_FILE = "racer.wasm"


def built_wasm() -> bytes:
    """The racer's physics for the browser, compiled and linked now."""
    return link(racer_wasm_object())


def packaged_wasm() -> bytes:
    """The racer's physics for the browser as it comes with the package: nobody needs the linker to play."""
    return (files("hotlap.export") / "data" / WASM_FILE).read_bytes()


def link(wasm_object: bytes) -> bytes:
    """A module that exports its memory, its function and where its free memory begins, and imports what is missing."""
    linker = shutil.which(LINKER)
    if linker is None:
        raise ExportError(f"{LINKER} is not installed. It is part of LLVM: install the package lld, then try again.")
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "physics.o", Path(name) / WASM_FILE
        source.write_bytes(wasm_object)
        exports = [f"--export={symbol}" for symbol in EXPORTS]
        command = [linker, *OPTIONS, *exports, str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LINK_SECONDS, check=False)  # noqa: S603
        if done.returncode:
            raise ExportError(f"{LINKER} could not link the physics: {done.stderr.strip()}")
        return target.read_bytes()
