"""Where a car begins: on the grid, at rest at a gate, or somewhere across a gate at some speed."""

import math
from typing import Any, NamedTuple

import numpy as np

from hotlap.errors import ConfigError, did_you_mean
from hotlap.racer.physics import GATE_COUNT, PHYSICS
from hotlap.racer.tracks import Track
from hotlap.worlds import is_whole

START_KINDS = ("grid", "gate", "random")
ROAD_SHARE = 0.8
HEADING_SPREAD_RAD = 0.35
REST_SHARE = 0.2


class Start(NamedTuple):
    """The state a car is put into; its laps run from its gate to its gate."""

    x_u: float
    y_u: float
    heading_rad: float
    speed_ups: float
    gate: int


def check_start_kind(kind: Any) -> str:
    """The kind, or an error with the nearest one."""
    if not isinstance(kind, str) or kind not in START_KINDS:
        raise ConfigError(f'no start "{kind}".{did_you_mean(str(kind), START_KINDS)} Known: {", ".join(START_KINDS)}.')
    return kind


def choose_start(track: Track, kind: str, gate: int | None, rng: np.random.Generator) -> Start:
    """The start of one episode; `gate` picks the gate of "gate" and "random", else `rng` does."""
    if gate is not None and not (is_whole(gate) and 0 <= gate < GATE_COUNT):
        raise ConfigError(f"gate must be a whole number from 0 to {GATE_COUNT - 1}, not {gate!r}.")
    if kind == "grid":
        return Start(track.start_x_u, track.start_y_u, track.start_heading_rad, 0.0, 0)
    chosen = int(rng.integers(GATE_COUNT)) if gate is None else int(gate)
    heading = math.atan2(track.gate_direction[chosen, 1], track.gate_direction[chosen, 0])
    centre = track.gate_centre[chosen]
    if kind == "gate":
        return Start(float(centre[0]), float(centre[1]), heading, 0.0, chosen)
    return _random_start(track, chosen, heading, rng)


def _random_start(track: Track, gate: int, heading: float, rng: np.random.Generator) -> Start:
    """Across the gate's road, turned a little, one in five at rest and the others at any speed: all a lap can bring."""
    side, turn = rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)
    speed = max(rng.uniform(-REST_SHARE / (1.0 - REST_SHARE), 1.0), 0.0)
    half_width = float(track.half_width_at(track.gate_arcs_u[gate : gate + 1])[0])
    toward = (track.gate_left if side > 0.0 else track.gate_right)[gate] - track.gate_centre[gate]
    room = float(np.hypot(*toward))
    reach = abs(side) * min(half_width * ROAD_SHARE, room - 2.0 * PHYSICS.contact_radius_u)
    spot = track.gate_centre[gate] + toward / room * max(reach, 0.0)
    return Start(
        float(spot[0]), float(spot[1]), heading + turn * HEADING_SPREAD_RAD, speed * PHYSICS.max_speed_ups, gate
    )
