"""The report of a racing driver: its line, its speeds, its starts, its laps in figures."""

from html import escape
from pathlib import Path

from hotlap.checkpoints.curve import read_curve
from hotlap.evaluation.page import Row, learning_section, page, table, tiles
from hotlap.evaluation.racer import pictures
from hotlap.evaluation.racer.figures import RacerEvaluation, TrackEvaluation, late
from hotlap.evaluation.racer.table import figure_cells, headings, percent, seconds, yardstick_rows
from hotlap.evaluation.racer.telemetry import telemetry_lines
from hotlap.evaluation.racer.yardsticks import find_reference
from hotlap.racer.cars import CLASSIC

FOOT = (
    "Times in seconds. Every driver starts from rest at each of the 30 gates and on the grid, without and "
    "with one tick between deciding and acting. A lap is clean when the car’s centre never left the road and no "
    "wall was touched; * marks a standing lap that was not. “Best” is the fastest flying lap, clean or not. Wall "
    "and off-road ticks are counted over all starts. The reference of the classic car is the shortest on-road "
    "line, driven flat out in the same physics; of a car with grip it is the fastest clean lap of a driver of its "
    "fastest line, and the limit is the quasi-steady lap there, which nobody drove."
)


def report_page(evaluation: RacerEvaluation, run: Path | None = None) -> str:
    """The page as text."""
    sections = [_track_section(evaluation.driver, result) for result in evaluation.tracks]
    return page(evaluation, [_learning_section(evaluation, run), *sections], FOOT)


def _learning_section(evaluation: RacerEvaluation, run: Path | None) -> str:
    points = read_curve(run)
    if len(points) < 2:
        return ""
    only = evaluation.tracks[0] if len(evaluation.tracks) == 1 else None
    return learning_section(pictures.learning_curve(points, only))


def _track_section(driver: str, result: TrackEvaluation) -> str:
    track = result.course
    reference, unit = find_reference(track, result.car), pictures.units_of(result.car).distance
    speeds = pictures.speed_chart(result, reference)
    return (
        f"<section><h2>{escape(result.name)} <small>{escape(result.track)} · {result.length_u:,.0f} {unit}</small></h2>"
        f"{_tiles(result)}"
        f'<div class="card">{pictures.track_map(result, reference)}{_map_legend(result)}</div>'
        f'<div class="card"><h3>Speed over distance</h3>{speeds}{_chart_legend(result.car)}</div>'
        f'<div class="card"><h3>Starts completed</h3>{pictures.starts_picture(result.by_delay)}</div>'
        f'<div class="card"><h3>In figures</h3>{_table(driver, result)}</div>{_telemetry(result)}</section>'
    )


def _telemetry(result: TrackEvaluation) -> str:
    """How the best flying lap was driven, and every braking of it; nothing for the classic car."""
    if result.telemetry is None:
        return ""
    brakings = [
        Row(f"{point.at_m:,.0f} m", [f"{point.from_kmh:.0f} km/h", f"{point.to_kmh:.0f} km/h"], "driver")
        for point in result.telemetry.braking_points
    ]
    words = "".join(f"<p>{escape(line)}</p>" for line in telemetry_lines(result.telemetry))
    return f'<div class="card"><h3>Best flying lap</h3>{words}{table(("from", "to"), brakings)}</div>'


def _tiles(result: TrackEvaluation) -> str:
    """What matters most, large."""
    figures = result.by_delay[0]
    return tiles(
        (seconds(figures.flying_best_clean_s), "best clean lap, s"),
        (percent(figures.percent_over_reference), "% over reference"),
        *([] if figures.limit_lap_s is None else [(percent(figures.percent_over_limit), "% over the limit")]),
        (seconds(figures.standing_lap_s), "standing lap, s"),
        (f"{figures.gates_completed + figures.grid_completed}/{figures.gates + 1}", "starts completed"),
        (f"{figures.wall_ticks:,}", "wall ticks"),
        (f"{figures.off_road_ticks:,}", "off-road ticks"),
    )


def _map_legend(result: TrackEvaluation) -> str:
    scale = pictures.speed_scale(result.course, pictures.units_of(result.car))
    braking = "" if result.car == CLASSIC else '<span class="key dot braking">brakes from here</span>'
    return (
        f'<div class="legend">{scale}<span class="key reference">reference line</span>'
        '<span class="key dot off-road">off the road</span><span class="key dot touched">wall</span>'
        + braking
        + "</div>"
    )


def _chart_legend(car: str) -> str:
    names = [("flying", "best flying lap"), ("standing", "standing lap"), ("reference", "reference")]
    if car == CLASSIC:
        names.append(("human", "casual human"))
    return (
        '<div class="legend">' + "".join(f'<span class="key {style}">{name}</span>' for style, name in names) + "</div>"
    )


def _table(driver: str, result: TrackEvaluation) -> str:
    """The same rows as on the terminal."""
    rows = [
        Row(driver if each.delay == 0 else f"{driver}, {late(each.delay)}", figure_cells(each), "driver")
        for each in result.by_delay
    ]
    rows += [Row(name, cells, "yardstick") for name, cells in yardstick_rows(result)]
    return table(headings(result), rows)
