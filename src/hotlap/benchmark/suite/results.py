"""What a folder of the suite holds: one result for each run, and what they say together."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hotlap import __version__
from hotlap.benchmark.suite.tasks import Suite
from hotlap.errors import ReportError
from hotlap.evaluation.statistics import Estimate, interquartile_mean
from hotlap.settings import read_json
from hotlap.whole_files import write_whole_file

RESULTS_FOLDER, RESULTS_FILE, PAGE_FILE, SUITE_FILE = "results", "results.json", "results.html", "suite.json"
MOST_BYTES = 1 << 20


class SuiteFolder:
    """The folder of one suite: its runs, a result for each, and the summary."""

    def __init__(self, path: Path) -> None:
        self.path, self.runs, self.logs = path, path / "runs", path / "logs"

    def begin(self, about: dict[str, Any]) -> None:
        """Write down what is done here; a folder of other steps or another version is refused."""
        file = self.path / SUITE_FILE
        if file.is_file():
            found = read_json(file, MOST_BYTES)
            for key, ours in about.items():
                if found.get(key) != ours:
                    raise ReportError(
                        f"{self.path}: was begun with {key} {found.get(key)!r}, and this is {ours!r}. "
                        "Such numbers cannot be compared; name another folder."
                    )
            return
        write_whole_file(file, json.dumps(about).encode(), force=True, error=ReportError)

    def result(self, run: str) -> dict[str, Any] | None:
        """What came of a run; None where it is not done."""
        file = self.path / RESULTS_FOLDER / f"{run}.json"
        return dict(read_json(file, MOST_BYTES)) if file.is_file() else None

    def keep(self, run: str, result: dict[str, Any]) -> None:
        """Write down what came of a run."""
        file = self.path / RESULTS_FOLDER / f"{run}.json"
        write_whole_file(file, json.dumps(result).encode(), force=True, error=ReportError)

    def results(self) -> list[dict[str, Any]]:
        """Everything that is done."""
        files = sorted((self.path / RESULTS_FOLDER).glob("*.json"))
        return [dict(read_json(file, MOST_BYTES)) for file in files]


def summary(suite: Suite, steps: int | None, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Scores and interquartile means, by task and over all tasks, as an object for JSON."""
    scores = scores_of(suite, results)
    tasks = {
        name: {algorithm: _entry({name: scores[name][algorithm]}) for algorithm in scores[name]} for name in scores
    }
    facts = {"suite": suite.version, "hotlap": __version__, "steps": steps}
    return {**facts, "tasks": tasks, "all_tasks": _over_all(scores)}


def scores_of(suite: Suite, results: Sequence[dict[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """The scores of the seeds by task and algorithm, in the order of the suite."""
    scores: dict[str, dict[str, list[float]]] = {}
    for name, task in suite.tasks.items():
        for algorithm in task.algorithms:
            own = [each for each in results if (each["task"], each["algorithm"]) == (name, algorithm)]
            if own:
                ordered = sorted(own, key=lambda each: int(each["seed"]))
                scores.setdefault(name, {})[algorithm] = [float(each["score"]) for each in ordered]
    return scores


def _over_all(scores: dict[str, dict[str, list[float]]]) -> dict[str, Any]:
    """Of each algorithm that has every task there is a result of; others would be compared on easier ones."""
    everywhere = [name for name in next(iter(scores.values()), {}) if all(name in task for task in scores.values())]
    return {name: _entry({task: own[name] for task, own in scores.items()}) for name in everywhere}


def _entry(scores: dict[str, list[float]]) -> dict[str, Any]:
    estimate: Estimate = interquartile_mean(list(scores.values()))
    return {"iqm": estimate.plain(), "scores": scores}
