"""Two drivers side by side: the same tracks, the same starts, and what differs."""

from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from hotlap.errors import ConfigError
from hotlap.evaluation.figures import Evaluation, Figures, TrackEvaluation
from hotlap.evaluation.table import NONE, console_for_results, empty_table


@dataclass(frozen=True)
class Quantity:
    """Something that is compared."""

    name: str
    """Its name in `Figures`."""
    label: str
    """What the table calls it."""
    form: str
    """How its values are written."""
    better: int
    """1 when more is better, -1 when less is."""


QUANTITIES = (
    Quantity("gates_completed", "gates completed", ".0f", 1),
    Quantity("grid_completed", "grid completed", ".0f", 1),
    Quantity("standing_lap_s", "standing lap, s", ".3f", -1),
    Quantity("flying_best_clean_s", "best clean lap, s", ".3f", -1),
    Quantity("flying_mean_clean_s", "mean clean lap, s", ".3f", -1),
    Quantity("flying_spread_clean_s", "spread of clean laps, s", ".3f", -1),
    Quantity("flying_best_s", "best lap, clean or not, s", ".3f", -1),
    Quantity("percent_over_reference", "% over the reference", ".2f", -1),
    Quantity("wall_ticks", "wall ticks", ",.0f", -1),
    Quantity("off_road_ticks", "off-road ticks", ",.0f", -1),
    Quantity("lap_return", "return", ".3f", 1),
)


def compare_document(first: Evaluation, second: Evaluation) -> dict[str, Any]:
    """Both evaluations, and per track and delay the second's figures less the first's (None where one has none)."""
    return {
        "a": first.plain(),
        "b": second.plain(),
        "difference": {
            a.track: {"delay": {str(x.delay): _differences(x, y) for x, y in _by_delay(a, b)}}
            for a, b in _by_track(first, second)
        },
    }


def print_comparison(first: Evaluation, second: Evaluation, console: Console | None = None) -> None:
    """Print one table per track and delay: both drivers and the difference, green where the second is better."""
    console = console or console_for_results()
    for a, b in _by_track(first, second):
        for x, y in _by_delay(a, b):
            late = "no delay" if x.delay == 0 else f"{x.delay} tick late"
            table = empty_table(f"{a.name} · {a.track} · {late}", (first.driver, second.driver, "difference"))
            for quantity in QUANTITIES:
                table.add_row(
                    quantity.label, _shown(quantity, x), _shown(quantity, y), _shown_difference(quantity, x, y)
                )
            console.print(table)


def _by_track(first: Evaluation, second: Evaluation) -> list[tuple[TrackEvaluation, TrackEvaluation]]:
    if [track.track for track in first.tracks] != [track.track for track in second.tracks]:
        raise ConfigError("these evaluations are of different tracks. Evaluate both drivers on the same ones.")
    return list(zip(first.tracks, second.tracks, strict=True))


def _by_delay(a: TrackEvaluation, b: TrackEvaluation) -> list[tuple[Figures, Figures]]:
    return list(zip(a.by_delay, b.by_delay, strict=True))


def _difference(quantity: Quantity, x: Figures, y: Figures) -> float | None:
    before, after = getattr(x, quantity.name), getattr(y, quantity.name)
    return None if before is None or after is None else float(after) - float(before)


def _differences(x: Figures, y: Figures) -> dict[str, float | None]:
    differences = {quantity.name: _difference(quantity, x, y) for quantity in QUANTITIES}
    differences["return"] = differences.pop("lap_return")
    return differences


def _shown(quantity: Quantity, figures: Figures) -> str:
    value = getattr(figures, quantity.name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return NONE if value is None else format(value, quantity.form)


def _shown_difference(quantity: Quantity, x: Figures, y: Figures) -> Text:
    difference = _difference(quantity, x, y)
    if difference is None:
        return Text(NONE, style="dim")
    text = format(difference, f"+{quantity.form}")
    if not any(digit in text for digit in "123456789"):
        return Text("=", style="dim")
    return Text(text, style="green" if difference * quantity.better > 0 else "red")
