"""Places, gaps and overtakes of a grid."""

import math

from hotlap.kernel import kernel
from hotlap.race.grid import NOBODY, RACING, RETIRED, Race
from hotlap.racer.physics import TICKS_PER_SECOND

PASS_TICKS = 2 * TICKS_PER_SECOND
"""A pass counts when it holds for so long."""
SLOWEST_UPS = 1.0
"""Gaps in seconds are told as if nobody were slower."""
FAR_U = 1e5
"""The gap to nobody."""


@kernel
def is_ahead(race: Race, car: int, other: int) -> bool:
    """Whether a car is ahead of another in the race: who finished earlier, who got further, who started in front."""
    contenders = race.contenders
    status, other_status = contenders.status[car], contenders.status[other]
    if (status == RETIRED) != (other_status == RETIRED):
        return bool(other_status == RETIRED)
    if (status == RACING) != (other_status == RACING):
        return bool(other_status == RACING)
    if status != RACING and contenders.finish_tick[car] != contenders.finish_tick[other] and status != RETIRED:
        return bool(contenders.finish_tick[car] < contenders.finish_tick[other])
    if contenders.distance_u[car] != contenders.distance_u[other]:
        return bool(contenders.distance_u[car] > contenders.distance_u[other])
    return bool(contenders.slot[car] < contenders.slot[other])


@kernel
def note_order(race: Race, front: int, back: int) -> None:
    """One car is ahead of another: a place less for it, and perhaps the nearest gap."""
    contenders, facts = race.contenders, race.facts
    contenders.place[back] += 1
    if contenders.status[front] != RACING or contenders.status[back] != RACING:
        return
    gap = contenders.distance_u[front] - contenders.distance_u[back]
    facts.gap_ahead_u[back] = min(facts.gap_ahead_u[back], gap)
    seconds = gap / max(race.racer.fleet.speed_ups[back], SLOWEST_UPS)
    facts.gap_ahead_s[back] = min(facts.gap_ahead_s[back], seconds)
    facts.gap_behind_u[front] = min(facts.gap_behind_u[front], gap)
    facts.gap_behind_s[front] = min(facts.gap_behind_s[front], seconds)


@kernel
def note_pass(race: Race, pair: int, car: int, other: int, leads: bool) -> None:
    """Count for how long two cars have been the other way round; after two seconds it was an overtake."""
    pairs, contenders, facts = race.pairs, race.contenders, race.facts
    if leads == (pairs.leads[pair] != 0) or contenders.status[car] != RACING or contenders.status[other] != RACING:
        pairs.held_ticks[pair] = 0
        return
    pairs.held_ticks[pair] += 1
    if pairs.held_ticks[pair] < PASS_TICKS:
        return
    winner, loser = (car, other) if leads else (other, car)
    contenders.overtakes[winner] += 1
    contenders.overtaken[loser] += 1
    facts.passes[winner] += 1
    facts.losses[loser] += 1
    pairs.leads[pair] = 1 if leads else 0
    pairs.held_ticks[pair] = 0


@kernel
def clear_facts(race: Race, car: int) -> None:
    """Nothing has happened yet in this tick."""
    facts = race.facts
    facts.contact_with[car] = NOBODY
    facts.impulse[car] = facts.race_reward[car] = race.work.hardest[car] = 0.0
    facts.fault[car] = facts.put_back[car] = 0
    facts.passes[car] = facts.losses[car] = facts.places_gained[car] = 0


@kernel
def write_places(race: Race, first: int, last: int, drives: bool) -> None:
    """Places and gaps of a grid; while it drives also overtakes, and at the start the order that can be overtaken."""
    contenders, facts, pairs = race.contenders, race.facts, race.pairs
    cars = int(race.rules.cars)
    for car in range(first, last):
        facts.places_gained[car] = contenders.place[car]
        contenders.place[car] = 1
        facts.gap_ahead_u[car] = facts.gap_behind_u[car] = FAR_U
        facts.gap_ahead_s[car] = facts.gap_behind_s[car] = FAR_U
    for car in range(first, last):
        for other in range(car + 1, last):
            leads = is_ahead(race, car, other)
            front, back = (car, other) if leads else (other, car)
            note_order(race, front, back)
            pair = car * cars + other - first
            if drives:
                pairs.apart_ticks[pair] = max(pairs.apart_ticks[pair] - 1, 0)
                note_pass(race, pair, car, other, leads)
    for car in range(first, last):
        gained = facts.places_gained[car] - contenders.place[car]
        facts.places_gained[car] = gained if drives else 0


@kernel
def settle_order(race: Race, first: int, last: int) -> None:
    """The order at the start, from which passes are counted."""
    cars = int(race.rules.cars)
    for car in range(first, last):
        for other in range(car + 1, last):
            pair = car * cars + other - first
            race.pairs.leads[pair] = 1 if is_ahead(race, car, other) else 0
            race.pairs.held_ticks[pair] = race.pairs.apart_ticks[pair] = 0


@kernel
def whole_gates(distance_u: float, length_u: float, gates: int) -> int:
    """The last gate passed by a car so far along, counted through all laps."""
    return int(math.floor(distance_u / (length_u / gates)))
