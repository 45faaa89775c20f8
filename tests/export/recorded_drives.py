"""Drives recorded from the native kernel, to be driven again elsewhere: clean laps, sloppy ones, walls."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.policies.reference import ReferenceDriver
from hotlap.racer.tracks import load_track
from hotlap.racer.world import RacerWorld

FIELDS = [
    ("fleet", name)
    for name in ("x_u", "y_u", "vx_ups", "vy_ups", "heading_rad", "yaw_rate_rps", "speed_ups", "slip_rad", "arc_u")
] + [("outputs", "observation"), ("outputs", "reward")]
EXACT_FIELDS = [
    ("fleet", name) for name in ("surface", "gate", "lap", "lap_ticks", "best_lap_ticks", "still_ticks")
] + [("outputs", name) for name in ("lap_complete", "lap_clean", "last_lap_ticks", "wall_contact", "collided")]
GRIP_FIELDS = [*FIELDS, ("grip", "grip_used_front"), ("grip", "grip_used_rear"), ("grip", "sideways_accel_mps2")]
CARS = 6
Array = NDArray[Any]


@dataclass(frozen=True)
class Drive:
    """What was asked for and what came of it, tick by tick."""

    actions: Array
    """(ticks, 3, cars) raw actions."""
    columns: dict[tuple[str, str], Array]
    """(ticks, elements) of each field."""
    delays: list[int]


def record_grip_drive(track: str, car: str, ticks: int) -> Drive:
    """Six cars with grip from the grid: they pull away, wander over the road, brake, and some meet a wall."""
    world = RacerWorld(CARS, load_track(track), car=car)
    delays = [number % 2 for number in range(CARS)]
    rng = np.random.default_rng(11)
    for number in range(CARS):
        world.begin(number, rng, {"action_delay": delays[number]})
    groups: dict[str, Any] = {"fleet": world.fleet, "outputs": world.out, "grip": world.grip}
    actions, columns = np.zeros((ticks, 3, CARS)), {field: [] for field in GRIP_FIELDS + EXACT_FIELDS}
    wander = np.zeros((CARS, 3))
    for tick in range(ticks):
        wander = 0.97 * wander + 0.03 * rng.standard_normal((CARS, 3))
        wanted = wander + np.array([0.0, 0.7, -0.1])
        world.advance(wanted)
        actions[tick] = wanted.T
        for (group, name), rows in columns.items():
            rows.append(getattr(groups[group], name).astype(np.float64))
    return Drive(actions, {field: np.stack(rows) for field, rows in columns.items()}, delays)


def record_drive(track: str, layout: str, ticks: int) -> Drive:
    """Six cars from the grid: two on the reference line, two disturbed, one without aim, one flat out and turning."""
    world = RacerWorld(CARS, load_track(track), observation=layout)
    delays = [car % 2 for car in range(CARS)]
    rng = np.random.default_rng(7)
    for car in range(CARS):
        world.begin(car, rng, {"action_delay": delays[car]})
    driver = ReferenceDriver(track)
    groups: dict[str, Any] = {"fleet": world.fleet, "outputs": world.out}
    actions, columns = np.zeros((ticks, 3, CARS)), {field: [] for field in FIELDS + EXACT_FIELDS}
    wander = np.zeros((CARS, 3))
    for tick in range(ticks):
        wander = 0.97 * wander + 0.25 * rng.standard_normal((CARS, 3))
        wanted = driver.act(world.observation, world).astype(np.float64)
        wanted[2:4] += 0.6 * wander[2:4]
        wanted[4] = wander[4] + [0.0, 0.5, -0.5]
        wanted[5] = [0.3, 1.0, 0.0]
        world.advance(wanted)
        actions[tick] = wanted.T
        for (group, name), rows in columns.items():
            rows.append(getattr(groups[group], name).astype(np.float64))
    return Drive(actions, {field: np.stack(rows) for field, rows in columns.items()}, delays)
