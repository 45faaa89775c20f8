"""Load every checkpoint under a folder while watching what Python does; run as a process of its own.

Prints one JSON object: folder name -> {"outcome", "events", "seconds"}.
"""

import json
import resource
import sys
import time
from pathlib import Path

from hotlap.checkpoints import load_checkpoint, verify_checkpoint
from hotlap.errors import CheckpointError

ALLOWED_BYTES = 512 << 20
FORBIDDEN = (
    "exec",
    "compile",
    "import",
    "subprocess",
    "os.",
    "pickle",
    "marshal",
    "ctypes",
    "socket",
    "shutil",
    "mmap",
)
HARMLESS = ("os.scandir", "os.listdir")


class Watch:
    """An audit hook that notes what a loader must not do while it is on."""

    def __init__(self, root: Path):
        self.root, self.on, self.events = str(root), False, []

    def __call__(self, event: str, arguments: tuple) -> None:
        """Note code, commands, sockets, and files opened for writing or by a path outside the root."""
        if not self.on:
            return
        if event.startswith(FORBIDDEN) and event not in HARMLESS:
            self.events.append(event)
        if event == "open":
            path, _mode, flags = arguments
            inside = str(path).startswith(self.root) or "/" not in str(path)
            if not inside or flags & 3:
                self.events.append(f"open {path}")


def memory_now_bytes() -> int:
    """The address space in use."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def visit(path: Path, watch: Watch) -> dict[str, object]:
    """Load one checkpoint; the outcome is "loaded", "refused" with the reason, or an error that should not be."""
    watch.events, watch.on = [], True
    begin_s = time.monotonic()
    try:
        load_checkpoint(path)
        outcome = "loaded"
    except CheckpointError as refusal:
        outcome = f"refused: {refusal}"
    except BaseException as problem:  # noqa: BLE001 - any other error is what we are looking for
        outcome = repr(problem)
    watch.on = False
    return {"outcome": outcome, "events": watch.events, "seconds": time.monotonic() - begin_s}


def main() -> None:
    """Visit every case under the folder named on the command line."""
    root, step_folder = Path(sys.argv[1]), sys.argv[2]
    # Once without looking, so that what Python imports on first use is not held against the loader.
    [honest] = root.glob("harmless * honest")
    load_checkpoint(honest / step_folder)
    verify_checkpoint(honest / step_folder)
    watch = Watch(root)
    sys.addaudithook(watch)
    limit_bytes = memory_now_bytes() + ALLOWED_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    cases = sorted(folder for folder in root.iterdir() if folder.is_dir())
    print(json.dumps({case.name: visit(case / step_folder, watch) for case in cases}))  # noqa: T201 - its result


if __name__ == "__main__":
    main()
