"""Random starts of cars with grip: across a gate, along the road, no faster than the road ahead lets a car be."""

import math

from hotlap.kernel import kernel
from hotlap.racer.fleet import Starts
from hotlap.racer.physics import GATE_COUNT, Physics
from hotlap.racer.starts import (
    HEADING_SPREAD_RAD,
    REST_SHARE,
    SPEED_DRAW,
    TURN_DRAW,
    StartMotion,
    drawn,
    gate_arc_u,
)
from hotlap.racer.tables import TrackTables

STRAIGHT_RAD = 0.03
"""How far a car may point away from the road: at speed, more would take it off the road at once."""
SLOWEST_SHARE = 0.3
SEEN_STEPS = 24
STEP_M = 8.0
"""How far ahead bends are looked for, and how often."""
CORNERING_MPS2, BRAKING_MPS2 = 8.0, 6.0
"""What every car can do."""


@kernel
def fastest_start(arc_u: float, track: int, tables: TrackTables, physics: Physics) -> float:
    """The speed in m/s from which a car can still slow down for every bend ahead."""
    length, count, first = tables.length_u[track], tables.coarse_count[track], tables.coarse_first[track]
    squared = physics.max_speed_ups * physics.max_speed_ups
    last = tables.coarse_heading_rad[first + int(arc_u / length * count) % count]
    for step in range(1, SEEN_STEPS):
        heading = tables.coarse_heading_rad[first + int((arc_u + step * STEP_M) / length * count) % count]
        turn = heading - last
        turn -= 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
        allowed = CORNERING_MPS2 * STEP_M / max(abs(turn), 1e-6) + 2.0 * BRAKING_MPS2 * (step - 1) * STEP_M
        squared = min(squared, allowed)
        last = heading
    return math.sqrt(squared)


@kernel
def grip_start_motion(starts: Starts, car: int, row: int, tables: TrackTables, physics: Physics) -> StartMotion:
    """One in five at rest; the others along the road, at up to what it allows."""
    turn = 2.0 * drawn(starts, car, TURN_DRAW) - 1.0
    pace = drawn(starts, car, SPEED_DRAW)
    if pace < REST_SHARE:
        return StartMotion(turn_rad=turn * HEADING_SPREAD_RAD, speed_ups=0.0)
    track = row // GATE_COUNT
    fastest = fastest_start(gate_arc_u(row - track * GATE_COUNT, track, tables), track, tables, physics)
    share = (pace - REST_SHARE) / (1.0 - REST_SHARE)
    speed = (SLOWEST_SHARE + (1.0 - SLOWEST_SHARE) * share) * fastest
    return StartMotion(turn_rad=turn * STRAIGHT_RAD, speed_ups=speed)
