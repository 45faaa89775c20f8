"""`hotlap benchmark highway-safety`: drivers that mean no good, or nothing at all, for as many kilometres as asked."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from hotlap.benchmark.options import SafetyOptions
from hotlap.checkpoints.names import RUNS
from hotlap.errors import ConfigError
from hotlap.evaluation.sources import find_driver
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.highway.supervisor import RULE_NAMES
from hotlap.highway.world import HighwayWorld
from hotlap.progress import say, shows_bars

FloatArray = NDArray[np.float64]
Driver = Callable[[HighwayWorld, int, np.random.Generator], NDArray[Any]]
"""The actions of all egos of a world at a decision, from its number and a generator."""
DENSITIES = (8, 20, 40)
LANES = (5, 3, 2)
IMPOLITE = {"tailgaters": 0.125, "hard_brakers": 0.125, "cutters": 0.125, "adversaries": 0.125}
TELL_EVERY = 50
"""Decisions between two looks at how far it is."""


def hostile(world: HighwayWorld, decision: int, _rng: np.random.Generator) -> FloatArray:
    """Full throttle, and always into another lane: now two seconds to the left, now two to the right."""
    roads = world.count
    side = np.where((decision // 10 + np.arange(roads)) % 2 == 0, 1.0, -1.0)
    return np.column_stack([np.ones(roads), np.zeros(roads), side])


def pushing(world: HighwayWorld, decision: int, _rng: np.random.Generator) -> FloatArray:
    """Full throttle to the same side for a whole minute."""
    roads = world.count
    side = np.where((decision // 300 + np.arange(roads)) % 2 == 0, 1.0, -1.0)
    return np.column_stack([np.ones(roads), np.zeros(roads), side])


def undecided(world: HighwayWorld, _decision: int, rng: np.random.Generator) -> FloatArray:
    """Everything at random at every decision, mostly going on."""
    roads = world.count
    brake = np.where(rng.random(roads) < 0.1, rng.random(roads), 0.0)
    return np.column_stack([rng.random(roads), brake, rng.uniform(-1.0, 1.0, roads)])


def asleep(world: HighwayWorld, _decision: int, _rng: np.random.Generator) -> FloatArray:
    """Nothing at all."""
    return np.zeros((world.count, 3))


def brake_tapping(world: HighwayWorld, decision: int, rng: np.random.Generator) -> FloatArray:
    """Full throttle, and every three seconds the brake as hard as it goes, with lane requests at random."""
    roads = world.count
    brake = (np.arange(roads) + decision) % 15 < 2
    return np.column_stack([1.0 - brake, brake, rng.uniform(-1.0, 1.0, roads)])


def beyond_bounds(world: HighwayWorld, _decision: int, rng: np.random.Generator) -> FloatArray:
    """Numbers far out of range."""
    wild: FloatArray = rng.normal(0.0, 1e3, (world.count, 3)) + np.array([2e3, -1e3, 0.0])
    return wild


def failing(world: HighwayWorld, decision: int, _rng: np.random.Generator) -> FloatArray:
    """Full throttle, and after some seconds no decision at all any more."""
    roads = world.count
    actions = np.column_stack([np.ones(roads), np.zeros(roads), np.zeros(roads)])
    actions[decision % 300 > 20 + np.arange(roads) % 200] = np.nan
    return actions


DRIVERS: dict[str, Driver] = {
    "hostile": hostile,
    "pushing": pushing,
    "undecided": undecided,
    "asleep": asleep,
    "brake_tapping": brake_tapping,
    "beyond_bounds": beyond_bounds,
    "failing": failing,
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


@dataclass(frozen=True)
class Case:
    """One kind of driver on roads of one density."""

    name: str
    driver: Driver
    vehicles: int
    lanes: int
    impolite: bool = False
    """Half of the other drivers tailgate, brake hard, cut in or mean no good."""


class SafetyDrive:
    """One case on many roads, until a distance is reached."""

    def __init__(self, case: Case, roads: int, seed: int, threads: int | None = None) -> None:
        self.figures = Figures(case.name, case.vehicles, case.lanes)
        rules = {"road": {"lanes": case.lanes}, "traffic": IMPOLITE if case.impolite else {}}
        self.world = HighwayWorld(roads, rules, case.vehicles, supervisor=True, threads=threads)
        self._driver = case.driver
        self._rng = np.random.default_rng([seed, 0])
        self._generators = [np.random.default_rng([seed, 1, road]) for road in range(roads)]
        for road in range(roads):
            self.world.begin(road, self._generators[road])

    def run(self, km: float, driven: Callable[[float], None] = lambda _km: None) -> Figures:
        """Drive at least so far; `driven` is told now and then how far it is."""
        world, decision = self.world, 0
        while (so_far := self.figures.km + self._under_way_km()) < km:
            if decision % TELL_EVERY == 0:
                driven(so_far)
            actions = self._driver(world, decision, self._rng)
            lost = np.asarray(np.isnan(actions).any(axis=1))
            world.advance(np.nan_to_num(actions), lost)
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


def cases(policies: Sequence[str] = (), root: Path = RUNS, *, impolite: bool = False) -> list[Case]:
    """Every driver, and the policies asked for, at every density."""
    drivers = {**DRIVERS, **{name: _policy_driver(name, root) for name in policies}}
    roads = list(zip(DENSITIES, LANES, strict=True))
    return [
        Case(name, driver, vehicles, lanes, impolite) for name, driver in drivers.items() for vehicles, lanes in roads
    ]


def _policy_driver(name: str, root: Path) -> Driver:
    """A driver that means well: a run, a policy file or a scripted driver of the highway."""
    source = find_driver(name, root)
    if source.world != "highway":
        raise ConfigError(f"{name} drives in the {source.world}. Name drivers of the highway, such as expert.")
    policy = source.make([0])
    return lambda world, _decision, _rng: policy.act(world.observation, world)


def drive_everything(
    km: float, seed: int = 0, roads: int = 512, threads: int | None = None, chosen: Sequence[Case] | None = None
) -> list[Figures]:
    """Every case in turn, so that all of them together drive at least so far; stderr is told how far they are."""
    driven = cases() if chosen is None else list(chosen)
    share = km / len(driven)
    found: list[Figures] = []
    with tqdm(total=round(km), unit=" km", file=sys.stderr, disable=not shows_bars(), unit_scale=True) as bar:
        for number, case in enumerate(driven):
            bar.set_description(f"{case.name}, {case.vehicles} vehicles")
            begun = bar.n
            drive = SafetyDrive(case, roads, seed + number, threads)
            found.append(drive.run(share, lambda so_far, begun=begun: bar.update(begun + so_far - bar.n)))  # type: ignore[misc]
            bar.update(begun + share - bar.n)
            if bar.disable:
                say(f"{number + 1} of {len(driven)}: {case.name}, {case.vehicles} vehicles, {found[-1].km:,.0f} km")
    return found


def run_highway_safety(options: SafetyOptions) -> int:
    """Drive, print the figures, and return 1 if any collision was the ego's fault."""
    chosen = cases(options.policy, options.root, impolite=options.impolite)
    found = drive_everything(options.km, options.seed, options.roads, options.threads, chosen)
    if options.json:
        sys.stdout.write(json.dumps([asdict(figures) for figures in found], indent=2) + "\n")
    else:
        print_figures(found)
    return 1 if any(figures.ego_fault for figures in found) else 0


def print_figures(found: list[Figures]) -> None:
    """A row for each driver and road, and the sum of them."""
    title = "With the supervisor on; decisions changed by each rule"
    table = empty_table(title, ("km", "collisions", "ego's fault", *RULE_NAMES), "driver, vehicles on lanes")
    for row in found:
        facts = [round(row.km), row.collisions, row.ego_fault, *row.rules.values()]
        table.add_row(f"{row.driver}, {row.vehicles} on {row.lanes}", *(f"{fact:,}" for fact in facts))
    total = sum(row.km for row in found)
    faults = sum(row.ego_fault for row in found)
    console = console_for_results()
    print_table(console, table)
    console.print(f"{total:,.0f} km, {faults} collisions by the ego's fault.")
