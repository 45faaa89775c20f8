"""The drivers of races by their names: line drivers of several paces, and policy files."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from hotlap.errors import ConfigError
from hotlap.policies.line_drivers import line_driver
from hotlap.race.batch import RaceBatch
from hotlap.race.opponents import RaceDriver

LINE_NAME = re.compile(r"line-(\d{2,3})")
SLOWEST_PACE, FASTEST_PACE = 50, 100


def race_driver(wanted: Any, race: RaceBatch) -> RaceDriver:
    """The driver of that name for the cars of a race: line-50 to line-100, or a .onnx file; a driver as it is."""
    driver: RaceDriver
    if not isinstance(wanted, str | Path):
        if not hasattr(wanted, "act") or not hasattr(wanted, "name"):
            raise ConfigError(f"an opponent is a name, a .onnx file or a driver with a name and act, not {wanted!r}.")
        driver = wanted
        return driver
    line = LINE_NAME.fullmatch(str(wanted))
    if line and SLOWEST_PACE <= int(line[1]) <= FASTEST_PACE:
        return line_driver(race, int(line[1]))
    if str(wanted).lower().endswith(".onnx"):
        # Files need the runtime of policies, which line drivers do without.
        driver = import_module("hotlap.policies.race_policy").FileDriver(Path(wanted), race)
        return driver
    raise ConfigError(
        f'no opponent "{wanted}". Give line-{SLOWEST_PACE} to line-{FASTEST_PACE} (its pace in percent), '
        "or the policy.onnx of a run."
    )
