"""Figures that tests measure: each is a handful of them, run in a process of its own."""

import re
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.torture.figures import Figure
from benchmarks.torture.runs import TESTS, environment

SUITES: dict[int, tuple[str, ...]] = {
    2: ("checkpoints/test_sync_order.py",),
    3: ("checkpoints/test_full_disk.py",),
    7: ("checkpoints/test_hostile.py",),
    10: ("checkpoints/test_names.py", "web/test_security.py", "-k", "path or name or track_ids"),
    12: ("bridge/test_access.py", "web/test_security.py", "-k", "origin or foreign"),
    13: ("web/test_security.py", "-k", "route or token or host"),
    18: ("racer/test_env_contract.py",),
    19: ("checkpoints/test_lock.py",),
    20: ("checkpoints/test_clock.py",),
    21: ("export/test_onnx.py",),
}
LONGEST_S = 600.0


def run_suite(number: int) -> Figure:
    """One figure's tests; all of them must pass."""
    words = [word if word.startswith("-") or " " in word else str(TESTS / word) for word in SUITES[number]]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", "200", *words]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=TESTS.parent, env=environment(), timeout=LONGEST_S
        )
    except subprocess.TimeoutExpired:
        return Figure(number, f"not done within {LONGEST_S:.0f} s", held=False)
    counts = re.findall(r"(\d+) (passed|failed|error)", done.stdout)
    return Figure(
        number, ", ".join(f"{count} tests {how}" for count, how in counts) or "no tests ran", done.returncode == 0
    )


def suites(seconds: float, seed: int) -> Iterator[Figure]:  # noqa: ARG001 - they take the time they take
    """Every figure that tests measure, as soon as it is known."""
    return map(run_suite, SUITES)
