"""What a sweep tries: ranges for settings, written in TOML, turned into points by a seed."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hotlap.errors import ConfigError

Kind = Literal["grid", "choice", "uniform", "loguniform"]
KINDS: tuple[Kind, ...] = ("grid", "choice", "uniform", "loguniform")
Point = dict[str, Any]


@dataclass(frozen=True)
class SearchRange:
    """The values one setting may have."""

    kind: Kind
    """grid: each of them; choice: one drawn; uniform and loguniform: a number drawn between two."""
    values: tuple[Any, ...]
    """The values, or the lowest and the highest number."""

    def draw(self, rng: np.random.Generator) -> Any:
        """One of its values."""
        if self.kind in ("grid", "choice"):
            return self.values[int(rng.integers(len(self.values)))]
        low, high = self.values
        if self.kind == "loguniform":
            return float(math.exp(rng.uniform(math.log(low), math.log(high))))
        return float(rng.uniform(low, high))

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        """A neighbour of a value: a number times 0.8 or 1.25 within the range, or the next one of a list."""
        if self.kind in ("grid", "choice"):
            place = self.values.index(value) if value in self.values else 0
            return self.values[min(max(place + int(rng.choice([-1, 1])), 0), len(self.values) - 1)]
        low, high = self.values
        return float(min(max(value * float(rng.choice([0.8, 1.25])), low), high))


def parse_search(table: Mapping[str, Any], path: str = "") -> dict[str, SearchRange]:
    """The ranges of a `[search]` table by dotted setting: `{"ppo": {"gamma": {"uniform": [0.9, 1]}}}`."""
    found: dict[str, SearchRange] = {}
    for key, value in table.items():
        name = f"{path}{key}"
        if not isinstance(value, Mapping):
            raise ConfigError(f"search.{name} is {value!r}; write a range, such as {{ grid = [1, 2] }}.")
        kinds = [kind for kind in KINDS if kind in value]
        if not kinds:
            found |= parse_search(value, f"{name}.")
        elif len(value) > 1:
            raise ConfigError(f"search.{name} has {', '.join(value)}; give exactly one of {', '.join(KINDS)}.")
        else:
            found[name] = _checked_range(name, kinds[0], value[kinds[0]])
    return found


def _checked_range(name: str, kind: Kind, values: Any) -> SearchRange:
    if not isinstance(values, Sequence) or isinstance(values, str) or not values:
        raise ConfigError(f"search.{name}.{kind} must be a list with something in it, not {values!r}.")
    if kind in ("grid", "choice"):
        return SearchRange(kind, tuple(tuple(value) if isinstance(value, list) else value for value in values))
    numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) != len(values) or len(values) != 2 or not -math.inf < numbers[0] <= numbers[1] < math.inf:
        raise ConfigError(f"search.{name}.{kind} must be the lowest and the highest number, not {values!r}.")
    if kind == "loguniform" and numbers[0] <= 0.0:
        raise ConfigError(f"search.{name}.loguniform must begin above 0, not at {values[0]!r}.")
    return SearchRange(kind, tuple(numbers))


def points(search: Mapping[str, SearchRange], samples: int, seed: int) -> Iterator[Point]:
    """Every combination of the grids, each with so many draws of what is drawn; the same seed, the same points."""
    rng = np.random.default_rng(seed)
    grids = {name: each.values for name, each in search.items() if each.kind == "grid"}
    drawn = {name: each for name, each in search.items() if each.kind != "grid"}
    for combination in itertools.product(*grids.values()):
        for _ in range(samples if drawn else 1):
            fixed = dict(zip(grids, combination, strict=True))
            yield fixed | {name: each.draw(rng) for name, each in drawn.items()}


def nested(point: Mapping[str, Any]) -> dict[str, Any]:
    """A point by dotted name as the tables that settings are filled from."""
    tables: dict[str, Any] = {}
    for name, value in point.items():
        *path, last = name.split(".")
        table = tables
        for part in path:
            table = table.setdefault(part, {})
        table[last] = value
    return tables
