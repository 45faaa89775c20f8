"""Evaluations and missions over time as one page: every figure of every setup as a line, by driver."""

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from hotlap.evaluation.measures import shown
from hotlap.evaluation.page import Row, plain_page, table
from hotlap.evaluation.svg import Frame, picture
from hotlap.store.evaluations import KeptEvaluation

if TYPE_CHECKING:
    from hotlap.evaluation.trends import MissionGroup

COLOURS = ("#58d68d", "#6aa5ff", "#ffd23f", "#f0883e", "#c792ea", "#ff5d5d", "#2fc3dc", "#e6edf3")
WIDTH, HEIGHT = 420.0, 130.0
FOOT = (
    "Each dot is an evaluation, oldest on the left, with its 95 % interval; a line joins those of one driver. "
    "Only evaluations of the same world and setup are drawn together."
)
Figures = Mapping[tuple[str, str], list[tuple[int, str, Mapping[str, Any]]]]
"""By place and name: the number of an evaluation, its driver, and the estimate."""


def trends_page(evaluations: Sequence[KeptEvaluation], groups: Sequence["MissionGroup"]) -> str:
    """The page as text."""
    setups: dict[tuple[str, str], list[KeptEvaluation]] = {}
    for each in evaluations:
        setups.setdefault((each.world, each.setup), []).append(each)
    sections = [_evaluations_section(world, setup, kept) for (world, setup), kept in setups.items()]
    missions = [_missions_section(groups)] if groups else []
    about = {"evaluations": len(evaluations), "missions": sum(len(group.missions) for group in groups)}
    return plain_page("Trends", about, [*missions, *sections], FOOT)


def _missions_section(groups: Sequence["MissionGroup"]) -> str:
    rows = [
        Row(each.driver, [each.branch, each.commit, str(len(each.missions)), shown(each.done), str(each.crashed)], "")
        for each in groups
    ]
    heads = ("branch", "commit", "missions", "done", "crashed")
    return f'<section><h2>Missions</h2><div class="card">{table(heads, rows)}</div></section>'


def _evaluations_section(world: str, setup: str, kept: Sequence[KeptEvaluation]) -> str:
    """One setup: who was evaluated at which commit, then a picture for each figure, place by place."""
    colours = dict(zip(dict.fromkeys(each.driver for each in kept), COLOURS * len(kept), strict=False))
    rows = [
        Row(each.driver, [each.made_at, each.branch, each.commit_id, "" if each.passed else "failed"], "")
        for each in kept
    ]
    figures = _figures(kept)
    places = "".join(
        _place(place, {name: points for (where, name), points in figures.items() if where == place}, colours, number)
        for number, place in enumerate(dict.fromkeys(where for where, _ in figures))
    )
    legend = "".join(f'<span style="color:{colour}">● {escape(driver)}</span>' for driver, colour in colours.items())
    heads = ("made at", "branch", "commit", "")
    return (
        f"<section><h2>{escape(world)} <small>{escape(_in_words(setup))}</small></h2>"
        f'<div class="card">{table(heads, rows)}<div class="legend">{legend}</div></div>{places}</section>'
    )


def _in_words(setup: str) -> str:
    values: dict[str, Any] = json.loads(setup)
    return ", ".join(f"{name} {value}" for name, value in values.items() if value is not None)[:160]


def _figures(kept: Iterable[KeptEvaluation]) -> Figures:
    found: dict[tuple[str, str], list[tuple[int, str, Mapping[str, Any]]]] = {}
    for number, each in enumerate(kept):
        for measure in each.document.get("measures", []):
            if measure["estimate"] is not None:
                key = (str(measure["place"]), str(measure["name"]))
                found.setdefault(key, []).append((number, each.driver, measure["estimate"]))
    return found


def _place(
    place: str, figures: Mapping[str, list[tuple[int, str, Mapping[str, Any]]]], colours: Mapping[str, str], number: int
) -> str:
    """The pictures of one place; only the first is unfolded."""
    drawn = "".join(f"<figure>{_chart(name, points, colours)}</figure>" for name, points in figures.items())
    opened = ' open="open"' if number == 0 else ""
    return (
        f'<details class="card"{opened}><summary>{escape(place)}</summary><div class="charts">{drawn}</div></details>'
    )


def _chart(name: str, points: Sequence[tuple[int, str, Mapping[str, Any]]], colours: Mapping[str, str]) -> str:
    """One figure over the evaluations."""
    values = [
        value for _, _, each in points for value in (each["value"], each["low"], each["high"]) if value is not None
    ]
    low, high = min(values), max(values)
    margin = 0.08 * (high - low) or abs(high) * 0.05 or 1.0
    last = max(number for number, _, _ in points)
    frame = Frame(WIDTH, HEIGHT, (-0.5, last + 0.5), (low - margin, high + margin), bottom=14.0)
    axis = _axis(frame, name, dict.fromkeys((low, high)))
    lines = [_line(frame, [each for each in points if each[1] == driver], colour) for driver, colour in colours.items()]
    return picture(WIDTH, HEIGHT, name.replace("_", " "), axis + "".join(lines))


def _axis(frame: Frame, name: str, ends: Iterable[float]) -> str:
    """The name, and lines at the least and the greatest value."""
    marks = "".join(
        f'<text x="{frame.left - 6}" y="{frame.y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        f'<line class="grid" x1="{frame.left}" x2="{frame.width - frame.right}" '
        f'y1="{frame.y(value):.1f}" y2="{frame.y(value):.1f}"/>'
        for value in ends
    )
    return f'<text class="unit" x="{frame.left}" y="{frame.top - 8}">{escape(name.replace("_", " "))}</text>{marks}'


def _line(frame: Frame, points: Sequence[tuple[int, str, Mapping[str, Any]]], colour: str) -> str:
    """The evaluations of one driver, joined, with their intervals."""
    if not points:
        return ""
    path = " ".join(f"{frame.x(number):.1f},{frame.y(each['value']):.1f}" for number, _, each in points)
    drawn = [f'<polyline points="{path}" stroke="{colour}" stroke-width="1.6"/>']
    for number, _, each in points:
        x, y = frame.x(number), frame.y(each["value"])
        ends = [frame.y(each[end]) for end in ("low", "high") if each[end] is not None]
        if len(ends) == 2:
            drawn.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{ends[0]:.1f}" y2="{ends[1]:.1f}" stroke="{colour}"/>')
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
    return "".join(drawn)
