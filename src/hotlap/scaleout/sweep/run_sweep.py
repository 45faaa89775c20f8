"""What `hotlap sweep` does: begin a sweep or go on with it, train everything, show what came of it."""

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path

from hotlap.checkpoints import RunLock, check_run_name, check_writable
from hotlap.checkpoints.names import POLICY_FILE
from hotlap.errors import ConfigError, SweepError
from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.request import EvaluationConfig
from hotlap.evaluation.sources import find_driver
from hotlap.evaluation.world_evaluation import evaluate_driver, evaluation_of
from hotlap.exit_codes import BELOW_WHAT_WAS_ASKED, DONE
from hotlap.progress import say
from hotlap.racer.tracks import load_track
from hotlap.scaleout.cluster import load_ray
from hotlap.scaleout.sweep.folder import RESULTS_DOCUMENT, SweepFolder
from hotlap.scaleout.sweep.local_engine import run_on_processes
from hotlap.scaleout.sweep.ray_engine import run_on_ray
from hotlap.scaleout.sweep.request import SweepRequest
from hotlap.scaleout.sweep.results import Row, best_run, print_rows, rows_of
from hotlap.scaleout.sweep.spec import load_spec, trials_of
from hotlap.whole_files import write_whole_file

MOST_WORKERS = 1024
Engine = Callable[[SweepFolder, list[str]], None]


def run_sweep(request: SweepRequest) -> int:
    """Train what is still to be trained, print the table and the best driver; 1 when a training failed."""
    engine = _engine(request)
    spec = load_spec(request.spec)
    if request.dry_run:
        return _show_trials(request)
    folder = SweepFolder(request.root / check_run_name(request.name or request.spec.stem))
    for track in spec.evaluate_on:
        load_track(track)
    trials_of(spec)  # what cannot be trained is refused before anything is on the disk
    check_writable(folder.path)
    with RunLock(folder.path):
        folder.begin(spec)
        names, everything = folder.unfinished(), folder.names()
        say(f"{folder.path}: {len(everything) - len(names)} of {len(everything)} trainings are done")
        with contextlib.suppress(KeyboardInterrupt):  # what is left is said next
            engine(folder, names)
        _check_over(folder)
        return _tell(folder, as_json=request.json)


def _check_over(folder: SweepFolder) -> None:
    """Where an engine was interrupted, trainings are left; the rest of the command would speak too soon."""
    left = [record for record in folder.records() if record.state in ("waiting", "running")]
    if left:
        say(f"{len(left)} trainings are left, each saved; the same command goes on with them")
        raise KeyboardInterrupt


def _engine(request: SweepRequest) -> Engine:
    """What trains: processes of this machine, or a Ray cluster."""
    if request.on == "ray":
        load_ray("tune")
        return lambda folder, names: run_on_ray(folder, names, request.address, request.cpus, say)
    workers = request.workers or os.cpu_count() or 1
    if not 1 <= workers <= MOST_WORKERS:
        raise ConfigError(f"--workers must be from 1 to {MOST_WORKERS}, not {request.workers}.")
    return lambda folder, names: run_on_processes(folder, names, workers, say)


def _show_trials(request: SweepRequest) -> int:
    trials = trials_of(load_spec(request.spec))
    if request.json:
        print(json.dumps([trial.document() for trial in trials]))
        return DONE
    for trial in trials:
        print(f"{trial.name}  {trial.config.steps:,} steps  {json.dumps(trial.point)}")
    return DONE


def _tell(folder: SweepFolder, *, as_json: bool) -> int:
    """The table, and the best policy evaluated as any other."""
    rows = rows_of(folder)
    evaluation = _evaluated(folder, best_run(rows))
    results = {"sweep": str(folder.path), "trials": [row.plain() for row in rows], "evaluation": evaluation.plain()}
    write_whole_file(folder.path / RESULTS_DOCUMENT, json.dumps(results).encode(), force=True, error=SweepError)
    if as_json:
        print(json.dumps(results))
    else:
        print_rows(f"{folder.path} · best first", rows)
        evaluation_of(evaluation.world).show(evaluation)
        print(f"The best policy is {best_run(rows) / POLICY_FILE}; try: hotlap play {best_run(rows)}")
    return _exit_code(rows)


def _evaluated(folder: SweepFolder, run: Path) -> Evaluation:
    """The best policy on every track, or in the traffic that counts."""
    source = find_driver(str(run))
    everywhere = evaluation_of(source.world).tracks({})
    tracks = (folder.spec().evaluate_on or everywhere) if everywhere else ()
    result: Evaluation = evaluate_driver(source, EvaluationConfig(track=tracks), say)
    return result


def _exit_code(rows: list[Row]) -> int:
    failed = [row.record.trial.name for row in rows if row.record.state == "failed"]
    for name in failed:
        say(f"{name} failed; its log says why. The same command tries it again.")
    return BELOW_WHAT_WAS_ASKED if failed else DONE
