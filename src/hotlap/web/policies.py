"""Drivers on their way to a page: checked before they are sent, and those that come with Hotlap."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from hotlap.checkpoints.names import PAST
from hotlap.checkpoints.run_manifest import read_covered_file
from hotlap.errors import CheckpointError, PolicyError
from hotlap.export.world_browser import browser_of
from hotlap.racer.cars.catalogue import CLASSIC
from hotlap.web.runs import DriverEntry, key_of, named_assists

KEPT_POLICIES = 16
CLASSIC_LAYOUTS = ("classic", "full")
"""What drivers of the classic car see."""


def physics_of_page(world: str, layout: str) -> str:
    """The physics that pages run, known without compiling anything: a driver is handed out for that."""
    return browser_of(world).fingerprint(layout)


class PolicyCounter:
    """Hands out policy files by key; each is checked once, and the last few are kept in memory."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def content(self, driver: DriverEntry) -> bytes:
        """The bytes of a driver that can race here; another is a PolicyError that names no folder."""
        if driver.problem is not None:
            raise PolicyError(driver.problem)
        kept = self._kept.get(driver.key)
        content = kept if kept is not None else _checked(driver)
        self._kept[driver.key] = content
        while len(self._kept) > KEPT_POLICIES:
            self._kept.popitem(last=False)
        return content


def _checked(driver: DriverEntry) -> bytes:
    from hotlap.policies.onnx_checks import checked_model  # noqa: PLC0415 - onnx: for the first race

    try:
        content = _read(driver)
    except (PolicyError, CheckpointError) as problem:
        raise PolicyError("the file of this driver is damaged or gone. Look at the folder of its run.") from problem
    checked_model("this driver", content, driver.world, physics_of_page)
    return content


def _read(driver: DriverEntry) -> bytes:
    """The file of a driver; the run's best and those of its past only as they were written."""
    from hotlap.policies.onnx_checks import read_model_file  # noqa: PLC0415

    folder, name = driver.path.parent, driver.path.name
    if driver.kind == "best":
        return read_covered_file(folder, name)
    return read_covered_file(folder.parent, f"{PAST}/{name}") if folder.name == PAST else read_model_file(driver.path)


@cache
def bundled_drivers() -> tuple[DriverEntry, ...]:
    """The drivers that come with Hotlap, so that the first race needs no training: NAME.onnx with its NAME.json."""
    with as_file(files("hotlap.web") / "data" / "bundled") as folder:
        paths = sorted(folder.glob("*.onnx"))
        return tuple(bundled_driver(path) for path in paths)


def bundled_driver(path: Path) -> DriverEntry:
    """A driver beside a small document with the clean flying laps it was measured with: {"laps": {"track-01": 6.7}}."""
    from hotlap.policies.onnx_checks import checked_model, read_model_file  # noqa: PLC0415

    content = read_model_file(path)
    metadata = checked_model(path.name, content, None, physics_of_page).metadata
    about = path.with_suffix(".json")
    laps = json.loads(about.read_bytes())["laps"] if about.is_file() else {}
    return DriverEntry(
        path=path,
        key=key_of("bundled", path.stem, str(len(content)), str(metadata.get("steps"))),
        kind="bundled",
        run=None,
        name=path.stem,
        world=str(metadata["world"]),
        step=int(metadata.get("steps", 0)),
        layout=str(metadata["layout"]),
        tracks=tuple(map(str, metadata.get("tracks", ()))),
        cars=bundled_cars(metadata),
        assists=named_assists(str(metadata.get("assists", "off"))),
        fingerprint=str(metadata["physics_fingerprint"]),
        bytes=len(content),
        laps=laps,
    )


def bundled_cars(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The cars a driver learned to drive; one that names none and sees what the classic car shows drives that."""
    usual = (CLASSIC,) if metadata["layout"] in CLASSIC_LAYOUTS else ()
    return tuple(map(str, metadata.get("cars", usual)))
