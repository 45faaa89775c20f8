"""The limit of a car on a track: the quasi-steady lap on its fastest line, a number to compare with.

Nothing is driven: the car is always settled, so a real lap is a little slower.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.policies.fastest_line import FastestLine, Road, fastest_line, road_with_margin
from hotlap.policies.kept_laps import kept_lap
from hotlap.policies.policy import FloatArray
from hotlap.policies.racing_line import cut_road, shortest_offsets, with_margin
from hotlap.policies.steady_envelope import steady_envelope
from hotlap.racer.cars.catalogue import CLASSIC, Car, load_car
from hotlap.racer.physics import PHYSICS
from hotlap.racer.tracks import Track, drawn_for_classic_car, load_track

SECTION_M = 4.0
MARGIN_M = 0.5
"""What the middle of the car keeps from the edge of the road."""


@dataclass(frozen=True, eq=False)
class LimitLap:
    """The quasi-steady lap of a car on a track."""

    car_id: str
    car: Car | None
    """None is the classic car."""
    track: Track
    """As the car drives it: at true scale, or at the scale of the classic car."""
    seconds: float
    line: FloatArray
    """(n, 2) the line, closed."""
    distance_u: FloatArray
    """(n,) how far along the line each of its points is."""
    speed_ups: FloatArray
    """(n,) the speed there."""


def limit_lap(track: Track | str | Path, car: Car | str | Path) -> LimitLap:
    """The limit of a car on a track, worked out once and then kept: a second or so."""
    if isinstance(car, str) and car == CLASSIC:
        return _classic_limit(drawn_for_classic_car(load_track(track)))
    return _grip_limit(load_track(track), load_car(car))


@lru_cache(maxsize=64)
def _classic_limit(track: Track) -> LimitLap:
    """The classic car loses nothing in bends: its limit is the shortest line on the road, flat out."""
    sections = cut_road(track)
    line = with_margin(sections, shortest_offsets(sections), 0.0)
    count, fastest_ups = len(line.points), PHYSICS.max_speed_ups
    distance_u = np.arange(count) / count * line.length_u
    speed_ups = np.full(count, fastest_ups)
    return LimitLap(CLASSIC, None, track, line.length_u / fastest_ups, line.points, distance_u, speed_ups)


@lru_cache(maxsize=64)
def _grip_limit(track: Track, car: Car) -> LimitLap:
    lap = kept_lap("limit", track, car, lambda: _settled_lap(track, car))
    return LimitLap(car.car_id, car, track, float(lap["seconds"]), lap["line"], lap["distance_u"], lap["speed_ups"])


def _settled_lap(track: Track, car: Car) -> dict[str, Any]:
    road = road_with_margin(cut_road(track, SECTION_M), MARGIN_M)
    found = fastest_line(road, steady_envelope(car.data))
    distance_u = np.concatenate([[0.0], np.cumsum(found.profile.step_m)[:-1]])
    speed_ups = found.profile.speed_mps
    line = line_points(road, found)
    return {"seconds": found.lap_s, "line": line, "distance_u": distance_u, "speed_ups": speed_ups}


def line_points(road: Road, found: FastestLine) -> FloatArray:
    """The points (n, 2) of a line given as offsets."""
    x, y = road.x + road.normal_x * found.offset_m, road.y + road.normal_y * found.offset_m
    return np.column_stack([x, y])
