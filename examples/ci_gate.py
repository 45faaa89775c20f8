"""A gate for CI: exit code 1 when a driver got too slow. `python examples/ci_gate.py all-rounder track-01 10`.

The command line does the same: `hotlap evaluate all-rounder --track track-01 --require-percent 10`. Write a script of
your own where several figures decide together.
"""

import sys

import hotlap


def shortfalls(driver: str, track: str, most_percent: float) -> list[str]:
    """What is wrong with the driver; nothing when it may pass."""
    [result] = hotlap.evaluate(driver, track=[track], laps=2).tracks
    found = []
    for figures in result.by_delay:
        if figures.gates_completed < figures.gates:
            found.append(f"delay {figures.delay}: stuck from {figures.gates - figures.gates_completed} starts")
        if figures.percent_over_reference is None or figures.percent_over_reference > most_percent:
            found.append(f"delay {figures.delay}: {figures.percent_over_reference} % over the reference lap")
    return found


if __name__ == "__main__":
    problems = shortfalls(sys.argv[1], sys.argv[2], float(sys.argv[3]))
    print("\n".join(problems) or "passed")
    sys.exit(1 if problems else 0)
