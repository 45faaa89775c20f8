"""Where the cars of a grid begin: one behind the other in slots, left and right of the middle of the road."""

import math

from hotlap.kernel import kernel
from hotlap.race.facts import settle_order, whole_gates
from hotlap.race.grid import DRAWN_SLOT, RACING, ROLLING, SPREAD, STANDING, Race
from hotlap.racer.physics import GATE_COUNT
from hotlap.racer.sensors import road_at
from hotlap.racer.starts import (
    GATE_DRAW,
    SIDE_DRAW,
    SPEED_DRAW,
    TURN_DRAW,
    Start,
    drawn,
    moving_car,
    write_episode,
    write_new_race,
    write_stretch,
)
from hotlap.racer.tick import renew_model, write_car

ORDER_DRAW = TURN_DRAW
"""The draw that decides a car's slot: no car of a grid is turned."""
SIDE_SHARE = 0.4
"""How far from the middle the slots are, as a share of the road's half-width."""
SPREAD_ROWS = 2.0
"""Cars that are spread out have so many times the distance of slots."""
SLOWEST_SHARE, FASTEST_SHARE = 0.25, 0.9


@kernel
def draws_before(race: Race, car: int, other: int) -> bool:
    """Whether another car drew a better slot."""
    starts = race.racer.starts
    mine, theirs = drawn(starts, car, ORDER_DRAW), drawn(starts, other, ORDER_DRAW)
    return theirs < mine or (theirs == mine and other < car)


@kernel
def is_given(race: Race, slot: int, first: int, last: int) -> bool:
    """Whether a slot was asked for."""
    taken = False
    for car in range(first, last):
        taken |= race.slots.wanted[car] == slot
    return taken


@kernel
def chosen_slot(race: Race, car: int, first: int, last: int) -> int:
    """The slot a car asked for, or one of those that are left, by its draw."""
    if race.slots.wanted[car] != DRAWN_SLOT:
        return int(race.slots.wanted[car])
    better = 0
    for other in range(first, last):
        if other != car and race.slots.wanted[other] == DRAWN_SLOT and draws_before(race, car, other):
            better += 1
    for slot in range(last - first):
        if not is_given(race, slot, first, last):
            if better == 0:
                return slot
            better -= 1
    return 0


@kernel
def start_distance(race: Race, first: int, slot: int, track: int) -> float:
    """How far along the lap a slot is; 0 is the start line, and slots behind it are below."""
    row_u = race.rules.row_u
    if race.rules.start != SPREAD:
        return -slot * row_u
    gate = int(drawn(race.racer.starts, first, GATE_DRAW) * GATE_COUNT)
    return float(gate * (race.racer.tables.length_u[track] / GATE_COUNT) - slot * row_u * SPREAD_ROWS)


@kernel
def fastest_spread(race: Race, arc_u: float, track: int) -> float:  # noqa: ARG001 - cars with grip look at the bends
    """What the speeds of cars that are spread along the lap are shares of."""
    return race.racer.physics.max_speed_ups


@kernel
def start_speed(race: Race, car: int, first: int, arc_u: float, track: int) -> float:
    """How fast a car begins."""
    if race.rules.start == STANDING:
        return 0.0
    if race.rules.start == ROLLING:
        return race.rules.rolling_ups
    starts = race.racer.starts
    share = SLOWEST_SHARE + (FASTEST_SHARE - SLOWEST_SHARE) * drawn(starts, first, SPEED_DRAW)
    return share * (0.9 + 0.1 * drawn(starts, car, SPEED_DRAW)) * fastest_spread(race, arc_u, track)


@kernel
def start_aside(race: Race, car: int, slot: int) -> float:
    """How far to the left a car begins, as a share of the road's half-width."""
    if race.rules.start == SPREAD:
        return (2.0 * drawn(race.racer.starts, car, SIDE_DRAW) - 1.0) * SIDE_SHARE
    if slot == 0:
        return 0.0
    return SIDE_SHARE if slot % 2 == 1 else -SIDE_SHARE


@kernel
def slot_start(race: Race, car: int, first: int, slot: int, track: int) -> Start:
    """Where a car begins; pole is where a car alone begins."""
    tables = race.racer.tables
    length = tables.length_u[track]
    distance = start_distance(race, first, slot, track)
    arc = distance - math.floor(distance / length) * length
    speed = start_speed(race, car, first, arc, track)
    if distance == 0.0 and race.rules.start != SPREAD:
        x, y, heading = tables.start_x_u[track], tables.start_y_u[track], tables.start_heading_rad[track]
        return Start(x_u=x, y_u=y, heading_rad=heading, speed_ups=speed, gate=0)
    road = road_at(arc, track, tables)
    aside = start_aside(race, car, slot) * road.half_width_u
    gate = whole_gates(distance, length, GATE_COUNT) % GATE_COUNT if race.rules.start == SPREAD else 0
    return Start(
        x_u=road.x_u - aside * math.sin(road.heading_rad),
        y_u=road.y_u + aside * math.cos(road.heading_rad),
        heading_rad=road.heading_rad,
        speed_ups=speed,
        gate=gate,
    )


@kernel
def write_contender(race: Race, car: int, slot: int, distance_u: float, origin_u: float) -> None:
    """Nothing of the race has happened yet."""
    contenders = race.contenders
    contenders.status[car] = RACING
    contenders.slot[car] = slot
    contenders.place[car] = slot + 1
    contenders.distance_u[car] = contenders.mark_u[car] = distance_u
    contenders.origin_u[car] = origin_u
    contenders.mark_ticks[car] = contenders.stuck_times[car] = contenders.finish_tick[car] = 0
    contenders.overtakes[car] = contenders.overtaken[car] = 0
    contenders.contacts[car] = contenders.faults[car] = contenders.put_backs[car] = 0


@kernel
def place_on_grid(race: Race, car: int, first: int, last: int) -> None:
    """Begin a car's race by its draws; the first car's draw chooses the track for all."""
    racer = race.racer
    write_episode(racer.starts, racer.episodes, racer.fleet, car, racer.rules)
    track = racer.fleet.track[first]
    racer.fleet.track[car] = track
    length = racer.tables.length_u[track]
    slot = chosen_slot(race, car, first, last)
    start = slot_start(race, car, first, slot, track)
    distance = start_distance(race, first, slot, track)
    write_car(racer.fleet, car, moving_car(start))
    write_stretch(racer.fleet, car, distance - math.floor(distance / length) * length)
    renew_model(racer, car, True)
    write_new_race(racer.fleet, car, start.gate)
    origin = 0.0
    if race.rules.start == SPREAD:
        origin = whole_gates(distance, length, GATE_COUNT) * (length / GATE_COUNT)
    write_contender(race, car, slot, distance, origin)


@kernel
def place_grid(race: Race, grid: int, first: int, last: int) -> None:
    """Begin the race of a grid."""
    race.grids.clock[grid] = 0
    for car in range(first, last):
        place_on_grid(race, car, first, last)
    settle_order(race, first, last)
