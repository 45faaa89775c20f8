"""Whose fault a contact is."""

from typing import NamedTuple

from hotlap.kernel import kernel
from hotlap.race.contact import Body

ALONGSIDE_SHARE = 0.5
"""Cars whose middles are closer along the road than this share of a car's length are side by side."""
SAME_SPEED_SHARE = 0.1


class Blame(NamedTuple):
    """Which of two cars was at fault; both can be, or neither."""

    one: bool
    two: bool


@kernel
def fault_of(one: Body, two: Body, road_cosine: float, road_sine: float) -> Blame:
    """The car that was behind and closing; side by side, the one that moved faster sideways towards the other.

    Side by side, both are at fault when their speeds are within 10 % of the larger, and nobody when neither moved
    towards the other.
    """
    dx, dy = two.x_u - one.x_u, two.y_u - one.y_u
    ahead = dx * road_cosine + dy * road_sine
    length = one.half_length_u + two.half_length_u
    closing = (one.vx_ups - two.vx_ups) * road_cosine + (one.vy_ups - two.vy_ups) * road_sine
    if ahead >= ALONGSIDE_SHARE * length and closing > 0.0:
        return Blame(one=True, two=False)
    if ahead <= -ALONGSIDE_SHARE * length and closing < 0.0:
        return Blame(one=False, two=True)
    side = 1.0 if dy * road_cosine - dx * road_sine >= 0.0 else -1.0
    first = side * (one.vy_ups * road_cosine - one.vx_ups * road_sine)
    second = -side * (two.vy_ups * road_cosine - two.vx_ups * road_sine)
    larger = max(first, second)
    if larger <= 0.0:
        return Blame(one=False, two=False)
    both = abs(first - second) <= SAME_SPEED_SHARE * larger
    return Blame(one=both or first > second, two=both or second > first)
