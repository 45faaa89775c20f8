"""A built track: the closed centre line, its walls, gates and start, ready to be driven on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hotlap.racer.tracks.checks import PointSource, check_track, checked_points
from hotlap.racer.tracks.gates import gate_arcs, nearest_wall_points
from hotlap.racer.tracks.spline import (
    FloatArray,
    MeasuredSpline,
    arc_table,
    centripetal_spline,
    half_width_at,
    power_coefficients,
)
from hotlap.racer.tracks.walls import build_sides, close_polyline, signed_radius

FEWEST_SAMPLES = 200
SAMPLES_PER_POINT = 12


@dataclass(frozen=True, eq=False)
class Track:
    """Everything about a track that does not change while cars drive on it.

    Lengths are game units (u), angles radians, y points up, arcs run along the centre line from the start line.
    N is the number of samples along the lap; n the number of control points.
    """

    track_id: str
    """What the track is asked for by: "track-01", "generated:7:medium", or the stem of its file."""
    name: str
    """What people call it."""
    control_points: FloatArray
    """(n, 3) x_u, y_u, half_width_u."""
    arc_lengths_u: FloatArray
    """(20n+1,) cumulative chord length at every entry of the arc table."""
    arc_parameters: FloatArray
    """(20n+1,) spline parameter i + k/20 at every entry of the arc table."""
    length_u: float
    """Length of one lap along the centre line."""
    centre: FloatArray
    """(N, 2) centre line at arc i/N of the lap."""
    tangent: FloatArray
    """(N, 2) unit tangents there."""
    inner_wall: FloatArray
    """(N+1, 2) closed: the last point is the first. The same holds for the next three."""
    outer_wall: FloatArray
    inner_road_edge: FloatArray
    outer_road_edge: FloatArray
    inner_is_left: bool
    """Whether the inner wall is on the driver's left (a counter-clockwise track)."""
    gate_left: FloatArray
    """(30, 2) end of each gate on the inner wall."""
    gate_right: FloatArray
    """(30, 2) end of each gate on the outer wall."""
    gate_centre: FloatArray
    """(30, 2) the centre line at each gate."""
    gate_direction: FloatArray
    """(30, 2) unit direction of driving through each gate."""
    gate_arcs_u: FloatArray
    """(30,) arc of each gate."""
    start_x_u: float
    start_y_u: float
    start_heading_rad: float
    par_ticks: tuple[int, int, int] | None
    """Gold, silver and bronze for three laps, in ticks of 1/60 s; None where nobody has set any."""

    def position_at(self, arcs_u: ArrayLike) -> FloatArray:
        """Points (k, 2) of the centre line at the arcs (k,)."""
        return self._line.position_at(_as_arcs(arcs_u))

    def tangent_at(self, arcs_u: ArrayLike) -> FloatArray:
        """Unit tangents (k, 2) of the centre line at the arcs (k,)."""
        return self._line.tangent_at(_as_arcs(arcs_u))

    def half_width_at(self, arcs_u: ArrayLike) -> FloatArray:
        """Half-widths (k,) of the road at the arcs (k,)."""
        return half_width_at(_as_arcs(arcs_u), self.arc_lengths_u, self.control_points[:, 2])

    def segment_coefficients(self) -> FloatArray:
        """(n, 2, 4): c0..c3 of x and y as cubics in t in [0, 1], for the spline segment after each control point."""
        return power_coefficients(self._line.curve)

    @cached_property
    def _line(self) -> MeasuredSpline:
        curve = centripetal_spline(self.control_points[:, :2])
        return MeasuredSpline(curve, self.arc_lengths_u, self.arc_parameters)


def _as_arcs(arcs_u: ArrayLike) -> FloatArray:
    return np.atleast_1d(np.asarray(arcs_u, dtype=np.float64))


def build_track(
    control_points: ArrayLike,
    *,
    track_id: str,
    name: str,
    par_ticks: tuple[int, int, int] | None = None,
    source: PointSource | None = None,
) -> Track:
    """Build and check a closed track through control points (n, 3) of x_u, y_u, half_width_u.

    A track that cannot be driven is refused with a TrackError; `source` tells it where the points were written.
    """
    source = source or PointSource(f'track "{track_id}"')
    points = checked_points(control_points, source)
    track = _built(points, track_id, name, par_ticks)
    check_track(track, source)
    return track


def _built(points: FloatArray, track_id: str, name: str, par_ticks: tuple[int, int, int] | None) -> Track:
    """The geometry, in the order that the recorded tracks were built in."""
    curve = centripetal_spline(points[:, :2])
    arc_lengths_u, parameters = arc_table(curve)
    line = MeasuredSpline(curve, arc_lengths_u, parameters)
    length_u = float(arc_lengths_u[-1])

    # The centre line, sampled evenly.
    count = max(FEWEST_SAMPLES, SAMPLES_PER_POINT * len(points))
    arcs_u = np.arange(count) / count * length_u
    centre, tangent = line.position_at(arcs_u), line.tangent_at(arcs_u)

    # Walls and road edges.
    reach_u = length_u / (2 * count)
    radius_u = signed_radius(line.tangent_at(arcs_u - reach_u), line.tangent_at(arcs_u + reach_u), 2.0 * reach_u)
    sides = build_sides(centre, tangent, half_width_at(arcs_u, arc_lengths_u, points[:, 2]), radius_u)

    # Gates, and the start on gate 0.
    gates_u = gate_arcs(length_u)
    gate_centre = line.position_at(gates_u)
    start_tangent = curve.leaving[0]

    return Track(
        track_id=track_id,
        name=name,
        control_points=points,
        arc_lengths_u=arc_lengths_u,
        arc_parameters=parameters,
        length_u=length_u,
        centre=centre,
        tangent=tangent,
        inner_wall=close_polyline(sides.inner_wall),
        outer_wall=close_polyline(sides.outer_wall),
        inner_road_edge=close_polyline(sides.inner_road_edge),
        outer_road_edge=close_polyline(sides.outer_road_edge),
        inner_is_left=sides.inner_is_left,
        gate_left=nearest_wall_points(gate_centre, gates_u, length_u, sides.inner_wall),
        gate_right=nearest_wall_points(gate_centre, gates_u, length_u, sides.outer_wall),
        gate_centre=gate_centre,
        gate_direction=line.tangent_at(gates_u),
        gate_arcs_u=gates_u,
        start_x_u=float(points[0, 0]),
        start_y_u=float(points[0, 1]),
        start_heading_rad=float(np.arctan2(start_tangent[1], start_tangent[0])),
        par_ticks=par_ticks,
    )
