"""What a command exits with: the numbers of docs/architecture.md."""

DONE = 0
BELOW_WHAT_WAS_ASKED = 1
USER_MISTAKE = 2
NOTHING_TO_COMPARE = 3
INTERRUPTED = 130
"""What a shell reports for Ctrl-C."""
BROKEN_PIPE = 141
"""What a shell reports for a reader that left."""
