"""The fingerprint of the racing world: a driver is only valid with the physics and senses it was trained with.

It is a hash of every number the world is made of and of a fixed drive on the built-in tracks, so that it changes with a
rule as well as with a number. The drive is rounded to a hundred-thousandth: another machine's sines differ by less than
a thousandth of that, and must not make another world. For the same reason the numbers count with twelve digits.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.racer import physics as numbers
from hotlap.racer import projection, sensors
from hotlap.racer.batch import GRIP_LAYOUTS, LAYOUTS, RacerBatch
from hotlap.racer.grip_fingerprint import grip_fingerprint
from hotlap.racer.physics import PHYSICS, Physics
from hotlap.racer.starts import Start
from hotlap.racer.tracks import gates, load_track, spline, track, walls
from hotlap.worlds import ObservationSpec, fingerprint_of, rounded

WORLD = "racer-1"
TRACKS = ("track-01", "track-02", "track-03")
DRIVE_TICKS = 180
CARS_PER_TRACK = 4
CONSTANTS = {
    numbers: ("TICKS_PER_SECOND", "GATE_COUNT", "RAY_COUNT", "ROAD", "RUNOFF", "SHOULDER"),
    projection: ("TERNARY_STEPS",),
    sensors: (
        "CLASSIC_SIZE",
        "FULL_SIZE",
        "LOOKAHEADS_U",
        "OFFSET_SCALE_U",
        "YAW_SCALE_RPS",
        "CURVATURE_SCALE_U",
        "AHEAD_SCALE_U",
    ),
    spline: ("CHORDS_PER_SEGMENT", "SHORTEST_KNOT_INTERVAL"),
    track: ("FEWEST_SAMPLES", "SAMPLES_PER_POINT"),
    walls: (
        "WALL_BEYOND_ROAD_U",
        "NEAREST_WALL_U",
        "CENTRE_OF_TURN_CLEARANCE_U",
        "STRAIGHTEST_CURVATURE_PER_U",
        "REDUCTION_SMOOTHING",
        "POLYLINE_SMOOTHING",
    ),
    gates: ("GATE_COUNT", "FEWEST_SAMPLES_SEARCHED"),
}
"""Every number outside `Physics` that decides where a car goes or what its driver sees, by module."""


@cache
def physics_fingerprint(physics: Physics = PHYSICS) -> str:
    """The world's name and sixteen hexadecimal digits, like "racer-1:0123456789abcdef"."""
    facts = {
        "physics": [f"{value:.12g}" for value in physics],
        "constants": [[getattr(module, name) for name in names] for module, names in CONSTANTS.items()],
        "drive": rounded(fixed_drive(physics)),
    }
    return fingerprint_of(WORLD, facts)


def fixed_drive(physics: Physics) -> list[NDArray[Any]]:
    """Where the cars of the fixed drive were after each third of it, what was said and what was seen at its end."""
    facts: list[NDArray[Any]] = []
    for layout in ("classic", "full"):
        batch = _batch_on_every_track(layout, physics)
        total_reward = np.zeros(batch.count)
        for tick in range(1, DRIVE_TICKS + 1):
            batch.set_actions(_actions(tick, batch.count))
            batch.step()
            total_reward += batch.out.reward
            if tick % (DRIVE_TICKS // 3) == 0 and layout == "classic":
                fleet = batch.fleet
                facts += [fleet.x_u.copy(), fleet.y_u.copy(), fleet.heading_rad.copy(), fleet.speed_ups.copy()]
                facts += [fleet.gate.copy(), fleet.surface.copy(), batch.out.wall_contact.copy()]
        facts += [total_reward, batch.observation]
    return facts


def _batch_on_every_track(layout: str, physics: Physics) -> RacerBatch:
    """On each track one car on the grid and others rolling through a gate, faster and faster."""
    tracks = [load_track(name) for name in TRACKS]
    batch = RacerBatch(CARS_PER_TRACK * len(tracks), tracks, layout=layout, threads=1, physics=physics)
    for car in range(batch.count):
        number, place = divmod(car, CARS_PER_TRACK)
        here, gate = tracks[number], 7 * place
        heading_rad = float(np.arctan2(here.gate_direction[gate, 1], here.gate_direction[gate, 0]))
        x_u, y_u = here.gate_centre[gate].tolist()
        batch.place(car, number, Start(x_u, y_u, heading_rad, 50.0 * place, gate), delay=place % 2)
    return batch


def _actions(tick: int, count: int) -> NDArray[np.float64]:
    """Full throttle most of the time, the wheel turned this way and that, now and then the brake; nothing random."""
    car = np.arange(count)
    phase = (tick + 11 * car) // 20
    steer = ((5 * phase + car) % 9 - 4) / 4.0
    return np.column_stack([steer, np.where(phase % 5 == 4, 0.25, 1.0), np.where(phase % 7 == 6, 1.0, 0.0)])


def fingerprint_of_layout(layout: str) -> str:
    """The physics of drivers that see a layout: those of cars with grip live in a world of their own."""
    return grip_fingerprint() if layout in GRIP_LAYOUTS else physics_fingerprint()


OBSERVATION_SPEC = ObservationSpec(LAYOUTS, fingerprint_of_layout)
