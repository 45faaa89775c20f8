"""The learning curve of a run, whatever it learns."""

from collections.abc import Sequence
from typing import NamedTuple

from hotlap.checkpoints.curve import CurvePoint
from hotlap.evaluation.svg import CHART_WIDTH, Frame, picture


class ShareChart(NamedTuple):
    """A chart of something from 0 to 100 %."""

    fact: str
    """Its name in the curve."""
    unit: str
    """What stands beside the axis."""
    title: str
    whole: float = 1.0
    """What the curve writes for 100 %."""


def series(points: Sequence[CurvePoint], name: str) -> tuple[list[float], list[float]]:
    """A fact or a figure over training time, or over steps where a time is missing: the two columns."""
    by_time = _is_timed(points)
    known = [(_when(point, by_time=by_time), value) for point in points if (value := point.value(name)) is not None]
    return [when for when, _ in known], [value for _, value in known]


def _is_timed(points: Sequence[CurvePoint]) -> bool:
    """Whether every point knows its time."""
    return all(point.seconds is not None for point in points)


def _when(point: CurvePoint, *, by_time: bool) -> float:
    """Where a point lies on the axis of time, or of steps."""
    return point.seconds if by_time and point.seconds is not None else point.step


def time_span(points: Sequence[CurvePoint]) -> tuple[float, float]:
    """The axis of a learning curve."""
    by_time = _is_timed(points)
    return 0.0, max([*(_when(point, by_time=by_time) for point in points), 1e-9])


def time_label(points: Sequence[CurvePoint]) -> str:
    """What that axis counts."""
    return "training time, s" if _is_timed(points) else "steps"


def learning_chart(points: Sequence[CurvePoint], chart: ShareChart) -> str:
    """A share during training, in percent."""
    frame = Frame(CHART_WIDTH, 140.0, time_span(points), (0.0, 103.0), bottom=24.0)
    times, shares = series(points, chart.fact)
    content = frame.axes("", chart.unit)
    if shares:
        content += frame.line(times, [100.0 / chart.whole * each for each in shares], "completion")
    return picture(frame.width, frame.height, chart.title, content)
