"""A sweep on this machine's own processes, without Ray."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.interrupting import terminating_as_interrupting
from hotlap.scaleout.sweep.trial_handle import TrialProcess

Report = Callable[[str], None]
LOOK_S = 0.2


def run_on_processes(folder: SweepFolder, names: Sequence[str], workers: int, report: Report) -> None:
    """Train the named trials, so many at a time; an interruption lets the running ones save themselves first."""
    stop = threading.Event()
    with terminating_as_interrupting(), ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(_train, folder, name, stop): name for name in names}
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                report(f"{futures[future]}: {folder.record(futures[future]).state} ({done} of {len(names)})")
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _train(folder: SweepFolder, name: str, stop: threading.Event) -> None:
    """One training, from its start to its end or to the end of all."""
    if stop.is_set():
        return
    with TrialProcess(folder, name) as process:
        while not process.wait(LOOK_S) and not stop.is_set():
            pass
        process.stop()
        process.note_end()
