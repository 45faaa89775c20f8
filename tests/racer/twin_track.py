"""The slow twin of a track: the centre line evaluated where asked, the projection by looking at everything."""

import math
from bisect import bisect_right

import numpy as np

from hotlap.racer.tracks import Track

ROAD, RUNOFF, SHOULDER = 0, 1, 2


class TwinTrack:
    """The centre line as a spline evaluated where it is asked for; walls and gates as the built track has them."""

    def __init__(self, track: Track):
        self.points = [tuple(map(float, point)) for point in track.control_points]
        self.inner, self.outer = track.inner_wall, track.outer_wall
        self.gates = list(zip(track.gate_left, track.gate_right, track.gate_direction, strict=True))
        self.segments = [self._hermite(i) for i in range(len(self.points))]
        self.arcs, self.parameters = self._arc_table()
        self.length = self.arcs[-1]
        self.samples = max(100, math.ceil(self.length / 2.0))
        self.sample_arcs = [i / self.samples * self.length for i in range(self.samples)]
        self.sample_points = np.array([self.point(arc) for arc in self.sample_arcs])

    def _hermite(self, i: int) -> tuple[np.ndarray, ...]:
        """End points and derivatives of a piece of the centripetal Catmull-Rom spline."""
        p0, p1, p2, p3 = (np.array(self.points[(i + k) % len(self.points)][:2]) for k in (-1, 0, 1, 2))
        d01, d12, d23 = (float(np.dot(b - a, b - a)) ** 0.25 for a, b in ((p0, p1), (p1, p2), (p2, p3)))
        t1 = (p1 - p0) / d01 - (p2 - p0) / (d01 + d12) + (p2 - p1) / d12
        t2 = (p2 - p1) / d12 - (p3 - p1) / (d12 + d23) + (p3 - p2) / d23
        return p1, p2, t1 * d12, t2 * d12

    def _arc_table(self) -> tuple[list[float], list[float]]:
        arcs, parameters = [0.0], [0.0]
        last = self._at(0, 0.0)
        for i in range(len(self.points)):
            for k in range(1, 21):
                point = self._at(i, k / 20)
                arcs.append(arcs[-1] + math.dist(last, point))
                parameters.append(i + k / 20)
                last = point
        return arcs, parameters

    def _at(self, segment: int, t: float) -> tuple[float, float]:
        p1, p2, m1, m2 = self.segments[segment % len(self.segments)]
        a, b = 2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t
        c, d = -2 * t**3 + 3 * t**2, t**3 - t**2
        x, y = a * p1 + b * m1 + c * p2 + d * m2
        return float(x), float(y)

    def point(self, arc: float) -> tuple[float, float]:
        """The centre line at a distance along the lap."""
        arc = self.wrapped(arc)
        low = min(bisect_right(self.arcs, arc) - 1, len(self.arcs) - 2)
        share = (arc - self.arcs[low]) / (self.arcs[low + 1] - self.arcs[low])
        u = self.parameters[low] + share * (self.parameters[low + 1] - self.parameters[low])
        return self._at(math.floor(u), u - math.floor(u))

    def direction(self, arc: float) -> float:
        """Heading of the centre line, by the derivative of its piece."""
        low = min(bisect_right(self.arcs, arc) - 1, len(self.arcs) - 2)
        share = (arc - self.arcs[low]) / (self.arcs[low + 1] - self.arcs[low])
        u = self.parameters[low] + share * (self.parameters[low + 1] - self.parameters[low])
        t = u - math.floor(u)
        p1, p2, m1, m2 = self.segments[math.floor(u) % len(self.segments)]
        x, y = 6 * (t**2 - t) * (p1 - p2) + (3 * t**2 - 4 * t + 1) * m1 + (3 * t**2 - 2 * t) * m2
        return math.atan2(y, x)

    def wrapped(self, arc: float) -> float:
        rest = math.fmod(arc, self.length)
        return rest + self.length if rest < 0.0 else rest

    def half_width(self, arc: float) -> float:
        """Linear along the lap from control point to control point."""
        knots = self.arcs[::20]
        i = min(bisect_right(knots, arc) - 1, len(self.points) - 1)
        here, there = self.points[i][2], self.points[(i + 1) % len(self.points)][2]
        return here + (there - here) * (arc - knots[i]) / (knots[i + 1] - knots[i])


def project(track: TwinTrack, x: float, y: float) -> tuple[float, float]:
    """Distance from the centre line and arc there: the nearest of all samples, then sixteen thirds around it."""

    def distance(arc: float) -> float:
        return math.dist(track.point(arc), (x, y))

    first = int(np.argmin(((track.sample_points - (x, y)) ** 2).sum(axis=1)))
    arc = track.sample_arcs[first]
    best = distance(arc)
    low, high = arc - track.length / track.samples, arc + track.length / track.samples
    for _ in range(16):
        m1, m2 = low + (high - low) / 3.0, high - (high - low) / 3.0
        d1, d2 = distance(m1), distance(m2)
        if d1 < d2:
            high = m2
            arc, best = (m1, d1) if d1 < best else (arc, best)
        else:
            low = m1
            arc, best = (m2, d2) if d2 < best else (arc, best)
    return best, track.wrapped(arc)


def surface_at(track: TwinTrack, distance: float, arc: float) -> int:
    width = track.half_width(arc)
    if distance <= width:
        return ROAD
    return SHOULDER if distance <= width + 24.0 else RUNOFF
