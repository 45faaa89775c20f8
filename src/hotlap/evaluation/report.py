"""An evaluation as one HTML page that needs nothing else: no network, no scripts, pictures inside."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from hotlap.evaluation import pictures
from hotlap.evaluation.curve import read_curve
from hotlap.evaluation.figures import Evaluation, TrackEvaluation
from hotlap.evaluation.table import HEADINGS, figure_cells, percent, seconds, yardstick_rows
from hotlap.evaluation.yardsticks import find_reference
from hotlap.racer.tracks import Track
from hotlap.racer.tracks.atomic import write_whole_file

ABOUT_KEYS = ("layout", "algorithm", "steps", "tracks", "seed", "physics_fingerprint", "hotlap")


def write_report(evaluation: Evaluation, tracks: Sequence[Track], run: Path | None, path: Path) -> None:
    """Write the page, whole or not at all."""
    write_whole_file(path, report_page(evaluation, tracks, run).encode(), force=True)


def report_page(evaluation: Evaluation, tracks: Sequence[Track], run: Path | None = None) -> str:
    """The page as text."""
    sections = [
        _track_section(evaluation.driver, result, track)
        for result, track in zip(evaluation.tracks, tracks, strict=True)
    ]
    style = (files("hotlap.evaluation") / "report.css").read_text(encoding="utf-8")
    title = f"{escape(evaluation.driver)} · Hotlap"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{title}</title><style>{style}</style></head><body><main>"
        f"{_head(evaluation)}{_learning_section(evaluation, run)}{''.join(sections)}{_foot()}"
        "</main></body></html>\n"
    )


def _head(evaluation: Evaluation) -> str:
    facts = [(key, evaluation.about[key]) for key in ABOUT_KEYS if key in evaluation.about]
    shown = "".join(
        f"<div><dt>{escape(key.replace('_', ' '))}</dt><dd>{escape(_value(value))}</dd></div>" for key, value in facts
    )
    name = f'<p class="brand">hotlap</p><h1>{escape(evaluation.driver)}</h1>'
    return f'<header>{name}<dl class="about">{shown}</dl></header>'


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value[:4]) + (f" and {len(value) - 4:,} more" if len(value) > 4 else "")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _learning_section(evaluation: Evaluation, run: Path | None) -> str:
    points = read_curve(run)
    if len(points) < 2:
        return ""
    only = evaluation.tracks[0] if len(evaluation.tracks) == 1 else None
    return f'<section><h2>How it learned</h2><div class="card">{pictures.learning_curve(points, only)}</div></section>'


def _track_section(driver: str, result: TrackEvaluation, track: Track) -> str:
    reference = find_reference(track)
    speeds = pictures.speed_chart(result, reference)
    return (
        f"<section><h2>{escape(result.name)} <small>{escape(result.track)} · {result.length_u:,.0f} u</small></h2>"
        f"{_tiles(result)}"
        f'<div class="card">{pictures.track_map(track, result.traces[0], reference)}{_map_legend(track)}</div>'
        f'<div class="card"><h3>Speed over distance</h3>{speeds}{_chart_legend()}</div>'
        f'<div class="card"><h3>Starts completed</h3>{pictures.starts_picture(result.by_delay)}</div>'
        f'<div class="card"><h3>In figures</h3>{_table(driver, result)}</div></section>'
    )


def _tiles(result: TrackEvaluation) -> str:
    """What matters most, large."""
    figures = result.by_delay[0]
    over = figures.percent_over_reference
    tiles = (
        (seconds(figures.flying_best_clean_s), "best clean lap, s"),
        (percent(over), "% over reference"),
        (seconds(figures.standing_lap_s), "standing lap, s"),
        (f"{figures.gates_completed + figures.grid_completed}/{figures.gates + 1}", "starts completed"),
        (f"{figures.wall_ticks:,}", "wall ticks"),
        (f"{figures.off_road_ticks:,}", "off-road ticks"),
    )
    return '<div class="tiles">' + "".join(f"<p><b>{value}</b>{label}</p>" for value, label in tiles) + "</div>"


def _map_legend(track: Track) -> str:
    return (
        f'<div class="legend">{pictures.speed_scale(track)}<span class="key reference">reference line</span>'
        '<span class="key dot off-road">off the road</span><span class="key dot touched">wall</span></div>'
    )


def _chart_legend() -> str:
    names = (
        ("flying", "best flying lap"),
        ("standing", "standing lap"),
        ("reference", "reference"),
        ("human", "casual human"),
    )
    return (
        '<div class="legend">' + "".join(f'<span class="key {style}">{name}</span>' for style, name in names) + "</div>"
    )


def _table(driver: str, result: TrackEvaluation) -> str:
    """The same rows as on the terminal."""
    rows = [
        _row(driver if each.delay == 0 else f"{driver}, {each.delay} tick late", figure_cells(each), "driver")
        for each in result.by_delay
    ]
    rows += [_row(name, cells, "yardstick") for name, cells in yardstick_rows(result)]
    head = "".join(f"<th>{heading}</th>" for heading in ("", *HEADINGS))
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _row(name: str, cells: list[str], style: str) -> str:
    padded = cells + [""] * (len(HEADINGS) - len(cells))
    return f'<tr class="{style}"><th>{escape(name)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in padded)}</tr>'


def _foot() -> str:
    return (
        "<footer>Times in seconds. Every driver starts from rest at each of the 30 gates and on the grid, without and "
        "with one tick between deciding and acting. A lap is clean when the car’s centre never left the road and no "
        "wall was touched; * marks a standing lap that was not. “Best” is the fastest flying lap, clean or not. Wall "
        "and off-road ticks are counted over all starts. The reference is the shortest on-road line, driven flat out "
        "in the same physics.</footer>"
    )
