"""The slow twin of how a car begins, on the track itself instead of its tables."""

import math

import numpy as np

from hotlap.racer.physics import PHYSICS
from hotlap.racer.starts import DRAWS, Start
from hotlap.racer.tracks import Track

GATES = 30


def choose_start(track: Track, kind: str, gate: int | None, rng: np.random.Generator) -> Start:
    """A start by dice; `gate` picks the gate of "gate" and "random"."""
    return start_by_draws(track, kind, gate, rng.random(DRAWS))


def start_by_draws(track: Track, kind: str, gate: int | None, draws: np.ndarray) -> Start:
    """The start that numbers in [0, 1) lead to: the second one chooses the gate, the next three the rest."""
    if kind == "grid":
        return Start(track.start_x_u, track.start_y_u, track.start_heading_rad, 0.0, 0)
    chosen = int(draws[1] * GATES) if gate is None else gate
    heading = math.atan2(track.gate_direction[chosen, 1], track.gate_direction[chosen, 0])
    centre = track.gate_centre[chosen]
    if kind == "gate":
        return Start(float(centre[0]), float(centre[1]), heading, 0.0, chosen)
    side, turn = (float(np.interp(draw, [0.0, 1.0], [-1.0, 1.0])) for draw in draws[2:4])
    share_of_top_speed = max(float(np.interp(draws[4], [0.0, 1.0], [-0.25, 1.0])), 0.0)
    half_width = float(track.half_width_at(track.gate_arcs_u[chosen])[0])
    toward = (track.gate_left if side > 0.0 else track.gate_right)[chosen] - centre
    room = math.hypot(*toward)
    reach = max(abs(side) * min(half_width * 0.8, room - 2.0 * PHYSICS.contact_radius_u), 0.0)
    x, y = centre + toward / room * reach
    return Start(float(x), float(y), heading + turn * 0.35, share_of_top_speed * PHYSICS.max_speed_ups, chosen)
