"""What `hotlap suite` does: train every algorithm on every task with every seed, evaluate, and sum it up."""

import json
import sys
from collections.abc import Iterator, Sequence

from hotlap.benchmark.options import SuiteRequest
from hotlap.benchmark.suite.one_training import SuiteRun, finish_training
from hotlap.benchmark.suite.page import print_summary, suite_page
from hotlap.benchmark.suite.results import PAGE_FILE, RESULTS_FILE, SuiteFolder, summary
from hotlap.benchmark.suite.side_by_side import finish_side_by_side
from hotlap.benchmark.suite.tasks import Suite, load_suite
from hotlap.errors import ConfigError, ReportError
from hotlap.exit_codes import BELOW_WHAT_WAS_ASKED, DONE
from hotlap.progress import say
from hotlap.whole_files import write_whole_file
from hotlap.worlds import check_known

MOST_SEEDS = MOST_WORKERS = 1000


def run_suite(request: SuiteRequest) -> int:
    """Do what is not done yet, then print and write the summary of all that is in the folder."""
    suite = load_suite()
    chosen = list(runs_of(suite, request))
    folder = SuiteFolder(request.folder)
    folder.begin({"suite": suite.version, "steps": request.steps})
    waiting = [run for run in chosen if folder.result(run.name) is None]
    say(f"{request.folder}: {len(chosen) - len(waiting)} of {len(chosen)} trainings are done")
    try:
        _finish(waiting, folder, request)
    except KeyboardInterrupt:
        say("what is done is kept; the same command resumes the suite")
        raise
    document = summary(suite, request.steps, folder.results())
    content = {RESULTS_FILE: json.dumps(document, indent=2) + "\n", PAGE_FILE: suite_page(suite, document)}
    for name, text in content.items():
        write_whole_file(request.folder / name, text.encode(), force=True, error=ReportError)
    if request.json:
        sys.stdout.write(content[RESULTS_FILE])
    else:
        print_summary(document)
        say(f"written to {request.folder}: {RESULTS_FILE} and {PAGE_FILE}")
    return DONE if all(folder.result(run.name) for run in waiting) else BELOW_WHAT_WAS_ASKED


def runs_of(suite: Suite, request: SuiteRequest) -> Iterator[SuiteRun]:
    """Every training that is asked for."""
    check_known(request.tasks, list(suite.tasks), "task")
    check_known(request.algorithms, suite.algorithms(), "algorithm")
    if not 1 <= request.seeds <= MOST_SEEDS:
        raise ConfigError(f"--seeds must be from 1 to {MOST_SEEDS}, not {request.seeds}.")
    if not 1 <= request.workers <= MOST_WORKERS:
        raise ConfigError(f"--workers must be from 1 to {MOST_WORKERS}, not {request.workers}.")
    if request.steps is not None and request.steps < 1:
        raise ConfigError(f"--steps must be 1 or more, not {request.steps}.")
    wanted: Sequence[str] = request.algorithms or suite.algorithms()
    for seed in range(request.seeds):  # a seed of everything first: an unfinished suite already says something
        for name in request.tasks or suite.tasks:
            for algorithm in suite.tasks[name].algorithms:
                if algorithm in wanted:
                    yield SuiteRun(name, algorithm, seed)


def _finish(waiting: Sequence[SuiteRun], folder: SuiteFolder, request: SuiteRequest) -> None:
    """Do the trainings: here, one after the other, or several at a time in processes of their own."""
    if request.workers > 1:
        finish_side_by_side(waiting, folder, request.steps, request.workers)
        return
    for number, run in enumerate(waiting, 1):
        say(f"{run.name}, {number} of {len(waiting)}")
        finish_training(run, folder, request.steps)
