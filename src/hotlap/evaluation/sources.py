"""Which driver is meant: a run by name or folder, a policy file, or one of the scripted drivers of either world."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap.errors import PolicyError, did_you_mean
from hotlap.evaluation.highway.evaluate import SCRIPTED as HIGHWAY_DRIVERS
from hotlap.policies import CasualHuman, Policy, ReferenceDriver
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.tracks import Track, track_ids

POLICY_FILE = "policy.onnx"
RACER_DRIVERS: dict[str, Callable[[Track], Policy]] = {
    "reference": ReferenceDriver,
    "human": lambda _track: CasualHuman(),
}
SCRIPTED: dict[str, tuple[str, Callable[[Any], Policy]]] = {
    **{name: ("racer", make) for name, make in RACER_DRIVERS.items()},
    **{name: ("highway", make) for name, make in HIGHWAY_DRIVERS.items()},
}
"""Every scripted driver: its world, and what makes it."""


@dataclass(frozen=True)
class DriverSource:
    """A driver that was found."""

    name: str
    """What tables call it."""
    world: str
    """The world it drives in."""
    make: Callable[[Any], Policy]
    """The driver for what is to be driven: a track of the racer, the seeds of the highway's episodes."""
    about: dict[str, Any]
    """What is known about it."""
    tracks: tuple[str, ...] = ()
    """The racer's tracks to evaluate it on when nobody says which."""
    run: Path | None = None
    """Its run's folder, where it has one."""


def find_driver(name: str, root: Path = Path("runs")) -> DriverSource:
    """The driver of that name: a scripted one, a .onnx file, a run's folder, or a run's name under the root."""
    if name in SCRIPTED:
        world, make = SCRIPTED[name]
        return DriverSource(name, world, make, {"kind": "scripted"}, track_ids() if world == "racer" else ())
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
        f"Give a run under {root}/, its folder, a .onnx file, or one of {', '.join(SCRIPTED)}."
    )


def _from_file(path: Path, run: Path | None) -> DriverSource:
    policy = OnnxPolicy(path, world=None)
    world = policy.metadata["world"]
    about = {"kind": "policy", "path": str(path), **policy.metadata}
    return DriverSource(policy.name, world, lambda _where: policy, about, _tracks(policy.metadata), run)


def _tracks(metadata: dict[str, Any]) -> tuple[str, ...]:
    """The built-in tracks a racing policy was trained on, or all of them."""
    if metadata["world"] != "racer":
        return ()
    trained_on = metadata.get("tracks")
    known = [track for track in track_ids() if isinstance(trained_on, list) and track in trained_on]
    return tuple(known) or track_ids()
