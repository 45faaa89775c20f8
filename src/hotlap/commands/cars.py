"""The options of `hotlap cars …`."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ListCars:
    """List the built-in cars with their top speed, acceleration and braking."""

    json: bool = False
    """Print one JSON array instead of a table."""

    def run(self) -> None:
        """Print the list."""
        from hotlap.racer.cars import car_tools

        car_tools.list_cars(as_json=self.json)


@dataclass(frozen=True)
class ShowCar:
    """Print the numbers of a car and what they mean, found by driving it."""

    car: str
    """A built-in car such as gt, or the path of a .toml car file."""
    picture: Path | None = None
    """Draw the g-g diagram to this PNG file."""
    force: bool = False
    """Write over a file that is already there."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Print the figures, draw the picture."""
        from hotlap.racer.cars import car_tools

        car_tools.show_car(self.car, picture=self.picture, as_json=self.json, force=self.force)


@dataclass(frozen=True)
class CheckCar:
    """Check a car file: every key, its range, and a drive at low speed."""

    file: Path
    """The .toml car file."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Say that it can be driven, or refuse it with the reason."""
        from hotlap.racer.cars import car_tools

        car_tools.check_car(self.file, as_json=self.json)
