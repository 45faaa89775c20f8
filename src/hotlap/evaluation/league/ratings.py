"""Ratings from places: Elo numbers that explain best who beat whom, and how sure they are."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
MEAN_RATING = 1500.0
POINTS_PER_E = 400.0 / np.log(10.0)
VIRTUAL_DRAWS = 0.5
"""Each pair of drivers also drew this often, so that who never lost has a finite rating."""
ITERATIONS = 400
RESAMPLES = 200


def wins_in_race(places: list[tuple[int, int]], drivers: int) -> FloatArray:
    """How often each driver (row) beat each other (column) in one race, from (driver, place) of every car.

    A driver with several cars wins as often as it has pairs of cars; cars of one driver do not count between them.
    """
    wins = np.zeros((drivers, drivers))
    for driver, place in places:
        for other, other_place in places:
            if driver != other and place < other_place:
                wins[driver, other] += 1.0
    return wins


def elo(wins: FloatArray) -> FloatArray:
    """The ratings under which these wins are likeliest (Bradley and Terry, by Hunter's iteration), mean 1500."""
    drivers = len(wins)
    if drivers < 2:
        return np.full(drivers, MEAN_RATING)
    counted = wins + VIRTUAL_DRAWS * (1.0 - np.eye(drivers))
    met, won = counted + counted.T, counted.sum(axis=1)
    strength = np.ones(drivers)
    for _ in range(ITERATIONS):
        strength = won / (met / (strength[:, None] + strength[None, :])).sum(axis=1)
        strength /= np.exp(np.log(strength).mean())
    ratings: FloatArray = MEAN_RATING + POINTS_PER_E * np.log(strength)
    return ratings


def elo_with_intervals(races: list[FloatArray]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ratings, and the ends of their 95 % intervals: races drawn again and again from those that were driven."""
    all_wins = np.array(races)
    rng = np.random.default_rng(0)
    drawn = [elo(all_wins[rng.integers(0, len(races), len(races))].sum(axis=0)) for _ in range(RESAMPLES)]
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    ratings = elo(all_wins.sum(axis=0))
    return ratings, np.minimum(low, ratings), np.maximum(high, ratings)
