"""A sweep on this machine's own processes, without Ray."""

import threading
from collections.abc import Callable, Sequence

from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.trial_handle import TrialProcess
from hotlap.scaleout.training_process import side_by_side

Report = Callable[[str], None]


def run_on_processes(folder: SweepFolder, names: Sequence[str], workers: int, report: Report) -> None:
    """Train the named trials, so many at a time; an interruption lets the running ones save themselves first."""
    side_by_side(names, workers, lambda name, stop: _train(folder, name, stop), report)


def _train(folder: SweepFolder, name: str, stop: threading.Event) -> str:
    """One training, from its start to its end or to the end of all."""
    if not stop.is_set():
        with TrialProcess(folder, name) as process:
            process.wait_unless(stop)
            process.note_end()
    return f"{name}: {folder.record(name).state}"
