"""Drives on the highway recorded from the native kernel: an expert with orders, and drivers that know no fear."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.highway.missions import Mission, Mode
from hotlap.highway.physics import MOST_VEHICLES
from hotlap.highway.poses import Poses, write_poses
from hotlap.highway.world import HighwayWorld
from hotlap.kernel import zeros
from hotlap.policies.highway_expert import HighwayExpert

Array = NDArray[Any]
FIELDS = [
    *(("vehicles", name) for name in ("x_m", "speed_mps", "accel_mps2", "progress")),
    ("poses", "across"),
    ("poses", "heading_rad"),
    *(("actions", name) for name in ("throttle", "brake", "lane")),
    *(("outputs", name) for name in ("observation", "reward", "gap_ahead_m")),
]
EXACT_FIELDS = [
    ("vehicles", "lane"),
    ("vehicles", "target_lane"),
    *(("roads", name) for name in ("crashed", "ego_fault", "interventions", "mission_mode", "mission_lane")),
    *(("outputs", name) for name in ("rules", "mission_ended", "ended_mode", "ended_reason", "terminated")),
]
VEHICLES = (20, 0, 12, 25, 40, 40)
"""Around the ego of each road; the first is driven by the expert, the others by dice."""
ORDERS = {
    40: Mission(Mode.CRUISE, target_speed_mps=22.0),
    150: Mission(Mode.LANE_CHANGE, target_lane=1),
    200: Mission(Mode.OVERTAKE),
    400: Mission(Mode.STOP, target_lane=4),
}


@dataclass(frozen=True)
class RoadDrive:
    """What was asked for and what came of it, decision by decision."""

    scenes: list[dict[str, Any]]
    dice: Array
    orders: list[dict[str, Any]]
    actions: Array
    """(decisions, 3, roads); those of the first road are the expert's."""
    columns: dict[tuple[str, str], Array]


def record_missions(decisions: int, *, supervised: bool) -> RoadDrive:
    """Six roads, from none to as many vehicles as there can be; orders for the expert, hostility from the others."""
    world = HighwayWorld(len(VEHICLES), vehicles=(0, MOST_VEHICLES), supervisor=supervised, threads=1)
    for road, count in enumerate(VEHICLES):
        world.begin(road, np.random.default_rng(road), {"vehicles": count, "mission": Mission()})
    slots, ego = world.batch.slots, world.vehicles
    scenes = [
        {"vehicles": count, "lane": int(ego.lane[road * slots]), "speed_mps": float(ego.speed_mps[road * slots])}
        for road, count in enumerate(VEHICLES)
    ]
    poses = zeros(Poses, len(VEHICLES) * slots)
    groups = {"vehicles": ego, "roads": world.roads, "outputs": world.out, "poses": poses}
    groups["actions"] = world.batch.actions
    driver, rng, orders, taken = HighwayExpert(), np.random.default_rng(7), [], []
    columns: dict[tuple[str, str], list[Array]] = {field: [] for field in FIELDS + EXACT_FIELDS}
    for decision in range(decisions):
        if decision in ORDERS:
            world.give(0, ORDERS[decision])
            order = {name: column[0].item() for name, column in world.batch.orders._asdict().items()}
            orders.append({"at": decision, "road": 0, "order": order})
        wanted = rng.uniform([0, 0, -1], 1, (len(VEHICLES), 3)) * [1.0, 0.3, 1.0]
        wanted[0] = driver.act(world.observation[:1])[0]
        world.advance(wanted)
        write_poses(ego, world.roads, poses, world.batch.rules, 0, len(VEHICLES))
        taken.append(wanted.T.copy())
        for (group, name), rows in columns.items():
            rows.append(getattr(groups[group], name).astype(np.float64))
    dice = world.batch.dice.copy()
    return RoadDrive(scenes, dice, orders, np.stack(taken), {field: np.stack(rows) for field, rows in columns.items()})
