"""Policies of a run's past that stay for good, each at twice the steps of the one before: learning to look back on."""

from pathlib import Path

from hotlap.checkpoints.history import folder_entries
from hotlap.checkpoints.lock import check_held
from hotlap.checkpoints.names import MOST_STEPS, PAST, POLICY_SUFFIX, step_folder_name, step_of
from hotlap.checkpoints.run_manifest import write_covered_file
from hotlap.errors import CheckpointWriteError
from hotlap.whole_files import reason


class PastPolicies:
    """Which past policies a run has, and when the next is due: at `first` steps, then at twice as many, and so on.

    Nothing is ever removed, and doubling bounds how many there are: eight up to 128 times the first.
    """

    def __init__(self, run: Path, first: int, step: int = MOST_STEPS) -> None:
        """Of a run at a step: what it kept later, before it went back there, is written over in its turn."""
        self.run = Path(run)
        self.first = first
        kept = map(past_step, list_past_policies(run))
        self._due = self._next_after(max((each for each in kept if each <= step), default=0))

    def is_due(self, step: int) -> bool:
        """Whether the policy of this step is one to keep; never where the first is 0."""
        return self.first > 0 and step >= self._due

    def keep(self, step: int, policy: bytes | None) -> None:
        """Write it in one step; what could not be made or written is not tried again before the next is due."""
        self._due = self._next_after(step)
        if policy is None:
            return
        check_held(self.run)
        folder = self.run / PAST
        try:
            folder.mkdir(exist_ok=True)
        except OSError as problem:
            raise CheckpointWriteError(
                f"{folder}: cannot be made ({reason(problem)}). Make room or give permission there."
            ) from problem
        write_covered_file(self.run, f"{PAST}/{step_folder_name(step)}{POLICY_SUFFIX}", policy)

    def _next_after(self, step: int) -> int:
        due = self.first
        while 0 < due <= step:
            due *= 2
        return due


def list_past_policies(run: Path) -> list[Path]:
    """The files of the run's past policies, oldest first."""
    files = [path for path in folder_entries(Path(run) / PAST) if path.suffix == POLICY_SUFFIX]
    return sorted((path for path in files if step_of(path.with_suffix("")) is not None), key=past_step)


def past_step(path: Path) -> int:
    """The step a past policy is named after."""
    return step_of(path.with_suffix("")) or 0
