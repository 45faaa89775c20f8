"""Where to draw the vehicles: what a picture needs beyond the state, by the same kernels that move them."""

from typing import Any, NamedTuple

from hotlap.highway.fleet import EGO, Float64Array, Roads, Rules, Vehicles
from hotlap.highway.road import heading_rad, lane_position, pace_of_change_per_s
from hotlap.highway.tick import ROADS_SLOT, RULES_SLOT, VEHICLES_SLOT
from hotlap.kernel import kernel, numbers_at, pointers_at

POSES_SLOT = RULES_SLOT + 1
"""After the slots of the tick, so that one address table serves both."""


class Poses(NamedTuple):
    """Every vehicle's place across the road, in lanes from the leftmost, and which way it points, right positive."""

    across: Float64Array
    heading_rad: Float64Array


@kernel
def write_poses(vehicles: Vehicles, roads: Roads, poses: Poses, rules: Rules, first: int, last: int) -> None:
    """The poses of the vehicles of the roads from the first up to the last."""
    slots = int(rules.slots)
    for i in range(first * slots, last * slots):
        pace = pace_of_change_per_s(vehicles.speed_mps[i], vehicles.length_m[i])
        rate = roads.change_rate_per_s[i // slots] if i % slots == EGO else pace
        poses.across[i] = lane_position(vehicles, i)
        poses.heading_rad[i] = heading_rad(vehicles, i, rate)


def poses_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`write_poses` over the address table of the tick with the poses after it."""
    write_poses(
        pointers_at(addresses, VEHICLES_SLOT, Vehicles),
        pointers_at(addresses, ROADS_SLOT, Roads),
        pointers_at(addresses, POSES_SLOT, Poses),
        numbers_at(addresses, RULES_SLOT, Rules),
        first,
        last,
    )
