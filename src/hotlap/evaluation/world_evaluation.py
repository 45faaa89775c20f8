"""What each world brings to an evaluation: how it is driven, shown in tables and drawn in a report."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap.errors import ConfigError
from hotlap.evaluation.highway import report as highway_report
from hotlap.evaluation.highway.evaluate import evaluate_highway
from hotlap.evaluation.highway.table import print_highway
from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.racer import report as racer_report
from hotlap.evaluation.racer.evaluate import evaluate
from hotlap.evaluation.racer.table import print_evaluation
from hotlap.evaluation.request import EvaluationConfig
from hotlap.evaluation.sources import DriverSource
from hotlap.racer.tracks import Track, load_track

Say = Callable[[str], None]
Request = tuple[DriverSource, EvaluationConfig]
"""A driver and what is to be measured of it."""
Measuring = Callable[[Sequence[Request], Say], Iterable[Evaluation]]
"""Measures drivers, wherever that is done; the results in the order of the requests."""


@dataclass(frozen=True)
class Part:
    """One world's part."""

    evaluate: Callable[[DriverSource, EvaluationConfig, bool, Say], Any]
    """Drive: who, what, whether others are driven for comparison, and who is told about progress."""
    show: Callable[[Any], None]
    """Print the tables."""
    draw: Callable[[Any, Path | None], str]
    """The report as HTML, with the learning curve of a run where there is one."""


def _race(source: DriverSource, config: EvaluationConfig, with_others: bool, say: Say) -> Any:
    tracks = chosen_tracks(config.track or source.tracks)
    say(f"driving {source.name} on {', '.join(track.track_id for track in tracks)}")
    options: dict[str, Any] = {"limits": config.limits(), "name": source.name, "about": source.about}
    return evaluate(source.make, tracks, with_human=with_others, **options)


def chosen_tracks(names: tuple[str, ...]) -> list[Track]:
    """Every track asked for; two of the same id would hide one another."""
    tracks = [load_track(name) for name in names]
    ids = [track.track_id for track in tracks]
    for track_id in ids:
        if ids.count(track_id) > 1:
            raise ConfigError(f'track "{track_id}" is asked for twice. Name each once; files need different names.')
    return tracks


def _ride(source: DriverSource, config: EvaluationConfig, with_others: bool, say: Say) -> Any:
    say(f"driving {source.name} on the highway")
    with_baselines = with_others and config.baselines
    return evaluate_highway(
        source.make, config.setup(), with_baselines=with_baselines, name=source.name, about=source.about, say=say
    )


PARTS = {
    "racer": Part(_race, print_evaluation, racer_report.report_page),
    "highway": Part(_ride, print_highway, highway_report.report_page),
}


def measured(source: DriverSource, config: EvaluationConfig, say: Say, *, with_others: bool = True) -> Any:
    """Evaluate a driver in its world."""
    return PARTS[source.world].evaluate(source, config.for_world(source.world), with_others, say)


def evaluate_here(requests: Sequence[Request], say: Say) -> Iterator[Evaluation]:
    """One after the other, in this process."""
    for source, config in requests:
        yield measured(source, config, say)
