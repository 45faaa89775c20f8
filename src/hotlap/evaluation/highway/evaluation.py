"""How drivers of the highway are evaluated: missions in traffic of several densities, beside simple drivers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hotlap.errors import ConfigError
from hotlap.evaluation.highway.episodes import EpisodesHeader, write_episodes
from hotlap.evaluation.highway.evaluate import SCRIPTED, HighwayEvaluation, evaluate_highway
from hotlap.evaluation.highway.recorded_episodes import record_episodes
from hotlap.evaluation.highway.report import report_page
from hotlap.evaluation.highway.setup import HighwaySetup
from hotlap.evaluation.highway.table import print_highway
from hotlap.evaluation.request import EvaluationConfig, Outputs
from hotlap.evaluation.sources import DriverSource
from hotlap.evaluation.steps import Recording
from hotlap.evaluation.world_evaluation import Say
from hotlap.highway.fingerprint import physics_fingerprint


class HighwayWorldEvaluation:
    """The highway's `WorldEvaluation`."""

    options = ("vehicles", "episodes", "first_episode", "missions", "baselines", "orders")
    scripted = SCRIPTED
    has_levels = False

    def tracks(self, metadata: Mapping[str, Any]) -> tuple[str, ...]:  # noqa: ARG002 - there is one road
        """There are none."""
        return ()

    def evaluate(
        self, source: DriverSource, config: EvaluationConfig, say: Say, *, with_others: bool
    ) -> HighwayEvaluation:
        """Held-out episodes at every density."""
        say(f"driving {source.name} on the highway")
        baselines = with_others and config.baselines
        return evaluate_highway(
            source.make, _setup(config), with_baselines=baselines, name=source.name, about=source.about, say=say
        )

    def show(self, result: HighwayEvaluation) -> None:
        """The tables of figures."""
        print_highway(result)

    def draw(self, result: HighwayEvaluation, run: Path | None) -> str:
        """The report, with the strips of a few episodes."""
        return report_page(result, run)

    def check_outputs(self, outputs: Outputs) -> None:
        """The highway has no laps."""
        if outputs.require_percent is not None:
            raise ConfigError("--require-percent is about laps. For the highway write thresholds into a --config file.")

    def write_episodes(self, result: HighwayEvaluation, path: Path) -> str:
        """One line of JSON each."""
        fingerprint, missions = physics_fingerprint(), result.episodes.missions
        header = EpisodesHeader(result.driver, "highway", fingerprint, missions, dict(result.about))
        write_episodes(path, header, result.records, force=True)
        return f"{len(result.records)} episodes written to {path}"

    def record(self, source: DriverSource, config: EvaluationConfig) -> Recording:
        """The episodes at every density, without the supervisor."""
        return record_episodes(source.name, source.make, _setup(config))

    def shortfalls(self, result: HighwayEvaluation, outputs: Outputs) -> list[str]:  # noqa: ARG002 - thresholds say it all
        """None beyond the thresholds."""
        return []

    def split(self, config: EvaluationConfig, source: DriverSource) -> list[EvaluationConfig]:  # noqa: ARG002
        """One part for each density."""
        return [replace(config, vehicles=(vehicles,)) for vehicles in config.vehicles]

    def joined(self, results: Sequence[HighwayEvaluation], config: EvaluationConfig) -> HighwayEvaluation:
        """All densities in one."""
        densities = [density for each in results for density in each.densities]
        records = [record for each in results for record in each.records]
        orders = [order for each in results for order in each.orders]
        return replace(results[0], episodes=_setup(config), densities=densities, records=records, orders=orders)


def _setup(config: EvaluationConfig) -> HighwaySetup:
    """The episodes that are asked for."""
    return HighwaySetup(config.vehicles, config.episodes, config.first_episode, config.missions, config.orders)


EVALUATION = HighwayWorldEvaluation()
