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


SWING_M = 15.0
"""So near a bend the other way a car is on its way from one side to the other: its tyres have not settled."""
SWING_COST = 0.04
"""Share of the speed in bends that this costs, where both are alike."""
WIDE_M = 5.0
"""With more room than this on either side of the middle a road is wide."""


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
    spared: float = 0.0
    """Share of the room beyond WIDE_M that is left alone."""


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
def _offsets(track: Track, car: CarData, margin_m: float, spared: float) -> tuple[Road, FloatArray]:
    """The fastest line of a car that keeps its distance from the edges: the road, and how far left of its middle."""
    road = road_with_margin(cut_road(track, track.length_u / (POINTS - 0.5)), margin_m)
    road = road._replace(room_m=road.room_m - spared * np.maximum(road.room_m - WIDE_M, 0.0))
    return road, fastest_line(road, steady_envelope(car)).offset_m


def lane_lines(track: Track, car: CarData, lanes: Sequence[Lane], pace: Pace) -> list[Lines]:
    """The line of a car in each of some lanes."""
    return [_lane_line(track, car, lane, pace) for lane in lanes]


def _lane_line(track: Track, car: CarData, lane: Lane, pace: Pace) -> Lines:
    road, middle_m = _offsets(track, car, pace.margin_m + lane.row_m, pace.spared)
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
    swing = _swing(line)
    profile.corner_mps[:] *= envelopes.cornering * (1.0 - SWING_COST * swing.alike)
    profile.curvature_per_m[:] = np.maximum(np.abs(line.curvature_per_m), swing.curvature_per_m)
    fill_between_corners(profile, envelopes.driving, envelopes.braking)
    return profile.speed_mps.copy()


class _Swing(NamedTuple):
    """Where a line turns from one bend into another (POINTS,): the gentler one's curvature, and how alike they are."""

    curvature_per_m: FloatArray
    alike: FloatArray


def _swing(line: Lines) -> _Swing:
    """Both bends are those within SWING_M; where all turn one way, the other has no curvature."""
    reach = max(round(SWING_M / float(line.step_m.mean())), 1)
    shifts = range(-reach, reach + 1)
    left, right = (
        np.max([np.roll(np.maximum(way * line.curvature_per_m, 0.0), shift) for shift in shifts], axis=0)
        for way in (1.0, -1.0)
    )
    gentler = np.minimum(left, right)
    return _Swing(gentler, gentler / np.maximum(np.maximum(left, right), 1e-9))
