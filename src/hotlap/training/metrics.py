"""What every world's callback for TensorBoard offers: parts of the reward, facts for people, and a memory to save."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback


@dataclass(frozen=True)
class Summary:
    """What metrics need of some ticks of some cars: little enough to travel."""

    samples: int
    part_sums: dict[str, float]
    """Of each part of the reward."""


class Metrics(BaseCallback):
    """Tells TensorBoard how the driving goes; what it remembers from step to step is part of a checkpoint.

    A learner that drives without Python shows it many ticks in one step: columns of (ticks, cars). Where others drive,
    it is shown the summaries of their ticks, of neighbouring cars each.
    """

    whole_rollouts = True
    needs_samples = False

    def watched(self, world: Any) -> Mapping[str, NDArray[Any]]:  # noqa: ARG002 - for those who look
        """The columns of a compiled world that it looks at."""
        return {}

    def _on_step(self) -> bool:
        self.count(self.locals.get("summaries") or [self.summary(self.locals)])
        return True

    @abstractmethod
    def summary(self, seen: Mapping[str, Any]) -> Any:
        """What it needs of some ticks, from what a callback is shown of them."""

    @abstractmethod
    def count(self, summaries: Sequence[Any]) -> None:
        """Take what happened into account, and record it."""

    def record_parts(self, summaries: Sequence[Summary]) -> None:
        """The mean of each part of the reward goes to `reward/<part>`."""
        samples = sum(each.samples for each in summaries)
        for part in summaries[0].part_sums:
            self.logger.record_mean(f"reward/{part}", sum(each.part_sums[part] for each in summaries) / samples)

    @abstractmethod
    def facts(self) -> dict[str, float | None]:
        """How it goes, for a line of the learning curve."""

    @abstractmethod
    def words(self) -> list[str]:
        """How it goes, for the progress bar."""

    def tensors(self) -> dict[str, NDArray[Any]]:
        """What it remembers about each car."""
        return {}

    def put_tensors(self, tensors: Mapping[str, NDArray[Any]], cars: int) -> None:
        """Remember it again."""

    def counters(self) -> dict[str, Any]:
        """What it remembers besides, as JSON can hold it."""
        return {}

    def put_counters(self, counters: Mapping[str, Any]) -> None:
        """Remember it again."""


def columns_of(infos: Sequence[Mapping[str, Any]], wanted: Sequence[str]) -> Mapping[str, Any]:
    """The infos by key: at hand on a native batch, gathered from the dictionaries elsewhere."""
    if hasattr(infos, "columns"):
        columns: Mapping[str, Any] = infos.columns
        return columns
    return {key: np.array([info[key] for info in infos]) for key in wanted if all(key in info for info in infos)}


def part_sums(columns: Mapping[str, Any], parts: Sequence[str]) -> dict[str, float]:
    """The sum of each part of the reward, of those that there are."""
    return {part: float(np.add.reduce(columns[part], axis=None)) for part in parts if part in columns}


def filled(target: NDArray[Any], source: NDArray[Any], name: str) -> NDArray[Any]:
    """The target with a copy of an array of the same shape and type in it."""
    if target.shape != source.shape or target.dtype != source.dtype:
        raise ValueError(f"{name} is {source.dtype}{source.shape}, not {target.dtype}{target.shape}")
    target[...] = source
    return target
