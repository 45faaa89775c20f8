"""Centre lines as public race-track collections write them: CSV with x_m, y_m, w_tr_right_m, w_tr_left_m."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hotlap.errors import TrackError
from hotlap.racer.tracks.checks import FEWEST_POINTS, PointSource
from hotlap.racer.tracks.spline import FloatArray
from hotlap.racer.tracks.track_files import COLUMNS, read_text

MOST_ROWS = 20_000
CLOSED_WITHIN_M = 0.05
NO_WIDTH_M = 0.01
LARGEST_NUMBER_M = 1e7


@dataclass(frozen=True, eq=False)
class CentreLine:
    """A surveyed lap, in metres."""

    name: str
    points_m: FloatArray
    """(k, 2) positions around the lap, the first not repeated at the end."""
    right_m: FloatArray
    """(k,) from the points to the right edge of the road."""
    left_m: FloatArray
    """(k,) to the left edge."""
    source: PointSource


def read_centre_line(path: Path) -> CentreLine:
    """Read and check a CSV file: commas or semicolons, a header row with or without #, comments, blank lines."""
    rows, lines = _rows_of(read_text(path), path)
    order, rows, lines = _column_order(rows, lines, path)
    source = PointSource(str(path), lines)
    values = _numbers_of(rows, order, source)
    _check_rows(values, source)
    if len(values) > 1 and np.abs(values[-1, :2] - values[0, :2]).max() <= CLOSED_WITHIN_M:
        values = values[:-1]
    _check_lap(values, source)
    return CentreLine(path.stem, values[:, :2], values[:, 2], values[:, 3], source)


def _rows_of(text: str, path: Path) -> tuple[list[list[str]], list[int]]:
    """The cells of every row that is not blank, and its line; a comment counts only when it names the columns."""
    written = text.splitlines()
    if len(written) > 2 * MOST_ROWS:
        count = f"{len(written):,} lines"
        raise TrackError(f"{path}: {count} are too many for a lap. Thin the file out to at most {MOST_ROWS:,} rows.")
    rows, lines = [], []
    for number, line in enumerate(written, start=1):
        content = line.strip()
        if not content or (content.startswith("#") and "x_m" not in content):
            continue
        content = content.lstrip("# ")
        rows.append([cell.strip() for cell in content.split(";" if ";" in content else ",")])
        lines.append(number)
    return rows, lines


def _column_order(rows: list[list[str]], lines: list[int], path: Path) -> tuple[list[int], list[list[str]], list[int]]:
    """Where the four columns stand, and the rows that hold numbers; without a header they are in their usual order."""
    if not rows or _is_number(rows[0][0]):
        return [0, 1, 2, 3], rows, lines
    header = [cell.strip('"').lower() for cell in rows[0]]
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        place = f"{path}, line {lines[0]}"
        raise TrackError(f"{place}: no column {', '.join(missing)}. Name the columns {','.join(COLUMNS)}.")
    return [header.index(column) for column in COLUMNS], rows[1:], lines[1:]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers_of(rows: list[list[str]], order: list[int], source: PointSource) -> FloatArray:
    values = np.empty((len(rows), 4))
    for index, row in enumerate(rows):
        try:
            values[index] = [float(row[column]) for column in order]
        except (ValueError, IndexError):
            shown = ",".join(row)[:60]
            remedy = f"Write four numbers to a row: {','.join(COLUMNS)}, with decimal points"
            source.refuse(f'"{shown}" is not a row of the lap', remedy, index)
    return values


def _check_rows(values: FloatArray, source: PointSource) -> None:
    """Refuse what no single row may hold."""
    faults = (
        (~np.isfinite(values).all(axis=1), "holds NaN or infinity", "Replace it by a number"),
        ((np.abs(values) > LARGEST_NUMBER_M).any(axis=1), "is not on this planet", "Write the lap in metres"),
        ((values[:, 2:] < 0.0).any(axis=1), "has a negative width", "Write distances to the road's edges, 2 to 15 m"),
        ((values[:, 2:] < NO_WIDTH_M).all(axis=1), "has no width", "Write distances to the road's edges, 2 to 15 m"),
    )
    for flags, what, remedy in faults:
        if flags.any():
            source.refuse(f"the row {what}", remedy, int(np.argmax(flags)))


def _check_lap(values: FloatArray, source: PointSource) -> None:
    """Refuse too few or too many rows, and a row that stands still."""
    if len(values) < FEWEST_POINTS:
        remedy = f"Give at least {FEWEST_POINTS} rows around the lap"
        source.refuse(f"{len(values)} points are too few for a closed track", remedy)
    if len(values) > MOST_ROWS:
        remedy = f"Thin the file out to at most {MOST_ROWS:,} rows"
        source.refuse(f"{len(values):,} rows are too many for a lap", remedy)
    standing = (values[1:, :2] == values[:-1, :2]).all(axis=1)
    if standing.any():
        source.refuse("the row repeats the one before it", "Remove one of the two", int(np.argmax(standing)) + 1)
