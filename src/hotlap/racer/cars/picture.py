"""The g-g diagram of a car: how hard it can brake, drive and corner at once, at three speeds."""

import io
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hotlap.errors import CarError
from hotlap.racer.cars.catalogue import Car
from hotlap.racer.cars.drives import KMH, flat_out
from hotlap.racer.cars.figures import grip_envelope
from hotlap.racer.tracks.picture import NIGHT
from hotlap.whole_files import write_whole_file

SPEEDS_KMH = (80, 150, 250)
COLOURS = ("#58a6ff", "#58d68d", "#f0883e")
LINES, TEXT = "#30363d", "#c9d1d9"


def save_grip_picture(car: Car, path: Path, *, force: bool = False) -> None:
    """Write the diagram to a PNG file."""
    figure = grip_figure(car)
    FigureCanvasAgg(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120)
    write_whole_file(path, buffer.getvalue(), force=force, error=CarError)


def grip_figure(car: Car) -> Figure:
    """Sideways g to the right, driving up and braking down; both sides are the same car mirrored."""
    figure = Figure(figsize=(6.5, 6.5), facecolor=NIGHT, layout="constrained")
    axes = figure.add_subplot()
    top_mps = flat_out(car.data)[-1]
    for speed_kmh, colour in zip(SPEEDS_KMH, COLOURS, strict=True):
        if speed_kmh * KMH <= top_mps:
            points = grip_envelope(speed_kmh, car.data)
            loop = [*points, *[(forward, -sideways) for forward, sideways in reversed(points)], points[0]]
            axes.plot([side for _, side in loop], [forward for forward, _ in loop], color=colour, lw=2.0)
            axes.plot([], [], color=colour, lw=2.0, label=f"{speed_kmh} km/h")
    axes.set(xlabel="sideways, g", ylabel="braking, g      driving, g", aspect="equal", facecolor=NIGHT)
    axes.set_title(f"{car.name}: what the tyres can give", color=TEXT)
    axes.grid(color=LINES)
    axes.tick_params(colors=TEXT)
    axes.xaxis.label.set_color(TEXT)
    axes.yaxis.label.set_color(TEXT)
    axes.legend(
        facecolor=NIGHT, edgecolor=LINES, labelcolor=TEXT, loc="upper center", ncols=3, bbox_to_anchor=(0.5, -0.12)
    )
    return figure
