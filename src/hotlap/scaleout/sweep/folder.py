"""What a sweep leaves on disk: its spec, one record per training, and the runs themselves; every file always whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from hotlap.checkpoints import check_run_name, check_writable, read_document, write_document
from hotlap.errors import SweepError
from hotlap.scaleout.sweep.spec import SweepSpec, Trial, trial_from_document, trials_of
from hotlap.settings import merged

SWEEP_DOCUMENT = "sweep.json"
RESULTS_DOCUMENT = "results.json"
RECORDS, RUNS, LOGS = "trials", "runs", "logs"
State = Literal["waiting", "running", "finished", "stopped early", "failed"]
OVER: tuple[State, ...] = ("finished", "stopped early")
Score = tuple[float, ...]


@dataclass(frozen=True)
class TrialRecord:
    """How far one training of a sweep is."""

    trial: Trial
    state: State = "waiting"
    scores: Mapping[int, Score] = field(default_factory=dict)
    """Its scores, by the step at which runs were to be compared."""
    taken_over: tuple[Mapping[str, Any], ...] = ()
    """When it took over another's weights, whose, and with which settings."""

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "trial": self.trial.document(),
            "state": self.state,
            "scores": {str(step): list(score) for step, score in self.scores.items()},
            "taken_over": [dict(each) for each in self.taken_over],
        }


class SweepFolder:
    """A sweep on disk. Each training writes its own record; what reads them never sees half of one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs = path / RUNS
        self.logs = path / LOGS

    @property
    def exists(self) -> bool:
        """Whether a sweep was begun here."""
        return (self.path / SWEEP_DOCUMENT).is_file()

    def begin(self, spec: SweepSpec) -> None:
        """Write down a new sweep; or, where the same one is here already, make ready to go on with it."""
        document = _plain(spec)
        if self.exists:
            if read_document(self.path / SWEEP_DOCUMENT).get("spec") != document:
                raise SweepError(
                    f"{self.path} holds a sweep with another spec. Choose another --name, or put the spec back as it "
                    "was to go on with that sweep."
                )
            return
        trials = trials_of(spec)
        for folder in (self.path, self.path / RECORDS, self.runs, self.logs):
            check_writable(folder)
        for trial in trials:
            self.write(TrialRecord(trial))
        # Last: a sweep that was cut off before this line never began.
        write_document(self.path / SWEEP_DOCUMENT, {"spec": document, "trials": [trial.name for trial in trials]})

    def spec(self) -> SweepSpec:
        """What the sweep was begun with."""
        return merged(SweepSpec(), self._sweep()["spec"], SWEEP_DOCUMENT)

    def names(self) -> list[str]:
        """Its trainings, in order."""
        return [check_run_name(name) for name in self._sweep()["trials"]]

    def record(self, name: str) -> TrialRecord:
        """How far one training is."""
        path = self.path / RECORDS / f"{check_run_name(name)}.json"
        document = read_document(path)
        try:
            scores = {int(step): tuple(float(part) for part in each) for step, each in document["scores"].items()}
            trial = trial_from_document(document["trial"])
            return TrialRecord(trial, document["state"], scores, tuple(document["taken_over"]))
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            raise SweepError(
                f"{path}: does not say how far the training is ({problem!r}). Remove the sweep."
            ) from problem

    def records(self) -> list[TrialRecord]:
        """How far every training is, in order."""
        return [self.record(name) for name in self.names()]

    def write(self, record: TrialRecord) -> None:
        """Put a training's record in place of the one before."""
        write_document(self.path / RECORDS / f"{record.trial.name}.json", record.document())

    def set_state(self, name: str, state: State) -> None:
        """Note that a training began or ended."""
        self.write(replace(self.record(name), state=state))

    def unfinished(self) -> list[str]:
        """The trainings that are still to be made or to be ended."""
        return [record.trial.name for record in self.records() if record.state not in OVER]

    def _sweep(self) -> dict[str, Any]:
        document = read_document(self.path / SWEEP_DOCUMENT)
        if not isinstance(document.get("trials"), list) or not isinstance(document.get("spec"), dict):
            raise SweepError(f"{self.path / SWEEP_DOCUMENT}: does not say what the sweep is. Begin another.")
        return document


def _plain(value: Any) -> Any:
    """Dataclasses, tuples and tables as JSON gives them back."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value
