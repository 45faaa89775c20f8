"""Which driver is meant: a run by name or folder, a policy file, or one of the scripted drivers."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap.errors import PolicyError, did_you_mean
from hotlap.policies import CasualHuman, Policy, ReferenceDriver
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.tracks import Track, track_ids

POLICY_FILE = "policy.onnx"
SCRIPTED: dict[str, Callable[[Track], Policy]] = {
    "reference": ReferenceDriver,
    "human": lambda _track: CasualHuman(),
}


@dataclass(frozen=True)
class DriverSource:
    """A driver that was found."""

    name: str
    """What tables call it."""
    make: Callable[[Track], Policy]
    """The driver for a track."""
    about: dict[str, Any]
    """What is known about it."""
    tracks: tuple[str, ...]
    """The tracks to evaluate it on when nobody says which."""
    run: Path | None = None
    """Its run's folder, where it has one."""


def find_driver(name: str, root: Path = Path("runs")) -> DriverSource:
    """The driver of that name: "reference", "human", a .onnx file, a run's folder, or a run's name under the root."""
    if name in SCRIPTED:
        return DriverSource(name, SCRIPTED[name], {"kind": "scripted"}, track_ids())
    path = Path(name)
    if path.suffix.lower() == ".onnx":
        return _from_file(path, None)
    for run in (root / name, path):
        if (run / POLICY_FILE).is_file():
            return _from_file(run / POLICY_FILE, run)
        if run.is_dir() and run != root:
            raise PolicyError(
                f"{run}: has no {POLICY_FILE}. A run gets one when it is evaluated for the first time; let it train on."
            )
    known = [*SCRIPTED, *(run.name for run in sorted(root.glob("*")) if run.is_dir())]
    raise PolicyError(
        f'no run or policy "{name}".{did_you_mean(name, known)} '
        f'Give a run under {root}/, its folder, a .onnx file, "reference" or "human".'
    )


def _from_file(path: Path, run: Path | None) -> DriverSource:
    policy = OnnxPolicy(path)
    trained_on = policy.metadata.get("tracks")
    known = [track for track in track_ids() if isinstance(trained_on, list) and track in trained_on]
    about = {"kind": "policy", "path": str(path), **policy.metadata}
    return DriverSource(policy.name, lambda _track: policy, about, tuple(known) or track_ids(), run)
