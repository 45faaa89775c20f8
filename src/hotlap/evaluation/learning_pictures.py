"""The learning curve of a run, whatever it learns."""

from collections.abc import Sequence
from typing import NamedTuple

from hotlap.evaluation.curve import CurvePoint, is_timed, series, when
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


def time_span(points: Sequence[CurvePoint]) -> tuple[float, float]:
    """The axis of a learning curve."""
    by_time = is_timed(points)
    return 0.0, max([*(when(point, by_time=by_time) for point in points), 1e-9])


def time_label(points: Sequence[CurvePoint]) -> str:
    """What that axis counts."""
    return "training time, s" if is_timed(points) else "steps"


def learning_chart(points: Sequence[CurvePoint], chart: ShareChart) -> str:
    """A share during training, in percent."""
    frame = Frame(CHART_WIDTH, 140.0, time_span(points), (0.0, 103.0), bottom=24.0)
    times, shares = series(points, chart.fact)
    content = frame.axes("", chart.unit)
    if shares:
        content += frame.line(times, [100.0 / chart.whole * each for each in shares], "completion")
    return picture(frame.width, frame.height, chart.title, content)
