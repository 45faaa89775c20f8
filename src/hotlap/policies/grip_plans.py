"""The lines that a driver of cars with grip plans on circuits, alone or beside others, and the speeds on them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hotlap.policies.fastest_line import Road, fastest_line, road_with_margin
from hotlap.policies.policy import FloatArray
from hotlap.policies.racing_line import cut_road
from hotlap.policies.speed_profile import empty_profile, fill_between_corners, fill_profile, measure_line
from hotlap.policies.steady_envelope import Envelope, steady_envelope
from hotlap.racer.cars.catalogue import Car
from hotlap.racer.grip_car import CarData
from hotlap.racer.tracks import Track

POINTS = 1024
"""Of every line, whatever the length of the circuit."""


class Pace(NamedTuple):
    """How near the limit the teacher drives."""

    margin_m: float
    """What it leaves of the road on either side."""
    cornering: float
    """Share of the speed in corners."""
    driving: float
    """Share of the grip that is used to gain speed."""
    braking: float
    """Share of the grip that is used to lose speed."""


BOLD, CAREFUL = Pace(0.3, 1.0, 1.0, 0.97), Pace(1.0, 0.95, 0.92, 0.85)


def pace_of(caution: float) -> Pace:
    """Between the bold pace, at 0, and the careful one, at 1."""
    return Pace(*(bold + (careful - bold) * caution for bold, careful in zip(BOLD, CAREFUL, strict=True)))


class Lane(NamedTuple):
    """A place in a row of cars side by side, which follows the fastest line of a car as wide as the row."""

    row_m: float
    """How much wider the row is than a car, on either side."""
    aside_m: float
    """How far to the left of the row's middle the place is."""


ALONE = Lane(0.0, 0.0)


class Lines(NamedTuple):
    """The lines of some kinds of cars in some lanes on some circuits, one after the other, POINTS of each."""

    x_m: FloatArray
    y_m: FloatArray
    step_m: FloatArray
    heading_rad: FloatArray
    curvature_per_m: FloatArray


class Plans(NamedTuple):
    """What each car makes of the lines of its kind, for each circuit and lane: POINTS for each car."""

    speed_mps: FloatArray
    accel_mps2: FloatArray


class Envelopes(NamedTuple):
    """What a car can do, and what the teacher asks of it."""

    limit: Envelope
    driving: Envelope
    braking: Envelope
    cornering: float


def envelopes_of(car: Car, pace: Pace) -> Envelopes:
    """The envelopes of a car at a pace."""
    limit, driving, braking = (steady_envelope(car.data, share) for share in (1.0, pace.driving, pace.braking))
    return Envelopes(limit, driving, braking, pace.cornering)


@lru_cache(maxsize=4096)
def _offsets(track: Track, car: CarData, margin_m: float) -> tuple[Road, FloatArray]:
    """The fastest line of a car that keeps its distance from the edges: the road, and how far left of its middle."""
    road = road_with_margin(cut_road(track, track.length_u / (POINTS - 0.5)), margin_m)
    return road, fastest_line(road, steady_envelope(car)).offset_m


def lane_lines(track: Track, car: CarData, lanes: Sequence[Lane], margin_m: float) -> list[Lines]:
    """The line of a car in each of some lanes."""
    return [_lane_line(track, car, lane, margin_m) for lane in lanes]


def _lane_line(track: Track, car: CarData, lane: Lane, margin_m: float) -> Lines:
    road, middle_m = _offsets(track, car, margin_m + lane.row_m)
    offset_m = middle_m + lane.aside_m
    x, y = road.x + road.normal_x * offset_m, road.y + road.normal_y * offset_m
    profile = empty_profile(POINTS)
    measure_line(x, y, profile, 0, POINTS)
    ahead_x, ahead_y = (np.roll(column, -1) - np.roll(column, 1) for column in (x, y))
    return Lines(x, y, profile.step_m, np.arctan2(ahead_y, ahead_x), profile.curvature_per_m)


def plan_of(line: Lines, envelopes: Envelopes, share: float) -> Plans:
    """The speeds of a car on a line."""
    speed = share * _speeds(line, envelopes)
    return Plans(speed, (np.roll(speed, -1) ** 2 - speed**2) / (2.0 * line.step_m))


def _speeds(line: Lines, envelopes: Envelopes) -> FloatArray:
    """A car's speeds (POINTS,) on a line: slower than it could through bends, less hard than it could between them."""
    profile = empty_profile(POINTS)
    profile.step_m[:], profile.curvature_per_m[:] = line.step_m, line.curvature_per_m
    fill_profile(profile, envelopes.limit)
    profile.corner_mps[:] *= envelopes.cornering
    fill_between_corners(profile, envelopes.driving, envelopes.braking)
    return profile.speed_mps.copy()
