"""Who is near whom: the cars of a grid sorted along the lap, and the way from one to the next."""

from hotlap.kernel import kernel
from hotlap.race.grid import RACING, Race
from hotlap.racer.fleet import FleetState


@kernel
def comes_after(fleet: FleetState, car: int, other: int) -> bool:
    """Whether a car is further along the lap; cars at the same spot are told apart by where they are, then by number.

    So the order along the lap does not depend on the order of the cars in the batch.
    """
    if fleet.arc_u[car] != fleet.arc_u[other]:
        return bool(fleet.arc_u[car] > fleet.arc_u[other])
    if fleet.x_u[car] != fleet.x_u[other]:
        return bool(fleet.x_u[car] > fleet.x_u[other])
    if fleet.y_u[car] != fleet.y_u[other]:
        return bool(fleet.y_u[car] > fleet.y_u[other])
    return car > other


@kernel
def sort_along_lap(race: Race, first: int, last: int) -> None:
    """Sort the cars of a grid along the lap; from the order of the tick before, few have to move."""
    order, fleet = race.work.order, race.racer.fleet
    for place in range(first + 1, last):
        car = order[place]
        gap = place
        while gap > first and comes_after(fleet, order[gap - 1], car):
            order[gap] = order[gap - 1]
            gap -= 1
        order[gap] = car


@kernel
def onward_gap(from_arc_u: float, to_arc_u: float, length_u: float) -> float:
    """The way along the lap from one spot on to another, in [0, length)."""
    gap = to_arc_u - from_arc_u
    return gap + length_u if gap < 0.0 else gap


@kernel
def is_racing(race: Race, car: int) -> bool:
    """Whether a car is on the road."""
    return bool(race.contenders.status[car] == RACING)
