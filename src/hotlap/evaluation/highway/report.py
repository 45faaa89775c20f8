"""The report of a driver of the highway: missions done, an episode over time, every figure with its interval."""

from html import escape
from pathlib import Path

from hotlap.checkpoints.curve import read_curve
from hotlap.evaluation.highway import pictures
from hotlap.evaluation.highway.evaluate import DensityEvaluation, HighwayEvaluation
from hotlap.evaluation.highway.figures import EGO_FAULT, JERK, SPEED_ERROR, SUCCESS, HighwayFigures
from hotlap.evaluation.highway.order_figures import ORDER_QUANTITIES, order_figures
from hotlap.evaluation.highway.table import EXPLANATION, SHOWN, cells, columns, drives, order_cells
from hotlap.evaluation.measures import Quantity
from hotlap.evaluation.page import Row, learning_section, page, table, tiles
from hotlap.evaluation.table import NONE

MISSION_LINE = ("reference", "what the mission asks for")


def report_page(evaluation: HighwayEvaluation, run: Path | None = None) -> str:
    """The page as text."""
    sections = [_section(evaluation.driver, density) for density in evaluation.densities]
    points = read_curve(run)
    learned = [learning_section(pictures.learning_curve(points))] if len(points) > 1 else []
    spoken = [_orders_section(evaluation)] if evaluation.orders else []
    return page(evaluation, [*learned, *spoken, *sections], EXPLANATION)


def _orders_section(evaluation: HighwayEvaluation) -> str:
    """The order evaluation."""
    heads = ["possible", "refused", *(quantity.label for quantity in ORDER_QUANTITIES)]
    rows = [Row(each.kind.replace("_", " "), order_cells(each), "figure") for each in order_figures(evaluation.orders)]
    return (
        f"<section><h2>Orders <small>{len(evaluation.orders)} spoken, supervised</small></h2>"
        f'<div class="card">{table(heads, rows)}</div></section>'
    )


def _section(driver: str, density: DensityEvaluation) -> str:
    alone = density.alone
    bars, strip = pictures.success_bars(alone, density.guarded), pictures.speed_strip(density.strip)
    modes, lines = _legend(("bar", "alone"), ("bar guarded", "supervised")), _legend(("flying", driver), MISSION_LINE)
    return (
        f"<section><h2>{density.vehicles} vehicles <small>{alone.episodes} episodes · {alone.km:,.0f} km</small></h2>"
        f"{_tiles(density)}"
        f'<div class="card"><h3>Missions done</h3>{bars}{modes}</div>'
        f'<div class="card"><h3>The first episode</h3>{strip}{lines}</div>'
        f'<div class="card"><h3>In figures</h3>{_table(driver, density)}'
        f'<div class="legend">{escape(density.guarded.interventions_in_words())}</div></div></section>'
    )


def _tiles(density: DensityEvaluation) -> str:
    """What matters most, large."""
    return tiles(
        (_value(EGO_FAULT, density.alone), "crashes by its fault / 1,000 km"),
        (_value(EGO_FAULT, density.guarded), "the same, supervised"),
        (_value(SUCCESS["lane_change"], density.alone), "% of lane changes done"),
        (_value(SUCCESS["overtake"], density.alone), "% of overtakes done"),
        (_value(SPEED_ERROR, density.alone), "mph off when free"),
        (_value(JERK, density.alone), "jerk, rms m/s³"),
    )


def _value(quantity: Quantity, figures: HighwayFigures) -> str:
    estimate = figures.estimates[quantity.name]
    return NONE if estimate is None else format(estimate.value, quantity.form)


def _legend(*names: tuple[str, str]) -> str:
    keys = "".join(f'<span class="key {style}">{escape(name)}</span>' for style, name in names)
    return f'<div class="legend">{keys}</div>'


def _table(driver: str, density: DensityEvaluation) -> str:
    """The same rows as on the terminal."""
    rows = [Row("kilometres", [f"{figures.km:,.0f}" for figures in drives(density)], "figure")]
    rows += [Row(quantity.label, cells(quantity, density), "figure") for quantity in SHOWN]
    return table([name.replace("\n", ", ") for name in columns(driver, density)], rows)
