"""The line round a circuit on which a car is fastest: first the one that bends least, then bent for time.

The line is offsets from the centre at even cross-sections. It is bettered by bumps, broad ones first: each is pushed
to where the line bends least, then as long as the lap gets shorter.
"""

import math
from typing import NamedTuple

import numpy as np

from hotlap.kernel import builder
from hotlap.policies.policy import FloatArray
from hotlap.policies.racing_line import CrossSections
from hotlap.policies.speed_profile import (
    Profile,
    empty_profile,
    fill_profile,
    measure_line,
    refill_profile,
    time_between,
)
from hotlap.policies.steady_envelope import Envelope
from hotlap.racer.tracks.spline import IntArray

BUMPS_M = (320.0, 160.0, 80.0, 48.0, 28.0, 16.0)
"""Half the length of a bump, broad ones first."""
SMOOTHING_ROUNDS = 60
TIME_ROUNDS = 14
FIRST_PUSH_M = 1.0
PUSH_DECAY = 0.75
LEAST_PUSH_M = 1e-3
LEAST_GAIN_S = 1e-7


class Road(NamedTuple):
    """Cross-sections of a road, (n,) each: the centre, the unit vector to the left, how far a car may go either way."""

    x: FloatArray
    y: FloatArray
    normal_x: FloatArray
    normal_y: FloatArray
    room_m: FloatArray


class FastestLine(NamedTuple):
    """The line (n,) as offsets to the left at each cross-section, the speeds on it, and the time of the lap."""

    offset_m: FloatArray
    profile: Profile
    lap_s: float


def road_with_margin(sections: CrossSections, margin_m: float) -> Road:
    """The road a car may use whose middle keeps a margin to the edges."""
    centre, normal = sections.centre, sections.normal
    room_m = np.maximum(sections.half_width_u - margin_m, 0.1)
    columns = (centre[:, 0], centre[:, 1], normal[:, 0], normal[:, 1], room_m)
    return Road(*(np.ascontiguousarray(column) for column in columns))


def fastest_line(road: Road, envelope: Envelope) -> FastestLine:
    """The line that bends least, then bettered for the time of the lap."""
    spacing_m = float(np.hypot(np.diff(road.x), np.diff(road.y)).mean())
    reaches = np.array([max(2, round(bump_m / spacing_m)) for bump_m in BUMPS_M], np.int64)
    reaches = reaches[reaches * 4 < len(road.x)]
    offset_m = np.zeros(len(road.x))
    _straighten(road, offset_m, reaches, SMOOTHING_ROUNDS)
    profile = empty_profile(len(road.x))
    lap_s = _hasten(road, offset_m, reaches, envelope, profile, empty_profile(len(road.x)))
    return FastestLine(offset_m, profile, lap_s)


@builder
def _bump(step: int, reach: int) -> float:
    """A smooth bump of height 1 that ends `reach` sections to either side."""
    return 0.5 * (1.0 + math.cos(math.pi * step / reach))


@builder
def _room_for_push(road: Road, offset: FloatArray, middle: int, reach: int, push: float) -> float:
    """The push, cut to what keeps the line on the road."""
    count = len(offset)
    for step in range(-reach + 1, reach):
        i = (middle + step) % count
        height = _bump(step, reach)
        if push * height > road.room_m[i] - offset[i]:
            push = (road.room_m[i] - offset[i]) / height
        elif push * height < -road.room_m[i] - offset[i]:
            push = (-road.room_m[i] - offset[i]) / height
    return push


@builder
def _straighten(road: Road, offset: FloatArray, reaches: IntArray, rounds: int) -> None:
    """Push bumps to where the sum of the squared curvatures of the line is smallest, again and again."""
    count = len(offset)
    x, y = road.x + road.normal_x * offset, road.y + road.normal_y * offset
    for turn in range(rounds):
        reach = reaches[turn % len(reaches)]
        stride = max(reach // 2, 1)
        for middle in range((turn * stride) // 3 % stride, count, stride):
            push = _room_for_push(road, offset, middle, reach, _least_bent(road, x, y, middle, reach))
            _apply(road, offset, x, y, middle, reach, push)


@builder
def _least_bent(road: Road, x: FloatArray, y: FloatArray, middle: int, reach: int) -> float:
    """How far to push a bump so that the line bends least: least squares of the curvatures, linear in the push."""
    count = len(x)
    bent, squared = 0.0, 0.0
    for step in range(-reach, reach + 1):
        i, a, b = (middle + step) % count, (middle + step - 1) % count, (middle + step + 1) % count
        here, before, after = _edge(step, reach), _edge(step - 1, reach), _edge(step + 1, reach)
        nx, ny = road.normal_x[i], road.normal_y[i]
        chord_x, chord_y = x[b] - x[a], y[b] - y[a]
        weight = 4.0 / max(chord_x * chord_x + chord_y * chord_y, 1e-6)
        change = before * (road.normal_x[a] * nx + road.normal_y[a] * ny) - 2.0 * here
        change += after * (road.normal_x[b] * nx + road.normal_y[b] * ny)
        second = (x[a] - 2.0 * x[i] + x[b]) * nx + (y[a] - 2.0 * y[i] + y[b]) * ny
        bent += weight * weight * second * change
        squared += weight * weight * change * change
    return -bent / max(squared, 1e-12)


@builder
def _edge(step: int, reach: int) -> float:
    return _bump(step, reach) if abs(step) < reach else 0.0


@builder
def _apply(road: Road, offset: FloatArray, x: FloatArray, y: FloatArray, middle: int, reach: int, push: float) -> None:
    """Push the line aside by a bump."""
    count = len(offset)
    for step in range(-reach + 1, reach):
        i = (middle + step) % count
        offset[i] += push * _bump(step, reach)
        x[i] = road.x[i] + road.normal_x[i] * offset[i]
        y[i] = road.y[i] + road.normal_y[i] * offset[i]


@builder
def _copy_back(profile: Profile, kept: Profile, first: int, last: int) -> None:
    """Take over the points from first to last, both included."""
    count = len(profile.step_m)
    for k in range(first, last + 1):
        i = k % count
        profile.step_m[i], profile.curvature_per_m[i] = kept.step_m[i], kept.curvature_per_m[i]
        profile.corner_mps[i], profile.reached_mps[i] = kept.corner_mps[i], kept.reached_mps[i]
        profile.speed_mps[i] = kept.speed_mps[i]


@builder
def _hasten(
    road: Road, offset: FloatArray, reaches: IntArray, envelope: Envelope, profile: Profile, kept: Profile
) -> float:
    """Push bumps this way and that, and keep what shortens the lap; the pushes get smaller."""
    count = len(offset)
    x, y = road.x + road.normal_x * offset, road.y + road.normal_y * offset
    measure_line(x, y, profile, 0, count)
    fill_profile(profile, envelope)
    _copy_back(kept, profile, 0, count - 1)
    size = FIRST_PUSH_M
    for _ in range(TIME_ROUNDS):
        for reach in reaches:
            for middle in range(0, count, max(reach // 2, 1)):
                for sign in (1.0, -1.0):
                    push = _room_for_push(road, offset, middle, reach, sign * size)
                    if abs(push) < LEAST_PUSH_M:
                        continue
                    _apply(road, offset, x, y, middle, reach, push)
                    measure_line(x, y, profile, middle - reach - 1, middle + reach + 2)
                    low, high = refill_profile(profile, envelope, middle - reach - 1, middle + reach + 2)
                    gained = time_between(kept, low - 1, high + 1) - time_between(profile, low - 1, high + 1)
                    if gained > LEAST_GAIN_S:
                        _copy_back(kept, profile, low, high)
                        break
                    _apply(road, offset, x, y, middle, reach, -push)
                    _copy_back(profile, kept, low, high)
        size *= PUSH_DECAY
    return fill_profile(profile, envelope)
