"""Cars as dictionaries: put into a batch, taken out of it, compared; and drivers good enough for a lap."""

from functools import cache

import numpy as np

from hotlap.racer.batch import RacerBatch
from hotlap.racer.fleet import CarState, FleetState, StepOutputs
from hotlap.racer.tracks import load_track
from racer.twin_starts import choose_start
from racer.twin_track import TwinTrack

TRACKS = ("track-01", "track-02", "track-03", "generated:7:hard", "generated:3:easy")
MOTION = CarState._fields
PLACE = ("arc_u", "centre_distance_u")
COUNTED = tuple(name for name, kind in FleetState.__annotations__.items() if "int32" in str(kind))
PARTS = ("progress", "speed", "wall", "off_track", "backward", "stillness")
FLAGS = ("terminated", "truncated", "wall_contact", "collided", "lap_complete", "lap_clean")


@cache
def twin_track(name: str) -> TwinTrack:
    return TwinTrack(load_track(name))


def new_car(**known: float) -> dict:
    """A car at rest at the origin in its first lap, except for what is known."""
    car = {name: 0 if name in COUNTED else 0.0 for name in FleetState._fields}
    return {**car, "lap": 1, "best_lap_ticks": -1, **known}


def put(batch: RacerBatch, number: int, car: dict) -> None:
    """Write a car into the fleet; its place on the track is looked up."""
    for name, value in car.items():
        getattr(batch.fleet, name)[number] = value
    batch.observe(number, number + 1)


def taken(batch: RacerBatch, number: int) -> dict:
    """The car as plain numbers."""
    return {name: column[number].item() for name, column in zip(FleetState._fields, batch.fleet, strict=True)}


def said(batch: RacerBatch, number: int) -> dict:
    """What the last step said about the car, but for the observation."""
    columns = zip(StepOutputs._fields[1:], batch.out[1:], strict=True)
    return {name: column[number].item() for name, column in columns}


def toward_the_road_ahead(batch: RacerBatch, speed_ups: float, onward: float = 1.0) -> np.ndarray:
    """Actions (count, 3) that follow the centre line at a speed; `onward` -1 drives against the track's direction."""
    fleet, tables = batch.fleet, batch.tables
    count = tables.coarse_count[fleet.track]
    step_u = tables.length_u[fleet.track] / count
    ahead_u = onward * (10.0 + 0.2 * fleet.speed_ups)
    spot = tables.coarse_first[fleet.track] + np.round((fleet.arc_u + ahead_u) / step_u).astype(int) % count
    bearing = np.arctan2(tables.coarse_y_u[spot] - fleet.y_u, tables.coarse_x_u[spot] - fleet.x_u)
    error = np.angle(np.exp(1j * (bearing - fleet.heading_rad)))
    slow_down = fleet.speed_ups > speed_ups + 10.0
    return np.column_stack([np.clip(-3.0 * error, -1.0, 1.0), fleet.speed_ups < speed_ups, slow_down]).astype(float)


def wild_actions(rng: np.random.Generator, ticks: int, count: int) -> np.ndarray:
    """(ticks, count, 3) wishes that change a few times a second."""
    wishes = rng.uniform([-1.2, -0.3, -1.5], [1.2, 2.0, 1.0], (ticks // 12 + 1, count, 3))
    return np.repeat(wishes, 12, axis=0)[:ticks]


def drive(batch: RacerBatch, actions: np.ndarray) -> None:
    for row in actions:
        batch.set_actions(row)
        batch.step()


def placed(count: int, names: list[str], rng: np.random.Generator, **options) -> RacerBatch:
    """Cars at random starts, taking the tracks in turn."""
    batch = RacerBatch(count, [load_track(name) for name in names], **options)
    for car in range(count):
        track = car % len(names)
        batch.place(car, track, choose_start(batch.tracks[track], "random", None, rng), int(rng.integers(2)))
    return batch
