"""Estimates with the interval that holds the truth in 95 of 100 cases, and what two of them differ by."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z = 1.959963984540054
"""The normal distribution has 95 % within so many standard deviations."""
TAIL = 0.025
BISECTIONS = 80
BOOTSTRAP_DRAWS = 10_000


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval; both ends are the figure itself where nothing is left to chance."""

    value: float
    low: float
    high: float

    def plain(self) -> dict[str, float | None]:
        """As an object for JSON; an end that is not known is None."""
        return {name: value if math.isfinite(value) else None for name, value in asdict(self).items()}

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "Estimate":
        """Back from such an object."""
        low, high = values["low"], values["high"]
        ends = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
        return cls(float(values["value"]), *ends)

    def less(self, other: "Estimate") -> "Estimate":
        """This less another, measured apart from it: the distances to the ends of the intervals add as squares do."""
        value = self.value - other.value
        down = math.hypot(self.value - self.low, other.high - other.value)
        up = math.hypot(self.high - self.value, other.value - other.low)
        return Estimate(value, value - down, value + up)

    def among(self, count: int) -> "Estimate":
        """With an interval so wide that of so many figures, in 95 of 100 cases, every one is within its own."""
        wider = NormalDist().inv_cdf(1.0 - TAIL / count) / Z
        return Estimate(
            self.value, self.value - wider * (self.value - self.low), self.value + wider * (self.high - self.value)
        )


def exact(value: float) -> Estimate:
    """A figure that comes out the same every time."""
    return Estimate(value, value, value)


def share(done: int, ended: int) -> Estimate | None:
    """What part of the tries succeeded, with Wilson's interval; None without a try."""
    if ended == 0:
        return None
    part = done / ended
    middle = (part + Z * Z / (2 * ended)) / (1 + Z * Z / ended)
    half = Z / (1 + Z * Z / ended) * math.sqrt(part * (1 - part) / ended + Z * Z / (4 * ended * ended))
    return Estimate(part, max(0.0, min(middle - half, part)), min(1.0, max(middle + half, part)))


def rate(events: int, exposure: float) -> Estimate | None:
    """Events in each unit of exposure, with the exact interval of Poisson's law; None without exposure."""
    if exposure <= 0.0:
        return None
    low = 0.0 if events == 0 else _mean_where(lambda mean: 1.0 - _at_most(events - 1, mean) - TAIL, events)
    high = _mean_where(lambda mean: TAIL - _at_most(events, mean), events)
    return Estimate(events / exposure, low / exposure, high / exposure)


def _at_most(events: int, mean: float) -> float:
    """The probability of so many events or fewer where the mean is expected."""
    if mean == 0.0:
        return 1.0
    logs = [k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(events + 1)]
    return math.fsum(math.exp(log) for log in logs)


def _mean_where(rising: Callable[[float], float], events: int) -> float:
    """Where a function of the mean that rises passes zero."""
    low, high = 0.0, 2.0 * events + 20.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if rising(middle) > 0.0 else (middle, high)
    return 0.5 * (low + high)


def ratio(parts: ArrayLike, wholes: ArrayLike) -> Estimate | None:
    """The sum of parts over the sum of wholes; each pair is one episode, and episodes are what varies."""
    numerators, denominators = np.asarray(parts, np.float64), np.asarray(wholes, np.float64)
    total = float(denominators.sum())
    if total <= 0.0:
        return None
    value = float(numerators.sum()) / total
    count = len(numerators)
    if count < 2:
        return Estimate(value, -math.inf, math.inf)
    residuals = numerators - value * denominators
    half = Z * math.sqrt(count / (count - 1) * float((residuals**2).sum())) / total
    return Estimate(value, value - half, value + half)


def median(values: Sequence[float]) -> Estimate | None:
    """The middle of independent values; the interval is between two of them, by how often each side of it is hit."""
    if not values:
        return None
    ordered = sorted(values)
    count = len(ordered)
    reach = Z * math.sqrt(count) / 2.0
    low = max(math.floor(count / 2.0 - reach), 0)
    high = min(math.ceil(count / 2.0 + reach), count - 1)
    return Estimate(float(np.median(ordered)), ordered[low], ordered[high])


def interquartile_mean(groups: Sequence[Sequence[float]], draws: int = BOOTSTRAP_DRAWS) -> Estimate:
    """The mean of the middle half of all values, as far as whole values go.

    The interval is that of a bootstrap which draws within each group, such as the seeds of each task (Agarwal and
    others 2021, "Deep reinforcement learning at the edge of the statistical precipice"). It is the same every time.
    """
    rng = np.random.default_rng(0)
    drawn = [np.asarray(group)[rng.integers(len(group), size=(draws, len(group)))] for group in groups]
    means = _middle_mean(np.concatenate(drawn, axis=1))
    low, high = np.quantile(means, (TAIL, 1.0 - TAIL))
    value = float(_middle_mean(np.concatenate([np.asarray(group) for group in groups])[None])[0])
    return Estimate(value, min(float(low), value), max(float(high), value))


def _middle_mean(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each row, without a quarter at either end."""
    cut = rows.shape[1] // 4
    middle: NDArray[np.float64] = np.sort(rows, axis=1)[:, cut : rows.shape[1] - cut].mean(axis=1)
    return middle
