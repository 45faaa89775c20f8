"""`hotlap benchmark race`: ticks of cars per second in races, on one core and on all."""

import json as json_text
import os
import sys
import time
from collections.abc import Callable

import numpy as np

from hotlap.benchmark.env import MOST
from hotlap.benchmark.report import check_sizes, describe_machine, print_core_rates
from hotlap.progress import tracked
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.opponents import Opponents, seated_drivers
from hotlap.racer.tracks import load_track

Clock = Callable[[], float]
GRIDS_OF = (1, 2, 8, 20)
DRIVERS = ("line-80", "line-85", "line-90", "line-95", "line-100")
WARM_UP_TICKS = 120


def run_race_benchmark(*, cars: int, ticks: int, repeats: int, json: bool) -> int:
    """Measure grids of several sizes on one core and on all, and print it."""
    check_sizes({"cars": cars, "ticks": ticks, "repeats": repeats}, MOST)
    cores = os.cpu_count() or 1
    rates = [
        {"grid": each, **{f"cores_{n}": race_rate(each, n, cars, ticks, repeats) for n in sorted({1, cores})}}
        for each in tracked(GRIDS_OF, len(GRIDS_OF), "grids", "racing")
    ]
    if json:
        sys.stdout.write(
            json_text.dumps({"machine": describe_machine(), "cars": cars, "rates": rates}, indent=2) + "\n"
        )
        return 0
    print_core_rates(f"about {cars:,} cars in races, car ticks a second", "cars of a grid", rates)
    return 0


def race_rate(grid: int, threads: int, cars: int, ticks: int, repeats: int, clock: Clock = time.perf_counter) -> float:
    """Ticks of single cars per second with what they see of others; deciding is not counted, the best repeat is."""
    race = RaceBatch(max(cars // grid, 1), [load_track("track-01")], RaceSettings(grid), threads)
    race.reset()
    drivers = Opponents(race, seated_drivers(DRIVERS[:grid], grid, race), 0)
    actions = np.zeros((race.count, 3))

    def drive(count: int) -> float:
        spent = 0.0
        for _ in range(count):
            drivers.write_actions(actions)
            race.set_actions(actions)
            began = clock()
            race.step()
            spent += clock() - began
        return spent

    drive(WARM_UP_TICKS)
    return race.count * ticks / min(drive(ticks) for _ in range(repeats))
