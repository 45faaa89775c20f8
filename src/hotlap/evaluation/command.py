"""What `hotlap evaluate` and `hotlap compare` do: results to stdout, progress to stderr."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hotlap.errors import ConfigError, PolicyError
from hotlap.evaluation.compare import compare_document, print_comparison
from hotlap.evaluation.drives import DriveLimits
from hotlap.evaluation.evaluate import evaluate
from hotlap.evaluation.figures import Evaluation
from hotlap.evaluation.report import write_report
from hotlap.evaluation.sources import DriverSource, find_driver
from hotlap.evaluation.table import print_evaluation
from hotlap.racer.tracks import Track, load_track

DONE, BELOW_WHAT_WAS_ASKED = 0, 1


@dataclass(frozen=True)
class EvaluationRequest:
    """What to evaluate, and what to do with the result: the options of `hotlap evaluate`."""

    policy: str
    track: Sequence[str] = ()
    laps: int = 4
    steps: int = 6000
    report: Path | None = None
    require_percent: float | None = None
    root: Path = Path("runs")
    json: bool = False
    force: bool = False


def run_evaluation(request: EvaluationRequest) -> int:
    """Evaluate a driver and print the result; 1 when it falls short of what was required."""
    _refuse_taken(request.report, force=request.force)
    source = find_driver(request.policy, request.root)
    tracks = _tracks(request.track or source.tracks)
    result = _evaluated(source, tracks, DriveLimits(request.laps, request.steps))
    if request.json:
        print(json.dumps(result.plain(), indent=2))
    else:
        print_evaluation(result)
    if request.report is not None:
        write_report(result, tracks, source.run, request.report)
        _say(f"report written to {request.report}")
    return _verdict(result, request.require_percent)


def run_comparison(
    names: tuple[str, str], tracks: Sequence[str], root: Path, limits: DriveLimits, *, as_json: bool
) -> int:
    """Evaluate two drivers on the same tracks and print what differs."""
    first, second = (find_driver(name, root) for name in names)
    chosen = _tracks(tracks or [track for track in first.tracks if track in second.tracks] or first.tracks)
    a, b = (_evaluated(source, chosen, limits, with_human=False) for source in (first, second))
    if as_json:
        print(json.dumps(compare_document(a, b), indent=2))
    else:
        print_comparison(a, b)
    return DONE


def _evaluated(
    source: DriverSource, tracks: Sequence[Track], limits: DriveLimits, *, with_human: bool = True
) -> Evaluation:
    _say(f"driving {source.name} on {', '.join(track.track_id for track in tracks)}")
    return evaluate(source.make, tracks, limits=limits, with_human=with_human, name=source.name, about=source.about)


def _tracks(names: Sequence[str]) -> list[Track]:
    """Every track asked for; two of the same id would hide one another."""
    tracks = [load_track(name) for name in names]
    ids = [track.track_id for track in tracks]
    for track_id in ids:
        if ids.count(track_id) > 1:
            raise ConfigError(f'track "{track_id}" is asked for twice. Name each once; files need different names.')
    return tracks


def _refuse_taken(report: Path | None, *, force: bool) -> None:
    """Refuse before any driving is done."""
    if report is not None and report.is_dir():
        raise PolicyError(f"{report}: is a folder. Name a file in it, such as {report / 'report.html'}.")
    if report is not None and report.exists() and not force:
        raise PolicyError(f"{report}: exists already. Use --force to replace it, or choose another name.")


def _verdict(result: Evaluation, require_percent: float | None) -> int:
    if require_percent is None:
        return DONE
    shortcomings = result.below(require_percent)
    for shortcoming in shortcomings:
        _say(f"below what was asked: {shortcoming}")
    return BELOW_WHAT_WAS_ASKED if shortcomings else DONE


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
