"""A built track: the closed centre line, its walls, gates and start, ready to be driven on."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hotlap.racer.physics import GATE_COUNT
from hotlap.racer.tracks.checks import PointSource, check_circuit, check_track, checked_points
from hotlap.racer.tracks.corridor import CentreSamples, build_corridor, circuit_samples, measured_circuit
from hotlap.racer.tracks.gates import gate_arcs, nearest_wall_points
from hotlap.racer.tracks.spline import (
    FloatArray,
    MeasuredSpline,
    arc_table,
    centripetal_spline,
    half_width_at,
    power_coefficients,
)
from hotlap.racer.tracks.walls import Sides, build_sides, close_polyline, signed_radius

FEWEST_SAMPLES = 200
SAMPLES_PER_POINT = 12

_Ends: TypeAlias = tuple[FloatArray, FloatArray]


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
    """(20n+1,) cumulative chord length at every entry of the arc table; (4n+1,) on circuits."""
    arc_parameters: FloatArray
    """Spline parameter i + k/20 (on circuits i + k/4) at every entry of the arc table."""
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
    scale: float | None = None
    """Units per metre of a circuit, 1 at true scale; None for a track drawn in game units, with the classic walls."""

    def __deepcopy__(self, _memo: object) -> "Track":
        """A track never changes: copies of what drives on it share it, and the tables made from it."""
        return self

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
    scale: float | None = None,
) -> Track:
    """Build and check a closed track through control points (n, 3) of x_u, y_u, half_width_u.

    With a scale, in units per metre, it is a circuit: walls stand where there is room for them, and the road may cross
    itself on a bridge. A track that cannot be driven is refused with a TrackError; `source` tells it where the points
    were written.
    """
    source = source or PointSource(f'track "{track_id}"')
    points = checked_points(control_points, source)
    line = _measured(points) if scale is None else measured_circuit(points)
    sides = _classic_sides if scale is None else partial(_circuit_sides, scale=scale)
    track = _built(points, line, sides(points, line), TrackLabel(track_id, name, par_ticks, scale))
    (check_track if scale is None else check_circuit)(track, source)
    return track


class TrackLabel(NamedTuple):
    """What a track is called and measured by."""

    track_id: str
    name: str
    par_ticks: tuple[int, int, int] | None
    scale: float | None


class _SampledSides(NamedTuple):
    """The centre line, its tangents (N, 2) and what stands beside it."""

    centre: FloatArray
    tangent: FloatArray
    sides: Sides


def _measured(points: FloatArray) -> MeasuredSpline:
    curve = centripetal_spline(points[:, :2])
    return MeasuredSpline(curve, *arc_table(curve))


def _classic_sides(points: FloatArray, line: MeasuredSpline) -> _SampledSides:
    """Walls and road edges in the order that the recorded tracks were built in."""
    length_u = float(line.arc_lengths_u[-1])
    count = max(FEWEST_SAMPLES, SAMPLES_PER_POINT * len(points))
    arcs_u = np.arange(count) / count * length_u
    centre, tangent = line.position_at(arcs_u), line.tangent_at(arcs_u)
    reach_u = length_u / (2 * count)
    radius_u = signed_radius(line.tangent_at(arcs_u - reach_u), line.tangent_at(arcs_u + reach_u), 2.0 * reach_u)
    half_width_u = half_width_at(arcs_u, line.arc_lengths_u, points[:, 2])
    return _SampledSides(centre, tangent, build_sides(centre, tangent, half_width_u, radius_u))


def _circuit_sides(points: FloatArray, line: MeasuredSpline, scale: float) -> _SampledSides:
    """Walls and road edges of a circuit, sampled every two metres; a gate stands at a sample."""
    length_u = float(line.arc_lengths_u[-1])
    count = circuit_samples(length_u, scale)
    arcs_u = np.arange(count) / count * length_u
    centre, tangent = line.position_at(arcs_u), line.tangent_at(arcs_u)
    half_width_u = half_width_at(arcs_u, line.arc_lengths_u, points[:, 2])
    sides = build_corridor(CentreSamples(centre, tangent, half_width_u, half_width_u))
    return _SampledSides(centre, tangent, sides)


def _gate_ends(centres: FloatArray, arcs_u: FloatArray, length_u: float, sides: Sides, scale: float | None) -> _Ends:
    """The ends (30, 2) of the gates on the inner and on the outer wall: straight across on circuits."""
    if scale is not None:
        every = len(sides.inner_wall) // GATE_COUNT
        return sides.inner_wall[::every], sides.outer_wall[::every]
    return (
        nearest_wall_points(centres, arcs_u, length_u, sides.inner_wall),
        nearest_wall_points(centres, arcs_u, length_u, sides.outer_wall),
    )


def _built(points: FloatArray, line: MeasuredSpline, sampled: _SampledSides, label: TrackLabel) -> Track:
    """The track out of its parts, with its gates, and the start on gate 0."""
    sides, length_u = sampled.sides, float(line.arc_lengths_u[-1])
    gates_u = gate_arcs(length_u)
    gate_centre = line.position_at(gates_u)
    gate_left, gate_right = _gate_ends(gate_centre, gates_u, length_u, sides, label.scale)
    start_tangent = line.curve.leaving[0]
    return Track(
        track_id=label.track_id,
        name=label.name,
        control_points=points,
        arc_lengths_u=line.arc_lengths_u,
        arc_parameters=line.parameters,
        length_u=length_u,
        centre=sampled.centre,
        tangent=sampled.tangent,
        inner_wall=close_polyline(sides.inner_wall),
        outer_wall=close_polyline(sides.outer_wall),
        inner_road_edge=close_polyline(sides.inner_road_edge),
        outer_road_edge=close_polyline(sides.outer_road_edge),
        inner_is_left=sides.inner_is_left,
        gate_left=gate_left,
        gate_right=gate_right,
        gate_centre=gate_centre,
        gate_direction=line.tangent_at(gates_u),
        gate_arcs_u=gates_u,
        start_x_u=float(points[0, 0]),
        start_y_u=float(points[0, 1]),
        start_heading_rad=float(np.arctan2(start_tangent[1], start_tangent[0])),
        par_ticks=label.par_ticks,
        scale=label.scale,
    )
