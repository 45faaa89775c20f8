"""`hotlap benchmark highway`: decisions per second of the highway world on this machine."""

import json
import os
import sys
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from hotlap.benchmark.report import describe_machine
from hotlap.errors import ConfigError
from hotlap.highway.world import HighwayWorld

Clock = Callable[[], float]
VEHICLES = (0, 10, 20, 40)
MOST = {"roads": 100_000, "decisions": 100_000, "repeats": 1000}
WARM_UP_DECISIONS = 50


def run_highway_benchmark(roads: int = 512, decisions: int = 50, repeats: int = 20, json_output: bool = False) -> int:
    """Measure every density on one core and on all, and print it."""
    for name, value in {"roads": roads, "decisions": decisions, "repeats": repeats}.items():
        if not 1 <= value <= MOST[name]:
            raise ConfigError(f"--{name} must be a whole number from 1 to {MOST[name]}, not {value}.")
    cores = os.cpu_count() or 1
    rates = [
        {"vehicles": each, **{f"cores_{n}": decision_rate(each, n, roads, decisions, repeats) for n in {1, cores}}}
        for each in VEHICLES
    ]
    if json_output:
        sys.stdout.write(json.dumps({"machine": describe_machine(), "roads": roads, "rates": rates}, indent=2) + "\n")
        return 0
    table = Table(title=f"{roads:,} roads, supervisor on, decisions a second", title_justify="left")
    for column in ("vehicles", "one core", f"all {cores} cores"):
        table.add_column(column, justify="right")
    for rate in rates:
        table.add_row(str(rate["vehicles"]), f"{rate['cores_1']:,.0f}", f"{rate[f'cores_{cores}']:,.0f}")
    Console(highlight=False).print(table)
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
