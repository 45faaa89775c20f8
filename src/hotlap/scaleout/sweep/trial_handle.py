"""Starting the process of one training, and ending it: what every engine of a sweep does for each of its trials."""

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Self

from hotlap.scaleout.sweep.folder import OVER, SweepFolder

GRACE_S = 20.0
"""How long a training has to save itself after it was asked to stop."""
ASKED_TO_STOP = (143, 130, -15, -2)
"""How a training ends that was asked to by SIGTERM or SIGINT: saved, or before it could listen."""


class TrialProcess:
    """A training of a sweep in its own process and process group, with its words kept in the sweep's logs."""

    def __init__(self, folder: SweepFolder, name: str) -> None:
        self.folder = folder
        self.name = name
        self._stopped = False
        command = [sys.executable, "-m", "hotlap.scaleout.sweep.trial_process", str(folder.path), name]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, process_group=0
            )
        self.pid = self._process.pid

    @property
    def log(self) -> Path:
        """What the training said."""
        return self.folder.logs / f"{self.name}.log"

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, at most so long; whether it has come."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def note_end(self) -> bool:
        """Whether the training came to its end; one that broke is noted as failed, one that was stopped is not."""
        code = self._process.wait()
        over = self.folder.record(self.name).state in OVER
        if not over:
            stopped = self._stopped or code in ASKED_TO_STOP
            self.folder.set_state(self.name, "waiting" if stopped else "failed")
        return over

    def stop(self) -> None:
        """Ask it once to save and stop; end it if it does not."""
        if self._process.poll() is None:
            self._stopped = True
            self._process.terminate()
            if not self.wait(GRACE_S):
                self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
