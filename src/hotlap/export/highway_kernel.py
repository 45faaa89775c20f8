"""`highway.json` and `highway-scenes.bin`: how a page runs the highway, and dice for its traffic (docs/web.md)."""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from hotlap.episodes import Episodes, Rollout
from hotlap.export.browser_kernel import FORMAT, wasm_facts
from hotlap.export.linking import packaged
from hotlap.highway import tick
from hotlap.highway.config import HighwayConfig
from hotlap.highway.fingerprint import physics_fingerprint
from hotlap.highway.fleet import Actions, Orders, Roads, Rules, Scratch, Starts, StepOutputs, Vehicles, row_sizes
from hotlap.highway.mission_rules import OUTCOME_NAMES, REASON_NAMES, TIME_LIMIT_S
from hotlap.highway.missions import DEFAULT_GAP_S, MODE_NAMES, Mission
from hotlap.highway.physics import DECISION_S, LANE_WIDTH_M, MOST_VEHICLES, MPH, SIZE_NAMES
from hotlap.highway.poses import Poses
from hotlap.highway.road import lane_limit_mps
from hotlap.highway.sensors import FIELDS, OBSERVATION_SIZE
from hotlap.highway.supervisor import RULE_NAMES
from hotlap.highway.world import HighwayWorld
from hotlap.kernel import element_type

SLOTS = 1 + MOST_VEHICLES
SCENES = 16
"""Seeds 0 to 15: as many different roads as anybody looks at in an evening."""


def highway_document(wasm: bytes) -> dict[str, Any]:
    """What `data/highway.json` says about a `highway.wasm`."""
    rules = HighwayConfig().rules(SLOTS, supervised=True)
    return {
        "format": FORMAT,
        "fingerprint": physics_fingerprint(),
        "decision_s": DECISION_S,
        "wasm": wasm_facts(wasm),
        "slots": list(address_slots()),
        "calls": tick.MODES,
        "rules": rules._asdict(),
        "road": {
            "lane_width_m": LANE_WIDTH_M,
            "limits_mps": [lane_limit_mps(lane, rules) for lane in range(int(rules.lanes))],
            "vehicles": MOST_VEHICLES,
        },
        "mph": MPH,
        "default_gap_s": DEFAULT_GAP_S,
        "observation": FIELDS,
        "modes": MODE_NAMES,
        "time_limits_s": TIME_LIMIT_S,
        "outcomes": OUTCOME_NAMES,
        "reasons": REASON_NAMES,
        "rule_names": RULE_NAMES,
        "kinds": SIZE_NAMES,
        "scenes": [scene for scene, _ in map(drawn_scene, range(SCENES))],
    }


def address_slots() -> Iterable[dict[str, Any]]:
    """The slots of the address table in the order of `hotlap.highway.tick`, then the poses, with their sizes."""
    sizes = {**row_sizes(SLOTS, OBSERVATION_SIZE), **dict.fromkeys(Poses._fields, SLOTS)}
    groups: dict[str, Any] = {
        "vehicles": Vehicles,
        "roads": Roads,
        "scratch": Scratch,
        "actions": Actions,
        "orders": Orders,
        "outputs": StepOutputs,
        "starts": Starts,
        "episodes": Episodes,
        "rollout": Rollout,
    }
    single = ("actions", "orders", "starts", "episodes")
    for group, columns in groups.items():
        yield from _slots_of(group, columns, {} if group in single else sizes)
    yield {"group": "numbers", "field": "rules", "dtype": "float64", "count": len(Rules._fields)}
    yield from _slots_of("poses", Poses, sizes)


def _slots_of(group: str, columns: Any, sizes: dict[str, int]) -> Iterable[dict[str, Any]]:
    for field in columns._fields:
        kind = element_type(columns.__annotations__[field]).name
        yield {"group": group, "field": field, "dtype": kind, "per_road": sizes.get(field, 1)}


def drawn_scene(seed: int) -> tuple[dict[str, Any], np.ndarray[Any, np.dtype[np.float64]]]:
    """Where the ego of a seed begins, and the dice of everything around it: as `HighwayEnv.reset(seed=…)` has them."""
    world = HighwayWorld(1, vehicles=(0, MOST_VEHICLES), threads=1)
    world.begin(0, np.random.default_rng(seed), {"mission": Mission()})
    ego = {"lane": int(world.vehicles.lane[0]), "speed_mps": float(world.vehicles.speed_mps[0])}
    return {"seed": seed, **ego}, world.batch.dice[0].copy()


@cache
def packaged_fingerprint() -> str:
    """The physics of the highway that comes with the package, without running it."""
    return str(json.loads(packaged("highway.json"))["fingerprint"])


def scene_dice() -> bytes:
    """`data/highway-scenes.bin`: the dice of every scene, one after the other."""
    return b"".join(drawn_scene(seed)[1].astype("<f8").tobytes() for seed in range(SCENES))
