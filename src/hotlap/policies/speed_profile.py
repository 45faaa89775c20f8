"""The fastest a car gets round a given line: as fast as each bend allows, as late on the brakes as they allow."""

import math
from typing import NamedTuple

import numpy as np

from hotlap.kernel import builder
from hotlap.policies.policy import FloatArray
from hotlap.policies.steady_envelope import FASTEST_MPS, SHARES, SPEEDS, Envelope

SLOWEST_MPS = 3.0
SETTLED_MPS = 1e-7
"""Two speeds that differ by less are the same."""


class Profile(NamedTuple):
    """A closed line of n points and the speeds on it, (n,) each."""

    step_m: FloatArray
    """How far it is to the next point."""
    curvature_per_m: FloatArray
    """Positive to the left."""
    corner_mps: FloatArray
    """What the bend alone allows."""
    reached_mps: FloatArray
    """What the car reaches by driving as hard as it can."""
    speed_mps: FloatArray
    """The same with braking in time for what follows."""


def empty_profile(count: int) -> Profile:
    """Room for the profile of so many points."""
    return Profile(*(np.zeros(count) for _ in Profile._fields))


@builder
def measure_line(x: FloatArray, y: FloatArray, profile: Profile, first: int, last: int) -> None:
    """Write steps and curvatures of the points from first up to last, through the circle of three points each."""
    count = len(x)
    for k in range(first, last):
        i, before, after = k % count, (k - 1) % count, (k + 1) % count
        ax, ay = x[i] - x[before], y[i] - y[before]
        bx, by = x[after] - x[i], y[after] - y[i]
        a, b, c = math.hypot(ax, ay), math.hypot(bx, by), math.hypot(ax + bx, ay + by)
        profile.step_m[i] = b
        profile.curvature_per_m[i] = 2.0 * (ax * by - ay * bx) / max(a * b * c, 1e-9)


@builder
def _corner_speed(curvature: float, envelope: Envelope) -> float:
    """The highest speed at which a bend can be taken: the bends of the envelope get wider with the speed."""
    bend = abs(curvature)
    scale = (SPEEDS - 1) / FASTEST_MPS
    low, high = 1, SPEEDS - 1
    if bend * FASTEST_MPS * FASTEST_MPS <= envelope.cornering_mps2[high]:
        return FASTEST_MPS
    while high - low > 1:
        middle = (low + high) // 2
        if bend * (middle / scale) ** 2 > envelope.cornering_mps2[middle]:
            high = middle
        else:
            low = middle
    slow, fast = low / scale, high / scale
    under = envelope.cornering_mps2[low] - bend * slow * slow
    over = bend * fast * fast - envelope.cornering_mps2[high]
    found: float = max(slow + (fast - slow) * under / max(under + over, 1e-9), SLOWEST_MPS)
    return found


@builder
def _looked_up(table: FloatArray, speed: float, curvature: float, envelope: Envelope) -> float:
    """A value of the envelope, linear between its entries."""
    place = min(speed * (SPEEDS - 1) / FASTEST_MPS, SPEEDS - 1.001)
    i = int(place)
    t = place - i
    hardest = envelope.cornering_mps2[i] * (1.0 - t) + envelope.cornering_mps2[i + 1] * t
    share = min(abs(curvature) * speed * speed / hardest, 0.9999) * SHARES
    k = int(share)
    u = share - k
    low = table[i, k] * (1.0 - u) + table[i, k + 1] * u
    high = table[i + 1, k] * (1.0 - u) + table[i + 1, k + 1] * u
    value: float = low * (1.0 - t) + high * t
    return value


@builder
def _driven_to(i: int, profile: Profile, envelope: Envelope) -> float:
    """The speed at a point, driven as hard as the car can from the point before."""
    before = i - 1 if i > 0 else len(profile.step_m) - 1
    v = profile.reached_mps[before]
    gained = _looked_up(envelope.driving_mps2, v, profile.curvature_per_m[before], envelope)
    squared = v * v + 2.0 * gained * profile.step_m[before]
    driven: float = min(profile.corner_mps[i], math.sqrt(max(squared, SLOWEST_MPS * SLOWEST_MPS)))
    return driven


@builder
def _braked_from(i: int, profile: Profile, envelope: Envelope) -> float:
    """The speed at a point from which the car can still brake to the point after."""
    after = i + 1 if i < len(profile.step_m) - 1 else 0
    v = profile.speed_mps[after]
    lost = _looked_up(envelope.braking_mps2, v, profile.curvature_per_m[after], envelope)
    braked: float = min(profile.reached_mps[i], math.sqrt(v * v + 2.0 * lost * profile.step_m[i]))
    return braked


@builder
def time_between(profile: Profile, first: int, last: int) -> float:
    """Seconds from point first to point last."""
    count = len(profile.step_m)
    total = 0.0
    for k in range(first, last):
        total += 2.0 * profile.step_m[k % count] / (profile.speed_mps[k % count] + profile.speed_mps[(k + 1) % count])
    return total


@builder
def fill_profile(profile: Profile, envelope: Envelope) -> float:
    """Write the speed at every point of a measured line, and return the time of the lap in seconds."""
    for i in range(len(profile.step_m)):
        profile.corner_mps[i] = _corner_speed(profile.curvature_per_m[i], envelope)
    return fill_between_corners(profile, envelope, envelope)


@builder
def fill_between_corners(profile: Profile, driving: Envelope, braking: Envelope) -> float:
    """The same with the corner speeds as they are, and one envelope to drive and one to brake within."""
    count = len(profile.step_m)
    slowest = int(np.argmin(profile.corner_mps))
    # From the slowest corner once round and back: nowhere is the car slower than there.
    profile.reached_mps[slowest] = profile.corner_mps[slowest]
    for k in range(1, count):
        i = (slowest + k) % count
        profile.reached_mps[i] = _driven_to(i, profile, driving)
    profile.speed_mps[slowest] = profile.reached_mps[slowest]
    for k in range(count - 1, 0, -1):
        i = (slowest + k) % count
        profile.speed_mps[i] = _braked_from(i, profile, braking)
    return time_between(profile, 0, count)


@builder
def refill_profile(profile: Profile, envelope: Envelope, first: int, last: int) -> tuple[int, int]:
    """Correct the speeds after the points from first up to last were measured anew; what may have changed."""
    count = len(profile.step_m)
    for k in range(first, last):
        profile.corner_mps[k % count] = _corner_speed(profile.curvature_per_m[k % count], envelope)
    high = first
    for k in range(first, first + count):
        driven = _driven_to(k % count, profile, envelope)
        same = abs(driven - profile.reached_mps[k % count]) < SETTLED_MPS
        profile.reached_mps[k % count] = driven
        high = k
        if same and k >= last:
            break
    low = first
    for k in range(high, high - count, -1):
        braked = _braked_from(k % count, profile, envelope)
        same = abs(braked - profile.speed_mps[k % count]) < SETTLED_MPS
        profile.speed_mps[k % count] = braked
        low = k
        if same and k < first:
            break
    return low, high
