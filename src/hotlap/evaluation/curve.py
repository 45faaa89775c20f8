"""The learning curve that a run keeps: one line of JSON for every look at how it is doing."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CURVE_FILE = "curve.jsonl"
MOST_BYTES = 1 << 24


@dataclass(frozen=True)
class CurvePoint:
    """How a run was doing at one moment."""

    step: float
    """Steps driven so far."""
    seconds: float | None
    """Time trained so far, where it is known."""
    facts: Mapping[str, float]
    """What was known then, by name: the reward, what its world counts, the figures of an evaluation."""


def read_curve(run: Path | None) -> list[CurvePoint]:
    """The curve of a run; lines that are no points (a half-written last one, say) are left out."""
    path = None if run is None else run / CURVE_FILE
    if path is None or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    points = [_point(line) for line in lines]
    return [point for point in points if point is not None]


def series(points: Sequence[CurvePoint], fact: str) -> tuple[list[float], list[float]]:
    """A fact over training time, or over steps where a time is missing: the two columns."""
    known = [point for point in points if fact in point.facts]
    return [when(point, by_time=is_timed(points)) for point in known], [point.facts[fact] for point in known]


def is_timed(points: Sequence[CurvePoint]) -> bool:
    """Whether every point knows its time."""
    return all(point.seconds is not None for point in points)


def when(point: CurvePoint, *, by_time: bool) -> float:
    """Where a point lies on the axis of time, or of steps."""
    return point.seconds if by_time and point.seconds is not None else point.step


def _point(line: str) -> CurvePoint | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    step = _number(entry.get("step")) if isinstance(entry, dict) else None
    if step is None:
        return None
    judged = entry.get("evaluation")
    named = {**entry, **(judged if isinstance(judged, dict) else {})}
    facts = {str(key): number for key, value in named.items() if (number := _number(value)) is not None}
    return CurvePoint(step, _number(entry.get("seconds")), facts)


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None
