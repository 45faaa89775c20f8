"""Where cars come from: the built-in files and files of the user."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from hotlap.errors import CarError, did_you_mean
from hotlap.racer.cars.car_files import read_car_file
from hotlap.racer.grip_car import CarData

CLASSIC = "classic"
"""The car of the frozen racing rules: it has its own model and no file."""
FILE_SUFFIX = ".toml"


@dataclass(frozen=True)
class Car:
    """A car with grip: what it is asked for by, what people call it, its numbers."""

    car_id: str
    name: str
    data: CarData


@cache
def car_ids() -> tuple[str, ...]:
    """The built-in cars with grip."""
    folder = files("hotlap.racer.cars")
    names = (file.name for file in folder.iterdir() if file.name.endswith(FILE_SUFFIX))
    return tuple(sorted(name.removesuffix(FILE_SUFFIX) for name in names))


def load_car(name_or_path: str | Path | Car) -> Car:
    """The car of that name, "gt" for example, or the path of a .toml file. A Car is handed back as it is."""
    if isinstance(name_or_path, Car):
        return name_or_path
    if not isinstance(name_or_path, str | Path):
        raise CarError(f'no car {name_or_path!r}. A car is a name, a path or a Car, like "gt".')
    name = str(name_or_path)
    if name in car_ids():
        return _built_in(name)
    if isinstance(name_or_path, Path) or name.lower().endswith(FILE_SUFFIX) or "/" in name or "\\" in name:
        path = Path(name)
        title, data = read_car_file(path)
        return Car(path.stem, title, data)
    known = (CLASSIC, *car_ids())
    raise CarError(f'no car "{name}".{did_you_mean(name, known)} Run "hotlap cars list", or give the path of a .toml.')


@cache
def _built_in(car_id: str) -> Car:
    with as_file(files("hotlap.racer.cars") / f"{car_id}{FILE_SUFFIX}") as path:
        title, data = read_car_file(path)
    return Car(car_id, title, data)
