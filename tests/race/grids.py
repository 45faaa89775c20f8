"""Grids of cars for the tests: placed by hand, driven wildly, looked at."""

import numpy as np

from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.grid import RACING
from hotlap.racer.tracks import load_track
from racer.cars import toward_the_road_ahead

KEPT = ("x_u", "y_u", "vx_ups", "vy_ups", "heading_rad", "yaw_rate_rps", "speed_ups", "arc_u", "gate", "lap", "tick")


def new_race(grids: int = 1, cars: int = 2, track: str = "track-01", **settings) -> RaceBatch:
    """A batch whose races have begun."""
    race = RaceBatch(grids, [load_track(track)], RaceSettings(cars=cars, **settings), threads=1)
    race.reset()
    return race


def put_car(race: RaceBatch, car: int, x_u: float, y_u: float, heading_rad: float, speed_ups: float = 0.0) -> None:
    """Put a car somewhere, driving straight ahead; `look` afterwards."""
    fleet = race.fleet
    fleet.x_u[car], fleet.y_u[car], fleet.heading_rad[car], fleet.speed_ups[car] = x_u, y_u, heading_rad, speed_ups
    fleet.vx_ups[car], fleet.vy_ups[car] = speed_ups * np.cos(heading_rad), speed_ups * np.sin(heading_rad)
    fleet.yaw_rate_rps[car] = 0.0


def put_by_pole(race: RaceBatch, car: int, ahead_u: float, left_u: float, turn_rad: float, speed_ups: float) -> None:
    """Put a car so far ahead of the start line and to its left, turned against the road."""
    track = race.tracks[0]
    cosine, sine = np.cos(track.start_heading_rad), np.sin(track.start_heading_rad)
    x_u = track.start_x_u + ahead_u * cosine - left_u * sine
    y_u = track.start_y_u + ahead_u * sine + left_u * cosine
    put_car(race, car, x_u, y_u, track.start_heading_rad + turn_rad, speed_ups)


def momentum(race: RaceBatch) -> np.ndarray:
    mass = race.contenders.mass
    return np.array([np.sum(mass * race.fleet.vx_ups), np.sum(mass * race.fleet.vy_ups)])


def hostile_actions(race: RaceBatch, rng: np.random.Generator) -> np.ndarray:
    """Most follow the road at their own speed with a shaky hand, some turn anywhere, some brake without a reason."""
    actions = toward_the_road_ahead(race.alone, 60.0 + 100.0 * rng.random(race.count))
    mad = rng.random(race.count) < 0.2
    actions[:, 0] += rng.normal(0.0, 0.3, race.count)
    actions[mad] = rng.uniform([-1.0, 0.0, 0.0], [1.0, 1.0, 1.0], (int(mad.sum()), 3))
    return actions


def overlap_depths(race: RaceBatch) -> np.ndarray:
    """How deep the pairs (grids, pairs) of cars on the road overlap; at most 0 for cars apart."""
    one, two = np.triu_indices(race.cars, 1)
    shape = (race.grid_count, race.cars)
    fleet, cars = race.fleet, race.contenders
    x, y, heading = (column.reshape(shape) for column in (fleet.x_u, fleet.y_u, fleet.heading_rad))
    length, width = cars.half_length_u.reshape(shape), cars.half_width_u.reshape(shape)
    way_x, way_y = x[:, two] - x[:, one], y[:, two] - y[:, one]
    depth = np.full(way_x.shape, np.inf)
    for of in (one, two):
        for turn in (0.0, np.pi / 2.0):
            axis = heading[:, of] + turn
            reach = sum(
                length[:, car] * np.abs(np.cos(axis - heading[:, car]))
                + width[:, car] * np.abs(np.sin(axis - heading[:, car]))
                for car in (one, two)
            )
            depth = np.minimum(depth, reach - np.abs(way_x * np.cos(axis) + way_y * np.sin(axis)))
    racing = cars.status.reshape(shape) == RACING
    return np.where(racing[:, one] & racing[:, two], depth, -1.0)


def state_of(race: RaceBatch, cars) -> dict[str, np.ndarray]:
    columns = {name: getattr(race.fleet, name)[cars] for name in KEPT}
    facts = {
        name: getattr(race.facts, name)[cars] for name in ("impulse", "fault", "gap_ahead_u", "passes", "put_back")
    }
    race_state = {name: getattr(race.contenders, name)[cars] for name in ("place", "distance_u", "status", "overtakes")}
    return {**columns, **facts, **race_state, "observation": race.observation[cars]}
