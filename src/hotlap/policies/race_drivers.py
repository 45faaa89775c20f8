"""The drivers of races by their names: line drivers of several paces, policy files, and levels of those."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from hotlap.checkpoints.names import POLICY_SUFFIX
from hotlap.errors import ConfigError
from hotlap.policies.bundled import BUNDLED, RACE_DRIVER, bundled_names
from hotlap.policies.levels import LEVEL_NAME, LEVELS, LevelDriver
from hotlap.policies.line_drivers import line_driver
from hotlap.race.batch import RaceBatch
from hotlap.race.opponents import RaceDriver

LINE_NAME = re.compile(r"line-(\d{2,3})")
SLOWEST_PACE, FASTEST_PACE = 50, 100


def race_driver(wanted: Any, race: RaceBatch) -> RaceDriver:
    """The driver of that name for the cars of a race; a driver as it is."""
    driver: RaceDriver
    if not isinstance(wanted, str | Path):
        if not hasattr(wanted, "act") or not hasattr(wanted, "name"):
            raise ConfigError(f"an opponent is a name, a .onnx file or a driver with a name and act, not {wanted!r}.")
        driver = wanted
        return driver
    name, number = split_level(str(wanted))
    driver = _driver(name, race)
    return LevelDriver(driver, number, str(wanted), race) if number else driver


def _driver(name: str, race: RaceBatch) -> RaceDriver:
    """A driver without a level."""
    driver: RaceDriver
    line, file = LINE_NAME.fullmatch(name), policy_file(name)
    if line and SLOWEST_PACE <= int(line[1]) <= FASTEST_PACE:
        return line_driver(race, int(line[1]))
    if file is not None:
        # Files need the runtime of policies, which line drivers do without.
        driver = import_module("hotlap.policies.race_policy").FileDriver(file, race)
        return driver
    raise ConfigError(
        f'no opponent "{name}". Give line-{SLOWEST_PACE} to line-{FASTEST_PACE} (its pace in percent), '
        f"the policy.onnx of a run, a folder of such files, or level-1 to level-{len(LEVELS)}."
    )


def split_level(name: str) -> tuple[str, int]:
    """The driver's own name, and its level; 0 for none. A level without a driver is of the one that comes along."""
    found = LEVEL_NAME.fullmatch(name)
    if not found:
        return name, 0
    if int(found[2]) not in LEVELS:
        raise ConfigError(f"levels are from 1 (slowest) to {len(LEVELS)}, not {found[2]}.")
    return found[1] or RACE_DRIVER, int(found[2])


def policy_file(name: str) -> Path | None:
    """The file of a policy: a .onnx file itself, or that of a driver that comes with Hotlap; None of other drivers."""
    if name.lower().endswith(POLICY_SUFFIX):
        return Path(name)
    return Path(str(BUNDLED / f"{name}{POLICY_SUFFIX}")) if name in bundled_names() else None


def drivers_in(folder: Path) -> list[str]:
    """The policy files of a folder, and those of the runs in it."""
    found = sorted({*folder.glob(f"*{POLICY_SUFFIX}"), *folder.glob(f"*/policy{POLICY_SUFFIX}")})
    if not found:
        raise ConfigError(f"{folder}: has no {POLICY_SUFFIX} files and no runs with a policy. Name another folder.")
    return [str(path) for path in found]
