"""One training of the suite: from wherever it is to its end, evaluated, its result kept.

`python -m hotlap.benchmark.suite.one_training FOLDER CORES TASK ALGORITHM SEED [STEPS]` is started by a suite with
several workers, never by hand; CORES are the numbers of the cores it may use, with commas between them.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from hotlap.benchmark.suite.results import SuiteFolder
from hotlap.benchmark.suite.tasks import Task, load_suite
from hotlap.checkpoints.run_files import is_run
from hotlap.errors import HotlapError
from hotlap.evaluation.any_driver import evaluate
from hotlap.exit_codes import DONE, INTERRUPTED, USER_MISTAKE
from hotlap.progress import say
from hotlap.scaleout.training_process import stop_when_alone
from hotlap.systems import keep_to_cores
from hotlap.training.train import TrainingResult, resume, train


class SuiteRun(NamedTuple):
    """Which training it is."""

    task: str
    algorithm: str
    seed: int

    @property
    def name(self) -> str:
        """Of its folder and its result."""
        return f"{self.task}-{self.algorithm}-{self.seed}"


def finish_training(run: SuiteRun, folder: SuiteFolder, steps: int | None) -> None:
    """Train to the end, evaluate, and write the result down; KeyboardInterrupt when it was stopped, and saved."""
    task = load_suite().tasks[run.task]
    result = _trained(run, task, folder, steps)
    if result.stopped_by is not None:
        raise KeyboardInterrupt
    evaluation = evaluate(run.name, root=folder.runs, **task.evaluation)
    score = task.score(evaluation.measures())
    folder.keep(run.name, {**run._asdict(), "score": score, "steps": result.step})


def _trained(run: SuiteRun, task: Task, folder: SuiteFolder, steps: int | None) -> TrainingResult:
    path = folder.runs / run.name
    if is_run(path):
        return resume(path, say)
    config = task.algorithms[run.algorithm].config(run.seed, steps)
    return train(config, run.name, folder.runs, say)


def main(arguments: list[str]) -> int:
    """In a process of its own: 0 when the result is kept."""
    folder, cores, task, algorithm, seed, *steps = arguments
    keep_to_cores([int(core) for core in cores.split(",")])
    stop_when_alone()
    try:
        finish_training(
            SuiteRun(task, algorithm, int(seed)), SuiteFolder(Path(folder)), int(steps[0]) if steps else None
        )
    except KeyboardInterrupt:
        return INTERRUPTED
    except HotlapError as error:
        say(str(error))
        return USER_MISTAKE
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
