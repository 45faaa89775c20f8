"""Figures of any world that can be set against each other: a name, a place, an estimate, and which way is better."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hotlap.errors import ConfigError, did_you_mean
from hotlap.evaluation.statistics import Estimate


@dataclass(frozen=True)
class Quantity:
    """Something that is measured."""

    name: str
    """What machines call it."""
    label: str
    """What the tables call it."""
    form: str
    """How its values are written."""
    better: int
    """1 when more is better, -1 when less is, 0 when neither."""
    resolution: float = 0.0
    """A difference up to this is none: one tick of a lap time, say."""


@dataclass(frozen=True)
class Measure:
    """One quantity as it was measured at one place: a track with a delay, a density of traffic."""

    place: str
    quantity: Quantity
    estimate: Estimate | None
    """None where there was nothing to measure: no clean lap, no mission of that mode."""

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        values = None if self.estimate is None else self.estimate.plain()
        return {"place": self.place, "name": self.quantity.name, "estimate": values}


class Evaluation(Protocol):
    """What an evaluation of any world offers."""

    @property
    def world(self) -> str:
        """The world it was driven in."""

    @property
    def driver(self) -> str:
        """Who drove."""

    @property
    def about(self) -> Mapping[str, Any]:
        """What is known about the driver."""

    def setup(self) -> dict[str, Any]:
        """What was driven: evaluations of different setups cannot be compared."""

    def measures(self) -> list[Measure]:
        """Every figure that can be compared, in the order of the tables."""

    def plain(self) -> dict[str, Any]:
        """As an object for JSON, with `world`, `driver`, `setup` and `measures` in it."""


def document(evaluation: Evaluation, **parts: Any) -> dict[str, Any]:
    """An evaluation as an object for JSON, with what its world adds; docs/evaluation.md describes it."""
    who = {"world": evaluation.world, "driver": evaluation.driver, "about": dict(evaluation.about)}
    measures = [measure.plain() for measure in evaluation.measures()]
    return {**who, "setup": evaluation.setup(), **parts, "measures": measures}


@dataclass(frozen=True)
class Change:
    """A measure before and after."""

    before: Measure
    after: Measure

    @property
    def difference(self) -> Estimate | None:
        """After less before, with its interval; None where one of them has no figure."""
        if self.before.estimate is None or self.after.estimate is None:
            return None
        return self.after.estimate.less(self.before.estimate)

    @property
    def direction(self) -> str:
        """Whether it is "better" or "worse" beyond the interval; "" where the difference may be chance, or none."""
        return self.direction_among(1)

    def direction_among(self, count: int) -> str:
        """The same for one of so many figures: the more are looked at, the more differ by chance."""
        better, difference = self.after.quantity.better, self.difference
        if better == 0:
            return ""
        if difference is None:
            lost = self.before.estimate is not None and self.after.estimate is None
            return "worse" if lost else ""
        resolution, difference = self.after.quantity.resolution, difference.among(count)
        if difference.low > resolution:
            return "better" if better > 0 else "worse"
        if difference.high < -resolution:
            return "worse" if better > 0 else "better"
        return ""


def changes(before: Sequence[Measure], after: Sequence[Measure]) -> list[Change]:
    """Each measure of the second with that of the first; both have the same ones."""
    earlier = {(measure.place, measure.quantity.name): measure for measure in before}
    missing = [measure for measure in after if (measure.place, measure.quantity.name) not in earlier]
    if missing or len(earlier) != len(after):
        raise ConfigError("these evaluations are of different places. Evaluate both drivers with the same options.")
    return [Change(earlier[measure.place, measure.quantity.name], measure) for measure in after]


def read_measures(document: Mapping[str, Any], like: Sequence[Measure]) -> list[Measure]:
    """The measures in a document of `hotlap evaluate --json`; the quantities are those of an evaluation like it."""
    quantities = {measure.quantity.name: measure.quantity for measure in like}
    try:
        return [_read(entry, quantities) for entry in document["measures"]]
    except (LookupError, TypeError, ValueError) as problem:
        raise ConfigError(
            f'this is no evaluation of this version ({problem!r}). Make it again with "hotlap evaluate … --json".'
        ) from problem


def _read(entry: Mapping[str, Any], quantities: Mapping[str, Quantity]) -> Measure:
    estimate = None if entry["estimate"] is None else Estimate.read(entry["estimate"])
    return Measure(str(entry["place"]), quantities[entry["name"]], estimate)


def shortfalls(measures: Sequence[Measure], thresholds: Mapping[str, float]) -> list[str]:
    """What misses a threshold, by name of the quantity: at least that much where more is better, else at most."""
    known = {measure.quantity.name for measure in measures}
    for name in thresholds:
        if name not in known:
            hint = did_you_mean(name, known)
            raise ConfigError(f'no figure "{name}" for a threshold.{hint} Known: {", ".join(sorted(known))}.')
    found = []
    for measure in measures:
        limit = thresholds.get(measure.quantity.name)
        if limit is not None and _misses(measure, limit):
            found.append(f"{measure.place}: {measure.quantity.label} {shown(measure)}, asked for {limit:g}")
    return found


def _misses(measure: Measure, limit: float) -> bool:
    if measure.estimate is None:
        return True
    return (measure.estimate.value - limit) * (measure.quantity.better or -1) < 0.0


def shown(measure: Measure) -> str:
    """A figure with its interval, as people read it."""
    estimate, form = measure.estimate, measure.quantity.form
    if estimate is None:
        return "–"
    value = format(estimate.value, form)
    if estimate.low == estimate.high:
        return value
    return f"{value} ({format(estimate.low, form)}–{format(estimate.high, form)})"
