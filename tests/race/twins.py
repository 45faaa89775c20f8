"""Slow and obvious twins of the kernels of a race, written from the rules and not from the kernels."""

import math

import numpy as np


def corners(body) -> np.ndarray:
    forward, left = np.array([body.cosine, body.sine]), np.array([-body.sine, body.cosine])
    middle = np.array([body.x_u, body.y_u])
    signs = ((1, 1), (1, -1), (-1, -1), (-1, 1))
    return np.array([middle + a * body.half_length_u * forward + b * body.half_width_u * left for a, b in signs])


def overlap_polygon(one, two) -> np.ndarray:
    """The corners of one rectangle clipped by the four sides of the other (Sutherland and Hodgman)."""
    shape, frame = list(corners(one)), corners(two)
    for k in range(4):
        outside = [how_far_outside(point, frame[k], frame[(k + 1) % 4]) for point in shape]
        clipped = []
        for i, here in enumerate(shape):
            if (outside[i] <= 0.0) != (outside[i - 1] <= 0.0):
                share = outside[i - 1] / (outside[i - 1] - outside[i])  # one of the two is above zero, the other is not
                clipped.append(shape[i - 1] + share * (here - shape[i - 1]))
            if outside[i] <= 0.0:
                clipped.append(here)
        shape = clipped
    return np.array(shape)


def how_far_outside(point, a, b) -> float:
    """How far a point lies outside the side from a to b of a rectangle given clockwise, times the side's length."""
    return (b - a)[0] * (point - a)[1] - (b - a)[1] * (point - a)[0]


def area(polygon: np.ndarray) -> float:
    if len(polygon) < 3:
        return 0.0
    x, y = polygon[:, 0], polygon[:, 1]
    return abs(float(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))) / 2.0


def wake(at, other, heading: float, width: float) -> float:
    """How deep a car is in the wake of another."""
    forward = np.array([math.cos(heading), math.sin(heading)])
    way = np.asarray(other) - np.asarray(at)
    behind = float(way @ forward)
    aside = float(np.linalg.norm(way - behind * forward))
    return max(1.0 - behind / 25.0, 0.0) * max(1.0 - aside / width, 0.0) if behind > 0.0 else 0.0


def who_is_at_fault(ahead: float, length: float, along: tuple, across: tuple, two_is_left: bool) -> tuple[bool, bool]:
    """The rule in words: behind and closing; else the faster towards the other; both within a tenth; else nobody."""
    if abs(ahead) >= length / 2.0:
        behind, front = (0, 1) if ahead > 0.0 else (1, 0)
        if along[behind] > along[front]:
            return (behind == 0, behind == 1)
    side = 1.0 if two_is_left else -1.0
    towards = (across[0] * side, -across[1] * side)
    if max(towards) <= 0.0:
        return (False, False)
    if abs(towards[0] - towards[1]) <= 0.1 * max(towards):
        return (True, True)
    return (towards[0] > towards[1], towards[1] > towards[0])


def seen_of(race, car: int) -> np.ndarray:
    """What a driver sees of the others, found by looking at all of them."""
    fleet, cars = race.fleet, race.cars
    first = car - car % cars
    length = race.tracks[fleet.track[car]].length_u
    slots = np.zeros((6, 6))
    slots[:3, 0], slots[3:, 0] = 1.0, -1.0
    ways = []
    for other in range(first, first + cars):
        if other != car and race.contenders.status[other] == 0:
            gap = (fleet.arc_u[other] - fleet.arc_u[car] + length / 2.0) % length - length / 2.0
            if abs(gap) <= 120.0:
                ways.append((gap, other))
    ahead = sorted((gap, other) for gap, other in ways if gap >= 0.0)[:3]
    behind = sorted(((-gap, other) for gap, other in ways if gap < 0.0))[:3]
    work, rules, body = race.work, race.rules, race.contenders
    for number, (gap, other) in [*enumerate(ahead), *((3 + k, (-gap, other)) for k, (gap, other) in enumerate(behind))]:
        closing = (work.along_ups[car] - work.along_ups[other]) * (1.0 if gap >= 0.0 else -1.0)
        turned = np.angle(np.exp(1j * (fleet.heading_rad[other] - fleet.heading_rad[car])))
        slots[number] = [
            gap / 120.0,
            (work.offset_u[other] - work.offset_u[car]) / rules.side_scale_u,
            closing / rules.speed_scale_ups,
            (work.across_ups[other] - work.across_ups[car]) / rules.speed_scale_ups,
            turned / math.pi,
            abs(gap) < body.half_length_u[car] + body.half_length_u[other],
        ]
    return slots.ravel()
