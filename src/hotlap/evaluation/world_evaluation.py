"""What each world brings to an evaluation: how a driver of it is driven, shown in tables, drawn and put together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from hotlap.errors import ConfigError
from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.request import EvaluationConfig, Outputs
from hotlap.evaluation.sources import DriverSource
from hotlap.evaluation.steps import Recording
from hotlap.policies import Policy
from hotlap.worlds import WORLDS, registered

Say = Callable[[str], None]
Request = tuple[DriverSource, EvaluationConfig]
"""A driver and how it is to be evaluated."""
Evaluate = Callable[[Sequence[Request], Say], Iterable[Evaluation]]
"""Evaluates drivers, wherever that is done; the results in the order of the requests."""


class WorldEvaluation(Protocol):
    """How drivers of one world are evaluated; the results are its own and come back to it."""

    options: Sequence[str]
    """The fields of `EvaluationConfig` that are about this world alone."""
    scripted: Mapping[str, Callable[[Any], Policy]]
    """Its scripted drivers by name, each made for what is to be driven."""
    has_levels: bool
    """Whether its drivers can be had at a level of strength."""

    def tracks(self, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """Where a driver that says this about itself is evaluated when nobody says where; none where there are none."""

    def evaluate(self, source: DriverSource, config: EvaluationConfig, say: Say, *, with_others: bool) -> Any:
        """Drive, beside others for comparison or alone; `say` is told about progress."""

    def show(self, result: Any) -> None:
        """Print the tables."""

    def draw(self, result: Any, run: Path | None) -> str:
        """The report as HTML, with the learning curve of a run where there is one."""

    def check_outputs(self, outputs: Outputs) -> None:
        """Refuse what this world does not have."""

    def write_episodes(self, result: Any, path: Path) -> str:
        """Write every episode to a file; what was written, in words."""

    def record(self, source: DriverSource, config: EvaluationConfig) -> Recording:
        """Every step of the episodes of an evaluation; refused here where that cannot be, driven when asked for."""

    def shortfalls(self, result: Any, outputs: Outputs) -> list[str]:
        """What misses a requirement that only this world has."""

    def split(self, config: EvaluationConfig, source: DriverSource) -> list[EvaluationConfig]:
        """The same evaluation in parts that can be driven apart from each other."""

    def joined(self, results: Sequence[Any], config: EvaluationConfig) -> Any:
        """The results of the parts as one."""


def evaluation_of(world: str) -> WorldEvaluation:
    """How drivers of a world are evaluated."""
    found: WorldEvaluation = registered(world).part("evaluation")
    return found


def evaluate_driver(source: DriverSource, config: EvaluationConfig, say: Say, *, with_others: bool = True) -> Any:
    """Evaluate a driver in its world."""
    return evaluation_of(source.world).evaluate(source, checked(config, source), say, with_others=with_others)


def checked(config: EvaluationConfig, source: DriverSource) -> EvaluationConfig:
    """The same, once it is certain that nothing in it is meant for another world."""
    for world in (name for name, registration in WORLDS.items() if registration.evaluation):
        for name in evaluation_of(world).options:
            if config.says(name) and name not in evaluation_of(source.world).options:
                raise ConfigError(f"{name} is an option of the {world}, and this driver drives in the {source.world}.")
    return config
