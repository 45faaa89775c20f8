"""What a run folder holds: the one reader of each document in it; `names` has the names of all its files.

Every document is written and read through `run_manifest`, which knows its hash. Its checkpoints are read by
`loading`, its past policies listed by `past`, its learning curve is `curve`'s.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hotlap.checkpoints.history import list_checkpoints
from hotlap.checkpoints.names import BEST_DOCUMENT, POLICY_FILE, RUN_DOCUMENT, step_of
from hotlap.checkpoints.past import list_past_policies, past_step
from hotlap.checkpoints.run_manifest import read_covered_document, write_covered_document, write_covered_file
from hotlap.errors import CheckpointError


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


def is_run(folder: Path) -> bool:
    """Whether a folder is a run's: it says what it is."""
    return (folder / RUN_DOCUMENT).is_file()


def read_run_document(run: Path) -> dict[str, Any]:
    """What a run was started with: its settings, its physics, the version that made it."""
    document = read_covered_document(run, RUN_DOCUMENT)
    if not isinstance(document.get("config"), dict) or "physics_fingerprint" not in document:
        raise CheckpointError(
            f"{run / RUN_DOCUMENT}: does not say how the run was made. Restore it from a copy, or start a new run."
        )
    return document


def write_run_document(run: Path, document: Mapping[str, Any]) -> None:
    """Say what a run is."""
    write_covered_document(run, RUN_DOCUMENT, document)


def publish_best(run: Path, score: PolicyScore, policy: bytes) -> None:
    """Make a policy the run's own: the file everyone uses, and what is known of it."""
    write_covered_file(run, POLICY_FILE, policy)
    write_covered_document(run, BEST_DOCUMENT, asdict(score))


def read_best(run: Path) -> PolicyScore | None:
    """What is known of the run's own policy; None before the first evaluation."""
    if not (run / BEST_DOCUMENT).is_file():
        return None
    best = read_covered_document(run, BEST_DOCUMENT)
    try:
        score = tuple(float(part) for part in best["score"])
        return PolicyScore(int(best["step"]), score, dict(best["tags"]), dict(best["laps"]), str(best["summary"]))
    except (LookupError, TypeError, ValueError) as problem:
        raise CheckpointError(
            f"{run / BEST_DOCUMENT}: does not say how good the best driver is ({problem!r}). "
            "Remove the file, and the next evaluation writes it anew."
        ) from problem


def newest_step(run: Path) -> int:
    """The step of the newest checkpoint; 0 before the first."""
    return max((step_of(path) or 0 for path in list_checkpoints(run)), default=0)


def policies_by_step(run: Path) -> dict[int, Path]:
    """Every policy on the way that was kept, by its step: those of checkpoints, and those of the past."""
    policies = {step_of(path) or 0: path / POLICY_FILE for path in list_checkpoints(run)}
    # Of two files of one step that which stays: the other goes with its checkpoint.
    return policies | {past_step(path): path for path in list_past_policies(run)}
