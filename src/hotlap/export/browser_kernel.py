"""`kernel.json`: how a page lays out the memory of the racer, with every number it needs (docs/web.md)."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from hotlap.episodes import Episodes, Rollout
from hotlap.export.wasm import object_imports
from hotlap.kernel import element_type
from hotlap.racer.batch import GRIP_LAYOUTS, LAYOUTS
from hotlap.racer.cars import car_ids, load_car
from hotlap.racer.cars.fingerprint import car_fingerprint
from hotlap.racer.config import RacerConfig
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.racer.fleet import Actions, FleetState, Rules, Starts, StepOutputs
from hotlap.racer.grip_fingerprint import grip_fingerprint
from hotlap.racer.grip_fleet import CAR_NUMBERS, CarTable, GripFleet, build_car_table
from hotlap.racer.grip_physics import GRIP_PHYSICS
from hotlap.racer.physics import (
    GATE_COUNT,
    PHYSICS,
    RAY_COUNT,
    ROAD,
    RUNOFF,
    SHOULDER,
    TICKS_PER_SECOND,
    Physics,
)
from hotlap.racer.starts import DRAWS, RESPAWN_TICKS
from hotlap.racer.tables import TrackTables
from hotlap.racer.tick import MODES

FORMAT = 1


def kernel_document(wasm: bytes) -> dict[str, Any]:
    """What `data/kernel.json` says about a `racer.wasm`."""
    return {
        "format": FORMAT,
        "fingerprint": physics_fingerprint(),
        "ticks_per_second": TICKS_PER_SECOND,
        "respawn_ticks": RESPAWN_TICKS,
        "gates": GATE_COUNT,
        "surfaces": {"road": ROAD, "runoff": RUNOFF, "shoulder": SHOULDER},
        "wasm": wasm_facts(wasm),
        "calls": MODES,
        "slots": list(address_slots()),
        "rules": RacerConfig().rules(layout=0)._asdict(),
        "physics": PHYSICS._asdict(),
        "grip": grip_facts(),
        "layouts": {name: {"number": number, "size": size} for number, (name, size) in enumerate(LAYOUTS.items())},
        "rays_rad": np.linspace(-np.pi / 2.0, np.pi / 2.0, RAY_COUNT).tolist(),
    }


def grip_facts() -> dict[str, Any]:
    """What a page needs for cars with grip: they have a function, numbers and a fingerprint of their own."""
    cars = [load_car(car_id) for car_id in car_ids()]
    table = build_car_table([car.data for car in cars])._asdict()
    return {
        "function": "update_grip",
        "fingerprint": grip_fingerprint(),
        "physics": GRIP_PHYSICS._asdict(),
        "layouts": list(GRIP_LAYOUTS),
        "cars": [{"id": car.car_id, "name": car.name, "fingerprint": car_fingerprint(car.data)} for car in cars],
        "car_table": {field: column.tolist() for field, column in table.items()},
    }


def wasm_facts(wasm: bytes) -> dict[str, Any]:
    """By which a page knows a module, and what it must bring."""
    return {"sha256": hashlib.sha256(wasm).hexdigest(), "bytes": len(wasm), "imports": object_imports(wasm)}


def address_slots() -> Iterable[dict[str, Any]]:
    """The slots of the address table in the order of `hotlap.racer.tick`, with the size of what they point to."""
    groups: dict[str, Any] = {
        "fleet": FleetState,
        "tables": TrackTables,
        "actions": Actions,
        "outputs": StepOutputs,
        "starts": Starts,
        "episodes": Episodes,
        "rollout": Rollout,
        "grip": GripFleet,
        "cars": CarTable,
    }
    sizes = {"observation": "layout", "final_observation": "layout", "draws": DRAWS}
    for slot in column_slots(groups):
        if slot["group"] == "cars":
            slot["count"] = len(car_ids()) * (CAR_NUMBERS if slot["field"] == "seen" else 1)
        elif slot["group"] != "tables":
            slot["per_car"] = sizes.get(slot["field"], 1)
        yield slot
    for field, numbers in (("rules", Rules), ("physics", Physics)):
        yield {"group": "numbers", "field": field, "dtype": "float64", "count": len(numbers._fields)}


def column_slots(groups: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A slot for every column of every group, without its size."""
    for group, columns in groups.items():
        for field in columns._fields:
            yield {"group": group, "field": field, "dtype": element_type(columns.__annotations__[field]).name}
