"""What a driver sees of the others: three ahead and three behind along the lap, each in its slot."""

import math

from hotlap.kernel import kernel
from hotlap.race.grid import Race
from hotlap.race.neighbours import is_racing, onward_gap
from hotlap.racer.car import wrap_angle
from hotlap.racer.sensors import road_at

SEEN_EACH_WAY = 3
NUMBERS_OF_A_CAR = 6
OTHERS_SIZE = 2 * SEEN_EACH_WAY * NUMBERS_OF_A_CAR
SIGHT_U = 120.0
"""Nobody further along the lap is seen; places with nobody read as this far away."""


@kernel
def write_road_frame(race: Race, car: int) -> None:
    """The direction of the road under a car, how far left of its middle it is, and its speed along and across."""
    fleet, work = race.racer.fleet, race.work
    road = road_at(fleet.arc_u[car], fleet.track[car], race.racer.tables)
    cosine, sine = math.cos(road.heading_rad), math.sin(road.heading_rad)
    work.road_cosine[car], work.road_sine[car] = cosine, sine
    work.offset_u[car] = cosine * (fleet.y_u[car] - road.y_u) - sine * (fleet.x_u[car] - road.x_u)
    work.along_ups[car] = fleet.vx_ups[car] * cosine + fleet.vy_ups[car] * sine
    work.across_ups[car] = fleet.vy_ups[car] * cosine - fleet.vx_ups[car] * sine


@kernel
def write_other(race: Race, car: int, other: int, gap_u: float, row: int) -> None:
    """One of the others: how far along the lap and aside, closing and sideways speed, heading, alongside or not."""
    work, rules, seen = race.work, race.rules, race.facts.seen
    contenders, fleet = race.contenders, race.racer.fleet
    closing = work.along_ups[car] - work.along_ups[other]
    touching = contenders.half_length_u[car] + contenders.half_length_u[other]
    seen[row] = gap_u / SIGHT_U
    seen[row + 1] = (work.offset_u[other] - work.offset_u[car]) / rules.side_scale_u
    seen[row + 2] = (closing if gap_u >= 0.0 else -closing) / rules.speed_scale_ups
    seen[row + 3] = (work.across_ups[other] - work.across_ups[car]) / rules.speed_scale_ups
    seen[row + 4] = wrap_angle(fleet.heading_rad[other] - fleet.heading_rad[car]) / math.pi
    seen[row + 5] = 1.0 if abs(gap_u) < touching else 0.0


@kernel
def write_nobody(race: Race, far: float, row: int) -> None:
    """A place with nobody: far away, and as fast."""
    race.facts.seen[row] = far
    for number in range(1, NUMBERS_OF_A_CAR):
        race.facts.seen[row + number] = 0.0


@kernel
def write_others(race: Race, place: int, first: int, last: int, onward: int, row: int) -> None:
    """The three nearest of one direction along the lap, the nearest first; `onward` is 1 ahead and -1 behind."""
    fleet, work, count = race.racer.fleet, race.work, last - first
    car = work.order[first + place]
    length = race.racer.tables.length_u[fleet.track[car]]
    found = 0
    for step in range(1, count):
        other = work.order[first + (place + onward * step) % count]
        here, there = fleet.arc_u[car], fleet.arc_u[other]
        gap = onward_gap(here, there, length) if onward > 0 else onward_gap(there, here, length)
        if found == SEEN_EACH_WAY or gap > SIGHT_U or gap > 0.5 * length:
            break
        if is_racing(race, other):
            write_other(race, car, other, onward * gap, row + found * NUMBERS_OF_A_CAR)
            found += 1
    for slot in range(found, SEEN_EACH_WAY):
        write_nobody(race, float(onward), row + slot * NUMBERS_OF_A_CAR)


@kernel
def write_seen_race(race: Race, place: int, first: int, last: int) -> None:
    """Everything a driver sees: its own car and road as in a world alone, then the others."""
    car = race.work.order[first + place]
    size = int(race.rules.solo_size)
    row = car * (size + OTHERS_SIZE)
    alone = race.racer.out.observation
    for number in range(size):
        race.facts.seen[row + number] = alone[car * size + number]
    for way in range(2):
        onward = 1 if way == 0 else -1
        there = row + size + way * SEEN_EACH_WAY * NUMBERS_OF_A_CAR
        write_others(race, place, first, last, onward, there)
