"""The fingerprint of the highway world: a driver is only valid with the physics and senses it was trained with.

It is a hash of every constant the world is made of and of a fixed drive through traffic, with the supervisor and
without, so that it changes with a rule as well as with a number. What a driver is paid is no part of it. The drive is
rounded, since another machine's last digits must not make another world.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.highway import fleet, mission_plan, mission_rules, physics, rescue, sensors, starts, supervisor, traffic
from hotlap.highway.world import HighwayWorld
from hotlap.worlds import ObservationSpec, fingerprint_of, rounded

WORLD = "highway-2"
ROADS = 12
DRIVE_DECISIONS = 90
MODULES = (rescue, starts, traffic, supervisor, sensors, mission_plan, mission_rules, fleet, physics)
"""Their constants are all in: where a vehicle goes, what its driver sees, when a mission is done. Who is imported comes
after who imports, so that the owner of a constant has the last word."""


@cache
def physics_fingerprint() -> str:
    """The world's name and sixteen hexadecimal digits, like "highway-2:0123456789abcdef"."""
    return fingerprint_of(WORLD, {"constants": constants(), "drive": rounded(fixed_drive())})


def constants() -> dict[str, str]:
    """Every number and tuple that the modules of the world keep, with twelve digits, by name, whoever imports it."""
    found = {
        name: _shown(value)
        for module in MODULES
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, int | float | tuple)
    }
    return dict(sorted(found.items()))


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def fixed_drive() -> list[NDArray[Any]]:
    """Where the vehicles of a drive were after each third of it, what the supervisor did and what was seen."""
    facts: list[NDArray[Any]] = []
    for supervised in (True, False):
        world = HighwayWorld(ROADS, vehicles=(0, 30), supervisor=supervised, threads=1)
        for road in range(ROADS):
            world.begin(road, np.random.Generator(np.random.PCG64(road)))
        for decision in range(1, DRIVE_DECISIONS + 1):
            world.advance(_actions(decision))
            if decision % (DRIVE_DECISIONS // 3) == 0:
                here, roads = world.vehicles, world.roads
                facts += [here.x_m.clip(-1e4), here.speed_mps.copy(), here.progress.copy(), here.lane.copy()]
                facts += [roads.mission_mode.copy(), roads.crashed.copy(), roads.interventions.copy()]
                facts.append(world.observation.copy())
    return facts


def _actions(decision: int) -> NDArray[np.float64]:
    """Throttle, now and then the brake, a lane request this way or that; nothing random, no sines."""
    road = np.arange(ROADS)
    phase = (decision + 7 * road) // 9
    lane = ((5 * phase + road) % 7 - 3) / 3.0
    return np.column_stack([np.where(phase % 4 == 3, 0.1, 0.6), np.where(phase % 6 == 5, 0.4, 0.0), lane])


OBSERVATION_SPEC = ObservationSpec({"highway": sensors.OBSERVATION_SIZE}, lambda _layout: physics_fingerprint())
