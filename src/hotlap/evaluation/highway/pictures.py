"""The pictures of a highway report: an episode over time, missions done with intervals, the learning curve."""

from collections.abc import Sequence

from hotlap.checkpoints.curve import CurvePoint
from hotlap.evaluation.highway.driving import Strip
from hotlap.evaluation.highway.figures import SUCCESS, TIMED_MODES, HighwayFigures
from hotlap.evaluation.learning_pictures import ShareChart, learning_chart, series, time_label, time_span
from hotlap.evaluation.statistics import Estimate
from hotlap.evaluation.svg import CHART_WIDTH, Frame, picture

MOST_MPH = 80.0
BAR_LEFT, BAR_WIDTH, BAR_HEIGHT = 150.0, 560.0, 14.0
LEARNED = tuple(
    ShareChart(f"eval/{SUCCESS[mode].name}", SUCCESS[mode].label, f"Missions done during training: {mode}", whole=100.0)
    for mode in ("cruise", "lane_change", "overtake")
)


def speed_strip(strip: Strip) -> str:
    """Speed over time, what the mission asked for, where the supervisor would not have it, and the lane below."""
    end_s = float(strip.time_s[-1])
    frame = Frame(CHART_WIDTH, 240.0, (0.0, end_s), (0.0, MOST_MPH), bottom=24.0)
    content = frame.axes("", "speed, mph")
    content += frame.line(strip.time_s, strip.target_mph, "reference") + frame.line(
        strip.time_s, strip.speed_mph, "flying"
    )
    if strip.crashed:
        x, y = frame.x(end_s), frame.y(float(strip.speed_mph[-1]))
        content += f'<circle class="stopped" cx="{x:.1f}" cy="{y:.1f}" r="6"/>'
    return picture(frame.width, frame.height, "Speed in the first episode", content) + _lane_strip(strip)


def _lane_strip(strip: Strip) -> str:
    """The lane over time, leftmost on top; the mission's as a dashed line."""
    lanes = float(max(strip.lane.max(), strip.mission_lane.max(), 4))
    frame = Frame(CHART_WIDTH, 130.0, (0.0, float(strip.time_s[-1])), (-lanes - 0.4, 0.4))
    content = f'<text class="unit" x="{frame.left}" y="{frame.top - 8}">lane, leftmost on top</text>'
    for lane in range(int(lanes) + 1):
        y = frame.y(-lane)
        content += f'<line class="grid" x1="{frame.left}" x2="{frame.width - frame.right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        content += f'<text x="{frame.left - 8}" y="{y + 4:.1f}" text-anchor="end">{lane}</text>'
    content += frame.line(strip.time_s, -strip.mission_lane.astype(float), "reference")
    content += frame.line(strip.time_s, -strip.lane.astype(float), "flying")
    content += f'<text x="{frame.width - frame.right}" y="{frame.height - 6}" text-anchor="end">time, s</text>'
    return picture(frame.width, frame.height, "Lane in the first episode", content)


def success_bars(alone: HighwayFigures, guarded: HighwayFigures) -> str:
    """The share of missions done, by mode, without and with the supervisor, each with its interval."""
    rows, y = [], 8.0
    for mode in TIMED_MODES:
        rows.append(f'<text x="0" y="{y + 18:.1f}">{mode.replace("_", " ")}</text>')
        for figures, style in ((alone, "bar"), (guarded, "bar guarded")):
            rows.append(_bar(figures.estimates[SUCCESS[mode].name], y, style))
            y += BAR_HEIGHT + 2.0
        y += 10.0
    return picture(CHART_WIDTH, y, "Missions done, by mode", "".join(rows))


def _bar(estimate: Estimate | None, y: float, style: str) -> str:
    if estimate is None:
        return f'<text class="unit" x="{BAR_LEFT}" y="{y + 11:.1f}">none</text>'
    full = BAR_WIDTH / 100.0
    low, high = (BAR_LEFT + full * each for each in (estimate.low, estimate.high))
    middle = y + BAR_HEIGHT / 2.0
    return (
        f'<rect class="{style}" x="{BAR_LEFT}" y="{y:.1f}" '
        f'width="{full * estimate.value:.1f}" height="{BAR_HEIGHT}"/>'
        f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{middle:.1f}" y2="{middle:.1f}"/>'
        f'<text x="{BAR_LEFT + BAR_WIDTH + 12}" y="{y + 11:.1f}">{estimate.value:.1f} %</text>'
    )


def learning_curve(points: Sequence[CurvePoint]) -> str:
    """The mean reward of episodes and, where it was evaluated, the missions done."""
    charts = [learning_chart(points, chart) for chart in LEARNED if series(points, chart.fact)[1]]
    return "".join(charts) + _reward_chart(points)


def _reward_chart(points: Sequence[CurvePoint]) -> str:
    times, rewards = series(points, "reward")
    if not rewards:
        return ""
    spread = max(max(rewards) - min(rewards), 1.0)
    frame = Frame(CHART_WIDTH, 200.0, time_span(points), (min(rewards) - 0.05 * spread, max(rewards) + 0.05 * spread))
    content = frame.axes(time_label(points), "mean reward of an episode") + frame.line(times, rewards, "flying")
    return picture(frame.width, frame.height, "Reward during training", content)
