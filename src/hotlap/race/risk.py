"""How near a car is to a contact that would be its own fault."""

from hotlap.kernel import kernel
from hotlap.race.grid import Race
from hotlap.race.senses import NUMBERS_OF_A_CAR, OTHERS_SIZE, SEEN_EACH_WAY, SIGHT_U

FOLLOWS_S = 0.5
"""Cars that would run into another later than this are at no risk yet."""
BESIDE_S = 0.25
"""The same of cars side by side."""
ROOM_SHARE = 1.5
"""Cars that will be closer than so many widths, middle to middle, are taken to meet."""


@kernel
def risk_behind(room_u: float, closing_ups: float, aside_u: float, drift_ups: float, width_u: float) -> float:
    """How soon a car runs into one ahead, 0 (not soon, or past it) to 1 (now)."""
    seconds = room_u / max(closing_ups, 1e-9)
    if closing_ups <= 0.0 or seconds >= FOLLOWS_S:
        return 0.0
    share = abs(aside_u + drift_ups * seconds) / (ROOM_SHARE * width_u)
    return max(1.0 - share, 0.0) * (1.0 - seconds / FOLLOWS_S)


@kernel
def risk_beside(room_u: float, towards_ups: float, own_ups: float) -> float:
    """How soon a car that moves towards one alongside, at most so fast itself, touches it, 0 to 1."""
    seconds = max(room_u, 0.0) / max(towards_ups, 1e-9)
    if towards_ups <= 0.0 or own_ups < 0.5 * towards_ups or seconds >= BESIDE_S:
        return 0.0
    return 1.0 - seconds / BESIDE_S


@kernel
def risk_with(race: Race, car: int, row: int) -> float:
    """The risk with one of those that its driver sees."""
    seen, rules = race.facts.seen, race.rules
    if abs(seen[row]) >= 1.0:
        return 0.0
    length_u, width_u = 2.0 * race.contenders.half_length_u[car], 2.0 * race.contenders.half_width_u[car]
    gap_u, aside_u = seen[row] * SIGHT_U, seen[row + 1] * rules.side_scale_u
    closing_ups, drift_ups = seen[row + 2] * rules.speed_scale_ups, seen[row + 3] * rules.speed_scale_ups
    if gap_u > length_u:
        return risk_behind(gap_u - length_u, closing_ups, aside_u, drift_ups, width_u)
    if gap_u < -length_u:
        return 0.0
    side = 1.0 if aside_u >= 0.0 else -1.0
    return risk_beside(abs(aside_u) - width_u, -side * drift_ups, side * race.work.across_ups[car])


@kernel
def risk_of(race: Race, car: int) -> float:
    """The largest risk with anybody that its driver sees."""
    size = int(race.rules.solo_size)
    first = car * (size + OTHERS_SIZE) + size
    most = 0.0
    for slot in range(2 * SEEN_EACH_WAY):
        most = max(most, risk_with(race, car, first + slot * NUMBERS_OF_A_CAR))
    return most
