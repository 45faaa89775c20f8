"""A logger that remembers what it was told, and through which door."""

from typing import Any

from stable_baselines3.common.logger import Logger


class RecordingLogger(Logger):
    """Keeps `record` and `record_mean` apart, in the order of the calls."""

    def __init__(self) -> None:
        super().__init__(folder=None, output_formats=[])
        self.recorded: list[tuple[str, Any]] = []
        self.averaged: list[tuple[str, Any]] = []

    def record(self, key: str, value: Any, exclude: Any = None) -> None:
        self.recorded.append((key, value))
        super().record(key, value, exclude)

    def record_mean(self, key: str, value: float | None, exclude: Any = None) -> None:
        self.averaged.append((key, value))
        super().record_mean(key, value, exclude)
