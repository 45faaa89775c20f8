"""The process of one training of a sweep, and what its end means for the sweep."""

from hotlap.scaleout.sweep.folder import OVER, SweepFolder
from hotlap.scaleout.training_process import TrainingProcess

ASKED_TO_STOP = (143, 130, -15, -2)
"""How a training ends that was asked to by SIGTERM or SIGINT: saved, or before it could listen."""


class TrialProcess(TrainingProcess):
    """A training of a sweep, with its words kept in the sweep's logs."""

    def __init__(self, folder: SweepFolder, name: str) -> None:
        self.folder = folder
        self.name = name
        arguments = (str(folder.path), name)
        super().__init__("hotlap.scaleout.sweep.trial_process", arguments, folder.logs / f"{name}.log")

    def note_end(self) -> bool:
        """Whether the training came to its end; one that broke is noted as failed, one that was stopped is not."""
        code = self._process.wait()
        over = self.folder.record(self.name).state in OVER
        if not over:
            stopped = self.was_stopped or code in ASKED_TO_STOP
            self.folder.set_state(self.name, "waiting" if stopped else "failed")
        return over
