"""From kernels to the module a page loads: the entries of each world, `wasm-ld`, and what comes with the package."""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from hotlap.errors import ExportError
from hotlap.export.wasm import wasm_object
from hotlap.worlds import registered

LINKER = "wasm-ld"
STACK_BYTES = 1 << 16
LINK_SECONDS = 60
# The stack lies below everything else, so that one that overflows traps instead of writing over the data.
OPTIONS = ("--no-entry", "--import-undefined", "--strip-all", "--stack-first", "-z", f"stack-size={STACK_BYTES}")


def wasm_objects(world: str) -> dict[str, bytes]:
    """A world's functions as WebAssembly object files, by name."""
    return {name: wasm_object(name, entry) for name, entry in registered(world).part("browser").entries.items()}


def built_wasm(world: str) -> bytes:
    """A world's physics for the browser, compiled and linked now."""
    return link(wasm_objects(world))


def packaged(name: str) -> bytes:
    """A file as it comes with the package, such as racer.wasm: nobody needs the linker to play."""
    return (files("hotlap.export") / "data" / name).read_bytes()


def link(objects: Mapping[str, bytes]) -> bytes:
    """A module that exports its memory, its functions and where its free memory begins, and imports what is missing."""
    linker = shutil.which(LINKER)
    if linker is None:
        raise ExportError(f"{LINKER} is not installed. It is part of LLVM: install the package lld, then try again.")
    with tempfile.TemporaryDirectory() as name:
        target, sources = Path(name) / "physics.wasm", [Path(name) / f"{symbol}.o" for symbol in objects]
        for source, content in zip(sources, objects.values(), strict=True):
            source.write_bytes(content)
        exports = [f"--export={symbol}" for symbol in (*objects, "__heap_base")]
        command = [linker, *OPTIONS, *exports, *map(str, sources), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LINK_SECONDS, check=False)  # noqa: S603
        if done.returncode:
            raise ExportError(f"{LINKER} could not link the physics: {done.stderr.strip()}")
        return target.read_bytes()
