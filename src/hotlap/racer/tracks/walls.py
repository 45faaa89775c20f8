"""The sides of the road: walls and road edges, drawn in where a corner is tighter than the wall is far."""

from dataclasses import dataclass

import numpy as np

from hotlap.racer.tracks.spline import FloatArray

WALL_BEYOND_ROAD_U = 30.0
NEAREST_WALL_U = 4.0
ROAD_EDGE_INSIDE_WALL_U = 2.0
CENTRE_OF_TURN_CLEARANCE_U = 4.0
STRAIGHTEST_CURVATURE_PER_U = 1e-8
REDUCTION_SMOOTHING = (10, 3)
"""Radius and passes of the box mean over how far the walls are drawn in."""
POLYLINE_SMOOTHING = (4, 2)
"""Radius and passes of the box mean over the finished polylines."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Walls and road edges, (N, 2) each; inner is the polygon of the smaller area."""

    inner_wall: FloatArray
    outer_wall: FloatArray
    inner_road_edge: FloatArray
    outer_road_edge: FloatArray
    inner_is_left: bool


def build_sides(centre: FloatArray, tangent: FloatArray, half_width_u: FloatArray, radius_u: FloatArray) -> Sides:
    """Offset the centre line (N samples) to both sides; `radius_u` is signed, positive in a left turn."""
    left_wall_u, right_wall_u = wall_offsets(half_width_u, radius_u)
    left_edge_u = np.minimum(half_width_u, left_wall_u - ROAD_EDGE_INSIDE_WALL_U)
    right_edge_u = np.minimum(half_width_u, right_wall_u - ROAD_EDGE_INSIDE_WALL_U)
    normal = np.column_stack([-tangent[:, 1], tangent[:, 0]])
    offsets_u = (left_wall_u, -right_wall_u, left_edge_u, -right_edge_u)
    left, right, left_edge, right_edge = (
        smooth_circular(centre + normal * offset_u[:, np.newaxis], *POLYLINE_SMOOTHING) for offset_u in offsets_u
    )
    if abs(enclosed_area(right)) < abs(enclosed_area(left)):
        return Sides(right, left, right_edge, left_edge, inner_is_left=False)
    return Sides(left, right, left_edge, right_edge, inner_is_left=True)


def wall_offsets(half_width_u: FloatArray, radius_u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distances (N,) from the centre line to the left and right wall, drawn in on the inside of tight corners."""
    wall_u = half_width_u + WALL_BEYOND_ROAD_U
    room_u = np.maximum(NEAREST_WALL_U, np.abs(radius_u) - CENTRE_OF_TURN_CLEARANCE_U)
    tight = np.abs(radius_u) < wall_u + CENTRE_OF_TURN_CLEARANCE_U
    reduction_u = np.where(tight, wall_u - np.minimum(wall_u, room_u), 0.0)
    left_u = smooth_circular(np.where(radius_u > 0.0, reduction_u, 0.0), *REDUCTION_SMOOTHING)
    right_u = smooth_circular(np.where(radius_u < 0.0, reduction_u, 0.0), *REDUCTION_SMOOTHING)
    return np.maximum(NEAREST_WALL_U, wall_u - left_u), np.maximum(NEAREST_WALL_U, wall_u - right_u)


def signed_radius(before: FloatArray, after: FloatArray, apart_u: float) -> FloatArray:
    """Turn radius (N,) from unit tangents (N, 2) that lie `apart_u` apart along the lap; positive turns left."""
    cosine = np.clip(np.sum(before * after, axis=1), -1.0, 1.0)
    curvature = np.arccos(cosine) / apart_u
    turns = curvature > STRAIGHTEST_CURVATURE_PER_U
    radius_u = np.where(turns, 1.0 / np.where(turns, curvature, 1.0), np.inf)
    turns_left = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0] >= 0.0
    return np.where(turns_left, radius_u, -radius_u)


def smooth_circular(values: FloatArray, radius: int, passes: int) -> FloatArray:
    """Circular box mean of `values` (N,) or (N, 2) along the first axis, repeated."""
    for _ in range(passes):
        values = _box_mean(values, radius)
    return values


def _box_mean(values: FloatArray, radius: int) -> FloatArray:
    """One pass as a running sum: add the element that enters, then subtract the one that leaves.

    The cumulative sum alternates both, so it rounds exactly as the loop does that it stands for.
    """
    count = len(values)
    index = np.arange(count - 1)
    steps = np.empty((2 * count - 1, *values.shape[1:]))
    steps[0] = np.cumsum(values[np.arange(-radius, radius + 1) % count], axis=0)[-1]
    steps[1::2] = values[(index + radius + 1) % count]
    steps[2::2] = -values[(index - radius) % count]
    means: FloatArray = np.cumsum(steps, axis=0)[::2] / (2 * radius + 1)
    return means


def enclosed_area(polygon: FloatArray) -> float:
    """Signed area of a closed polygon (N, 2); positive when it runs counter-clockwise."""
    following = np.roll(polygon, -1, axis=0)
    return 0.5 * float(np.sum(polygon[:, 0] * following[:, 1] - following[:, 0] * polygon[:, 1]))


def close_polyline(points: FloatArray) -> FloatArray:
    """The points (N, 2) with the first repeated at the end (N+1, 2)."""
    return np.concatenate([points, points[:1]])
