"""A report as one HTML page that needs nothing else: no network, no scripts, pictures inside."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import NamedTuple

from hotlap.evaluation.measures import Evaluation

ABOUT_KEYS = ("layout", "algorithm", "steps", "tracks", "seed", "physics_fingerprint", "hotlap")


class Row(NamedTuple):
    """One row of a page's table."""

    name: str
    cells: Sequence[str]
    style: str


def page(evaluation: Evaluation, sections: Sequence[str], foot: str) -> str:
    """The page of a driver: who it is, the sections of its world, and what the words mean."""
    about = {key: evaluation.about[key] for key in ABOUT_KEYS if key in evaluation.about}
    return plain_page(evaluation.driver, about, sections, foot)


def plain_page(title: str, about: Mapping[str, object], sections: Sequence[str], foot: str) -> str:
    """Any page: a title with facts, sections, and what the words mean."""
    style = (files("hotlap.evaluation") / "report.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{escape(title)} · Hotlap</title><style>{style}</style></head><body><main>"
        f"{_head(title, about)}{''.join(sections)}<footer>{escape(foot)}</footer>"
        "</main></body></html>\n"
    )


def _head(title: str, about: Mapping[str, object]) -> str:
    shown = "".join(
        f"<div><dt>{escape(key.replace('_', ' '))}</dt><dd>{escape(_value(value))}</dd></div>"
        for key, value in about.items()
    )
    name = f'<p class="brand">hotlap</p><h1>{escape(title)}</h1>'
    return f'<header>{name}<dl class="about">{shown}</dl></header>'


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value[:4]) + (f" and {len(value) - 4:,} more" if len(value) > 4 else "")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def learning_section(pictures: str) -> str:
    """The learning curve, where there is one."""
    return f'<section><h2>How it learned</h2><div class="card">{pictures}</div></section>'


def tiles(*values: tuple[str, str]) -> str:
    """What matters most, large: values and what they are."""
    shown = "".join(f"<p><b>{escape(value)}</b>{escape(label)}</p>" for value, label in values)
    return f'<div class="tiles">{shown}</div>'


def table(headings: Sequence[str], rows: Sequence[Row]) -> str:
    """Names on the left, figures beside them."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in ("", *headings))
    body = "".join(_row(row, len(headings)) for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _row(row: Row, width: int) -> str:
    cells = [*row.cells, *[""] * (width - len(row.cells))]
    return (
        f'<tr class="{row.style}"><th>{escape(row.name)}</th>'
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
    )
