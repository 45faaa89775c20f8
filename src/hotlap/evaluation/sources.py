"""Which driver is meant: a run by name or folder, a policy file, or one of the scripted drivers of either world."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import as_file
from pathlib import Path
from typing import Any

from hotlap.checkpoints.names import POLICY_FILE, RUNS
from hotlap.checkpoints.run_manifest import check_run
from hotlap.errors import PolicyError, did_you_mean
from hotlap.policies import Policy
from hotlap.policies.bundled import BUNDLED, bundled_names
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.race_drivers import split_level
from hotlap.worlds import WORLDS, registered


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


def find_driver(name: str, root: Path = RUNS) -> DriverSource:
    """The driver of that name: scripted, a .onnx file, one that comes with Hotlap, a run's folder or its name.

    A driver of races can be had at a level: RUN@level-3.
    """
    driver, level = split_level(name)
    if level:
        return _at_level(find_driver(driver, root), level)
    scripted = scripted_drivers()
    if name in scripted:
        world, make = scripted[name]
        return DriverSource(name, world, make, {"kind": "scripted"}, _tracks(world, {}))
    path = Path(name)
    if path.suffix.lower() == ".onnx":
        return _from_file(path, None)
    if name in bundled_names() and not (root / name).is_dir():
        with as_file(BUNDLED / f"{name}.onnx") as file:
            return replace(_from_file(file, None), name=name)
    for run in (root / name, path):
        if (run / POLICY_FILE).is_file():
            check_run(run)
            return _from_file(run / POLICY_FILE, run)
        if run.is_dir() and run != root:
            raise PolicyError(
                f"{run}: has no {POLICY_FILE}. A run gets one when it is evaluated for the first time; let it train on."
            )
    known = [*scripted, *bundled_names(), *(run.name for run in sorted(root.glob("*")) if run.is_dir())]
    raise PolicyError(
        f'no run or policy "{name}".{did_you_mean(name, known)} '
        f"Give a run under {root}/, its folder, a .onnx file, or one of {', '.join((*scripted, *bundled_names()))}."
    )


def _at_level(source: DriverSource, level: int) -> DriverSource:
    if not registered(source.world).part("evaluation").has_levels:
        raise PolicyError(f'"{source.name}" drives in the world {source.world}: only drivers of races have levels.')
    return replace(source, name=f"{source.name}@level-{level}", about={**source.about, "kind": "level", "level": level})


def load_policy(name: str | Path, root: str | Path = "runs") -> OnnxPolicy:
    """A trained driver, ready to drive: `policy.act(observations)` gives one action for each row of observations.

    ```text
    policy = hotlap.load_policy("racer-ppo-1")
    action = policy.act(observation[None])[0]
    ```

    Args:
        name: A run by its name or folder, a .onnx file, or a driver that comes with Hotlap, such as "all-rounder".
        root: Folder that holds the runs.

    Returns:
        The policy. Its `metadata` says for which world, observation and physics it was trained.

    Raises:
        PolicyError: There is no such policy, or the file is damaged or was made for another physics.
    """
    source = find_driver(str(name), Path(root))
    policy = source.make(None) if source.about["kind"] == "policy" else None
    if not isinstance(policy, OnnxPolicy):
        raise PolicyError(
            f'"{name}" is a scripted driver or a level of one, which has no file. Name a run, a .onnx file or one of '
            f"{', '.join(bundled_names())}."
        )
    return policy


def _from_file(path: Path, run: Path | None) -> DriverSource:
    policy = OnnxPolicy(path, world=None)
    world = policy.metadata["world"]
    about = {"kind": "policy", "path": str(path), **policy.metadata}
    return DriverSource(policy.name, world, lambda _where: policy, about, _tracks(world, policy.metadata), run)


def scripted_drivers() -> dict[str, tuple[str, Callable[[Any], Policy]]]:
    """Every scripted driver by name: its world, and what makes it."""
    able = [world for world, registration in WORLDS.items() if registration.evaluation]
    return {
        name: (world, make) for world in able for name, make in registered(world).part("evaluation").scripted.items()
    }


def _tracks(world: str, metadata: dict[str, Any]) -> tuple[str, ...]:
    found: tuple[str, ...] = registered(world).part("evaluation").tracks(metadata)
    return found
