"""A picture of a lap: the line on its track, coloured by speed, and the speed along the lap below."""

import io
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from hotlap.errors import TrackError
from hotlap.policies.limit import LimitLap
from hotlap.racer.tracks.picture import CAPTION, NIGHT, TITLE, draw_track
from hotlap.units import KMH_PER_MPS
from hotlap.whole_files import write_whole_file

COLOURS = "turbo_r"


def save_lap_picture(lap: LimitLap, path: Path, caption: str, *, force: bool) -> None:
    """Write the picture as a PNG, whole or not at all."""
    raw = io.BytesIO()
    lap_figure(lap, caption).savefig(raw, format="png", dpi=100, facecolor=NIGHT)
    write_whole_file(path, raw.getvalue(), force=force, error=TrackError)


def lap_figure(lap: LimitLap, caption: str) -> Figure:
    """The track with the line above, the speed trace below."""
    figure = Figure(figsize=(11.0, 10.0), facecolor=NIGHT)
    FigureCanvasAgg(figure)
    above, below = figure.add_axes((0.02, 0.28, 0.96, 0.62)), figure.add_axes((0.08, 0.07, 0.88, 0.17))
    draw_track(lap.track, above)
    _draw_line(lap, above)
    _draw_trace(lap, below)
    figure.text(0.035, 0.965, lap.track.name, color=TITLE, fontsize=22, fontweight="bold", va="top", parse_math=False)
    figure.text(0.035, 0.922, caption, color=CAPTION, fontsize=11, va="top", parse_math=False)
    return figure


def _draw_line(lap: LimitLap, ax: Axes) -> None:
    closed = np.concatenate([lap.line, lap.line[:1]])
    pieces = np.stack([closed[:-1], closed[1:]], axis=1)
    ax.add_collection(LineCollection(list(pieces), array=lap.speed_ups, cmap=COLOURS, linewidths=1.8, zorder=7))


def _draw_trace(lap: LimitLap, ax: Axes) -> None:
    metres = lap.track.scale == 1.0
    speed = lap.speed_ups * (KMH_PER_MPS if metres else 1.0)
    ax.set_facecolor(NIGHT)
    ax.plot(lap.distance_u, speed, color="#58d68d", linewidth=1.3)
    ax.set_xlim(0.0, float(lap.distance_u[-1]))
    ax.set_ylim(0.0, float(speed.max()) * 1.08)
    ax.set_xlabel("m along the line" if metres else "u along the line", color=CAPTION)
    ax.set_ylabel("km/h" if metres else "u/s", color=CAPTION)
    ax.tick_params(colors=CAPTION)
    ax.grid(alpha=0.15)
