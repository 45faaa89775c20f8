"""Cars as data: one TOML file each."""

from hotlap.racer.cars.catalogue import CLASSIC, Car, car_ids, load_car

__all__ = ["CLASSIC", "Car", "car_ids", "load_car"]
