"""Where the `hotlap` script begins: Ctrl-C is one line from the first moment, before the package itself is loaded."""

import os
import signal
from types import FrameType

INTERRUPTED = 130  # what a shell reports for Ctrl-C


def main() -> int:
    """Load the command line and run it."""
    signal.signal(signal.SIGINT, _leave)
    from hotlap.cli import main as hotlap  # noqa: PLC0415 - only now, when an interrupt is quiet

    signal.signal(signal.SIGINT, signal.default_int_handler)
    return hotlap()


def _leave(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"hotlap: interrupted\n")
    os._exit(INTERRUPTED)
