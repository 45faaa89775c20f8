"""The learning curve of a run in progress, read as it grows: only what is new, within bounds, whole lines only."""

import json
from pathlib import Path
from typing import Any

CURVE_FILE = "curve.jsonl"  # as `hotlap.training.curve` writes it, which would bring the whole evaluation along
MOST_BYTES_AT_ONCE = 1 << 20
LONGEST_LINE = 1 << 16
MOST_POINTS = 1000
NUMBERS = ("step", "seconds", "reward", "completion", "best_lap_s")
NEEDED = ("step", "seconds")

Point = dict[str, Any]


class CurveFile:
    """Follows one curve; `points` is all of it, thinned where it is long."""

    def __init__(self, run: Path) -> None:
        self.path = run / CURVE_FILE
        self.points: list[Point] = []
        self._offset = 0
        self._half_line = b""

    def read_on(self) -> tuple[bool, list[Point]]:
        """Whether the curve began anew, as after a resume, and the points since the last time."""
        try:
            size = self.path.stat().st_size
            anew = size < self._offset
            if anew:
                self.points, self._offset, self._half_line = [], 0, b""
            new = self._new_points() if size > self._offset else []
        except OSError:
            return False, []
        self.points = thinned(self.points + new)
        return anew, new

    def _new_points(self) -> list[Point]:
        with self.path.open("rb") as file:
            file.seek(self._offset)
            content = file.read(MOST_BYTES_AT_ONCE)
        self._offset += len(content)
        *lines, self._half_line = (self._half_line + content).split(b"\n")
        self._half_line = self._half_line[-LONGEST_LINE:]
        return [point for point in map(parse_point, lines) if point is not None]


def parse_point(line: bytes) -> Point | None:
    """One line of the curve with the fields that pages know; None when it is damaged."""
    try:
        fields = json.loads(line) if len(line) <= LONGEST_LINE else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or not all(_is_number(fields.get(name)) for name in NEEDED):
        return None
    evaluation = fields.get("evaluation")
    if isinstance(evaluation, dict):
        tags = {str(tag): value for tag, value in evaluation.items() if _is_number(value)}
        return {"step": fields["step"], "seconds": fields["seconds"], "evaluation": tags}
    return {name: fields[name] if _is_number(fields.get(name)) else None for name in NUMBERS}


def _is_number(value: object) -> bool:
    """A finite number: pages get JSON without NaN."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def thinned(points: list[Point]) -> list[Point]:
    """At most a thousand points: every other one goes until they fit; evaluations go last, the newest point never."""
    if len(points) <= MOST_POINTS:
        return points
    *earlier, newest = points
    evaluations = halved([point for point in earlier if "evaluation" in point], MOST_POINTS // 4)
    others = halved([point for point in earlier if "evaluation" not in point], MOST_POINTS * 3 // 4 - 1)
    return [*sorted([*evaluations, *others], key=lambda point: point["step"]), newest]


def halved(points: list[Point], most: int) -> list[Point]:
    """Every second, fourth, eighth … point, so that no more than `most` are left."""
    while len(points) > most:
        points = points[::2]
    return points
