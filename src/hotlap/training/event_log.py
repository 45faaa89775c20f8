"""TensorBoard's event files and the logger that fills them: one value per tag and step, resumed runs without gaps.

A run has one numbered file per time it was started. The number, not the clock, orders them, and each begins by saying
from which step on it replaces what the files before it hold.
"""

import importlib
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter, Logger

from hotlap.errors import TrainingError

Report = Callable[[str], None]
FILE_PREFIX = "events.out.tfevents."


def check_tensorboard() -> None:
    """Refuse to train without TensorBoard, rather than lose the curves."""
    try:
        importlib.import_module("tensorboard.summary.writer.record_writer")
    except ImportError as problem:
        raise TrainingError(
            f"TensorBoard cannot be loaded ({problem}), and a run keeps its curves with it. "
            'Install it with "pip install tensorboard".'
        ) from problem


class EventFile(KVWriter):
    """A new event file in a folder, for what comes after a step; on a full disk it says so and waits for room."""

    def __init__(self, folder: Path, step: int, report: Report) -> None:
        record_writer = importlib.import_module("tensorboard.summary.writer.record_writer")
        self._events = importlib.import_module("tensorboard.compat.proto.event_pb2")
        self._summaries = importlib.import_module("tensorboard.compat.proto.summary_pb2")
        self._report = report
        self._is_whole = True
        folder.mkdir(exist_ok=True)
        number = 1 + max((_number(path) for path in folder.glob(f"{FILE_PREFIX}*")), default=0)
        self._file = (folder / f"{FILE_PREFIX}{number:010d}.hotlap").open("xb", buffering=0)
        self._records = record_writer.RecordWriter(self._file)
        start = self._events.SessionLog(status=self._events.SessionLog.START)
        self._append(self._events.Event(file_version="brain.Event:2"))
        self._append(self._events.Event(step=step + 1, session_log=start))

    def write(self, key_values: Mapping[str, Any], key_excluded: Mapping[str, tuple[str, ...]], step: int = 0) -> None:
        """One event with every number; what SB3 excludes from TensorBoard is left out."""
        shown = {
            key: float(value)
            for key, value in sorted(key_values.items())
            if isinstance(value, int | float | np.number) and "tensorboard" not in key_excluded.get(key, ())
        }
        values = [self._summaries.Summary.Value(tag=key, simple_value=value) for key, value in shown.items()]
        self._append(self._events.Event(step=step, summary=self._summaries.Summary(value=values)))

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _append(self, event: Any) -> None:
        """Write a whole record or none: half of one would hide all that follow it."""
        event.wall_time = time.time()
        end = self._file.tell()
        try:
            self._records.write(event.SerializeToString())
        except OSError as problem:
            self._file.truncate(end)
            self._file.seek(end)
            if self._is_whole:
                self._report(f"TensorBoard's file cannot be written ({problem.strerror}). Training goes on without it.")
            self._is_whole = False


def _number(path: Path) -> int:
    digits = path.name.removeprefix(FILE_PREFIX).split(".")[0]
    return int(digits) if digits.isdecimal() else 0


class RunLogger(Logger):
    """SB3's logger with a steady clock, at most one value per tag and step, and a memory that can be saved."""

    def __init__(self) -> None:
        super().__init__(folder=None, output_formats=[])
        self._began_s = time.monotonic()
        self._began_step = 0
        self._dumped_step = -1

    def open(self, folder: Path, step: int, report: Report) -> None:
        """Write to a new event file from here on."""
        self.dir = str(folder)
        self.output_formats = [EventFile(folder, step, report)]
        self._began_s, self._began_step, self._dumped_step = time.monotonic(), step, step

    def dump(self, step: int = 0) -> None:
        """Write what was recorded; a second time for one step, as of SAC when two cars finish together, has to wait."""
        if step <= self._dumped_step:
            return
        self._dumped_step = step
        # SB3 takes these from the wall clock, which may jump.
        elapsed_s = max(time.monotonic() - self._began_s, 1e-9)
        for key, value in (
            ("time/fps", int((step - self._began_step) / elapsed_s)),
            ("time/time_elapsed", int(elapsed_s)),
        ):
            if key in self.name_to_value:
                self.name_to_value[key] = value
        super().dump(step)

    def write_now(self, values: Mapping[str, float], step: int) -> None:
        """Write some values for exactly this step, whatever else is being recorded."""
        for output in self.output_formats:
            output.write(dict(values), {}, step)

    def pending(self) -> dict[str, Any]:
        """What was recorded and not yet written: by key, the value (None for NaN), how many it averages, exclusions."""
        return {
            key: [_finite(value), self.name_to_count.get(key, 0), list(self.name_to_excluded[key])]
            for key, value in self.name_to_value.items()
        }

    def put_pending(self, pending: Mapping[str, Any]) -> None:
        """Take over what an earlier part of the run had recorded."""
        self.name_to_value.clear()
        self.name_to_count.clear()
        self.name_to_excluded.clear()
        for key, (value, count, excluded) in pending.items():
            self.name_to_value[key] = math.nan if value is None else float(value)
            self.name_to_count[key] = int(count)
            self.name_to_excluded[key] = tuple(str(name) for name in excluded)


def _finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None
