"""Lines, axes and colours as SVG text."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

SPEED_COLOURS = ("#8a5cff", "#4d86ff", "#2fc3dc", "#57d88b", "#c9e24e", "#ffd23f")
COLOUR_STEPS = 30
CHART_WIDTH = 860.0


@dataclass(frozen=True)
class Frame:
    """A chart's plotting area: where a value on either axis lies in the picture."""

    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    left: float = 46.0
    right: float = 12.0
    top: float = 24.0
    bottom: float = 40.0

    def x(self, value: float) -> float:
        """Across the picture."""
        low, high = self.x_range
        return self.left + (value - low) / (high - low) * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """Down the picture."""
        low, high = self.y_range
        return self.height - self.bottom - (value - low) / (high - low) * (self.height - self.top - self.bottom)

    def line(self, xs: Sequence[float] | FloatArray, ys: Sequence[float] | FloatArray, style: str) -> str:
        """A line through the points of two columns."""
        points = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))
        return f'<polyline class="{style}" points="{points}"/>'

    def level(self, value: float, style: str, label: str) -> str:
        """A horizontal line with words on it."""
        y = self.y(value)
        return (
            f'<line class="{style}" x1="{self.left}" x2="{self.width - self.right}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="note" x="{self.left + 6}" y="{y - 5:.1f}">{escape(label)}</text>'
        )

    def axes(self, x_label: str, y_label: str) -> str:
        """Grid lines with numbers on both axes, and what they count."""
        bottom, right = self.height - self.bottom, self.width - self.right
        parts = [f'<text class="unit" x="{self.left}" y="{self.top - 8}">{escape(y_label)}</text>']
        for value in round_numbers(*self.y_range, 4):
            y = self.y(value)
            parts.append(f'<line class="grid" x1="{self.left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(f'<text x="{self.left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        parts += [
            f'<text x="{self.x(value):.1f}" y="{bottom + 17}" text-anchor="middle">{value:,g}</text>'
            for value in round_numbers(*self.x_range, 8)
        ]
        parts.append(f'<text class="unit" x="{right}" y="{bottom + 34}" text-anchor="end">{escape(x_label)}</text>')
        return "".join(parts)


def picture(width: float, height: float, title: str, content: str, kind: str = "chart") -> str:
    """A whole picture with a name for those who cannot see it."""
    return (
        f'<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(title)}</title>{content}</svg>"
    )


def round_numbers(low: float, high: float, about: int) -> list[float]:
    """About so many round numbers from low to high."""
    span = max(high - low, 1e-9)
    rough = span / about
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * factor for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if power * factor >= rough * 0.999)
    first = np.ceil(low / step - 1e-9) * step
    return [float(round(value, 10)) + 0.0 for value in np.arange(first, high + step * 1e-6, step)]


def speed_colour(share: float) -> str:
    """The colour of a speed, given as a share of the top speed from 0 to 1."""
    place = min(max(share, 0.0), 1.0) * (len(SPEED_COLOURS) - 1)
    index = min(int(place), len(SPEED_COLOURS) - 2)
    low, high = (_channels(SPEED_COLOURS[k]) for k in (index, index + 1))
    mixed = (round(a + (b - a) * (place - index)) for a, b in zip(low, high, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def points_of(line: FloatArray) -> str:
    """Coordinates of a line of the world, whose y points up."""
    return " ".join(f"{x:.1f},{-y:.1f}" for x, y in line)


def coloured_line(line: FloatArray, share: FloatArray, width: float) -> str:
    """A line of the world in the colours of its speeds: neighbours of one colour are one stroke."""
    steps = np.clip((share * COLOUR_STEPS).astype(np.int64), 0, COLOUR_STEPS)
    changes = np.flatnonzero(np.diff(steps)) + 1
    ends = [0, *changes.tolist(), len(steps)]
    strokes = []
    for first, last in pairwise(ends):
        colour = speed_colour(float(steps[first]) / COLOUR_STEPS)
        piece = points_of(line[max(first - 1, 0) : last])
        strokes.append(f'<polyline points="{piece}" stroke="{colour}"/>')
    return f'<g class="driven" stroke-width="{width:.2f}">{"".join(strokes)}</g>'
