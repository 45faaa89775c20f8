"""What `hotlap cars list | show | check` do: results to stdout, mistakes as CarError."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hotlap.errors import CarError
from hotlap.racer.cars.catalogue import CLASSIC, Car, car_ids, load_car
from hotlap.racer.cars.figures import CarFigures, car_figures
from hotlap.racer.cars.fingerprint import car_fingerprint
from hotlap.whole_files import refuse_to_overwrite


def list_cars(*, as_json: bool = False) -> None:
    """Print a line for each built-in car, or one JSON array."""
    cars = [load_car(car_id) for car_id in car_ids()]
    if as_json:
        print(json.dumps([car_facts(car) for car in cars]))
        return
    print(f"{'car':<10}{'top':>10}{'0 to 100':>10}{'100 to 0':>10}   drive")
    for car in cars:
        figures = car_figures(car.data)
        top, start = f"{figures.top_speed_kmh:.0f} km/h", _seconds(figures.zero_to_100_s)
        print(f"{car.car_id:<10}{top:>10}{start:>10}{figures.braking_100_to_0_m:>8.0f} m   {_driven(car)}")
    print(f"{CLASSIC:<10} the car of the racing rules, in game units: see docs/racer.md")


def show_car(name: str, *, picture: Path | None = None, as_json: bool = False, force: bool = False) -> None:
    """Print the numbers of a car and its figures, as text or one JSON object, and draw its g-g diagram if asked."""
    if name == CLASSIC:
        raise CarError(
            f'"{CLASSIC}" is no car with grip: its rules are in docs/racer.md. Show one of: {", ".join(car_ids())}.'
        )
    if picture is not None:
        if picture.suffix.lower() != ".png":
            raise CarError(f"{picture}: a picture ends in .png. Name it {picture.stem}.png.")
        refuse_to_overwrite(picture, force=force, error=CarError)
    car = load_car(name)
    facts = car_facts(car)
    if as_json:
        print(json.dumps(facts))
    else:
        _print_car(car, facts)
    if picture is not None:
        from hotlap.racer.cars.picture import save_grip_picture  # noqa: PLC0415 - matplotlib takes half a second to load

        save_grip_picture(car, picture, force=force)
        if not as_json:
            print(f"picture     {picture}")


def check_car(path: Path, *, as_json: bool = False) -> None:
    """Say that a car file can be driven; one that cannot be raises."""
    car = load_car(path)
    if as_json:
        print(json.dumps({"file": str(path), "name": car.name, "fingerprint": car_fingerprint(car.data)}))
        return
    print(f"{path}: {car.name} can be driven, fingerprint {car_fingerprint(car.data)}")


def car_facts(car: Car) -> dict[str, Any]:
    """Everything that is known about a car: its numbers by key, its figures, its fingerprint."""
    return {
        "id": car.car_id,
        "name": car.name,
        "fingerprint": car_fingerprint(car.data),
        **asdict(car_figures(car.data)),
        "numbers": car.data._asdict(),
    }


def _print_car(car: Car, facts: dict[str, Any]) -> None:
    figures = CarFigures(**{name: facts[name] for name in CarFigures.__dataclass_fields__})
    print(f"{car.name} ({car.car_id}), {_driven(car)}, fingerprint {facts['fingerprint']}")
    for key, value in car.data._asdict().items():
        print(f"  {key:<22}{value:g}")
    print(f"top speed   {figures.top_speed_kmh:.0f} km/h")
    print(f"0 to 100    {_seconds(figures.zero_to_100_s)}, 0 to 200 {_seconds(figures.zero_to_200_s)}")
    print(f"100 to 0    {figures.braking_100_to_0_m:.1f} m")
    sideways = (("80", figures.lateral_g_80), ("150", figures.lateral_g_150), ("250", figures.lateral_g_250))
    print(f"sideways    {', '.join(f'{_g(value)} at {speed} km/h' for speed, value in sideways)}")
    print(f"at the limit: {figures.balance_at_the_limit}")


def _seconds(value: float | None) -> str:
    return "never" if value is None else f"{value:.1f} s"


def _g(value: float | None) -> str:
    return "never" if value is None else f"{value:.2f} g"


def _driven(car: Car) -> str:
    share = car.data.drive_share_front
    if share in (0.0, 1.0):
        return "front-wheel drive" if share else "rear-wheel drive"
    return f"four-wheel drive, {share:.0%} in front"
