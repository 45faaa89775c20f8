"""Load every policy file of a folder and drive once with it, under a limit on memory; run as a process of its own.

Prints one JSON object: file name -> {"outcome", "seconds"}.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from hotlap.errors import PolicyError
from hotlap.policies.onnx_policy import OnnxPolicy
from policies.tiny_models import linear_model

ALLOWED_BYTES = 512 << 20


def visit(path: Path) -> dict[str, object]:
    """The outcome is "drove", "refused" with the reason, or an error that should not be."""
    begin_s = time.monotonic()
    try:
        OnnxPolicy(path).act(np.zeros((1, 14)))
        outcome = "drove"
    except PolicyError as refusal:
        outcome = f"refused: {refusal}"
    except BaseException as problem:  # noqa: BLE001 - any other error is what we are looking for
        outcome = repr(problem)
    return {"outcome": outcome, "seconds": time.monotonic() - begin_s}


def memory_now_bytes() -> int:
    """The address space in use."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def main() -> None:
    """Visit the files, once everything is loaded that is loaded only once."""
    OnnxPolicy(linear_model().SerializeToString()).act(np.zeros((1, 14)))
    limit_bytes = memory_now_bytes() + ALLOWED_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    print(json.dumps({path.name: visit(path) for path in sorted(Path(sys.argv[1]).glob("*.onnx"))}))  # noqa: T201


if __name__ == "__main__":
    main()
