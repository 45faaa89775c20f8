"""The learning curve of a run, `curve.jsonl`: the one writer and the one reader, of all of it or of what is new."""

import json
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotlap.checkpoints.disk import append_to, opened_file, read_small_file
from hotlap.checkpoints.documents import write_file
from hotlap.checkpoints.lock import check_held
from hotlap.checkpoints.names import CURVE_FILE
from hotlap.errors import CheckpointError

WRITTEN_EVERY_S = 1.0
LONGEST_LINE = 1 << 16
MOST_BYTES = 1 << 24
MOST_BYTES_AT_ONCE = 1 << 20
MOST_POINTS = 1000


@dataclass(frozen=True)
class CurvePoint:
    """How a run was doing at one moment."""

    step: float
    """Steps driven so far."""
    seconds: float | None
    """Time trained so far, where it is known."""
    facts: Mapping[str, float | None] = field(default_factory=dict)
    """The reward and what its world counts, by name; None where there was nothing to count yet."""
    evaluation: Mapping[str, float] | None = None
    """The figures of an evaluation, where the point is one."""
    score: tuple[float, ...] = ()
    """What orders policies, where the point is an evaluation."""

    def value(self, name: str) -> float | None:
        """A fact or a figure by name; None where it is not known."""
        return self.facts.get(name, (self.evaluation or {}).get(name))

    def as_json(self) -> dict[str, Any]:
        """As pages get it."""
        more = {"evaluation": dict(self.evaluation)} if self.evaluation is not None else dict(self.facts)
        return {"step": self.step, "seconds": self.seconds, **more}


def read_curve(run: Path | None) -> list[CurvePoint]:
    """The curve of a run; lines that are no points (a half-written last one, say) are left out."""
    return [point for _, point in _lines(None if run is None else run / CURVE_FILE)]


def _lines(path: Path | None) -> list[tuple[bytes, CurvePoint]]:
    """Every line that is a point, with it."""
    try:
        content = b"" if path is None else read_small_file(None, str(path), MOST_BYTES)
    except (OSError, CheckpointError):  # missing, a link, or too large to be a curve
        return []
    pairs = ((line, parse_point(line)) for line in content.split(b"\n"))
    return [(line, point) for line, point in pairs if point is not None]


def parse_point(line: bytes) -> CurvePoint | None:
    """One line of the curve; None when it is damaged."""
    try:
        entry = json.loads(line) if len(line) <= LONGEST_LINE else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or (step := _number(entry.pop("step", None))) is None:
        return None
    seconds, figures, score = (entry.pop(name, None) for name in ("seconds", "evaluation", "score"))
    facts = {name: _number(value) for name, value in entry.items()}
    evaluation = None
    if isinstance(figures, dict):
        evaluation = {name: number for name, value in figures.items() if (number := _number(value)) is not None}
    return CurvePoint(step, _number(seconds), facts, evaluation, _score(score))


def _score(parts: Any) -> tuple[float, ...]:
    numbers = [_number(part) for part in parts] if isinstance(parts, list) else []
    return tuple(number for number in numbers if number is not None)


def _number(value: Any) -> float | None:
    """A finite number as it is written: pages get JSON without NaN."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


class CurveFollower:
    """Reads a curve as it grows: only what is new, within bounds; `points` is all of it, thinned where it is long."""

    def __init__(self, run: Path) -> None:
        self.path = run / CURVE_FILE
        self.points: list[CurvePoint] = []
        self._offset = 0
        self._half_line = b""

    def read_on(self) -> tuple[bool, list[CurvePoint]]:
        """Whether the curve began again, as after a resume, and the points since the last time."""
        try:
            size = self.path.lstat().st_size
            again = size < self._offset
            if again:
                self.points, self._offset, self._half_line = [], 0, b""
            new = self._new_points() if size > self._offset else []
        except (OSError, CheckpointError):
            return False, []
        self.points = thinned(self.points + new)
        return again, new

    def _new_points(self) -> list[CurvePoint]:
        with opened_file(None, str(self.path)) as (descriptor, _size):
            os.lseek(descriptor, self._offset, os.SEEK_SET)  # Windows reads nowhere else in the same call
            content = os.read(descriptor, MOST_BYTES_AT_ONCE)
        self._offset += len(content)
        *lines, self._half_line = (self._half_line + content).split(b"\n")
        self._half_line = self._half_line[-LONGEST_LINE:]
        return [point for point in map(parse_point, lines) if point is not None and point.seconds is not None]


def thinned(points: list[CurvePoint]) -> list[CurvePoint]:
    """At most a thousand points: every other one goes until they fit; evaluations go last, the newest point never."""
    if len(points) <= MOST_POINTS:
        return points
    *earlier, newest = points
    evaluations = _halved((point for point in earlier if point.evaluation is not None), MOST_POINTS // 4)
    others = _halved((point for point in earlier if point.evaluation is None), MOST_POINTS * 3 // 4 - 1)
    return [*sorted([*evaluations, *others], key=lambda point: point.step), newest]


def _halved(points: Iterable[CurvePoint], most: int) -> list[CurvePoint]:
    """Every second, fourth, eighth … point, so that no more than `most` are left."""
    kept = list(points)
    while len(kept) > most:
        kept = kept[::2]
    return kept


class CurveWriter:
    """Appends to the run's curve; after a resume it goes on where the checkpoint was."""

    def __init__(self, run: Path, step: int, report: Callable[[str], None]) -> None:
        self.path = run / CURVE_FILE
        self._report = report
        self._is_whole = True
        self._seconds = self._keep_until(step)
        self._began_s = time.monotonic()
        self._written_s = -WRITTEN_EVERY_S

    def add(self, step: int, facts: Mapping[str, float | None]) -> None:
        """One line a second or so."""
        now_s = time.monotonic() - self._began_s
        if now_s - self._written_s < WRITTEN_EVERY_S:
            return
        self._written_s = now_s
        self._write({"step": step, "seconds": self.seconds(), **facts})

    def add_evaluation(self, step: int, figures: Mapping[str, float], score: Iterable[float]) -> None:
        """A line for an evaluation."""
        self._write({"step": step, "seconds": self.seconds(), "evaluation": dict(figures), "score": list(score)})

    def seconds(self) -> float:
        """Training time so far, earlier parts of a resumed run included."""
        return round(self._seconds + time.monotonic() - self._began_s, 3)

    def _write(self, line: Mapping[str, Any]) -> None:
        """Append a line; on a full disk the curve has a gap, which is said once."""
        check_held(self.path.parent)
        try:
            append_to(self.path, json.dumps(line).encode() + b"\n")
        except OSError as problem:
            if self._is_whole:
                self._report(f"the learning curve cannot be written ({problem.strerror}). Training goes on without it.")
            self._is_whole = False

    def _keep_until(self, step: int) -> float:
        """Forget what was written after the checkpoint that is resumed; the seconds spent until then."""
        kept = [pair for pair in _lines(self.path) if pair[1].step <= step and pair[1].seconds is not None]
        if self.path.exists():
            write_file(self.path, b"".join(line + b"\n" for line, _ in kept))
        return max((point.seconds or 0.0 for _, point in kept), default=0.0)
