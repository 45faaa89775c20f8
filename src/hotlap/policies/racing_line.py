"""The shortest way round a track without leaving the road, as a line a driver can follow.

The road is a closed corridor, and the shortest loop in it is what a taut string would do. A funnel finds it exactly:
walk along the corridor from gate to gate of its cross-sections, keep the widest cone still visible from the last
corner, and put down a new corner where the cone closes.
"""

import math
from dataclasses import dataclass

import numpy as np

from hotlap.kernel import builder
from hotlap.policies.policy import FloatArray
from hotlap.racer.tracks import Track

SECTION_SPACING_U = 2.0
POINT_SPACING_U = 1.0
LAPS_OF_STRING = 3  # the middle one is not touched by the loose ends
NARROWEST_HALF_WIDTH_U = 0.5


@dataclass(frozen=True, eq=False)
class RacingLine:
    """A closed line round a track, looked up by distance along itself or along the track."""

    points: FloatArray
    """(k, 2) at even distances along the line, from where it passes the start of the track."""
    length_u: float
    """Length of the whole loop."""
    distance_at_arc_u: FloatArray
    """(m + 1,) distance along the line at even arcs of the track; the last is the length."""


@dataclass(frozen=True, eq=False)
class CrossSections:
    """The road cut across at even arcs: everything (m,) or (m, 2)."""

    centre: FloatArray
    normal: FloatArray
    """Unit vectors to the left."""
    half_width_u: FloatArray


def cut_road(track: Track, spacing_u: float = SECTION_SPACING_U) -> CrossSections:
    """Cross-sections of a road, about so far apart."""
    count = math.ceil(track.length_u / spacing_u)
    arcs_u = np.arange(count) / count * track.length_u
    tangent = track.tangent_at(arcs_u)
    normal = np.column_stack([-tangent[:, 1], tangent[:, 0]])
    return CrossSections(track.position_at(arcs_u), normal, track.half_width_at(arcs_u))


def shortest_offsets(road: CrossSections) -> FloatArray:
    """Offset to the left (m,) of the shortest closed line, at each cross-section."""
    count = len(road.centre)
    reach = road.normal * road.half_width_u[:, np.newaxis]
    again = np.arange(LAPS_OF_STRING * count) % count
    left, right = (road.centre + reach)[again], (road.centre - reach)[again]
    corners = taut_string(left, right, road.centre[0])
    return _offsets_on_string(road, corners)[count : 2 * count]


@builder
def taut_string(left: FloatArray, right: FloatArray, start: FloatArray) -> list[tuple[int, float, float]]:
    """Corners (section, x, y) of the shortest path from a point of section 0 through every section in turn."""
    x, y = start[0], start[1]
    corners = [(0, x, y)]
    left_at = right_at = 0
    lx, ly, rx, ry = left[0, 0], left[0, 1], right[0, 0], right[0, 1]
    section = 1
    while section < len(left):
        # Narrow the cone from the right; where the new right end lies left of the cone, its left side is a corner.
        nx, ny = right[section, 0], right[section, 1]
        if (rx - x) * (ny - y) - (ry - y) * (nx - x) >= 0.0:
            if (lx - x) * (ny - y) - (ly - y) * (nx - x) < 0.0 or (rx == x and ry == y):
                rx, ry, right_at = nx, ny, section
            else:
                x, y, right_at, section = lx, ly, left_at, left_at + 1
                rx, ry = x, y
                corners.append((left_at, x, y))
                continue
        # The same from the left.
        nx, ny = left[section, 0], left[section, 1]
        if (lx - x) * (ny - y) - (ly - y) * (nx - x) <= 0.0:
            if (rx - x) * (ny - y) - (ry - y) * (nx - x) > 0.0 or (lx == x and ly == y):
                lx, ly, left_at = nx, ny, section
            else:
                x, y, left_at, section = rx, ry, right_at, right_at + 1
                lx, ly = x, y
                corners.append((right_at, x, y))
                continue
        section += 1
    return corners


def _offsets_on_string(road: CrossSections, corners: list[tuple[int, float, float]]) -> FloatArray:
    """Where the string between two corners crosses each section, as an offset to the left."""
    count = len(road.centre)
    sections = np.arange(corners[-1][0])
    at = np.array([corner[0] for corner in corners])
    points = np.array([corner[1:] for corner in corners])
    piece = np.searchsorted(at, sections, side="right") - 1
    begin, along = points[piece], points[piece + 1] - points[piece]
    centre, normal = road.centre[sections % count], road.normal[sections % count]
    across = begin - centre
    offsets: FloatArray = (across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]) / (
        normal[:, 0] * along[:, 1] - normal[:, 1] * along[:, 0]
    )
    return np.clip(offsets, -road.half_width_u[sections % count], road.half_width_u[sections % count])


def line_at_offsets(road: CrossSections, offsets_u: FloatArray) -> RacingLine:
    """The line through points so far left of the centre at each cross-section."""
    corners = road.centre + road.normal * offsets_u[:, np.newaxis]
    closed = np.concatenate([corners, corners[:1]])
    pieces_u = np.hypot(*np.diff(closed, axis=0).T)
    distance_u = np.concatenate([[0.0], np.cumsum(pieces_u)])
    length_u = float(distance_u[-1])
    count = math.ceil(len(road.centre) * SECTION_SPACING_U / POINT_SPACING_U)
    even_u = np.arange(count) / count * length_u
    points = np.column_stack([np.interp(even_u, distance_u, closed[:, axis]) for axis in (0, 1)])
    return RacingLine(points, length_u, distance_u)


def with_margin(road: CrossSections, offsets_u: FloatArray, margin_u: float) -> RacingLine:
    """The line drawn in towards the centre, so that where it touched the road's edge it now keeps a margin."""
    kept = np.maximum(road.half_width_u - margin_u, NARROWEST_HALF_WIDTH_U) / road.half_width_u
    return line_at_offsets(road, offsets_u * np.minimum(kept, 1.0))
