"""A picture of a track from above: asphalt, shoulder, walls, gates, the start line and which way to go."""

import io
import warnings
from pathlib import Path as FilePath

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from PIL import Image

from hotlap.errors import TrackError
from hotlap.racer.tracks.spline import FloatArray
from hotlap.racer.tracks.track import Track
from hotlap.racer.tracks.walls import enclosed_area
from hotlap.whole_files import write_whole_file

SHOULDER_BEYOND_ROAD_U = 24.0
MARGIN_U = 30.0
HEADER_INCHES = 0.95
LONG_SIDE_INCHES = 11.0
PALETTE_SIZE = 200
SMALLEST_CHEVRON = 0.012
"""Of the picture's long side, so that the start is found on the longest circuits too."""


NIGHT = "#0d1117"
RUNOFF = "#1c2b25"
SHOULDER = "#2f4438"
ASPHALT = "#3b414b"
ROAD_EDGE = "#c9d1d9"
WALL = "#f0883e"
GATE = "#8b949e"
CENTRE_LINE = "#6e7681"
CHEVRON = "#58d68d"
TITLE = "#f0f6fc"
CAPTION = "#9aa4af"


def draw_track(track: Track, ax: Axes) -> None:
    """Draw the track into axes of the caller, true to scale, without touching anything else."""
    if track.scale is None:
        _draw_ground(ax, track, _ring(track.outer_wall, track.inner_wall))
    else:
        _draw_strips(ax, track)
    _draw_lines(ax, track)
    _draw_gates(ax, track)
    _draw_start_line(ax, track)
    _draw_chevrons(ax, track)
    low, high = _extent(track)
    ax.set_xlim(float(low[0]), float(high[0]))
    ax.set_ylim(float(low[1]), float(high[1]))
    ax.set_aspect("equal")
    ax.set_axis_off()


def _extent(track: Track) -> tuple[FloatArray, FloatArray]:
    """The corners (2,) of what the picture shows; on a figure of eight either wall is the outer one somewhere."""
    walls = np.concatenate([track.inner_wall, track.outer_wall])
    return walls.min(axis=0) - MARGIN_U, walls.max(axis=0) + MARGIN_U


def track_figure(track: Track) -> Figure:
    """A figure of its own with the track and a line of facts above it; no display and no pyplot needed."""
    low, high = _extent(track)
    extent_u = high - low
    width_in, height_in = extent_u / extent_u.max() * LONG_SIDE_INCHES
    width_in, total_in = max(float(width_in), 6.0), float(height_in) + HEADER_INCHES
    figure = Figure(figsize=(width_in, total_in), facecolor=NIGHT)
    FigureCanvasAgg(figure)
    draw_track(track, figure.add_axes((0.0, 0.0, 1.0, float(height_in) / total_in)))
    left, top = 0.38 / width_in, 1.0 - 0.32 / total_in
    figure.text(left, top, track.name, color=TITLE, fontsize=22, fontweight="bold", va="top", parse_math=False)
    figure.text(left, top - 0.43 / total_in, caption(track), color=CAPTION, fontsize=11, va="top", parse_math=False)
    return figure


def save_track_picture(track: Track, path: str | FilePath, *, force: bool = True, dots_per_inch: int = 100) -> None:
    """Write the picture as a PNG, whole or not at all; with a palette, for a flat picture needs no more."""
    raw = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a name may hold letters that the font lacks
        track_figure(track).savefig(raw, format="png", dpi=dots_per_inch, facecolor=NIGHT)
    small = io.BytesIO()
    picture = Image.open(raw).convert("RGB")
    flat = picture.quantize(PALETTE_SIZE, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    flat.save(small, "png", optimize=True)
    write_whole_file(FilePath(path), small.getvalue(), force=force, error=TrackError)


def caption(track: Track) -> str:
    """The facts under the name: id, length, direction, width."""
    half_widths_u = track.control_points[:, 2]
    narrow_u, wide_u = 2.0 * half_widths_u.min(), 2.0 * half_widths_u.max()
    unit = "m" if track.scale == 1.0 else "u"
    width = f"{wide_u:.0f} {unit} wide" if wide_u - narrow_u < 1.0 else f"{narrow_u:.0f} to {wide_u:.0f} {unit} wide"
    direction = "counter-clockwise" if track.inner_is_left else "clockwise"
    return f"{track.track_id}   ·   {track.length_u:,.0f} {unit}   ·   {direction}   ·   {width}"


def _draw_ground(ax: Axes, track: Track, corridor: Path) -> None:
    """The runoff from wall to wall, the shoulder as far as its rule reaches, the road between its edges."""
    ground = PathPatch(corridor, facecolor=RUNOFF, edgecolor="none", zorder=1)
    ax.add_patch(ground)
    arcs_u = np.arange(len(track.centre)) / len(track.centre) * track.length_u
    reach_u = track.half_width_at(arcs_u) + SHOULDER_BEYOND_ROAD_U
    shoulder = PolyCollection(_band(track, reach_u), facecolors=SHOULDER, edgecolors=SHOULDER, linewidths=0.6, zorder=2)
    ax.add_collection(shoulder, autolim=False)
    shoulder.set_clip_path(ground)
    road = _ring(track.outer_road_edge, track.inner_road_edge)
    ax.add_patch(PathPatch(road, facecolor=ASPHALT, edgecolor="none", zorder=3))


def _draw_strips(ax: Axes, track: Track) -> None:
    """A circuit piece by piece: it may pass over itself, so there is no inside."""
    for lines, colour, rank in (
        ((track.inner_wall, track.outer_wall), RUNOFF, 1),
        ((track.inner_road_edge, track.outer_road_edge), ASPHALT, 3),
    ):
        inner, outer = lines
        quads = np.stack([inner[:-1], outer[:-1], outer[1:], inner[1:]], axis=1)
        strip = PolyCollection(list(quads), facecolors=colour, edgecolors=colour, linewidths=0.6, zorder=rank)
        ax.add_collection(strip, autolim=False)


def _draw_lines(ax: Axes, track: Track) -> None:
    for edge in (track.inner_road_edge, track.outer_road_edge):
        ax.plot(edge[:, 0], edge[:, 1], color=ROAD_EDGE, linewidth=1.3, zorder=4)
    for wall in (track.inner_wall, track.outer_wall):
        ax.plot(wall[:, 0], wall[:, 1], color=WALL, linewidth=5.0, alpha=0.16, zorder=4)
        ax.plot(wall[:, 0], wall[:, 1], color=WALL, linewidth=1.8, zorder=5)
    closed = np.concatenate([track.centre, track.centre[:1]])
    ax.plot(closed[:, 0], closed[:, 1], color=CENTRE_LINE, linewidth=0.8, linestyle=(0, (6, 7)), zorder=4)


def _draw_gates(ax: Axes, track: Track) -> None:

    gates = np.stack([track.gate_left, track.gate_right], axis=1)[1:]
    ax.add_collection(LineCollection(list(gates), colors=GATE, linewidths=0.7, alpha=0.35, zorder=4), autolim=False)


def _draw_start_line(ax: Axes, track: Track) -> None:
    """A chequered strip across the road at gate 0."""
    half_width_u = float(track.half_width_at(0.0)[0])
    across = max(8, 2 * round(half_width_u / 4.0))
    size_u = 2.0 * half_width_u / across
    squares, colours = [], []
    for row in (0, 1):
        for column in range(across):
            aside_u, ahead_u = -half_width_u + column * size_u, (row - 1) * size_u
            corners = [(ahead_u, aside_u), (ahead_u + size_u, aside_u)]
            corners += [(ahead_u + size_u, aside_u + size_u), (ahead_u, aside_u + size_u)]
            squares.append(_from_start(track, corners))
            colours.append("#ffffff" if (row + column) % 2 == 0 else "#10141a")
    ax.add_collection(PolyCollection(squares, facecolors=colours, edgecolors="none", zorder=6), autolim=False)


def _draw_chevrons(ax: Axes, track: Track) -> None:
    """Three arrow heads on the road after the start, pointing the way."""
    extent_u = float(np.ptp(track.outer_wall, axis=0).max())
    size_u = max(0.45 * float(track.half_width_at(0.0)[0]), SMALLEST_CHEVRON * extent_u)
    for rank in range(3):
        arc_u = 2.0 * size_u + rank * 1.5 * size_u
        middle, along = track.position_at(arc_u)[0], track.tangent_at(arc_u)[0]
        left = np.array([-along[1], along[0]])
        head = np.array([middle + size_u * (left - along), middle, middle - size_u * (left + along)])
        ax.plot(head[:, 0], head[:, 1], color=CHEVRON, linewidth=3.0, alpha=1.0 - 0.28 * rank, zorder=6,
                solid_capstyle="round", solid_joinstyle="round")  # fmt: skip


def _from_start(track: Track, offsets_u: list[tuple[float, float]]) -> FloatArray:
    """Points (k, 2) given as (ahead, left) of the start line's middle."""
    along = track.gate_direction[0]
    left = np.array([-along[1], along[0]])
    return np.array([track.gate_centre[0] + ahead_u * along + left_u * left for ahead_u, left_u in offsets_u])


def _band(track: Track, reach_u: FloatArray) -> list[FloatArray]:
    """Quads along the lap that reach so far to both sides of the centre line."""
    normal = np.column_stack([-track.tangent[:, 1], track.tangent[:, 0]]) * reach_u[:, np.newaxis]
    left, right = track.centre + normal, track.centre - normal
    quads = np.stack([left, right, np.roll(right, -1, axis=0), np.roll(left, -1, axis=0)], axis=1)
    return list(quads)


def _ring(outer: FloatArray, inner: FloatArray) -> Path:
    """The area between two closed lines, as one path with a hole: the lines run opposite ways round."""
    if (enclosed_area(outer[:-1]) > 0.0) == (enclosed_area(inner[:-1]) > 0.0):
        inner = inner[::-1]
    codes = [Path.MOVETO, *[Path.LINETO] * (len(outer) - 2), Path.CLOSEPOLY]
    return Path(np.concatenate([outer, inner]), codes * 2)
