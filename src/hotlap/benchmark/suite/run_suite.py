"""What `hotlap suite` does: train every algorithm on every task with every seed, evaluate, and sum it up."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hotlap.benchmark.suite.page import print_summary, suite_page
from hotlap.benchmark.suite.results import PAGE_FILE, RESULTS_FILE, SuiteFolder, summary
from hotlap.benchmark.suite.tasks import Suite, Task, load_suite
from hotlap.checkpoints.run_files import is_run
from hotlap.errors import ConfigError, ReportError
from hotlap.evaluation.any_driver import evaluate
from hotlap.progress import say
from hotlap.training.train import TrainingResult, resume, train
from hotlap.whole_files import write_whole_file
from hotlap.worlds import check_known

MOST_SEEDS = 1000


@dataclass(frozen=True)
class SuiteRequest:
    """Which part of the suite to do, and where."""

    folder: Path
    tasks: tuple[str, ...] = ()
    """Empty for all."""
    algorithms: tuple[str, ...] = ()
    """Empty for all."""
    seeds: int = 5
    steps: int | None = None
    """Steps of every training; None for those of the presets."""


class SuiteRun(NamedTuple):
    """One training of the suite."""

    task: str
    algorithm: str
    seed: int

    @property
    def name(self) -> str:
        """Of its folder and its result."""
        return f"{self.task}-{self.algorithm}-{self.seed}"


def run_suite(request: SuiteRequest, *, as_json: bool) -> int:
    """Do what is not done yet, then print and write the summary of all that is in the folder."""
    suite = load_suite()
    chosen = list(runs_of(suite, request))
    folder = SuiteFolder(request.folder)
    folder.begin({"suite": suite.version, "steps": request.steps})
    waiting = [run for run in chosen if folder.result(run.name) is None]
    say(f"{request.folder}: {len(chosen) - len(waiting)} of {len(chosen)} trainings are done")
    for number, run in enumerate(waiting, 1):
        say(f"{run.name}, {number} of {len(waiting)}")
        folder.keep(run.name, _trained_and_evaluated(run, suite.tasks[run.task], folder, request.steps))
    document = summary(suite, request.steps, folder.results())
    content = {RESULTS_FILE: json.dumps(document, indent=2) + "\n", PAGE_FILE: suite_page(suite, document)}
    for name, text in content.items():
        write_whole_file(request.folder / name, text.encode(), force=True, error=ReportError)
    if as_json:
        sys.stdout.write(content[RESULTS_FILE])
    else:
        print_summary(document)
        say(f"written to {request.folder}: {RESULTS_FILE} and {PAGE_FILE}")
    return 0


def runs_of(suite: Suite, request: SuiteRequest) -> Iterator[SuiteRun]:
    """Every training that is asked for."""
    check_known(request.tasks, list(suite.tasks), "task")
    check_known(request.algorithms, suite.algorithms(), "algorithm")
    if not 1 <= request.seeds <= MOST_SEEDS:
        raise ConfigError(f"--seeds must be from 1 to {MOST_SEEDS}, not {request.seeds}.")
    if request.steps is not None and request.steps < 1:
        raise ConfigError(f"--steps must be 1 or more, not {request.steps}.")
    wanted: Sequence[str] = request.algorithms or suite.algorithms()
    for seed in range(request.seeds):  # a seed of everything first: an unfinished suite already says something
        for name in request.tasks or suite.tasks:
            for algorithm in suite.tasks[name].algorithms:
                if algorithm in wanted:
                    yield SuiteRun(name, algorithm, seed)


def _trained_and_evaluated(run: SuiteRun, task: Task, folder: SuiteFolder, steps: int | None) -> dict[str, object]:
    """A run that is trained to its end, from wherever it is, and what it is worth."""
    result = _trained(run, task, folder, steps)
    if result.stopped_by is not None:
        say("what is done is kept; the same command resumes the suite")
        raise KeyboardInterrupt
    evaluation = evaluate(run.name, root=folder.runs, **task.evaluation)
    return {**run._asdict(), "score": task.score(evaluation.measures()), "steps": result.step}


def _trained(run: SuiteRun, task: Task, folder: SuiteFolder, steps: int | None) -> TrainingResult:
    path = folder.runs / run.name
    if is_run(path):
        return resume(path, say)
    config = task.algorithms[run.algorithm].config(run.seed, steps)
    return train(config, run.name, folder.runs, say)
