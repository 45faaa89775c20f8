"""Progress to stderr, where it does not mix with results."""

import sys


def say(message: str) -> None:
    """One line of progress."""
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
