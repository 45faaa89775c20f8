"""Where to draw the vehicles: what a picture needs beyond the state, by the same kernels that move them."""

from typing import Any, NamedTuple

from hotlap.highway.fleet import EGO, Float64Array, Roads, Vehicles
from hotlap.highway.road import heading_rad, lane_position, pace_of_change_per_s
from hotlap.highway.tick import RULES_SLOT, VEHICLES_SLOT
from hotlap.highway.tick import ROADS_SLOT as ROADS_SLOT
from hotlap.kernel import arrays_at, kernel

POSES_SLOT = RULES_SLOT + 1
"""After the slots of the tick, so that one address table serves both."""


class Poses(NamedTuple):
    """Every vehicle's place across the road, in lanes from the leftmost, and which way it points, right positive."""

    across: Float64Array
    heading_rad: Float64Array


@kernel
def write_poses(vehicles: Vehicles, roads: Roads, poses: Poses, slots: int, last: int) -> None:
    """The poses of every vehicle of the roads up to the last; one that waits for room has none."""
    for i in range(slots * last):
        pace = pace_of_change_per_s(vehicles.speed_mps[i], vehicles.length_m[i])
        rate = roads.change_rate_per_s[i // slots] if i % slots == EGO else pace
        poses.across[i] = lane_position(vehicles, i)
        poses.heading_rad[i] = heading_rad(vehicles, i, rate)
