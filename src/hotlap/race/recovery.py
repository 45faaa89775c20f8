"""A car that gets nowhere for five seconds is put back on the road; one that never gets anywhere retires."""

import math

from hotlap.kernel import kernel
from hotlap.race.grid import RETIRED, Race
from hotlap.race.neighbours import is_racing
from hotlap.racer.physics import GATE_COUNT, TICKS_PER_SECOND
from hotlap.racer.starts import gate_arc_u, start_at_gate
from hotlap.racer.tick import respawn_car, write_place

STUCK_TICKS = 5 * TICKS_PER_SECOND
PROGRESS_U = 5.0
"""Who gains less in that time is stuck."""
CLEAR_U = 8.0
"""A car is put back where nobody is nearer than this; until then it waits."""
RETIRES_AFTER = 3
"""So many times in a row put back without getting anywhere, and it is taken off the road."""


@kernel
def is_clear(race: Race, car: int, x: float, y: float) -> bool:
    """Whether nobody else is near a spot."""
    fleet, cars = race.racer.fleet, int(race.rules.cars)
    first = car - car % cars
    for other in range(first, first + cars):
        dx, dy = fleet.x_u[other] - x, fleet.y_u[other] - y
        if other != car and is_racing(race, other) and math.sqrt(dx * dx + dy * dy) < CLEAR_U:
            return False
    return True


@kernel
def note_progress(race: Race, car: int) -> bool:
    """Count for how long a car has got nowhere; whether that is long enough."""
    contenders = race.contenders
    if contenders.distance_u[car] > contenders.mark_u[car] + PROGRESS_U:
        contenders.mark_u[car] = contenders.distance_u[car]
        contenders.mark_ticks[car] = contenders.stuck_times[car] = 0
        return False
    contenders.mark_ticks[car] += 1
    return bool(contenders.mark_ticks[car] >= STUCK_TICKS)


@kernel
def recover(race: Race, car: int) -> None:
    """Put a stuck car to rest on the last gate it passed, when nobody is there; a hopeless one retires."""
    if not note_progress(race, car):
        return
    racer, contenders = race.racer, race.contenders
    fleet = racer.fleet
    gate, track = fleet.gate[car], fleet.track[car]
    start = start_at_gate(gate, track * GATE_COUNT + gate, racer.tables)
    if contenders.stuck_times[car] >= RETIRES_AFTER:
        contenders.status[car] = RETIRED
        return
    if not is_clear(race, car, start.x_u, start.y_u):
        return
    respawn_car(racer, car)
    write_place(fleet, car, racer.tables, racer.physics)
    passed = (fleet.lap[car] - 1) * GATE_COUNT + (gate - fleet.finish_gate[car]) % GATE_COUNT
    passed_u = gate_arc_u(passed, track, racer.tables)
    contenders.distance_u[car] = contenders.mark_u[car] = contenders.origin_u[car] + passed_u
    contenders.mark_ticks[car] = 0
    contenders.stuck_times[car] += 1
    contenders.put_backs[car] += 1
    race.facts.put_back[car] = 1
