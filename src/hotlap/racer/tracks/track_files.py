"""Track files: JSON with control points in units, read with care and written whole."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.errors import TrackError, did_you_mean
from hotlap.racer.tracks.checks import MOST_POINTS, PointSource
from hotlap.racer.tracks.track import Track, build_track
from hotlap.whole_files import write_whole_file

LARGEST_FILE_BYTES = 4_000_000
KNOWN_KEYS = ("id", "name", "par_ticks", "scale", "points")
SMALLEST_SCALE = 0.01
LARGEST_SCALE = 1000.0
EXAMPLE = '{"name": "My track", "points": [[x, y, half_width], ...]}'
COLUMNS = ("x_m", "y_m", "w_tr_right_m", "w_tr_left_m")
"""Of a CSV file."""


def read_track_file(path: Path, track_id: str | None = None) -> Track:
    """The track in a JSON file; its id is the file's stem unless another is given."""
    text = read_text(path)
    data = _parse(text, path)
    _check_keys(data, path)
    points = data["points"]
    _refuse_crowd(points, path)
    source = PointSource(str(path), _lines_of_points(text, len(points)))
    _check_rows(points, source)
    return build_track(
        points,
        track_id=track_id or path.stem,
        name=_name(data, path),
        par_ticks=_par_ticks(data, path),
        source=source,
        scale=_scale(data, path),
    )


def write_track_file(track: Track, path: Path, *, force: bool = False) -> None:
    """Write the track's control points as JSON, one point to a line; an existing file is only replaced with force."""
    head = {"id": track.track_id, "name": track.name}
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items()]
    if track.par_ticks is not None:
        lines.append(f'  "par_ticks": {json.dumps(list(track.par_ticks))},')
    if track.scale is not None:
        lines.append(f'  "scale": {_number(track.scale)},')
    points = ",\n".join(f"    [{', '.join(_number(value) for value in point)}]" for point in track.control_points)
    text = "\n".join(["{", *lines, '  "points": [', points, "  ]", "}", ""])
    write_whole_file(path, text.encode(), force=force, error=TrackError)


def _number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if value == int(value) else repr(float(value))


def read_text(path: Path) -> str:
    """The text of a track file, refused when missing, empty, far too large or no text."""
    try:
        if not path.is_file():
            _refuse_missing(path)
        size_bytes = path.stat().st_size
        if size_bytes > LARGEST_FILE_BYTES:
            limit = f"at most {LARGEST_FILE_BYTES / 1e6:g} MB and {MOST_POINTS:,} control points"
            raise TrackError(f"{path}: {size_bytes / 1e6:,.1f} MB is too large for a track. Thin it out to {limit}.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise TrackError(f"{path}: is not text. Save the track as JSON or CSV in UTF-8.") from problem
    except OSError as problem:
        raise TrackError(
            f"{path}: cannot be read ({problem.strerror}). Check the name and its permissions."
        ) from problem
    if not text.strip():
        example = f"has the columns {','.join(COLUMNS)}" if path.suffix.lower() == ".csv" else f"looks like {EXAMPLE}"
        raise TrackError(f"{path}: is empty. A track file {example}.")
    return text


def _refuse_missing(path: Path) -> None:
    if path.exists():
        raise TrackError(f"{path}: is not a file. Name a .json or .csv file.")
    neighbours = (
        [file.name for file in path.parent.glob("*") if file.suffix == path.suffix] if path.parent.is_dir() else []
    )
    hint = did_you_mean(path.name, neighbours)
    raise TrackError(
        f'{path}: no such file.{hint} Check the path, or run "hotlap tracks list" for the built-in tracks.'
    )


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as problem:
        place = f"{path}, line {problem.lineno}"
        raise TrackError(f"{place}: is not JSON ({problem.msg}). A track file looks like {EXAMPLE}.") from problem
    except (ValueError, RecursionError) as problem:
        raise TrackError(f"{path}: is not JSON that describes a track. A track file looks like {EXAMPLE}.") from problem
    if not isinstance(data, dict):
        raise TrackError(f"{path}: is not a JSON object. A track file looks like {EXAMPLE}.")
    return data


def _check_keys(data: dict[str, Any], path: Path) -> None:
    for key in data:
        if key not in KNOWN_KEYS:
            hint = did_you_mean(key, KNOWN_KEYS)
            raise TrackError(f'{path}: unknown key "{key}".{hint} A track has {", ".join(KNOWN_KEYS)}.')
    if not isinstance(data.get("points"), list):
        raise TrackError(f'{path}: has no list of "points". A track file looks like {EXAMPLE}.')


def _refuse_crowd(points: list[Any], path: Path) -> None:
    """Refuse by counting, before anything is done for every point."""
    if len(points) > MOST_POINTS:
        remedy = f"Thin them out to at most {MOST_POINTS:,}."
        raise TrackError(f"{path}: {len(points):,} control points are too many. {remedy}")


def _check_rows(points: list[Any], source: PointSource) -> None:
    """Refuse the first row that is not three numbers by its line."""
    for index, row in enumerate(points):
        if not isinstance(row, list) or len(row) != 3 or not all(type(value) in (int, float) for value in row):
            written = json.dumps(row)
            shown = written if len(written) <= 60 else written[:57] + "..."
            source.refuse(f"{shown} is not a point", "Write three numbers: [x, y, half_width] in units", index)


def _name(data: dict[str, Any], path: Path) -> str:
    name = data.get("name", path.stem)
    if not isinstance(name, str) or not name.strip() or len(name) > 100 or not name.isprintable():
        raise TrackError(f'{path}: the name {str(name)[:60]!r} is no name. Write a short text, like "name": "Circuit".')
    return name


def _par_ticks(data: dict[str, Any], path: Path) -> tuple[int, int, int] | None:
    par = data.get("par_ticks")
    if par is None:
        return None
    if not isinstance(par, list) or len(par) != 3 or not all(type(ticks) is int and 0 < ticks < 2**31 for ticks in par):
        remedy = "Write three whole numbers for gold, silver, bronze, like [2400, 3000, 3600]"
        raise TrackError(f"{path}: par_ticks {str(par)[:60]} are not three times in ticks of 1/60 s. {remedy}.")
    if not np.all(np.diff(par) >= 0):
        raise TrackError(f"{path}: par_ticks {par} are not in order. Write gold first, then silver, then bronze.")
    return par[0], par[1], par[2]


def _scale(data: dict[str, Any], path: Path) -> float | None:
    scale = data.get("scale")
    if scale is None:
        return None
    if type(scale) not in (int, float) or not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
        remedy = f"Write {SMALLEST_SCALE:g} to {LARGEST_SCALE:g} units per metre, 1 for true scale, or leave it out"
        raise TrackError(f"{path}: the scale {str(scale)[:60]} is no scale of a circuit. {remedy}.")
    return float(scale)


def _lines_of_points(text: str, count: int) -> list[int] | None:
    """The line, counted from 1, on which every point is written; None when they cannot be told apart."""
    begin = text.find('"points"')
    starts = [match.start() for match in re.finditer(r"\[[^\[\]]*\]", text[begin:])][:count]
    if len(starts) < count or re.search(r'"points"\s*:\s*\[\s*\[', text[begin:]) is None:
        return None
    newlines = np.array([match.start() for match in re.finditer("\n", text[begin:])], dtype=np.int64)
    first_line = text.count("\n", 0, begin) + 1
    return [first_line + int(passed) for passed in np.searchsorted(newlines, starts)]
