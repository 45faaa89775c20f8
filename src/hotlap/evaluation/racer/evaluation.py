"""How drivers of the racer are evaluated: laps on tracks, from every start, beside a human and the original driver."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hotlap.errors import ConfigError
from hotlap.evaluation.racer.evaluate import evaluate
from hotlap.evaluation.racer.figures import DriveLimits, RacerEvaluation
from hotlap.evaluation.racer.recorded_laps import record_laps
from hotlap.evaluation.racer.report import report_page
from hotlap.evaluation.racer.table import print_evaluation
from hotlap.evaluation.request import EvaluationConfig, Outputs
from hotlap.evaluation.sources import DriverSource
from hotlap.evaluation.steps import Recording
from hotlap.evaluation.world_evaluation import Say
from hotlap.policies import CasualHuman, Policy, ReferenceDriver
from hotlap.racer.batch import GRIP_LAYOUTS
from hotlap.racer.cars import CLASSIC
from hotlap.racer.tracks import Track, circuit_ids, load_track, track_ids


class RacerWorldEvaluation:
    """The racer's `WorldEvaluation`."""

    options = ("track", "laps", "steps", "car")
    has_levels = False
    scripted: Mapping[str, Callable[[Any], Policy]] = {
        "reference": ReferenceDriver,
        "human": lambda _track: CasualHuman(),
    }

    def tracks(self, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """The built-in tracks a driver was trained on, or all of them."""
        trained_on = metadata.get("tracks")
        built_in = (*track_ids(), *circuit_ids())
        known = [track for track in built_in if isinstance(trained_on, list) and track in trained_on]
        return tuple(known) or (circuit_ids() if metadata.get("layout") in GRIP_LAYOUTS else track_ids())

    def evaluate(
        self, source: DriverSource, config: EvaluationConfig, say: Say, *, with_others: bool
    ) -> RacerEvaluation:
        """Laps on every track asked for."""
        tracks = chosen_tracks(config.track or source.tracks)
        say(f"driving {source.name} on {', '.join(track.track_id for track in tracks)}")
        options: dict[str, Any] = {
            "limits": _limits(config),
            "name": source.name,
            "about": source.about,
        }
        return evaluate(source.make, tracks, with_human=with_others, cars=driven_cars(source, config), **options)

    def show(self, result: RacerEvaluation) -> None:
        """The tables of laps."""
        print_evaluation(result)

    def draw(self, result: RacerEvaluation, run: Path | None) -> str:
        """The report, with lines and speeds over every track."""
        return report_page(result, run)

    def check_outputs(self, outputs: Outputs) -> None:
        """The racer has no episodes."""
        if outputs.episodes_file is not None:
            raise ConfigError("episodes are of the highway; the racer has laps. Leave --episodes-file out.")

    def write_episodes(self, result: RacerEvaluation, path: Path) -> str:
        """Refused before anything is driven."""
        raise NotImplementedError(f"{path}: {result.driver} has laps, not episodes")

    def record(self, source: DriverSource, config: EvaluationConfig) -> Recording:
        """The laps from every start of every track, with and without delay."""
        return record_laps(source, config.track or source.tracks, driven_cars(source, config), _limits(config))

    def shortfalls(self, result: RacerEvaluation, outputs: Outputs) -> list[str]:
        """Laps that are too far from the reference."""
        return [] if outputs.require_percent is None else result.below(outputs.require_percent)

    def split(self, config: EvaluationConfig, source: DriverSource) -> list[EvaluationConfig]:
        """One part for each track."""
        names = config.track or source.tracks
        chosen_tracks(names)
        return [replace(config, track=(name,)) for name in names]

    def joined(self, results: Sequence[RacerEvaluation], config: EvaluationConfig) -> RacerEvaluation:  # noqa: ARG002
        """All tracks in one."""
        return replace(results[0], tracks=[track for each in results for track in each.tracks])


def _limits(config: EvaluationConfig) -> DriveLimits:
    """How far is driven."""
    return DriveLimits(config.laps, config.steps)


def driven_cars(source: DriverSource, config: EvaluationConfig) -> tuple[str, ...]:
    """The cars asked for, or those a driver was trained with."""
    trained = source.about.get("cars")
    return config.car or (tuple(map(str, trained)) if isinstance(trained, list) and trained else (CLASSIC,))


def chosen_tracks(names: tuple[str, ...]) -> list[Track]:
    """Every track asked for; two of the same id would hide one another."""
    tracks = [load_track(name) for name in names]
    ids = [track.track_id for track in tracks]
    for track_id in ids:
        if ids.count(track_id) > 1:
            raise ConfigError(f'track "{track_id}" is asked for twice. Name each once; files need different names.')
    return tracks


EVALUATION = RacerWorldEvaluation()
