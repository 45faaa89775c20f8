"""A car of your own: `python examples/custom_car.py` takes the GT and gives it rain tyres."""

import re
from importlib.resources import files
from pathlib import Path

import gymnasium as gym

import hotlap  # noqa: F401 - registers the environments
from hotlap.racer.cars import load_car


def write_wet_gt(path: Path, friction: float = 1.1) -> Path:
    """A car is a TOML file: copy one, change a number. `hotlap cars check FILE` says whether it can be driven."""
    gt = (files("hotlap") / "racer" / "cars" / "gt.toml").read_text(encoding="utf-8")
    wet = re.sub(r"^friction = \S+", f"friction = {friction}", gt, flags=re.MULTILINE)
    path.write_text(wet.replace('name = "GT"', 'name = "GT in the rain"'), encoding="utf-8")
    return path


def braking_distance_m(car: str | Path, speed_mps: float = 30.0) -> float:
    """How far it rolls under full brakes, after accelerating on a straight."""
    env = gym.make("hotlap/Racer-v0", track="ridgeway", car=car, assists="on")
    env.reset(seed=0)
    speed, braking, distance_m = 0.0, False, 0.0
    while not braking or speed > 1.0:
        info = env.step([0.0, 0.0, 1.0] if braking else [0.0, 1.0, 0.0])[4]
        speed, braking = info["rawSpeed"], braking or info["rawSpeed"] >= speed_mps
        distance_m += speed / 60.0 if braking else 0.0
    return distance_m


if __name__ == "__main__":
    wet = write_wet_gt(Path("wet.toml"))
    for car in ("gt", wet):
        print(f"{load_car(car).name}: {braking_distance_m(car):.1f} m from 108 km/h")
