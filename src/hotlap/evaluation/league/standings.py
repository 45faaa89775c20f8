"""The table of a league: ratings, wins, places gained, overtakes, contacts and faults."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hotlap.evaluation.league.races import CarResult, LeagueRules, RaceResult
from hotlap.evaluation.league.ratings import elo_with_intervals, wins_in_race


@dataclass(frozen=True)
class Standing:
    """A driver's line of the table."""

    driver: str
    rating: float
    """Elo; the mean of all drivers is 1500."""
    rating_low: float
    rating_high: float
    """The ends of its 95 % interval."""
    starts: int
    """Cars it drove, over all races."""
    wins: int
    finished: int
    places_gained: float
    """From the slot on the grid to the finish, on average."""
    places_gained_from_last: float | None
    """The same of its cars that started last."""
    overtakes: float
    """Per race."""
    contacts_per_100km: float
    faults_per_100km: float
    clean_laps_percent: float
    km: float
    mean_finish_s: float | None
    mean_lap_s: float | None
    """Over all tracks, the start from rest included."""
    parked: tuple[str, ...]
    """What was wrong where its cars were parked."""


def standings(rules: LeagueRules, names: Sequence[str], races: Sequence[RaceResult]) -> list[Standing]:
    """All drivers, the best first."""
    wins = [wins_in_race([(car.driver, car.place) for car in race.cars], len(names)) for race in races]
    ratings, low, high = (np.round(part, 1).tolist() for part in elo_with_intervals(wins))
    found = []
    for number, name in enumerate(names):
        cars = [car for race in races for car in race.cars if car.driver == number]
        found.append(_standing(name, (ratings[number], low[number], high[number]), cars, rules))
    return sorted(found, key=lambda each: -each.rating)


def _standing(name: str, rating: tuple[float, float, float], cars: Sequence[CarResult], rules: LeagueRules) -> Standing:
    km = sum(car.km for car in cars)
    laps = sum(car.laps for car in cars)
    last = [car.slot + 1 - car.place for car in cars if car.slot == rules.cars - 1]
    finishes = [car.finish_s for car in cars if car.finish_s is not None]
    return Standing(
        driver=name,
        rating=rating[0],
        rating_low=rating[1],
        rating_high=rating[2],
        starts=len(cars),
        wins=sum(car.place == 1 for car in cars),
        finished=len(finishes),
        places_gained=round(_mean([car.slot + 1 - car.place for car in cars]), 2),
        places_gained_from_last=round(_mean(last), 2) if last else None,
        overtakes=round(_mean([car.overtakes for car in cars]), 2),
        contacts_per_100km=round(100.0 * sum(car.contacts for car in cars) / max(km, 1e-9), 2),
        faults_per_100km=round(100.0 * sum(car.faults for car in cars) / max(km, 1e-9), 2),
        clean_laps_percent=round(100.0 * sum(car.clean_laps for car in cars) / max(laps, 1), 1),
        km=round(km, 3),
        mean_finish_s=round(_mean(finishes), 3) if finishes else None,
        mean_lap_s=round(_mean(finishes) / rules.laps, 3) if finishes else None,
        parked=tuple(sorted({car.parked for car in cars if car.parked})),
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
