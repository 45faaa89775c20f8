"""Collisions of the ego: oriented boxes, also between lanes, and whose fault it was."""

import math

from hotlap.highway.fleet import Roads, Vehicles
from hotlap.highway.physics import LANE_WIDTH_M
from hotlap.highway.road import heading_rad, lane_position, pace_of_change_per_s
from hotlap.highway.traffic import leaves_safe_gap
from hotlap.kernel import kernel


@kernel
def separated_along(ax: float, ay: float, bx: float, by: float, length: float, width: float) -> bool:
    """Whether two boxes are apart along or across the first one.

    (ax, ay) is the way from the first box's middle to the second's in the first one's own frame, halved sizes `length`
    and `width` are the first one's, (bx, by) the reach of the second box along and across the first.
    """
    return (abs(ax) > length + bx) | (abs(ay) > width + by)


@kernel
def boxes_touch(
    dx: float, dy: float, heading_a: float, heading_b: float, half_a: tuple[float, float], half_b: tuple[float, float]
) -> bool:
    """Whether two boxes overlap, by separating axes; `dx`, `dy` lead from A to B, halves are (length, width)."""
    cos_a, sin_a = math.cos(heading_a), math.sin(heading_a)
    cos_b, sin_b = math.cos(heading_b), math.sin(heading_b)
    cos_ab, sin_ab = abs(math.cos(heading_b - heading_a)), abs(math.sin(heading_b - heading_a))
    along, across = half_b[0] * cos_ab + half_b[1] * sin_ab, half_b[0] * sin_ab + half_b[1] * cos_ab
    if separated_along(dx * cos_a + dy * sin_a, dy * cos_a - dx * sin_a, along, across, half_a[0], half_a[1]):
        return False
    along, across = half_a[0] * cos_ab + half_a[1] * sin_ab, half_a[0] * sin_ab + half_a[1] * cos_ab
    return not separated_along(dx * cos_b + dy * sin_b, dy * cos_b - dx * sin_b, along, across, half_b[0], half_b[1])


@kernel
def are_near(vehicles: Vehicles, a: int, b: int) -> bool:
    """Whether two vehicles are near enough along the road to overlap, however they point."""
    reach = 0.5 * (vehicles.length_m[a] + vehicles.length_m[b] + vehicles.width_m[a] + vehicles.width_m[b])
    return bool(abs(vehicles.x_m[b] - vehicles.x_m[a]) <= reach)


@kernel
def vehicles_touch(vehicles: Vehicles, a: int, b: int, rate_a: float, rate_b: float) -> bool:
    """Whether two vehicles overlap, at the pace their lane changes have."""
    if not are_near(vehicles, a, b):
        return False
    dx = vehicles.x_m[b] - vehicles.x_m[a]
    dy = (lane_position(vehicles, b) - lane_position(vehicles, a)) * LANE_WIDTH_M
    half_a = (0.5 * vehicles.length_m[a], 0.5 * vehicles.width_m[a])
    half_b = (0.5 * vehicles.length_m[b], 0.5 * vehicles.width_m[b])
    return boxes_touch(dx, dy, heading_rad(vehicles, a, rate_a), heading_rad(vehicles, b, rate_b), half_a, half_b)


@kernel
def touched_by_ego(vehicles: Vehicles, first: int, slots: int, ego_rate_per_s: float) -> int:
    """The vehicle the ego overlaps, or -1."""
    for i in range(first + 1, first + slots):
        if vehicles.lane[i] >= 0 and are_near(vehicles, first, i):
            rate = pace_of_change_per_s(vehicles.speed_mps[i], vehicles.length_m[i])
            if vehicles_touch(vehicles, first, i, ego_rate_per_s, rate):
                return i
    return -1


@kernel
def is_egos_fault(vehicles: Vehicles, first: int, other: int, roads: Roads, road: int) -> bool:
    """The ego is at fault when it hit from behind, moved into someone, or had moved in too closely ahead of them.

    Who cut in too closely ahead of the ego is at fault itself, until the gap is safe again.
    """
    if roads.unsafe_entry[road]:
        return True
    if vehicles.cut_in[other] > 0:
        return False
    moving_over = vehicles.lane[first] != vehicles.target_lane[first] and not (
        vehicles.lane[other] == vehicles.lane[first] and vehicles.target_lane[other] == vehicles.lane[first]
    )
    other_moves_in = vehicles.lane[other] != vehicles.target_lane[other]
    if moving_over and not other_moves_in:
        return True
    return bool(vehicles.x_m[other] > vehicles.x_m[first])


@kernel
def forgive_entry(vehicles: Vehicles, first: int, rear: int, roads: Roads, road: int) -> None:
    """Once who follows has a safe gap again, how the ego came in no longer matters."""
    if roads.unsafe_entry[road] and leaves_safe_gap(vehicles, first, rear, first):
        roads.unsafe_entry[road] = 0
