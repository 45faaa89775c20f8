"""`hotlap benchmark highway-safety`: drivers that mean no good, or nothing at all, for as many kilometres as asked."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from hotlap.errors import ConfigError
from hotlap.highway.supervisor import RULE_NAMES
from hotlap.highway.world import HighwayWorld

FloatArray = NDArray[np.float64]
Driver = Callable[[int, int, np.random.Generator], FloatArray]
"""The actions of so many egos at a decision, from its number and some dice."""
DENSITIES = (8, 20, 40)
LANES = (5, 3, 2)
MOST_KM = 1e9


def hostile(roads: int, decision: int, _rng: np.random.Generator) -> FloatArray:
    """Full throttle, and always into another lane: now two seconds to the left, now two to the right."""
    side = np.where((decision // 10 + np.arange(roads)) % 2 == 0, 1.0, -1.0)
    return np.column_stack([np.ones(roads), np.zeros(roads), side])


def pushing(roads: int, decision: int, _rng: np.random.Generator) -> FloatArray:
    """Full throttle to the same side for a whole minute."""
    side = np.where((decision // 300 + np.arange(roads)) % 2 == 0, 1.0, -1.0)
    return np.column_stack([np.ones(roads), np.zeros(roads), side])


def undecided(roads: int, _decision: int, rng: np.random.Generator) -> FloatArray:
    """Everything at random at every decision, mostly going on."""
    brake = np.where(rng.random(roads) < 0.1, rng.random(roads), 0.0)
    return np.column_stack([rng.random(roads), brake, rng.uniform(-1.0, 1.0, roads)])


def asleep(roads: int, _decision: int, _rng: np.random.Generator) -> FloatArray:
    """Nothing at all."""
    return np.zeros((roads, 3))


def brake_tapping(roads: int, decision: int, rng: np.random.Generator) -> FloatArray:
    """Full throttle, and every three seconds the brake as hard as it goes, with lane requests at random."""
    brake = (np.arange(roads) + decision) % 15 < 2
    return np.column_stack([1.0 - brake, brake, rng.uniform(-1.0, 1.0, roads)])


def beyond_bounds(roads: int, _decision: int, rng: np.random.Generator) -> FloatArray:
    """Numbers far out of range."""
    wild: FloatArray = rng.normal(0.0, 1e3, (roads, 3)) + np.array([2e3, -1e3, 0.0])
    return wild


DRIVERS: dict[str, Driver] = {
    "hostile": hostile,
    "pushing": pushing,
    "undecided": undecided,
    "asleep": asleep,
    "brake_tapping": brake_tapping,
    "beyond_bounds": beyond_bounds,
}


@dataclass
class Figures:
    """What one kind of driver did on roads of one density."""

    driver: str
    vehicles: int
    lanes: int
    km: float = 0.0
    decisions: int = 0
    collisions: int = 0
    ego_fault: int = 0
    rules: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RULE_NAMES, 0))


class Drive:
    """One kind of driver on many roads of one density, until a distance is reached."""

    def __init__(self, driver: str, vehicles: int, lanes: int, roads: int, seed: int) -> None:
        self.figures = Figures(driver, vehicles, lanes)
        self.world = HighwayWorld(roads, {"road": {"lanes": lanes}}, vehicles, supervisor=True)
        self._driver = DRIVERS[driver]
        self._rng = np.random.default_rng([seed, 0])
        self._generators = [np.random.default_rng([seed, 1, road]) for road in range(roads)]
        for road in range(roads):
            self.world.begin(road, self._generators[road])

    def run(self, km: float) -> Figures:
        """Drive at least so far."""
        world, decision = self.world, 0
        while self.figures.km + self._under_way_km() < km:
            world.advance(self._driver(world.count, decision, self._rng))
            decision += 1
            for ended in np.flatnonzero(world.terminated | world.truncated):
                self._end(int(ended))
        for road in range(world.count):
            self._count(road)
        self.figures.decisions = decision * world.count
        return self.figures

    def _under_way_km(self) -> float:
        return float(self.world.step_views["x_m"].sum()) / 1000.0

    def _end(self, road: int) -> None:
        self._count(road)
        self.world.begin(road, self._generators[road])

    def _count(self, road: int) -> None:
        """Add a road's episode to the figures."""
        world, figures = self.world, self.figures
        figures.km += float(world.step_views["x_m"][road]) / 1000.0
        figures.collisions += int(world.roads.crashed[road])
        figures.ego_fault += int(world.roads.ego_fault[road])
        for name, count in zip(RULE_NAMES, world.batch.interventions[road].tolist(), strict=True):
            figures.rules[name] += count


def drive_everything(km: float, seed: int = 0, roads: int = 512) -> list[Figures]:
    """Every driver at every density, so that all of them together drive at least so far."""
    share = km / (len(DRIVERS) * len(DENSITIES))
    cases = [(driver, *road) for driver in DRIVERS for road in zip(DENSITIES, LANES, strict=True)]
    return [
        Drive(driver, vehicles, lanes, roads, seed + number).run(share)
        for number, (driver, vehicles, lanes) in enumerate(cases)
    ]


def run_highway_safety(km: float = 10_000.0, seed: int = 0, roads: int = 512, json_output: bool = False) -> int:
    """Drive, print the figures, and return 1 if any collision was the ego's fault."""
    if not 0.0 < km <= MOST_KM:
        raise ConfigError(f"--km must be above 0 and at most {MOST_KM:g}, not {km}.")
    if not 1 <= roads <= 100_000 or seed < 0:
        raise ConfigError(f"--roads must be from 1 to 100000 and --seed not negative, not {roads} and {seed}.")
    found = drive_everything(km, seed, roads)
    if json_output:
        sys.stdout.write(json.dumps([asdict(figures) for figures in found], indent=2) + "\n")
    else:
        _print_table(found)
    return 1 if any(figures.ego_fault for figures in found) else 0


def _print_table(found: list[Figures]) -> None:
    table = Table(title="With the supervisor on; decisions changed by each rule", title_justify="left")
    for name in ("driver", "vehicles", "lanes", "km", "collisions", "ego's fault", *RULE_NAMES):
        table.add_column(name, justify="left" if name == "driver" else "right")
    for row in found:
        facts = [row.vehicles, row.lanes, round(row.km), row.collisions, row.ego_fault, *row.rules.values()]
        table.add_row(row.driver, *(f"{fact:,}" for fact in facts))
    total = sum(row.km for row in found)
    faults = sum(row.ego_fault for row in found)
    console = Console(highlight=False)
    console.print(table)
    console.print(f"{total:,.0f} km, {faults} collisions by the ego's fault.")
