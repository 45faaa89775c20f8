"""The fingerprint of the world of cars with grip: the model, its walls and surfaces, and what drivers see.

A car's own fingerprint is `hotlap.racer.cars.fingerprint`; a driver that sees the numbers of its car is valid in all.
"""

from functools import cache

import numpy as np

from hotlap.racer import grip_sensors
from hotlap.racer.batch import GRIP_LAYOUTS, RacerBatch
from hotlap.racer.cars import load_car
from hotlap.racer.cars.fingerprint import MODEL, car_fingerprint
from hotlap.racer.grip_physics import GRIP_PHYSICS
from hotlap.racer.starts import Start
from hotlap.racer.tracks import load_track
from hotlap.worlds import fingerprint_of, rounded

TRACK = "track-01"
CAR = "gt"
DRIVE_TICKS = 120
SPEEDS_MPS = (0.0, 15.0, 30.0)
CONSTANTS = (
    "GRIP_LOOKAHEADS_M",
    "FORWARD_SCALE_MPS",
    "SIDEWAYS_SCALE_MPS",
    "ACCEL_SCALE_MPS2",
    "GRIP_YAW_SCALE_RPS",
    "WIDTH_SCALE_M",
    "BEND_SCALE_M",
    "TURN_SCALE_RAD",
)
"""Every number of what a driver sees."""


@cache
def grip_fingerprint() -> str:
    """The model's name and sixteen hexadecimal digits."""
    facts = {
        "car": car_fingerprint(load_car(CAR).data),
        "physics": [f"{value:.12g}" for value in GRIP_PHYSICS],
        "senses": [getattr(grip_sensors, name) for name in CONSTANTS],
        "drive": rounded(fixed_drive()),
    }
    return fingerprint_of(MODEL, facts)


def fixed_drive() -> list[np.ndarray]:
    """Where cars that roll off the grid are two seconds later, and what their drivers see in both layouts."""
    facts = []
    for layout in GRIP_LAYOUTS:
        track = load_track(TRACK)
        batch = RacerBatch(len(SPEEDS_MPS), [track], layout=layout, threads=1, cars=[load_car(CAR)])
        batch.grip.car_count[:] = 1
        for car, speed_mps in enumerate(SPEEDS_MPS):
            start = Start(track.start_x_u, track.start_y_u, track.start_heading_rad, speed_mps, 0)
            batch.place(car, 0, start, delay=0)
        batch.set_actions(np.tile([0.02, 0.4, 0.0], (batch.count, 1)))
        for _ in range(DRIVE_TICKS):
            batch.step()
        facts += [batch.fleet.x_u.copy(), batch.fleet.y_u.copy(), batch.fleet.speed_ups.copy(), batch.observation]
    return facts
