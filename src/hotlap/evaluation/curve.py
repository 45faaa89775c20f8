"""The learning curve that a run keeps: one line of JSON for every look at how it is doing."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CURVE_FILE = "curve.jsonl"
MOST_BYTES = 1 << 24


@dataclass(frozen=True)
class CurvePoint:
    """How a run was doing at one moment; None where nothing was known."""

    step: float
    """Steps driven so far."""
    seconds: float | None
    """Time trained so far."""
    reward: float | None
    """Mean return of episodes."""
    completion: float | None
    """Share of laps completed, 0 to 1."""
    best_lap_s: float | None
    """Best clean flying lap so far."""


def read_curve(run: Path | None) -> list[CurvePoint]:
    """The curve of a run; lines that are no points (a half-written last one, say) are left out."""
    path = None if run is None else run / CURVE_FILE
    if path is None or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    points = [_point(line) for line in lines]
    return [point for point in points if point is not None]


def _point(line: str) -> CurvePoint | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or _number(entry.get("step")) is None:
        return None
    step = _number(entry["step"]) or 0.0
    others = (_number(entry.get(key)) for key in ("seconds", "reward", "completion", "best_lap_s"))
    return CurvePoint(step, *others)


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None
