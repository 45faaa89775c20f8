"""The summary of a suite as a table and as a page: every score, and the interquartile means with their intervals."""

from collections.abc import Mapping
from html import escape
from typing import Any

from hotlap.benchmark.suite.tasks import Suite
from hotlap.evaluation.page import Row, plain_page, table
from hotlap.evaluation.svg import Frame, picture
from hotlap.evaluation.table import console_for_results, empty_table, print_table

WIDTH, ROW_HEIGHT = 860.0, 34.0
ALL_TASKS = "all tasks"
FOOT = (
    "A score is 0 to 1; dots are seeds. The bar is the interquartile mean: the mean of the middle half of the scores; "
    "the line is its 95 % interval from a bootstrap over seeds within each task. "
    "All tasks together count only algorithms that have a result in each."
)


def sections_of(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """All tasks together first, where there are several, then each."""
    together = {ALL_TASKS: document["all_tasks"]} if len(document["tasks"]) > 1 and document["all_tasks"] else {}
    return {**together, **document["tasks"]}


def cells(entry: Mapping[str, Any]) -> list[str]:
    """Seeds, interquartile mean and its interval, as the tables show them; a single seed has no interval."""
    iqm, scores = entry["iqm"], entry["scores"]
    seeds = min(len(each) for each in scores.values())
    interval = f"{iqm['low']:.3f}–{iqm['high']:.3f}" if seeds > 1 else "–"
    return [str(seeds), f"{iqm['value']:.3f}", interval]


def print_summary(document: Mapping[str, Any]) -> None:
    """One table for each task."""
    console = console_for_results()
    for name, entries in sections_of(document).items():
        shown = empty_table(f"{name} · suite {document['suite']}", ("seeds", "interquartile mean", "95 % interval"))
        for algorithm, entry in entries.items():
            shown.add_row(algorithm, *cells(entry))
        print_table(console, shown)


def suite_page(suite: Suite, document: Mapping[str, Any]) -> str:
    """The page as text."""
    about = {
        "suite": document["suite"],
        "hotlap": document["hotlap"],
        "steps": document["steps"] or "as the presets say",
    }
    sections = [
        _section(name, suite.tasks[name].about if name in suite.tasks else "", entries)
        for name, entries in sections_of(document).items()
    ]
    return plain_page(f"Suite {document['suite']}", about, sections, FOOT)


def _section(name: str, about: str, entries: Mapping[str, Any]) -> str:
    rows = [Row(algorithm, cells(entry), "") for algorithm, entry in entries.items()]
    figures = table(("seeds", "interquartile mean", "95 % interval"), rows)
    return (
        f"<section><h2>{escape(name)} <small>{escape(about)}</small></h2>"
        f'<div class="card">{_chart(name, entries)}{figures}</div></section>'
    )


def _chart(name: str, entries: Mapping[str, Any]) -> str:
    """Algorithms below each other, the score across."""
    height = 40.0 + ROW_HEIGHT * len(entries)
    frame = Frame(WIDTH, height, (0.0, 1.0), (0.0, 1.0), left=110.0, top=8.0, bottom=28.0)
    marks = "".join(
        f'<line class="grid" x1="{frame.x(value):.1f}" x2="{frame.x(value):.1f}" y1="8" y2="{height - 28:.1f}"/>'
        f'<text x="{frame.x(value):.1f}" y="{height - 10:.1f}" text-anchor="middle">{value:g}</text>'
        for value in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    rows = [_row(frame, number, algorithm, entry) for number, (algorithm, entry) in enumerate(entries.items())]
    return picture(WIDTH, height, f"Scores: {name}", marks + "".join(rows))


def _row(frame: Frame, number: int, algorithm: str, entry: Mapping[str, Any]) -> str:
    y, iqm = 24.0 + ROW_HEIGHT * number, entry["iqm"]
    low, middle, high = (frame.x(iqm[end]) for end in ("low", "value", "high"))
    dots = "".join(
        f'<circle cx="{frame.x(score):.1f}" cy="{y + 9:.1f}" r="2.5" fill="#6aa5ff"/>'
        for scores in entry["scores"].values()
        for score in scores
    )
    return (
        f'<text x="{frame.left - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(algorithm)}</text>'
        f'<rect class="bar" x="{frame.left}" y="{y - 6:.1f}" width="{max(middle - frame.left, 1.0):.1f}" height="10"/>'
        f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{y - 1:.1f}" y2="{y - 1:.1f}"/>{dots}'
    )
