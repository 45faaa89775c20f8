"""What is compared between drivers of the racer, and how sure each figure is."""

from typing import TYPE_CHECKING

from hotlap.evaluation.measures import Measure, Quantity
from hotlap.evaluation.statistics import Estimate, Z, exact, share
from hotlap.racer.physics import TICKS_PER_SECOND

if TYPE_CHECKING:
    from hotlap.evaluation.racer.figures import Figures
    from hotlap.evaluation.racer.telemetry import LapTelemetry

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


OVER_LIMIT = Quantity("percent_over_limit", "% over the limit", ".2f", 0)
"""Cars with grip only."""
TELEMETRY_QUANTITIES = (
    Quantity("sector_1_s", "sector 1, s", ".3f", -1, TICK_S),
    Quantity("sector_2_s", "sector 2, s", ".3f", -1, TICK_S),
    Quantity("sector_3_s", "sector 3, s", ".3f", -1, TICK_S),
    Quantity("brakings", "times on the brakes", ".0f", 0),
    Quantity("braking_share", "on the brakes, share", ".2f", 0),
    Quantity("full_throttle_share", "full throttle, share", ".2f", 0),
    Quantity("mean_grip_used", "grip used, share", ".2f", 0),
    Quantity("limit_share", "at the limit of grip, share", ".2f", 0),
    Quantity("top_speed_kmh", "top speed, km/h", ".0f", 0),
    Quantity("lowest_speed_kmh", "lowest speed, km/h", ".0f", 0),
)
"""Of the best flying lap of a car with grip."""


def telemetry_measures(place: str, lap: "LapTelemetry | None") -> list[Measure]:
    """How the best flying lap was driven; nothing to compare where there was none."""
    return [
        Measure(place, quantity, None if lap is None else exact(_of_lap(quantity.name, lap)))
        for quantity in TELEMETRY_QUANTITIES
    ]


def _of_lap(name: str, lap: "LapTelemetry") -> float:
    if name.startswith("sector_"):
        return lap.sectors_s[int(name.removeprefix("sector_").removesuffix("_s")) - 1]
    return float(len(lap.braking_points) if name == "brakings" else getattr(lap, name))


def measures_of(place: str, figures: "Figures") -> list[Measure]:
    """Every quantity of one track and delay; nothing is random in a drive, only laps differ from each other."""
    compared = QUANTITIES if figures.limit_lap_s is None else (*QUANTITIES, OVER_LIMIT)
    return [Measure(place, quantity, _estimate(quantity.name, figures)) for quantity in compared]


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
