"""The tasks of the suite as data, and how an evaluation becomes a score."""

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np

from hotlap.evaluation.measures import Measure
from hotlap.settings import merged
from hotlap.training.config import TrainConfig, load_preset, with_steps


class Contestant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An algorithm with the settings it has in a task."""

    preset: str
    settings: dict[str, Any] = {}

    def config(self, seed: int, steps: int | None) -> TrainConfig:
        """What a run of it is trained with: always on the cores, since a GPU does not give the same numbers."""
        config = merged(load_preset(self.preset), {**self.settings, "seed": seed, "device": "cpu"}, self.preset)
        return config if steps is None else with_steps(config, steps)


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is learned, how it is evaluated and what counts."""

    about: str
    evaluation: dict[str, Any]
    """Options of `hotlap evaluate`."""
    measures: dict[str, tuple[float, float]]
    """By name: the values that are worth 0 and 1."""
    algorithms: dict[str, Contestant]

    def score(self, measures: Sequence[Measure]) -> float:
        """0 to 1: at each place the product of the measures, mean over the places that have them."""
        first = next(iter(self.measures))
        places = dict.fromkeys(each.place for each in measures if each.quantity.name == first)
        found = {(each.place, each.quantity.name): each for each in measures}
        worth = [[self._worth(found.get((place, name)), name) for name in self.measures] for place in places]
        return float(np.prod(worth, axis=1).mean())

    def _worth(self, measure: Measure | None, name: str) -> float:
        """One measure between its worst and its best value."""
        if measure is None or measure.estimate is None:
            return 0.0
        worst, best = self.measures[name]
        return float(np.clip((measure.estimate.value - worst) / (best - worst), 0.0, 1.0))


class Suite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All tasks of one version."""

    version: int
    tasks: dict[str, Task]

    def algorithms(self) -> tuple[str, ...]:
        """Every algorithm that some task has."""
        return tuple(dict.fromkeys(name for task in self.tasks.values() for name in task.algorithms))


def load_suite() -> Suite:
    """The suite that comes with Hotlap."""
    content = (files("hotlap.benchmark.suite") / "suite.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(content), Suite)
