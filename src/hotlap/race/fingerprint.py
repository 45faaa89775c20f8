"""The fingerprint of a race: that of the car alone, the numbers of contact and of the senses, and a fixed race."""

from functools import cache

import numpy as np

from hotlap.race import collisions, contact, facts, fault, recovery, senses, slipstream
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.racer.batch import GRIP_LAYOUTS, LAYOUTS
from hotlap.racer.cars import load_car
from hotlap.racer.fingerprint import fingerprint_of_layout
from hotlap.racer.tracks import load_track
from hotlap.worlds import ObservationSpec, fingerprint_of, rounded

WORLD = "race-1"
DRIVE_TICKS = 120
CONSTANTS = {
    contact: ("RESTITUTION", "FRICTION"),
    collisions: ("MOST_TURNS", "SHALLOWEST_U", "LONGEST_PUSH_U", "SWEEP_U", "NEW_CONTACT_TICKS", "MOST_TURN_RAD"),
    fault: ("ALONGSIDE_SHARE", "SAME_SPEED_SHARE"),
    facts: ("PASS_TICKS",),
    recovery: ("STUCK_TICKS", "PROGRESS_U", "CLEAR_U", "RETIRES_AFTER"),
    senses: ("SEEN_EACH_WAY", "NUMBERS_OF_A_CAR", "SIGHT_U"),
    slipstream: ("WAKE_U", "LESS_DRAG", "LESS_FRONT_DOWNFORCE"),
}
"""Every number of a race that decides where a car goes or what its driver sees, by module."""


@cache
def race_fingerprint(layout: str) -> str:
    """The name of the world and sixteen hexadecimal digits, for drivers that see a layout of the car alone."""
    has_grip = layout in GRIP_LAYOUTS
    drive = _fixed_race("grip" if has_grip else "classic", ("gt",) if has_grip else ())
    known = {
        "alone": fingerprint_of_layout(layout),
        "constants": [[getattr(module, name) for name in names] for module, names in CONSTANTS.items()],
        "drive": rounded(drive),
    }
    return fingerprint_of(WORLD, known)


def _fixed_race(layout: str, cars: tuple[str, ...]) -> list[np.ndarray]:
    """Where four cars are that roll off the grid at different paces, and what their drivers see."""
    settings = RaceSettings(cars=4, start="rolling", layout=layout)
    race = RaceBatch(1, [load_track("track-01")], settings, 1, [load_car(name) for name in cars])
    race.alone.grip.car_count[:] = len(cars)
    race.slots.wanted[:] = np.arange(4)
    race.reset()
    race.set_actions(np.column_stack([[0.02, 0.0, -0.01, 0.01], [0.0, 0.3, 0.6, 0.5], np.zeros(4)]))
    for _ in range(DRIVE_TICKS):
        race.step()
    return [race.fleet.x_u, race.fleet.y_u, race.fleet.speed_ups, race.contenders.distance_u, race.observation]


def layout_fingerprint(layout: str) -> str:
    """The physics of drivers that see a layout of a race."""
    return race_fingerprint(layout.removeprefix("race-"))


OBSERVATION_SPEC = ObservationSpec(
    {f"race-{layout}": size + senses.OTHERS_SIZE for layout, size in LAYOUTS.items()}, layout_fingerprint
)
