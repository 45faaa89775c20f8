"""Cars drawn around others: the same car a little heavier, stronger, with other tyres."""

from collections.abc import Sequence

import numpy as np

from hotlap.errors import CarError
from hotlap.racer.cars.car_files import RANGES, checked_car
from hotlap.racer.cars.catalogue import Car, load_car

SEED = 20_261_115
MOST_ATTEMPTS = 100


def cars_around(names: Sequence[str], spread: float, draws: int) -> list[Car]:
    """So many cars around each named one, the first of them that one itself; always the same ones."""
    named = [load_car(name) for name in names]
    if spread == 0.0:
        return named
    rng = np.random.default_rng(SEED)
    return [car if number == 0 else drawn_around(car, spread, rng) for car in named for number in range(draws)]


def drawn_around(car: Car, spread: float, rng: np.random.Generator) -> Car:
    """A car whose every number is drawn within the spread around another's, and that can be driven."""
    for _ in range(MOST_ATTEMPTS):
        numbers = {}
        for key, value in car.data._asdict().items():
            low, high = RANGES[key]
            numbers[key] = float(np.clip(value * rng.uniform(1.0 - spread, 1.0 + spread), low, high))
        try:
            return Car(car.car_id, car.name, checked_car(numbers, car.name))
        except CarError:
            continue
    raise CarError(f"no car within {spread:.0%} around {car.name} can be driven. Use a smaller car_spread.")
