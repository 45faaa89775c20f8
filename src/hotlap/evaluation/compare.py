"""Two evaluations side by side: every figure, the difference with its interval, and what got better or worse."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from hotlap.evaluation.measures import Change, Evaluation, changes, shown
from hotlap.evaluation.table import NONE, console_for_results, empty_table, print_table

STYLES = {"better": "green", "worse": "red", "": "dim"}


def compare_document(first: Evaluation, second: Evaluation) -> dict[str, Any]:
    """Both evaluations, and for every place and figure the second less the first (None where one has none)."""
    found: dict[str, dict[str, Any]] = {}
    for change in changes(first.measures(), second.measures()):
        difference = change.difference
        found.setdefault(change.after.place, {})[change.after.quantity.name] = {
            "difference": None if difference is None else difference.plain(),
            "direction": change.direction,
        }
    return {"a": first.plain(), "b": second.plain(), "difference": found}


def print_comparison(first: Evaluation, second: Evaluation, console: Console | None = None) -> None:
    """Print one table per place: both drivers and the difference, in colour where it is beyond its interval."""
    console = console or console_for_results()
    found = changes(first.measures(), second.measures())
    for place in dict.fromkeys(change.after.place for change in found):
        table = empty_table(place, (first.driver, second.driver, "difference", ""))
        for change in (each for each in found if each.after.place == place):
            difference = Text(shown_difference(change), style=STYLES[change.direction])
            table.add_row(
                change.after.quantity.label, shown(change.before), shown(change.after), difference, change.direction
            )
        print_table(console, table)


def shown_difference(change: Change) -> str:
    """A difference with its interval and its sign; "=" where there is none to be seen."""
    difference, form = change.difference, f"+{change.after.quantity.form}"
    if difference is None:
        return NONE
    value = format(difference.value, form)
    if not any(digit in value for digit in "123456789"):
        return "="
    if difference.low == difference.high:
        return value
    return f"{value} ({format(difference.low, form)} to {format(difference.high, form)})"


def regressions(found: Sequence[Change]) -> list[str]:
    """What got worse beyond chance, in words: by its interval widened for how many figures were looked at."""
    counted = [change for change in found if change.after.quantity.better != 0]
    return [_in_words(change) for change in counted if change.direction_among(len(counted)) == "worse"]


def suspicions(found: Sequence[Change]) -> list[str]:
    """What got worse by its own interval alone, as a few of many figures do by chance."""
    certain = regressions(found)
    return [words for change in found if change.direction == "worse" and (words := _in_words(change)) not in certain]


def _in_words(change: Change) -> str:
    return f"{change.after.place}: {change.after.quantity.label} {shown(change.after)}, was {shown(change.before)}"
