"""The pictures of a report: the line driven, speed over distance, starts completed, the learning curve."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from hotlap.checkpoints.curve import CurvePoint
from hotlap.evaluation.learning_pictures import ShareChart, learning_chart, series, time_label, time_span
from hotlap.evaluation.racer.figures import Figures, FloatArray, Trace, TrackEvaluation, late
from hotlap.evaluation.racer.yardsticks import ReferenceDrive
from hotlap.evaluation.svg import CHART_WIDTH, SPEED_COLOURS, Frame, coloured_line, picture, points_of
from hotlap.racer.cars import CLASSIC
from hotlap.racer.grip_physics import GRIP_PHYSICS
from hotlap.racer.physics import GATE_COUNT, PHYSICS
from hotlap.racer.tracks import Track
from hotlap.units import KMH_PER_MPS

MAP_MARGIN_U = 18.0
SHARE_COMPLETED = ShareChart("completion", "laps completed, %", "Share of laps completed during training")


class Units(NamedTuple):
    """How speeds and distances of a car are drawn."""

    speed: str
    per_ups: float
    """What 1 u/s is in that unit of speed."""
    scale: tuple[float, ...]
    """Marks on the scale of colours, the last of them at its end."""
    distance: str
    shoulder_u: float


CLASSIC_UNITS = Units("u/s", 1.0, (0.0, 40.0, 80.0, 120.0, 160.0), "u", PHYSICS.shoulder_width_u)
METRIC_UNITS = Units("km/h", KMH_PER_MPS, (0.0, 75.0, 150.0, 225.0, 300.0), "m", GRIP_PHYSICS.shoulder_width_u)


def units_of(car: str) -> Units:
    """Game units for the classic car, metres and km/h for cars with grip."""
    return CLASSIC_UNITS if car == CLASSIC else METRIC_UNITS


def track_map(result: TrackEvaluation, reference: ReferenceDrive | None) -> str:
    """The best flying lap (or whatever was driven) over the track, coloured by speed; the reference as a thin line."""
    track, trace, units = result.course, result.traces[0], units_of(result.car)
    low = track.outer_wall.min(axis=0) - MAP_MARGIN_U
    high = track.outer_wall.max(axis=0) + MAP_MARGIN_U
    size = high - low
    thick = float(size.max()) / 260.0
    driven = trace.flying() or trace
    content = [_ground(track, units.shoulder_u), _start_line(track, thick)]
    if reference is not None:
        closed = np.concatenate([reference.line, reference.line[:1]])
        content.append(
            f'<polyline class="reference-line" stroke-width="{thick / 2.4:.2f}" points="{points_of(closed)}"/>'
        )
    line = np.column_stack([driven.x_u, driven.y_u])
    shares = driven.speed_ups * units.per_ups / units.scale[-1]
    content += [coloured_line(line, shares, thick), _brakings(result, driven, thick), _troubles(driven, thick)]
    if not trace.lap_ends:
        content.append(f'<circle class="stopped" cx="{line[-1, 0]:.1f}" cy="{-line[-1, 1]:.1f}" r="{2 * thick:.1f}"/>')
    box = f"{low[0]:.1f} {-high[1]:.1f} {size[0]:.1f} {size[1]:.1f}"
    return (
        f'<svg class="map" viewBox="{box}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f"<title>The line driven on {escape(track.name)}, coloured by speed</title>{''.join(content)}</svg>"
    )


def _ground(track: Track, shoulder_u: float) -> str:
    """Runoff from wall to wall, shoulder, road, walls; each shape once."""
    arcs_u = np.arange(len(track.centre)) / len(track.centre) * track.length_u
    reach = track.half_width_at(arcs_u) + shoulder_u
    normal = np.column_stack([-track.tangent[:, 1], track.tangent[:, 0]]) * reach[:, np.newaxis]
    ends = np.stack([track.centre + normal, track.centre - normal], axis=1)
    quads = np.concatenate([ends[:, ::1], np.roll(ends, -1, axis=0)[:, ::-1]], axis=1)
    shoulder = "".join(f"M{points_of(quad)}z" for quad in quads)
    corridor = _ring(track.outer_wall, track.inner_wall)
    road = _ring(track.outer_road_edge, track.inner_road_edge)
    return (
        f'<clipPath id="corridor-{_id(track)}"><path clip-rule="evenodd" d="{corridor}"/></clipPath>'
        f'<path class="runoff" d="{corridor}"/>'
        f'<path class="shoulder" clip-path="url(#corridor-{_id(track)})" d="{shoulder}"/>'
        f'<path class="road" d="{road}"/><path class="wall" d="{corridor}"/>'
    )


def _id(track: Track) -> str:
    """A name for use inside the page, whatever the track is called."""
    return track.track_id.encode().hex()


def _ring(outer: FloatArray, inner: FloatArray) -> str:
    return f"M{points_of(outer)}zM{points_of(inner)}z"


def _start_line(track: Track, thick: float) -> str:
    half_width = float(track.half_width_at(0.0)[0])
    along = track.gate_direction[0]
    across = np.array([-along[1], along[0]]) * half_width
    ends = np.array([track.gate_centre[0] + across, track.gate_centre[0] - across])
    return f'<polyline class="start" stroke-width="{1.4 * thick:.2f}" points="{points_of(ends)}"/>'


def _brakings(result: TrackEvaluation, driven: Trace, thick: float) -> str:
    """Where the best flying lap of a car with grip went on the brakes."""
    points = () if result.telemetry is None else result.telemetry.braking_points
    ticks = [int(np.argmin(np.abs(driven.arc_u - point.at_m))) for point in points]
    return "".join(
        f'<circle class="braking" cx="{driven.x_u[tick]:.1f}" cy="{-driven.y_u[tick]:.1f}" r="{1.6 * thick:.2f}"/>'
        for tick in ticks
    )


def _troubles(trace: Trace, thick: float) -> str:
    """Where the car left the road, and where it met a wall."""
    dots = []
    for where, style, size in ((trace.off_road & ~trace.wall, "off-road", 0.7), (trace.wall, "touched", 1.0)):
        dots += [
            f'<circle class="{style}" cx="{x:.1f}" cy="{-y:.1f}" r="{size * thick:.2f}"/>'
            for x, y in zip(trace.x_u[where], trace.y_u[where], strict=True)
        ]
    return "".join(dots)


def speed_scale(track: Track, units: Units) -> str:
    """The colours of a track's map, with their speeds."""
    name = f"speeds-{_id(track)}"
    stops = "".join(
        f'<stop offset="{k / (len(SPEED_COLOURS) - 1):.2f}" stop-color="{colour}"/>'
        for k, colour in enumerate(SPEED_COLOURS)
    )
    marks = "".join(
        f'<text x="{10 + 200 * speed / units.scale[-1]:.0f}" y="32" text-anchor="middle">{speed:g}</text>'
        for speed in units.scale
    )
    gradient = f'<defs><linearGradient id="{name}">{stops}</linearGradient></defs>'
    bar = f'<rect x="10" y="8" width="200" height="8" rx="4" fill="url(#{name})"/>'
    bar += f'<text x="222" y="16">{units.speed}</text>'
    return picture(260, 38, f"Colours of speeds in {units.speed}", gradient + bar + marks, "scale")


def speed_chart(track: TrackEvaluation, reference: ReferenceDrive | None) -> str:
    """Speed over distance: standing and flying lap, the reference, the casual human."""
    units, trace = units_of(track.car), track.traces[0]
    frame = Frame(CHART_WIDTH, 260.0, (0.0, track.length_u), (0.0, 1.05 * units.scale[-1]))
    content = [frame.axes(f"distance along the track, {units.distance}", f"speed, {units.speed}")]
    if track.human_trace is not None:
        content.append(_speed_line(frame, track.human_trace.flying() or track.human_trace.standing(), "human"))
    if reference is not None:
        content.append(_speed_columns(frame, reference.distance_u, reference.speed_ups * units.per_ups, "reference"))
    content.append(_speed_line(frame, trace.standing(), "standing", units))
    flying = trace.flying()
    if flying is not None:
        content.append(_speed_line(frame, flying, "flying", units))
    return picture(frame.width, frame.height, f"Speed over distance on {track.name}", "".join(content))


def _speed_line(frame: Frame, lap: Trace, style: str, units: Units = CLASSIC_UNITS) -> str:
    return _speed_columns(frame, lap.arc_u, lap.speed_ups * units.per_ups, style)


def _speed_columns(frame: Frame, arc_u: FloatArray, speed: FloatArray, style: str) -> str:
    """A line that is interrupted where the car passes the start, so that it does not run back across the chart."""
    jumps = np.flatnonzero(np.abs(np.diff(arc_u)) > frame.x_range[1] / 2.0) + 1
    pieces = zip(np.split(arc_u, jumps), np.split(speed, jumps), strict=True)
    return "".join(frame.line(arcs, speeds, style) for arcs, speeds in pieces if len(arcs) > 1)


def starts_picture(by_delay: Sequence[Figures]) -> str:
    """A dot for every start: filled where a lap was completed."""
    rows = []
    for row, figures in enumerate(by_delay):
        y = 16 + 22 * row
        rows.append(f'<text x="0" y="{y + 4}">{late(figures.delay)}</text>')
        done = [gate not in figures.gates_failed for gate in range(GATE_COUNT)]
        for k, completed in enumerate([figures.grid_completed, *done]):
            x = 96 + 17 * k + (12 if k else 0)
            rows.append(f'<circle class="{"completed" if completed else "failed"}" cx="{x}" cy="{y}" r="6"/>')
    y = 22 * len(by_delay) + 20
    rows.append(f'<text class="unit" x="96" y="{y}" text-anchor="middle">grid</text>')
    rows += [
        f'<text class="unit" x="{125 + 17 * gate}" y="{y}" text-anchor="middle">{gate}</text>'
        for gate in range(0, 30, 5)
    ]
    rows.append(f'<text class="unit" x="{125 + 17 * 29}" y="{y}" text-anchor="middle">gate 29</text>')
    return picture(660, y + 8, "Starts from which a lap was completed", "".join(rows), "starts")


def learning_curve(points: Sequence[CurvePoint], track: TrackEvaluation | None) -> str:
    """Completion and best lap over training time, with the laps to beat."""
    return learning_chart(points, SHARE_COMPLETED) + _lap_chart(points, track)


def _lap_chart(points: Sequence[CurvePoint], track: TrackEvaluation | None) -> str:
    times, best = series(points, "best_lap_s")
    levels = _laps_to_beat(track)
    laps = [*best, *(lap for lap, _, _ in levels)]
    if not laps:
        return ""
    spread = max(max(laps) - min(laps), 0.1)
    frame = Frame(CHART_WIDTH, 240.0, time_span(points), (min(laps) - 0.1 * spread, max(laps) + 0.12 * spread))
    content = frame.axes(time_label(points), "best clean lap, s")
    content += "".join(frame.level(lap, style, name) for lap, style, name in levels)
    if best:
        content += frame.line(times, best, "flying")
    return picture(frame.width, frame.height, "Best clean lap during training", content)


def _laps_to_beat(track: TrackEvaluation | None) -> list[tuple[float, str, str]]:
    """Lap time, style and name of what a learner on this track wants to beat."""
    if track is None:
        return []
    levels = []
    if track.limit_lap_s is not None:
        levels.append((track.limit_lap_s, "original", f"limit {track.limit_lap_s:.3f} s"))
    if track.reference is not None:
        levels.append((track.reference.lap_s, "reference", f"reference {track.reference.lap_s:.3f} s"))
    if track.original is not None and track.original.flying_best_s is not None:
        levels.append(
            (track.original.flying_best_s, "original", f"original driver {track.original.flying_best_s:.3f} s")
        )
    return levels
