"""The races of a league: all drivers on every grid, many grids at once, and what each car did."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hotlap.episodes import checked_seed
from hotlap.evaluation.race.evaluate import ticks_for
from hotlap.progress import bar
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.grid import FINISHED, RACING
from hotlap.race.opponents import Opponents, seated_drivers
from hotlap.racer.cars import CLASSIC
from hotlap.racer.options import load_cars, load_tracks
from hotlap.racer.physics import TICKS_PER_SECOND


@dataclass(frozen=True)
class LeagueRules:
    """What every race of a league has in common."""

    drivers: tuple[str, ...]
    """Names and files, one for each driver."""
    laps: int
    cars: int
    layout: str
    car: str = CLASSIC
    start: str = "standing"


@dataclass(frozen=True)
class CarResult:
    """What one car did in one race."""

    driver: int
    place: int
    slot: int
    status: str
    finish_s: float | None
    km: float
    laps: int
    clean_laps: int
    overtakes: int
    overtaken: int
    contacts: int
    faults: int
    parked: str = ""


@dataclass(frozen=True)
class RaceResult:
    """One race: where, with which seed, and all cars."""

    track: str
    seed: int
    cars: tuple[CarResult, ...]


def drive_races(rules: LeagueRules, track: str, seeds: Sequence[int]) -> list[RaceResult]:
    """One race on a track for each seed, which decides who starts where, all at once."""
    cars = load_cars(rules.car)
    (circuit,) = load_tracks(track, cars)
    settings = RaceSettings(rules.cars, rules.laps, rules.start, rules.layout)
    race = RaceBatch(len(seeds), [circuit], settings, 1, cars)
    race.alone.grip.car_count[:] = len(cars)
    race.alone.episodes.seed[:] = np.repeat([checked_seed(seed) for seed in seeds], rules.cars)
    race.alone.episodes.stream[:] = np.tile(np.arange(rules.cars), len(seeds))
    race.reset()
    drivers = Opponents(race, seated_drivers(rules.drivers, rules.cars, race), 0)
    most_ticks = ticks_for(circuit, rules.laps, with_grip=bool(cars))
    with bar(most_ticks, "ticks", f"{track}: races of seeds {', '.join(map(str, seeds))}") as advance:
        clean_laps = _drive(race, drivers, most_ticks, advance)
    results = [_car_result(race, row, len(rules.drivers), drivers, clean_laps) for row in range(race.count)]
    by_grid = [tuple(results[first : first + rules.cars]) for first in range(0, race.count, rules.cars)]
    return [RaceResult(track, seed, cars) for seed, cars in zip(seeds, by_grid, strict=True)]


def _drive(race: RaceBatch, drivers: Opponents, most_ticks: int, advance: Callable[[float], object]) -> Any:
    """Until nobody races any more, or for so many ticks: the clean laps of each car."""
    clean_laps = np.zeros(race.count, int)
    actions = np.zeros((race.count, 3))
    for _ in range(most_ticks):
        drivers.write_actions(actions)
        race.set_actions(actions)
        race.step()
        clean_laps += race.out.lap_clean
        advance(1)
        if not (race.contenders.status == RACING).any():
            break
    return clean_laps


def _car_result(race: RaceBatch, row: int, drivers: int, seats: Opponents, clean_laps: Any) -> CarResult:
    contenders, status = race.contenders, int(race.contenders.status[row])
    start_u = -float(contenders.slot[row]) * race.rules.row_u
    return CarResult(
        driver=row % race.cars % drivers,
        place=int(contenders.place[row]),
        slot=int(contenders.slot[row]),
        status=("out of time", "finished", "retired")[status],
        finish_s=int(contenders.finish_tick[row]) / TICKS_PER_SECOND if status == FINISHED else None,
        km=max(float(contenders.distance_u[row]) - start_u, 0.0) / 1000.0,
        laps=int(race.fleet.lap[row]) - 1,
        clean_laps=int(clean_laps[row]),
        overtakes=int(contenders.overtakes[row]),
        overtaken=int(contenders.overtaken[row]),
        contacts=int(contenders.contacts[row]),
        faults=int(contenders.faults[row]),
        parked=seats.parked.get(row, ""),
    )
