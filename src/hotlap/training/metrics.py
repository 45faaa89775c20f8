"""What every world's callback for TensorBoard offers: parts of the reward, facts for people, and a memory to save."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback


class Metrics(BaseCallback):
    """Tells TensorBoard how the driving goes; what it remembers from step to step is part of a checkpoint.

    A learner that drives without Python shows it many ticks in one step: columns of (ticks, cars).
    """

    whole_rollouts = True

    def watched(self, world: Any) -> Mapping[str, NDArray[Any]]:  # noqa: ARG002 - for those who look
        """The columns of a compiled world that it looks at."""
        return {}

    def record_parts(self, parts: Mapping[str, Any]) -> None:
        """The mean of each part of the reward goes to `reward/<part>`."""
        for part, values in parts.items():
            self.logger.record_mean(f"reward/{part}", float(np.add.reduce(values, axis=None)) / np.size(values))

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


def filled(target: NDArray[Any], source: NDArray[Any], name: str) -> NDArray[Any]:
    """The target with a copy of an array of the same shape and type in it."""
    if target.shape != source.shape or target.dtype != source.dtype:
        raise ValueError(f"{name} is {source.dtype}{source.shape}, not {target.dtype}{target.shape}")
    target[...] = source
    return target
