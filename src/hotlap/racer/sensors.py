"""What a driver sees: the classic fourteen numbers, or the full layout for drivers that must cope with any track."""

import math
from typing import NamedTuple

from hotlap.kernel import kernel
from hotlap.racer.car import clamp
from hotlap.racer.fleet import FleetState, StepOutputs
from hotlap.racer.physics import RAY_COUNT, Physics
from hotlap.racer.tables import TrackTables

CLASSIC_SIZE = 14
BLOCK = 8

# The full layout, version 1: the car, then four numbers for each spot of the road ahead.
LOOKAHEADS_U = (8.0, 16.0, 28.0, 42.0, 60.0, 80.0, 105.0, 135.0, 170.0, 210.0, 255.0, 305.0)
FULL_CAR_SIZE = 11
FULL_SIZE = FULL_CAR_SIZE + 4 * len(LOOKAHEADS_U)
OFFSET_SCALE_U = 40.0
YAW_SCALE_RPS = 8.0
CURVATURE_SCALE_U = 50.0
AHEAD_SCALE_U = 150.0

RAY_COS = tuple(math.cos(-math.pi / 2.0 + i * math.pi / (RAY_COUNT - 1)) for i in range(RAY_COUNT))
RAY_SIN = tuple(math.sin(-math.pi / 2.0 + i * math.pi / (RAY_COUNT - 1)) for i in range(RAY_COUNT))


class RoadSpot(NamedTuple):
    """The centre line somewhere along the lap: position, direction as a running angle, half-width of the road."""

    x_u: float
    y_u: float
    heading_rad: float
    half_width_u: float


@kernel
def strip_quad(x: float, y: float, arc_u: float, track: int, tables: TrackTables) -> int:
    """The quad between the walls that holds a point, counted from the strip's first row; -1 outside the walls."""
    count = tables.wall_count[track]
    first = tables.strip_first[track]
    quad = int(arc_u / tables.length_u[track] * count) % count
    for _ in range(count):
        row = first + quad
        if not _ahead_of(x, y, row, tables):
            quad = quad - 1 if quad > 0 else count - 1
        elif _ahead_of(x, y, row + 1, tables):
            quad = quad + 1 if quad < count - 1 else 0
        else:
            lx, ly = tables.left_x_u[row], tables.left_y_u[row]
            rx, ry = tables.right_x_u[row], tables.right_y_u[row]
            of_left = _side(lx, ly, tables.left_x_u[row + 1] - lx, tables.left_y_u[row + 1] - ly, x, y)
            of_right = _side(rx, ry, tables.right_x_u[row + 1] - rx, tables.right_y_u[row + 1] - ry, x, y)
            return quad if of_left < 0.0 and of_right > 0.0 else -1
    return -1


@kernel
def _ahead_of(x: float, y: float, row: int, tables: TrackTables) -> bool:
    """Whether a point lies ahead of the line from right to left wall at a strip row."""
    rx, ry = tables.right_x_u[row], tables.right_y_u[row]
    return _side(rx, ry, tables.left_x_u[row] - rx, tables.left_y_u[row] - ry, x, y) <= 0.0


@kernel
def _hit_distance(x: float, y: float, dx: float, dy: float, ax: float, ay: float, bx: float, by: float) -> float:
    """How far along a ray a line through two points is met."""
    ex, ey = bx - ax, by - ay
    denominator = dx * ey - dy * ex
    if abs(denominator) < 1e-10:
        return math.inf
    return ((ax - x) * ey - (ay - y) * ex) / denominator


@kernel
def _side(x: float, y: float, dx: float, dy: float, px: float, py: float) -> float:
    """Positive where a point is left of a ray."""
    return dx * (py - y) - dy * (px - x)


@kernel
def _leaves_forward(x: float, y: float, dx: float, dy: float, row: int, tables: TrackTables) -> int:
    """How many of the next strip rows a ray passes between left and right wall, up to a block."""
    blocked = 0
    for k in range(BLOCK):
        left = dx * (tables.left_y_u[row + k] - y) - dy * (tables.left_x_u[row + k] - x)
        right = dx * (tables.right_y_u[row + k] - y) - dy * (tables.right_x_u[row + k] - x)
        blocked |= (left <= 0.0) | (right >= 0.0)
    if not blocked:
        return BLOCK
    passed = 0
    while (
        _side(x, y, dx, dy, tables.left_x_u[row + passed], tables.left_y_u[row + passed]) > 0.0
        and _side(x, y, dx, dy, tables.right_x_u[row + passed], tables.right_y_u[row + passed]) < 0.0
    ):
        passed += 1
    return passed


@kernel
def _walk_forward(x: float, y: float, dx: float, dy: float, row: int, limit_u: float, tables: TrackTables) -> float:
    """Distance to the wall a ray meets when it leaves through the far side of the quad before `row`."""
    while True:
        passed = _leaves_forward(x, y, dx, dy, row, tables)
        row += passed
        if passed < BLOCK:
            break
        left = dx * (tables.left_x_u[row - 1] - x) + dy * (tables.left_y_u[row - 1] - y)
        right = dx * (tables.right_x_u[row - 1] - x) + dy * (tables.right_y_u[row - 1] - y)
        if left > limit_u and right > limit_u:
            return limit_u
    if _side(x, y, dx, dy, tables.left_x_u[row], tables.left_y_u[row]) <= 0.0:
        return _left_hit(x, y, dx, dy, row - 1, tables)
    return _right_hit(x, y, dx, dy, row - 1, tables)


@kernel
def _walk_backward(x: float, y: float, dx: float, dy: float, row: int, limit_u: float, tables: TrackTables) -> float:
    """Distance to the wall a ray meets when it leaves through the near side of the quad that begins at `row`."""
    while True:
        row -= 1
        if _side(x, y, dx, dy, tables.left_x_u[row], tables.left_y_u[row]) >= 0.0:
            return _left_hit(x, y, dx, dy, row, tables)
        if _side(x, y, dx, dy, tables.right_x_u[row], tables.right_y_u[row]) <= 0.0:
            return _right_hit(x, y, dx, dy, row, tables)
        left = dx * (tables.left_x_u[row] - x) + dy * (tables.left_y_u[row] - y)
        right = dx * (tables.right_x_u[row] - x) + dy * (tables.right_y_u[row] - y)
        if left > limit_u and right > limit_u:
            return limit_u


@kernel
def _left_hit(x: float, y: float, dx: float, dy: float, row: int, tables: TrackTables) -> float:
    return _hit_distance(
        x, y, dx, dy, tables.left_x_u[row], tables.left_y_u[row], tables.left_x_u[row + 1], tables.left_y_u[row + 1]
    )


@kernel
def _right_hit(x: float, y: float, dx: float, dy: float, row: int, tables: TrackTables) -> float:
    return _hit_distance(
        x, y, dx, dy, tables.right_x_u[row], tables.right_y_u[row], tables.right_x_u[row + 1], tables.right_y_u[row + 1]
    )


@kernel
def ray_through_strip(
    x: float, y: float, dx: float, dy: float, quad: int, track: int, limit_u: float, tables: TrackTables
) -> float:
    """Distance to the wall along a ray from a point inside a quad of the strip, walking from quad to quad.

    A ray that just touches a corner of a wall ends there, so it goes on only strictly between left and right.
    """
    row = tables.strip_first[track] + quad
    left = _side(x, y, dx, dy, tables.left_x_u[row + 1], tables.left_y_u[row + 1])
    right = _side(x, y, dx, dy, tables.right_x_u[row + 1], tables.right_y_u[row + 1])
    if left > 0.0 and right < 0.0:
        return _walk_forward(x, y, dx, dy, row + 1, limit_u, tables)
    near_left = _side(x, y, dx, dy, tables.left_x_u[row], tables.left_y_u[row])
    near_right = _side(x, y, dx, dy, tables.right_x_u[row], tables.right_y_u[row])
    if near_left < 0.0 and near_right > 0.0:
        return _walk_backward(x, y, dx, dy, row + tables.wall_count[track], limit_u, tables)
    if left <= 0.0 and near_left >= 0.0:
        return _left_hit(x, y, dx, dy, row, tables)
    return _right_hit(x, y, dx, dy, row, tables)


@kernel
def ray_through_all_walls(
    x: float, y: float, dx: float, dy: float, track: int, limit_u: float, tables: TrackTables
) -> float:
    """Distance to the nearest wall segment along a ray, looking at every one: for cars outside the walls."""
    nearest = limit_u
    line = tables.wall_count[track] + 1
    for i in range(2 * line - 1):
        if i == line - 1:
            continue
        row = tables.wall_first[track] + i
        ax, ay = tables.wall_x_u[row], tables.wall_y_u[row]
        ex, ey = tables.wall_x_u[row + 1] - ax, tables.wall_y_u[row + 1] - ay
        denominator = dx * ey - dy * ex
        if abs(denominator) < 1e-10:
            continue
        t = ((ax - x) * ey - (ay - y) * ex) / denominator
        u = ((ax - x) * dy - (ay - y) * dx) / denominator
        if t >= 0.0 and 0.0 <= u <= 1.0 and t < nearest:
            nearest = t
    return nearest


@kernel
def write_classic(fleet: FleetState, car: int, tables: TrackTables, out: StepOutputs, physics: Physics) -> None:
    """Nine rays from right to left, speed, yaw rate, smoothed steer, lap fraction, distance from the centre line."""
    x, y = fleet.x_u[car], fleet.y_u[car]
    track = fleet.track[car]
    cos_heading, sin_heading = math.cos(fleet.heading_rad[car]), math.sin(fleet.heading_rad[car])
    limit = physics.ray_range_u
    row = car * CLASSIC_SIZE
    quad = strip_quad(x, y, fleet.arc_u[car], track, tables)
    for i in range(RAY_COUNT):
        dx = cos_heading * RAY_COS[i] - sin_heading * RAY_SIN[i]
        dy = sin_heading * RAY_COS[i] + cos_heading * RAY_SIN[i]
        if quad >= 0:
            distance = ray_through_strip(x, y, dx, dy, quad, track, limit, tables)
        else:
            distance = ray_through_all_walls(x, y, dx, dy, track, limit, tables)
        out.observation[row + i] = min(distance, limit) / limit
    out.observation[row + 9] = fleet.speed_ups[car] / physics.max_speed_ups
    out.observation[row + 10] = clamp(fleet.yaw_rate_rps[car] / physics.yaw_rate_scale_rps, -1.0, 1.0)
    out.observation[row + 11] = fleet.steer[car]
    out.observation[row + 12] = fleet.arc_u[car] / tables.length_u[track]
    out.observation[row + 13] = min(1.0, fleet.centre_distance_u[car] / physics.centre_distance_scale_u)


@kernel
def road_at(arc_u: float, track: int, tables: TrackTables) -> RoadSpot:
    """The road at a distance along the lap of at most its length: between two coarse samples, everything is linear."""
    samples = tables.coarse_count[track]
    place = arc_u / (tables.length_u[track] / samples)
    here = min(int(place), samples - 1)
    there = place - here
    i = tables.coarse_first[track] + here
    return RoadSpot(
        x_u=tables.coarse_x_u[i] * (1.0 - there) + tables.coarse_x_u[i + 1] * there,
        y_u=tables.coarse_y_u[i] * (1.0 - there) + tables.coarse_y_u[i + 1] * there,
        heading_rad=tables.coarse_heading_rad[i] * (1.0 - there) + tables.coarse_heading_rad[i + 1] * there,
        half_width_u=tables.coarse_half_width_u[i] * (1.0 - there) + tables.coarse_half_width_u[i + 1] * there,
    )


@kernel
def write_full(fleet: FleetState, car: int, tables: TrackTables, out: StepOutputs, physics: Physics) -> None:
    """The car against its road, then direction, width and place of the road at each look-ahead distance."""
    track = fleet.track[car]
    length = tables.length_u[track]
    x, y = fleet.x_u[car], fleet.y_u[car]
    cos_heading, sin_heading = math.cos(fleet.heading_rad[car]), math.sin(fleet.heading_rad[car])
    row = car * FULL_SIZE

    # The road under the car.
    road = road_at(fleet.arc_u[car], track, tables)
    cos_road, sin_road = math.cos(road.heading_rad), math.sin(road.heading_rad)
    offset = cos_road * (y - road.y_u) - sin_road * (x - road.x_u)
    sideways = -fleet.vx_ups[car] * sin_heading + fleet.vy_ups[car] * cos_heading

    observation = out.observation
    observation[row] = fleet.speed_ups[car] / physics.max_speed_ups
    observation[row + 1] = offset / OFFSET_SCALE_U
    observation[row + 2] = sin_heading * cos_road - cos_heading * sin_road
    observation[row + 3] = cos_heading * cos_road + sin_heading * sin_road
    observation[row + 4] = (road.half_width_u - offset) / OFFSET_SCALE_U
    observation[row + 5] = (road.half_width_u + offset) / OFFSET_SCALE_U
    observation[row + 6] = math.atan2(sideways, max(fleet.speed_ups[car], 1.0))
    observation[row + 7] = fleet.yaw_rate_rps[car] / YAW_SCALE_RPS
    observation[row + 8] = fleet.steer[car]
    observation[row + 9] = fleet.throttle[car]
    observation[row + 10] = fleet.brake[car]

    # The road ahead: how much it turns on the way there, how wide it is there, and where that is seen from the car.
    last_heading, last_ahead = road.heading_rad, 0.0
    for k in range(len(LOOKAHEADS_U)):
        spot_u = fleet.arc_u[car] + LOOKAHEADS_U[k]
        while spot_u >= length:
            spot_u -= length
        road = road_at(spot_u, track, tables)
        ahead_x, ahead_y = road.x_u - x, road.y_u - y
        turned = road.heading_rad - last_heading
        turned -= 2.0 * math.pi * math.floor(turned / (2.0 * math.pi) + 0.5)
        spot = row + FULL_CAR_SIZE + 4 * k
        observation[spot] = turned / (LOOKAHEADS_U[k] - last_ahead) * CURVATURE_SCALE_U
        observation[spot + 1] = road.half_width_u / OFFSET_SCALE_U
        observation[spot + 2] = (ahead_x * cos_heading + ahead_y * sin_heading) / AHEAD_SCALE_U
        observation[spot + 3] = (ahead_y * cos_heading - ahead_x * sin_heading) / AHEAD_SCALE_U
        last_heading, last_ahead = road.heading_rad, LOOKAHEADS_U[k]
