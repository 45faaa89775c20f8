"""What is compared between drivers of the racer, and how sure each figure is."""

from typing import TYPE_CHECKING

from hotlap.evaluation.measures import Measure, Quantity
from hotlap.evaluation.statistics import Estimate, Z, exact, share
from hotlap.racer.physics import TICKS_PER_SECOND

if TYPE_CHECKING:
    from hotlap.evaluation.racer.figures import Figures

TICK_S = 1.001 / TICKS_PER_SECOND
QUANTITIES = (
    Quantity("gates_completed", "gates completed", ".0f", 1),
    Quantity("grid_completed", "grid completed", ".0f", 1),
    Quantity("standing_lap_s", "standing lap, s", ".3f", -1, TICK_S),
    Quantity("flying_best_clean_s", "best clean lap, s", ".3f", -1, TICK_S),
    Quantity("flying_mean_clean_s", "mean clean lap, s", ".3f", -1, TICK_S),
    Quantity("flying_spread_clean_s", "spread of clean laps, s", ".3f", 0),
    Quantity("clean_share", "clean laps, share", ".2f", 1),
    Quantity("flying_best_s", "best lap, clean or not, s", ".3f", 0),
    Quantity("percent_over_reference", "% over the reference", ".2f", 0),
    Quantity("wall_ticks", "wall ticks", ",.0f", -1),
    Quantity("off_road_ticks", "off-road ticks", ",.0f", -1),
    Quantity("lap_return", "return", ".3f", 1, 0.001),
)
"""A lap time counts as changed from more than a tick on. What follows from other rows, or can be good either way, is
neither better nor worse."""


def measures_of(place: str, figures: "Figures") -> list[Measure]:
    """Every quantity of one track and delay; nothing is random in a drive, only laps differ from each other."""
    return [Measure(place, quantity, _estimate(quantity.name, figures)) for quantity in QUANTITIES]


def _estimate(name: str, figures: "Figures") -> Estimate | None:
    if name == "clean_share":
        return share(figures.flying_clean_laps, figures.flying_laps)
    value = getattr(figures, name)
    if value is None:
        return None
    if name == "flying_mean_clean_s" and figures.flying_spread_clean_s is not None:
        half = Z * figures.flying_spread_clean_s / figures.flying_clean_laps**0.5
        return Estimate(value, value - half, value + half)
    return exact(float(value))
