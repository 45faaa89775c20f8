"""Several trainings of the suite at a time, each in a process and on cores of its own."""

import itertools
import threading
from collections.abc import Sequence
from queue import SimpleQueue

from hotlap.benchmark.suite.one_training import SuiteRun
from hotlap.benchmark.suite.results import SuiteFolder
from hotlap.progress import say
from hotlap.scaleout.training_process import TrainingProcess, side_by_side
from hotlap.systems import usable_cores

MODULE = "hotlap.benchmark.suite.one_training"


def finish_side_by_side(runs: Sequence[SuiteRun], folder: SuiteFolder, steps: int | None, workers: int) -> None:
    """Do the trainings; one that fails leaves no result, and its log says why."""
    folder.logs.mkdir(exist_ok=True)
    shares: SimpleQueue[str] = SimpleQueue()
    for share in core_shares(usable_cores(), workers):
        shares.put(",".join(map(str, share)))

    def finish(run: SuiteRun, stop: threading.Event) -> str:
        share = shares.get()
        try:
            return _finish_one(run, folder, [share, *map(str, run), *([str(steps)] if steps else [])], stop)
        finally:
            shares.put(share)

    side_by_side(runs, workers, finish, say)


def core_shares(cores: Sequence[int], workers: int) -> list[Sequence[int]]:
    """Cores for each worker: as equal as can be, and one for several where there are too few."""
    if workers > len(cores):
        return [[cores[worker % len(cores)]] for worker in range(workers)]
    ends = [len(cores) * worker // workers for worker in range(workers + 1)]
    return [cores[first:last] for first, last in itertools.pairwise(ends)]


def _finish_one(run: SuiteRun, folder: SuiteFolder, arguments: Sequence[str], stop: threading.Event) -> str:
    """One training in its process; what came of it, in words."""
    log = folder.logs / f"{run.name}.log"
    if not stop.is_set():
        with TrainingProcess(MODULE, [str(folder.path), *arguments], log) as process:
            process.wait_unless(stop)
    result = folder.result(run.name)
    return f"{run.name}: {'failed, see ' + str(log) if result is None else format(result['score'], '.3f')}"
