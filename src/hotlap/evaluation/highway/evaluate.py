"""How good a driver of the highway is: at every density, without and with the supervisor, next to simple drivers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hotlap.evaluation.highway.driving import Episodes, Strip
from hotlap.evaluation.highway.episodes import Episode
from hotlap.evaluation.highway.figures import HighwayFigures, figures_of
from hotlap.evaluation.highway.order_evaluation import OrderResult, evaluate_orders
from hotlap.evaluation.highway.order_figures import order_figures
from hotlap.evaluation.highway.setup import HighwaySetup
from hotlap.evaluation.measures import Measure, document
from hotlap.policies import Policy
from hotlap.policies.highway_baselines import CruiseHeuristic, RandomDriver, ZeroDriver
from hotlap.policies.highway_expert import HighwayExpert

MakeDriver = Callable[[Sequence[int]], Policy]
"""A driver for episodes with these seeds, one road to each."""
SCRIPTED: dict[str, MakeDriver] = {
    "expert": lambda _seeds: HighwayExpert(),
    "cruise": lambda _seeds: CruiseHeuristic(),
    "random": RandomDriver,
    "zero": lambda _seeds: ZeroDriver(),
}
SUPERVISED = "supervised"
AT_ONCE = 512
"""Episodes driven side by side."""


@dataclass(frozen=True)
class Baseline:
    """A simple driver, with or without the supervisor."""

    name: str
    driver: str
    supervised: bool


BASELINES = (
    Baseline("zero", "zero", False),
    Baseline("random", "random", False),
    Baseline("random, guarded", "random", True),
    Baseline("cruise", "cruise", False),
    Baseline("expert", "expert", False),
)


@dataclass(frozen=True, eq=False)
class DensityEvaluation:
    """A driver in traffic of one density."""

    vehicles: int
    alone: HighwayFigures
    guarded: HighwayFigures
    """The same episodes with the supervisor on."""
    baselines: Mapping[str, HighwayFigures]
    strip: Strip = field(repr=False)
    """The first episode without the supervisor, over time."""

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return {
            "alone": self.alone.plain(),
            SUPERVISED: self.guarded.plain(),
            "baselines": {name: figures.plain() for name, figures in self.baselines.items()},
        }


@dataclass(frozen=True, eq=False)
class HighwayEvaluation:
    """A driver at every density asked for."""

    driver: str
    about: Mapping[str, Any]
    """What is known about it: where it came from, how it was trained."""
    episodes: HighwaySetup
    """What was driven."""
    densities: Sequence[DensityEvaluation]
    records: Sequence[Episode] = field(repr=False)
    """The driver's own episodes, without the supervisor and with it."""
    orders: Sequence[OrderResult] = field(default=(), repr=False)
    """What came of the orders that were spoken to it, with the supervisor on."""
    world: str = "highway"

    def setup(self) -> dict[str, Any]:
        """What was driven."""
        return self.episodes.plain()

    def measures(self) -> list[Measure]:
        """Every figure at every density, and of all densities together."""
        places = {(each.vehicles, False): each.alone for each in self.densities}
        places |= {(each.vehicles, True): each.guarded for each in self.densities}
        found = [measure for key, figures in places.items() for measure in figures.measures(_place(*key))]
        for supervised in (False, True):
            together = figures_of([each for each in self.records if each.supervised is supervised])
            found += together.measures("all traffic" + _guard(supervised=supervised))
        return found + [measure for each in order_figures(self.orders) for measure in each.measures()]

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        densities = {str(each.vehicles): each.plain() for each in self.densities}
        return document(self, densities=densities, orders=[each.plain() for each in order_figures(self.orders)])


def _place(vehicles: int, supervised: bool) -> str:
    return f"{vehicles} vehicles" + _guard(supervised=supervised)


def _guard(*, supervised: bool) -> str:
    return f", {SUPERVISED}" if supervised else ""


def evaluate_highway(
    make: MakeDriver,
    setup: HighwaySetup | None = None,
    *,
    with_baselines: bool = True,
    name: str = "driver",
    about: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = lambda _words: None,
) -> HighwayEvaluation:
    """Drive held-out episodes at every density, without and with the supervisor; `say` is told about progress.

    The same driver and setup give the same figures, since every episode follows from its seed and its driver.
    """
    setup = setup or HighwaySetup()
    densities: list[DensityEvaluation] = []
    records: list[Episode] = []
    for vehicles in setup.vehicles:
        say(f"{setup.episodes} episodes with {vehicles} vehicles around")
        alone, guarded = (_driven(make, setup, vehicles, supervised=supervised) for supervised in (False, True))
        baselines = _baselines(setup, vehicles, make) if with_baselines else {}
        records += [*alone.records, *guarded.records]
        figures = (figures_of(alone.records), figures_of(guarded.records))
        densities.append(DensityEvaluation(vehicles, *figures, baselines, alone.strip))
    spoken: list[OrderResult] = []
    if setup.orders:
        say(f"{setup.orders} orders of each kind at every density")
        spoken = evaluate_orders(make, setup.vehicles, setup.orders, setup.first_episode)
    return HighwayEvaluation(name, about or {}, setup, densities, records, spoken)


class Driven(NamedTuple):
    """What became of all episodes at one density."""

    records: list[Episode]
    strip: Strip
    """The first of them over time."""


def _driven(make: MakeDriver, setup: HighwaySetup, vehicles: int, *, supervised: bool) -> Driven:
    """Drive every episode, so many at a time as memory and caches like."""
    seeds = setup.seeds()
    blocks = [seeds[first : first + AT_ONCE] for first in range(0, len(seeds), AT_ONCE)]
    records: list[Episode] = []
    strips: list[Strip] = []
    for block in blocks:
        drive = Episodes(make(block), block, vehicles, supervised=supervised, missions=setup.missions)
        records += drive.records()
        strips.append(drive.strip())
    return Driven(records, strips[0])


def _baselines(setup: HighwaySetup, vehicles: int, make: MakeDriver) -> dict[str, HighwayFigures]:
    """What simple drivers do in the same episodes; one that is being measured itself is not driven twice."""
    return {
        each.name: figures_of(_driven(SCRIPTED[each.driver], setup, vehicles, supervised=each.supervised).records)
        for each in BASELINES
        if SCRIPTED[each.driver] is not make
    }
