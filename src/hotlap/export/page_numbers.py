"""`numbers.json`: the numbers that the pages are built with; the memory of a kernel is told in `kernel.json`."""

import json
from typing import Any

from hotlap.highway.missions import MODE_NAMES
from hotlap.highway.physics import MPH, SIZE_NAMES
from hotlap.learning.network import MOST_INPUTS, MOST_UNITS
from hotlap.policies.small_network import MOST_LAYERS
from hotlap.race.senses import NUMBERS_OF_A_CAR, SEEN_EACH_WAY, SIGHT_U
from hotlap.racer.grip_car import GRAVITY_MPS2
from hotlap.racer.grip_sensors import GRIP_LOOKAHEADS_M
from hotlap.racer.physics import GATE_COUNT, PHYSICS, RAY_COUNT, ROAD, TICKS_PER_SECOND
from hotlap.racer.sensors import LOOKAHEADS_U
from hotlap.store.drives import BYTES_PER_TICK, MOST_RESPAWNS, MOST_TICKS
from hotlap.store.missions import LONGEST_DRIVER
from hotlap.units import KMH_PER_MPS

NUMBERS = "numbers.json"


def page_numbers() -> dict[str, Any]:
    """Every number that a page needs before it has loaded a kernel, by the name it has in TypeScript."""
    return {
        "ticks_per_second": TICKS_PER_SECOND,
        "gates": GATE_COUNT,
        "road": ROAD,
        "top_speed_ups": PHYSICS.max_speed_ups,
        "gravity_mps2": GRAVITY_MPS2,
        "kmh_per_mps": KMH_PER_MPS,
        "mph_mps": MPH,
        "rays": RAY_COUNT,
        "ray_range_u": PHYSICS.ray_range_u,
        "lookaheads_u": LOOKAHEADS_U,
        "grip_lookaheads_m": GRIP_LOOKAHEADS_M,
        "seen_cars": 2 * SEEN_EACH_WAY,
        "numbers_of_a_car": NUMBERS_OF_A_CAR,
        "sight_u": SIGHT_U,
        "tape": {"bytes_per_tick": BYTES_PER_TICK, "most_ticks": MOST_TICKS, "most_respawns": MOST_RESPAWNS},
        "network": {"most_layers": MOST_LAYERS, "most_units": MOST_UNITS, "most_inputs": MOST_INPUTS},
        "longest_driver": LONGEST_DRIVER,
        "modes": dict.fromkeys(MODE_NAMES, True),
        "vehicle_kinds": {name: number for number, name in enumerate(SIZE_NAMES)},
    }


def numbers_text() -> str:
    """The file, as the package keeps it."""
    return json.dumps(page_numbers(), indent=2) + "\n"
