"""Two cars as rectangles: whether they overlap, how deep and where, and the impulse that parts them."""

import math
from typing import NamedTuple

from hotlap.kernel import kernel
from hotlap.racer.car import clamp

RESTITUTION = 0.1
FRICTION = 0.3
CORNERS = 4


class Body(NamedTuple):
    """A moving rectangle: middle, velocity, turning, direction, half of its sides, mass, moment of inertia."""

    x_u: float
    y_u: float
    vx_ups: float
    vy_ups: float
    spin_rps: float
    cosine: float
    sine: float
    half_length_u: float
    half_width_u: float
    mass: float
    inertia: float


class Touch(NamedTuple):
    """An overlap: how deep, the direction from the first to the second that parts them soonest, and where it is."""

    depth_u: float
    normal_x: float
    normal_y: float
    point_x_u: float
    point_y_u: float


class Impulse(NamedTuple):
    """What the second car gets and the first gives."""

    x: float
    y: float
    normal: float
    """The part along the normal, never below 0."""


@kernel
def reach_along(body: Body, nx: float, ny: float) -> float:
    """How far a rectangle reaches from its middle in a direction."""
    forward = abs(nx * body.cosine + ny * body.sine)
    sideways = abs(ny * body.cosine - nx * body.sine)
    return body.half_length_u * forward + body.half_width_u * sideways


@kernel
def depth_along(one: Body, two: Body, nx: float, ny: float) -> float:
    """How far two rectangles overlap in a direction; below 0 they are apart."""
    between = abs((two.x_u - one.x_u) * nx + (two.y_u - one.y_u) * ny)
    return reach_along(one, nx, ny) + reach_along(two, nx, ny) - between


@kernel
def corner_inside(of: Body, corner: int, other: Body) -> tuple[bool, float, float]:
    """Whether a corner of one rectangle lies in another, and where the corner is."""
    ahead = of.half_length_u if corner < 2 else -of.half_length_u
    aside = of.half_width_u if corner % 2 == 0 else -of.half_width_u
    x = of.x_u + ahead * of.cosine - aside * of.sine
    y = of.y_u + ahead * of.sine + aside * of.cosine
    dx, dy = x - other.x_u, y - other.y_u
    along, across = dx * other.cosine + dy * other.sine, dy * other.cosine - dx * other.sine
    return abs(along) <= other.half_length_u and abs(across) <= other.half_width_u, x, y


@kernel
def touching_point(one: Body, two: Body) -> tuple[float, float]:
    """The middle of all corners that lie in the other car; of the cars where none does."""
    x, y, found = 0.0, 0.0, 0
    for corner in range(2 * CORNERS):
        if corner < CORNERS:
            inside, corner_x, corner_y = corner_inside(one, corner, two)
        else:
            inside, corner_x, corner_y = corner_inside(two, corner - CORNERS, one)
        if inside:
            x, y, found = x + corner_x, y + corner_y, found + 1
    if found == 0:
        return 0.5 * (one.x_u + two.x_u), 0.5 * (one.y_u + two.y_u)
    return x / found, y / found


@kernel
def touch_of(one: Body, two: Body) -> Touch:
    """Where two rectangles overlap; a depth of 0 or less where they do not."""
    depth, nx, ny = math.inf, 1.0, 0.0
    for side in range(4):
        cosine = one.cosine if side < 2 else two.cosine
        sine = one.sine if side < 2 else two.sine
        side_x, side_y = (cosine, sine) if side % 2 == 0 else (-sine, cosine)
        overlap = depth_along(one, two, side_x, side_y)
        if overlap < depth:
            depth, nx, ny = overlap, side_x, side_y
    if depth <= 0.0:
        return Touch(depth_u=depth, normal_x=0.0, normal_y=0.0, point_x_u=0.0, point_y_u=0.0)
    if (two.x_u - one.x_u) * nx + (two.y_u - one.y_u) * ny < 0.0:
        nx, ny = -nx, -ny
    x, y = touching_point(one, two)
    return Touch(depth_u=depth, normal_x=nx, normal_y=ny, point_x_u=x, point_y_u=y)


@kernel
def softness(body: Body, touch: Touch, nx: float, ny: float) -> float:
    """How much the touched spot of a car gives way in a direction, for an impulse of 1."""
    arm = (touch.point_x_u - body.x_u) * ny - (touch.point_y_u - body.y_u) * nx
    return 1.0 / body.mass + arm * arm / body.inertia


@kernel
def impulse_of(one: Body, two: Body, touch: Touch) -> Impulse:
    """What parts two cars that run into each other: little bounce along the normal, friction across it."""
    nx, ny = touch.normal_x, touch.normal_y
    one_x, one_y = touch.point_x_u - one.x_u, touch.point_y_u - one.y_u
    two_x, two_y = touch.point_x_u - two.x_u, touch.point_y_u - two.y_u
    vx = (two.vx_ups - two.spin_rps * two_y) - (one.vx_ups - one.spin_rps * one_y)
    vy = (two.vy_ups + two.spin_rps * two_x) - (one.vy_ups + one.spin_rps * one_x)
    parting = vx * nx + vy * ny
    if parting >= 0.0:
        return Impulse(x=0.0, y=0.0, normal=0.0)
    normal = -(1.0 + RESTITUTION) * parting / (softness(one, touch, nx, ny) + softness(two, touch, nx, ny))
    sliding = vy * nx - vx * ny
    stopping = -sliding / (softness(one, touch, -ny, nx) + softness(two, touch, -ny, nx))
    rubbing = clamp(stopping, -FRICTION * normal, FRICTION * normal)
    return Impulse(x=normal * nx - rubbing * ny, y=normal * ny + rubbing * nx, normal=normal)


@kernel
def spin_of(body: Body, touch: Touch, x: float, y: float) -> float:
    """How much an impulse at the touched spot turns a car, in rad/s."""
    return ((touch.point_x_u - body.x_u) * y - (touch.point_y_u - body.y_u) * x) / body.inertia
