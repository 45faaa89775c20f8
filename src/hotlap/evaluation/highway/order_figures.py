"""The figures of the order evaluation, for each kind of order over all densities."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hotlap.evaluation.highway.order_evaluation import OrderResult
from hotlap.evaluation.highway.order_sentences import KINDS
from hotlap.evaluation.measures import Measure, Quantity
from hotlap.evaluation.statistics import Estimate, median, ratio, share
from hotlap.highway.missions import Ending
from hotlap.highway.physics import DECISION_S
from hotlap.units import SECONDS_PER_HOUR

DONE = Quantity("order_done_percent", "done, %", ".1f", 1)
TIME = Quantity("order_time_s", "median s", ".1f", -1)
SPEED_ERROR = Quantity("order_speed_error_mph", "speed error, mph", ".2f", -1)
GAP_ERROR = Quantity("order_gap_error_percent", "gap error, %", ".1f", -1)
JERK = Quantity("order_jerk_squared", "jerk², (m/s³)²", ".2f", -1)
CRASHES = Quantity("order_own_fault_percent", "own-fault crashes, %", ".1f", -1)
INTERVENTIONS = Quantity("order_interventions_per_hour", "interventions / hour", ",.0f", -1)
ORDER_QUANTITIES = (DONE, TIME, SPEED_ERROR, GAP_ERROR, JERK, CRASHES, INTERVENTIONS)
NOT_POSSIBLE = (Ending.REFUSED, Ending.CANCELLED)


@dataclass(frozen=True)
class OrderFigures:
    """How orders of one kind were carried out."""

    kind: str
    tried: int
    """Orders that were possible: done, timed out, or ended by a crash."""
    refused: int
    estimates: dict[str, Estimate | None]

    def measures(self) -> list[Measure]:
        """Every quantity, in the order of the tables."""
        place = f"orders: {self.kind.replace('_', ' ')}"
        return [Measure(place, quantity, self.estimates[quantity.name]) for quantity in ORDER_QUANTITIES]

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        values = {name: None if each is None else each.plain() for name, each in self.estimates.items()}
        return {"kind": self.kind, "tried": self.tried, "refused": self.refused, "estimates": values}


def order_figures(results: Sequence[OrderResult]) -> list[OrderFigures]:
    """The figures of every kind of order that was spoken."""
    by_kind = {kind: [each for each in results if each.kind == kind] for kind in KINDS}
    return [_figures(kind, found) for kind, found in by_kind.items() if found]


def _figures(kind: str, results: Sequence[OrderResult]) -> OrderFigures:
    tried = [each for each in results if each.ending not in NOT_POSSIBLE]
    done = [each for each in tried if each.ending is Ending.DONE]
    decisions = [each.decisions for each in tried]
    hours = [each.decisions * DECISION_S / SECONDS_PER_HOUR for each in tried]
    estimates = {
        DONE.name: _percent(share(len(done), len(tried))),
        TIME.name: median([each.time_s for each in done]),
        SPEED_ERROR.name: median([each.speed_error_mph for each in tried if each.speed_error_mph is not None]),
        GAP_ERROR.name: median([each.gap_error_percent for each in tried if each.gap_error_percent is not None]),
        JERK.name: ratio([each.jerk_squares for each in tried], decisions),
        CRASHES.name: _percent(share(sum(each.own_fault for each in tried), len(tried))),
        INTERVENTIONS.name: ratio([each.intervened for each in tried], hours),
    }
    return OrderFigures(kind, len(tried), len(results) - len(tried), estimates)


def _percent(estimate: Estimate | None) -> Estimate | None:
    return None if estimate is None else Estimate(100 * estimate.value, 100 * estimate.low, 100 * estimate.high)
