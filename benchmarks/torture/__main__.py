"""Kills, signals, flips, bombs, floods and hostile drives for some minutes; prints the figures beside their limits.

Exit code 1 when a limit is broken. The same seed makes the same attacks, as far as a clock lets it.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable

from benchmarks.torture import driving, files, network, runs, suites
from benchmarks.torture.figures import Figure, table

Attack = Callable[[float, int], Iterable[Figure]]
ATTACKS: tuple[tuple[Attack, float], ...] = (
    (runs.kills, 0.25),
    (runs.signals, 0.2),
    (runs.flips, 0.08),
    (files.bombs, 0.0),
    (files.tracks, 0.1),
    (network.malformed, 0.1),
    (network.half_open, 0.0),
    (network.greedy, 0.08),
    (driving.actions, 0.08),
    (driving.states, 0.05),
    (suites.suites, 0.0),
)
"""Each attack and its share of the time; 0 takes the time it takes."""


def main() -> int:
    """Attack, then say what held."""
    parser = argparse.ArgumentParser(prog="make torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long the attacks with a share of it go on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="names of attacks, separated by commas")
    options = parser.parse_args()
    chosen = [pair for pair in ATTACKS if not options.only or pair[0].__name__ in options.only.split(",")]
    figures: list[Figure] = []
    for attack, share in chosen:
        began_s = time.monotonic()
        print(f"{attack.__name__} …", file=sys.stderr, flush=True)
        for figure in attack(share * options.minutes * 60.0, options.seed):
            figures.append(figure)
            took = f"after {time.monotonic() - began_s:.0f} s"
            print(f"  {figure.number}: {figure.found} ({took})", file=sys.stderr, flush=True)
    print(table(figures))
    return 0 if all(figure.held for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
