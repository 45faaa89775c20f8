"""Surveyed circuits as public collections publish them, made up: metres, noise, uneven widths, far from the origin."""

from pathlib import Path

import numpy as np

from hotlap.racer.tracks import generate_track
from hotlap.racer.tracks.rounding import round_polygon

HEADER = "# x_m,y_m,w_tr_right_m,w_tr_left_m"


def survey_rows(units_per_metre: float = 1.5, noise_m: float = 0.08, step_m: float = 5.0) -> np.ndarray:
    """Rows (k, 4) of a circuit of some two kilometres, every five metres, by an unsteady hand."""
    rng = np.random.default_rng(11)
    shape = generate_track(4, "hard")
    count = int(shape.length_u / units_per_metre / step_m)
    around = np.arange(count) / count
    along = shape.tangent_at(around * shape.length_u)
    left = np.column_stack([-along[:, 1], along[:, 0]])
    line_m = shape.position_at(around * shape.length_u) / units_per_metre + np.array([1250.0, -830.0])
    line_m = line_m + left * rng.normal(0.0, noise_m, (count, 1))
    right_m = 4.6 + 1.2 * np.sin(2.0 * np.pi * 3 * around) + rng.normal(0.0, 0.1, count)
    left_m = 5.6 + 1.0 * np.cos(2.0 * np.pi * 2 * around) + rng.normal(0.0, 0.1, count)
    return np.column_stack([line_m, right_m, left_m])


def ring_rows(radius_m: float = 120.0, count: int = 150, right_m: float = 5.0, left_m: float = 5.0) -> np.ndarray:
    """Rows (k, 4) of a perfect circle, counter-clockwise."""
    angle = 2.0 * np.pi * np.arange(count) / count
    widths = np.tile([right_m, left_m], (count, 1))
    return np.column_stack([radius_m * np.cos(angle), radius_m * np.sin(angle), widths])


def sharp_rows(step_m: float = 5.0) -> np.ndarray:
    """Rows (k, 4) of a lap round a block of houses: straights of 300 m with hardly a bend between them."""
    corners = np.array([[0.0, 0.0], [300.0, 0.0], [300.0, 300.0], [0.0, 300.0], [0.0, 0.0]])
    arcs_m = np.arange(5) * 300.0
    even_m = np.arange(0.0, 1200.0, step_m)
    line_m = np.column_stack([np.interp(even_m, arcs_m, corners[:, axis]) for axis in (0, 1)])
    return np.column_stack([line_m, np.full((len(line_m), 2), 5.0)])


LAPS = {
    "hairpins of 10 m, 20 m apart": (
        [(0, 0), (600, 0), (600, 20), (200, 20), (200, 40), (600, 40), (600, 60), (200, 60), (200, 80), (640, 80),
         (640, 300), (0, 300)],
        [40, 10, 10, 10, 10, 10, 10, 10, 10, 10, 60, 60],
    ),
    "straights 12 m apart": (
        [(0, 0), (800, 0), (800, 100), (400, 100), (400, 30), (390, 12), (100, 12), (60, 60), (60, 200), (0, 200)],
        [30, 30, 30, 30, 15, 15, 30, 20, 30, 30],
    ),
    "figure of eight": (
        [(0, 0), (900, 500), (1200, 500), (1200, 0), (900, 0), (0, 500), (-300, 500), (-300, 0)], [120] * 8,
    ),
    "flat figure of eight": (
        [(0, 0), (1500, 300), (1800, 300), (1800, 0), (1500, 0), (0, 300), (-300, 300), (-300, 0)], [120] * 8,
    ),
    "long lap": (
        [(0, 0), (1900, 0), (1900, 500), (1200, 520), (1150, 900), (400, 950), (380, 300), (0, 320)],
        [15, 90, 120, 60, 30, 12, 40, 10],
    ),
}  # fmt: skip
"""Corners in metres and their radii: what real circuits have and the classic walls have no room for."""


def lap_rows(name: str, *, reverse: bool = False, noise_m: float = 0.05) -> np.ndarray:
    """Rows (k, 4) of such a lap every 5 m: 4 to 8 m of road to either side, surveyed with a little noise."""
    rng = np.random.default_rng(3)
    polygon, radii = LAPS[name]
    line_m = round_polygon(np.array(polygon, float), np.array(radii, float), 5.0).points[:: -1 if reverse else 1]
    around = 2.0 * np.pi * np.arange(len(line_m)) / len(line_m)
    line_m = line_m + rng.normal(0.0, noise_m, line_m.shape) + np.array([1250.0, -830.0])
    right_m = 6.0 + 1.8 * np.sin(3 * around) + rng.normal(0.0, 0.1, len(line_m))
    left_m = 6.0 + 1.8 * np.cos(5 * around) + rng.normal(0.0, 0.1, len(line_m))
    return np.column_stack([line_m, right_m, left_m])


def write_survey(path: Path, rows: np.ndarray, header: str | None = HEADER, separator: str = ",") -> Path:
    lines = [] if header is None else [header]
    lines += [separator.join(f"{value:.6f}" for value in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
