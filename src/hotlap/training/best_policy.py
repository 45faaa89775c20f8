"""Evaluating a policy while it is trained; the best so far is the run's policy."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from hotlap.checkpoints import read_document, write_document, write_file
from hotlap.errors import CheckpointError
from hotlap.training.runs import BEST_DOCUMENT, POLICY_FILE


@dataclass(frozen=True)
class PolicyScore:
    """How good the policy of one step is."""

    step: int
    score: tuple[float, ...]
    """Orders policies: the larger is the better one, the first difference decides."""
    tags: dict[str, float]
    """What TensorBoard is told."""
    laps: dict[str, float | None]
    """The best clean lap on each track, where there are tracks."""
    summary: str
    """The figures that matter in a few words."""


class PolicyEvaluator(Protocol):
    """Evaluates policies while they are trained, as they are evaluated afterwards."""

    def evaluate(self, policy: bytes, step: int) -> PolicyScore:
        """How good a policy file is."""


def publish(run: Path, score: PolicyScore, policy: bytes) -> None:
    """Make a policy the run's own: the file everyone uses, and what is known of it."""
    write_file(run / POLICY_FILE, policy)
    write_document(run / BEST_DOCUMENT, asdict(score))


def best_so_far(run: Path) -> PolicyScore | None:
    """What an earlier part of the run published."""
    if not (run / BEST_DOCUMENT).is_file():
        return None
    best = read_document(run / BEST_DOCUMENT)
    try:
        score = tuple(float(part) for part in best["score"])
        return PolicyScore(int(best["step"]), score, dict(best["tags"]), dict(best["laps"]), str(best["summary"]))
    except (LookupError, TypeError, ValueError) as problem:
        raise CheckpointError(
            f"{run / BEST_DOCUMENT}: does not say how good the best driver is ({problem!r}). "
            "Remove the file, and the next evaluation writes it anew."
        ) from problem
