"""`race.json`: what a page needs to race several cars on one road, beside what `kernel.json` says (docs/web.md)."""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from hotlap.export.browser_kernel import FORMAT, column_slots, wasm_facts
from hotlap.export.linking import packaged
from hotlap.race.config import RaceConfig, race_rules
from hotlap.race.fingerprint import OBSERVATION_SPEC
from hotlap.race.grid import (
    CONTACT_COLUMNS,
    MOST_CARS,
    START_KINDS,
    Contenders,
    Facts,
    Grids,
    Pairs,
    RaceRules,
    Slots,
    Work,
)
from hotlap.race.recovery import STUCK_TICKS
from hotlap.race.world import STATUSES
from hotlap.racer.grip_physics import GRIP_PHYSICS
from hotlap.racer.physics import PHYSICS

DOCUMENT, WASM = "race.json", "race.wasm"
FUNCTIONS = {"classic": "update_race", "grip": "update_grip_race"}
PREFIX = "race-"


def race_document(wasm: bytes) -> dict[str, Any]:
    """What `data/race.json` says about a `race.wasm`."""
    layouts = OBSERVATION_SPEC.layouts
    return {
        "format": FORMAT,
        "wasm": wasm_facts(wasm),
        "functions": FUNCTIONS,
        "fingerprints": {layout: OBSERVATION_SPEC.physics_fingerprint(layout) for layout in layouts},
        "layouts": {name: {"alone": name.removeprefix(PREFIX), "size": size} for name, size in layouts.items()},
        "most_cars": MOST_CARS,
        "starts": START_KINDS,
        "statuses": STATUSES,
        "stuck_ticks": STUCK_TICKS,
        "slots": list(race_slots()),
        "rules": {"classic": _rules(has_grip=False), "grip": _rules(has_grip=True)},
    }


def _rules(*, has_grip: bool) -> dict[str, float]:
    """The rules of one kind of car; how many cars race how far, and what they see, is for a page to fill in."""
    top_ups = (GRIP_PHYSICS if has_grip else PHYSICS).max_speed_ups
    return race_rules(RaceConfig(), 1, 0, START_KINDS[0], 0, top_ups, has_grip=has_grip)._asdict()


def race_slots() -> Iterable[dict[str, Any]]:
    """What follows the racer's slots in the address table, in the order of `hotlap.race.tick`."""
    groups: dict[str, Any] = {
        "contenders": Contenders,
        "pairs": Pairs,
        "grids": Grids,
        "slots": Slots,
        "facts": Facts,
        "work": Work,
    }
    sizes = {"seen": "layout", **dict.fromkeys((*Pairs._fields, *CONTACT_COLUMNS), "cars")}
    for slot in column_slots(groups):
        yield {**slot, "count": 1} if slot["group"] == "grids" else {**slot, "per_car": sizes.get(slot["field"], 1)}
    yield {"group": "numbers", "field": "race_rules", "dtype": "float64", "count": len(RaceRules._fields)}


@cache
def packaged_fingerprints() -> dict[str, str]:
    """The physics of races that comes with the package by what drivers see, without racing."""
    found: dict[str, str] = json.loads(packaged(DOCUMENT))["fingerprints"]
    return found
