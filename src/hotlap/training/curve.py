"""The learning curve of a run as lines of JSON: steps, seconds, reward, completion, best lap."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotlap.evaluation.curve import CURVE_FILE
from hotlap.training.judge import Verdict

EVERY_SECONDS = 1.0


class Curve:
    """Appends to the run's curve; after a resume it goes on where the checkpoint was."""

    def __init__(self, run: Path, step: int) -> None:
        self.path = run / CURVE_FILE
        self._seconds = self._keep_until(step)
        self._began = time.monotonic()
        self._written = -EVERY_SECONDS

    def add(self, step: int, reward: float | None, completion: float | None, best_lap_s: float | None) -> None:
        """One line a second or so."""
        now = time.monotonic() - self._began
        if now - self._written < EVERY_SECONDS:
            return
        self._written = now
        facts = {"reward": reward, "completion": completion, "best_lap_s": best_lap_s}
        self._write({"step": step, "seconds": self.seconds(), **facts})

    def note(self, verdict: Verdict) -> None:
        """A line for an evaluation."""
        self._write({"step": verdict.step, "seconds": self.seconds(), "evaluation": verdict.tags})

    def seconds(self) -> float:
        """Training time so far, earlier parts of a resumed run included."""
        return round(self._seconds + time.monotonic() - self._began, 3)

    def _write(self, line: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _keep_until(self, step: int) -> float:
        """Forget what was written after the checkpoint that is resumed; the seconds spent until then."""
        lines = [line for line in read_curve(self.path) if line["step"] <= step]
        if self.path.exists():
            self.path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return float(lines[-1]["seconds"]) if lines else 0.0


def read_curve(path: Path) -> list[dict[str, Any]]:
    """The lines of a curve; a last line cut off by a crash is left out."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("step"), int):
            found.append(entry)
    return found
