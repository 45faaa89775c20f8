"""The learning curve of a run as lines of JSON: steps, seconds, reward, what the world counts, evaluations."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hotlap.checkpoints import write_file
from hotlap.evaluation.curve import CURVE_FILE
from hotlap.training.best_policy import PolicyScore

EVERY_SECONDS = 1.0


class Curve:
    """Appends to the run's curve; after a resume it goes on where the checkpoint was."""

    def __init__(self, run: Path, step: int, report: Callable[[str], None]) -> None:
        self.path = run / CURVE_FILE
        self._report = report
        self._is_whole = True
        self._seconds = self._keep_until(step)
        self._began_s = time.monotonic()
        self._written_s = -EVERY_SECONDS

    def add(self, step: int, facts: Mapping[str, float | None]) -> None:
        """One line a second or so."""
        now_s = time.monotonic() - self._began_s
        if now_s - self._written_s < EVERY_SECONDS:
            return
        self._written_s = now_s
        self._write({"step": step, "seconds": self.seconds(), **facts})

    def note(self, score: PolicyScore) -> None:
        """A line for an evaluation."""
        evaluation = {"evaluation": score.tags, "score": list(score.score)}
        self._write({"step": score.step, "seconds": self.seconds(), **evaluation})

    def seconds(self) -> float:
        """Training time so far, earlier parts of a resumed run included."""
        return round(self._seconds + time.monotonic() - self._began_s, 3)

    def _write(self, line: Mapping[str, Any]) -> None:
        """Append a line; on a full disk the curve has a gap, which is said once."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as problem:
            if self._is_whole:
                self._report(f"the learning curve cannot be written ({problem.strerror}). Training goes on without it.")
            self._is_whole = False

    def _keep_until(self, step: int) -> float:
        """Forget what was written after the checkpoint that is resumed; the seconds spent until then."""
        lines = [line for line in read_lines(self.path) if line["step"] <= step]
        if self.path.exists():
            write_file(self.path, "".join(json.dumps(line) + "\n" for line in lines).encode())
        return max((float(line["seconds"]) for line in lines), default=0.0)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a curve; one cut off by a crash is left out."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("step"), int) and isinstance(entry.get("seconds"), float):
            found.append(entry)
    return found
