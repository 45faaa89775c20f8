"""`hotlap benchmark highway`: decisions per second of the highway world on this machine."""

import json as json_text
import os
import sys
import time
from collections.abc import Callable

import numpy as np

from hotlap.benchmark.report import check_sizes, describe_machine, print_core_rates
from hotlap.highway.world import HighwayWorld
from hotlap.progress import tracked

Clock = Callable[[], float]
VEHICLES = (0, 10, 20, 40)
MOST = {"roads": 100_000, "decisions": 100_000, "repeats": 1000}
WARM_UP_DECISIONS = 50


def run_highway_benchmark(*, roads: int, decisions: int, repeats: int, json: bool) -> int:
    """Measure every density on one core and on all, and print it."""
    check_sizes({"roads": roads, "decisions": decisions, "repeats": repeats}, MOST)
    cores = os.cpu_count() or 1
    rates = [
        {"vehicles": each, **{f"cores_{n}": decision_rate(each, n, roads, decisions, repeats) for n in {1, cores}}}
        for each in tracked(VEHICLES, len(VEHICLES), "densities", "driving")
    ]
    if json:
        sys.stdout.write(
            json_text.dumps({"machine": describe_machine(), "roads": roads, "rates": rates}, indent=2) + "\n"
        )
        return 0
    print_core_rates(f"{roads:,} roads, supervisor on, decisions a second", "vehicles", rates)
    return 0


def decision_rate(
    vehicles: int, threads: int, roads: int, decisions: int, repeats: int, clock: Clock = time.perf_counter
) -> float:
    """Decisions of single egos per second while the world moves; deciding is not counted, the best repeat is."""
    world = HighwayWorld(roads, vehicles=vehicles, threads=threads)
    rng = np.random.default_rng(0)
    generators = [np.random.default_rng(road) for road in range(roads)]
    for road, generator in enumerate(generators):
        world.begin(road, generator)

    def drive(count: int) -> float:
        spent = 0.0
        for _ in range(count):
            actions = np.column_stack([rng.random(roads), np.zeros(roads), rng.uniform(-1.0, 1.0, roads)])
            began = clock()
            world.advance(actions)
            spent += clock() - began
            for road in np.flatnonzero(world.terminated | world.truncated):
                world.begin(int(road), generators[road])
        return spent

    drive(WARM_UP_DECISIONS)
    return roads * decisions / min(drive(decisions) for _ in range(repeats))
