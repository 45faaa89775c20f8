"""The lap to measure cars with grip against: the fastest clean one that a driver of a line really drove.

The driver follows the fastest line. How fast it takes each corner, how hard it drives and brakes between them and how
it steers is found by search: each is changed in turn, and kept when the driven lap gets shorter and stays on the road.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hotlap.errors import TrackError
from hotlap.policies.fastest_line import fastest_line, road_with_margin
from hotlap.policies.grip_driver import Manner, PlannedLine
from hotlap.policies.grip_laps import TRACE, DrivenLap, Edges, compiled_laps, room_for_trace
from hotlap.policies.kept_laps import kept_lap
from hotlap.policies.limit import MARGIN_M, SECTION_M
from hotlap.policies.policy import FloatArray
from hotlap.policies.racing_line import cut_road
from hotlap.policies.speed_profile import Profile, empty_profile, fill_between_corners, fill_profile, measure_line
from hotlap.policies.steady_envelope import Envelope, steady_envelope
from hotlap.progress import bar
from hotlap.racer.cars.catalogue import Car, load_car
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.tracks import Track, load_track

SAFE_M = 0.05
"""What the middle of the car must keep from the edge of the road at every tick."""
OFF_ROAD_COST, LEAST_OFF_ROAD_COST = 20.0, 60.0
"""Ticks that a metre off the road counts as, so that the search finds its way back, and what leaving it costs."""
FIRST_STEP, LAST_STEP = 0.04, 0.009
MOST_RUNS = 420
SLOWEST_AVERAGE_MPS = 8.0
FIRST_MANNER = Manner(look_s=0.5, hands_s=0.08, feet_s=0.08, yaw_gain_per_s=10.0, grip_share=0.97, rear_braking=1.0)
MANNERS: dict[str, tuple[float, ...]] = {
    "look_s": (0.3, 0.4, 0.6, 0.8),
    "hands_s": (0.04, 0.06, 0.1, 0.13, 0.16),
    "feet_s": (0.03, 0.06, 0.09, 0.12),
    "yaw_gain_per_s": (6.0, 9.0, 13.0, 18.0),
    "grip_share": (0.94, 0.99),
    "rear_braking": (1.2, 1.5, 2.0),
}
REFERENCES_FILE = "grip_references.json"


class Style(NamedTuple):
    """What the search decides."""

    corners: tuple[float, ...]
    """By how much each corner is taken slower or faster than the limit says."""
    driving: float
    """Share of the grip that is used to gain speed."""
    braking: float
    """Share of the grip that is used to lose it."""
    manner: Manner


@dataclass(frozen=True, eq=False)
class GripReferenceLap:
    """The fastest clean flying lap found, tick by tick."""

    ticks: int
    seconds: float
    line: FloatArray
    """(ticks, 2) where the car was after each tick."""
    distance_m: FloatArray
    """(ticks,) how far along the track it was."""
    speed_mps: FloatArray
    """(ticks,) how fast it was."""
    style: Style


class _Lap(NamedTuple):
    """A lap that was tried: what it is worth, fewer is better, and how it was driven."""

    cost: float
    driven: DrivenLap
    style: Style


class FastestLineDriver:
    """Drives the fastest line of one car on one circuit in any style."""

    def __init__(self, track: Track, car: Car) -> None:
        sections = cut_road(track, SECTION_M)
        road = road_with_margin(sections, MARGIN_M)
        found = fastest_line(road, steady_envelope(car.data))
        self.car = car
        self.x, self.y = road.x + road.normal_x * found.offset_m, road.y + road.normal_y * found.offset_m
        self.edges = Edges(found.offset_m, sections.half_width_u - SAFE_M)
        self.profile: Profile = empty_profile(len(self.x))
        measure_line(self.x, self.y, self.profile, 0, len(self.x))
        fill_profile(self.profile, steady_envelope(car.data))
        self.corner_mps = self.profile.corner_mps.copy()
        self.shares = corner_shares(self.profile.speed_mps)
        self.most_ticks = round(2.0 * track.length_u / SLOWEST_AVERAGE_MPS * TICKS_PER_SECOND)
        self.trace = room_for_trace(self.most_ticks)
        self.runs = 0
        self._envelope = cache(self._new_envelope)

    def _new_envelope(self, grip: float) -> Envelope:
        return steady_envelope(self.car.data, grip)

    def plan(self, style: Style) -> PlannedLine:
        """The line with the speeds of a style."""
        profile = self.profile
        profile.corner_mps[:] = self.corner_mps * (np.array(style.corners) @ self.shares)
        fill_between_corners(profile, self._envelope(style.driving), self._envelope(style.braking))
        speed = profile.speed_mps
        ahead_x, ahead_y = (np.roll(column, -1) - np.roll(column, 1) for column in (self.x, self.y))
        bend = profile.curvature_per_m
        return PlannedLine(
            x_m=self.x,
            y_m=self.y,
            step_m=profile.step_m,
            heading_rad=np.arctan2(ahead_y, ahead_x),
            curvature_per_m=0.5 * bend + 0.25 * (np.roll(bend, 1) + np.roll(bend, -1)),
            speed_mps=speed,
            accel_mps2=(np.roll(speed, -1) ** 2 - speed**2) / (2.0 * profile.step_m),
        )

    def drive(self, style: Style) -> _Lap:
        """A settled flying lap in that style."""
        self.runs += 1
        driven = DrivenLap(
            *compiled_laps()(self.plan(style), self.edges, style.manner, self.car.data, self.trace, self.most_ticks)
        )
        return _Lap(lap_cost(driven), driven, style)


def lap_cost(driven: DrivenLap) -> float:
    """What a lap is worth in ticks: any clean one is better than the same lap with a wheel's width off the road."""
    if driven.ticks == 0:
        return np.inf
    left_road = LEAST_OFF_ROAD_COST + OFF_ROAD_COST * driven.off_road_m if driven.off_road_m > 0.0 else 0.0
    return driven.ticks + left_road


def corner_shares(speed: FloatArray) -> FloatArray:
    """(corners, n) to what share each point of a line belongs to each corner; corners are where the speed is lowest."""
    count = len(speed)
    near = np.min([np.roll(speed, shift) for shift in range(-8, 9)], axis=0)
    fast = np.max([np.roll(speed, shift) for shift in range(-25, 26)], axis=0)
    corners = np.flatnonzero((speed == near) & (speed < 0.97 * fast))
    corners = corners if len(corners) else np.array([0])
    apart = np.abs(np.arange(count) - corners[:, np.newaxis])
    nearest = np.argmin(np.minimum(apart, count - apart), axis=0)
    own = (nearest == np.arange(len(corners))[:, np.newaxis]).astype(float)
    weights = np.hanning(13)[1:-1] / np.hanning(13).sum()
    blended = sum(weight * np.roll(own, shift, axis=1) for weight, shift in zip(weights, range(-5, 6), strict=True))
    return np.asarray(blended)


def search_style(driver: FastestLineDriver) -> _Lap:
    """The best style found by changing one thing at a time, in smaller and smaller steps."""
    first = Style((0.9,) * len(driver.shares), 0.9, 0.85, FIRST_MANNER)
    best, step = driver.drive(first), FIRST_STEP
    with bar(MOST_RUNS, "laps", "looking for the reference lap") as advance:
        while step > LAST_STEP and driver.runs < MOST_RUNS:
            before = best.cost
            for changed in _changes(best.style, step):
                best = min(best, driver.drive(_merged(best.style, changed)), key=lambda lap: lap.cost)
                advance(1)
            if best.cost == before:
                step /= 2.0
    return best


def _changes(style: Style, step: float) -> list[tuple[str, Any]]:
    """Everything to try: manners, grip along, then each corner a little faster and a little slower."""
    changes: list[tuple[str, Any]] = [(name, value) for name, values in MANNERS.items() for value in values]
    changes += [(name, sign * step) for name in ("driving", "braking") for sign in (1.0, -1.0)]
    return changes + [("corner", (corner, sign * step)) for corner in range(len(style.corners)) for sign in (1.0, -1.0)]


def _merged(style: Style, changed: tuple[str, Any]) -> Style:
    name, value = changed
    if name == "corner":
        corners = list(style.corners)
        corners[value[0]] = round(min(corners[value[0]] + value[1], 1.08), 4)
        return style._replace(corners=tuple(corners))
    if name in ("driving", "braking"):
        return style._replace(**{name: round(min(max(getattr(style, name) + value, 0.6), 1.0), 4)})
    return style._replace(manner=style.manner._replace(**{name: value}))


def grip_reference_lap(track: Track | str | Path, car: Car | str | Path) -> GripReferenceLap:
    """The reference of a car with grip on a circuit; built-in ones are driven, others searched for, once."""
    return _reference_of(load_track(track), load_car(car))


@lru_cache(maxsize=32)
def _reference_of(track: Track, car: Car) -> GripReferenceLap:
    lap = kept_lap("grip-reference", track, car, lambda: _driven(track, car))
    driving, braking = lap["along"].tolist()
    style = Style(tuple(lap["corners"].tolist()), driving, braking, Manner(*lap["manner"].tolist()))
    ticks = len(lap["line"])
    return GripReferenceLap(ticks, ticks / TICKS_PER_SECOND, lap["line"], lap["distance_m"], lap["speed_mps"], style)


def _driven(track: Track, car: Car) -> dict[str, Any]:
    """The lap in plain arrays: searched for, unless its style comes with the package."""
    driver = FastestLineDriver(track, car)
    best = driver.drive(packaged_styles().get(style_key(track, car)) or search_style(driver).style)
    if best.driven.ticks == 0 or best.driven.off_road_m > 0.0:
        raise TrackError(
            f'track "{track.track_id}": no clean lap of the car "{car.car_id}" was found. '
            "Widen its tightest corners, or measure laps without a reference."
        )
    trace, style = driver.trace[: best.driven.ticks * TRACE].reshape(-1, TRACE), best.style
    return {
        "line": trace[:, :2],
        "distance_m": trace[:, 5] / len(driver.x) * track.length_u,
        "speed_mps": trace[:, 3],
        "corners": style.corners,
        "along": (style.driving, style.braking),
        "manner": style.manner,
    }


def style_key(track: Track, car: Car) -> str:
    """A name for a shape of road and the numbers of a car."""
    return hashlib.sha256(track.control_points.tobytes() + np.array(car.data).tobytes()).hexdigest()[:16]


@cache
def packaged_styles() -> dict[str, Style]:
    """The styles that come with the package, by road and car."""
    content = json.loads((files("hotlap.policies") / REFERENCES_FILE).read_bytes())
    return {key: _read_style(style) for key, style in content.items()}


def _read_style(style: dict[str, Any]) -> Style:
    return Style(tuple(style["corners"]), style["driving"], style["braking"], Manner(**style["manner"]))


def written_style(style: Style) -> dict[str, Any]:
    """A style as plain values."""
    return style._asdict() | {"manner": style.manner._asdict()}
