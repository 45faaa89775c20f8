"""`numbers.json`: the numbers that the pages are built with; the memory of a kernel is told in `kernel.json`."""

import json
from typing import Any

from hotlap.highway.mission_rules import STILL_MPS
from hotlap.highway.missions import MODE_NAMES
from hotlap.highway.orders.quantities import METERS_PER_UNIT
from hotlap.highway.physics import MPH, SIZE_NAMES
from hotlap.highway.world import UNSAID
from hotlap.learning.network import MOST_INPUTS, MOST_UNITS
from hotlap.policies.small_network import MOST_LAYERS
from hotlap.race.grid import DRAWN_SLOT, NOBODY
from hotlap.race.senses import NUMBERS_OF_A_CAR, SEEN_EACH_WAY, SIGHT_U
from hotlap.racer.cars import car_ids, load_car
from hotlap.racer.cars.drives import flat_out
from hotlap.racer.grip_car import GRAVITY_MPS2
from hotlap.racer.grip_sensors import GRIP_LOOKAHEADS_M
from hotlap.racer.physics import GATE_COUNT, PHYSICS, RAY_COUNT, ROAD, TICKS_PER_SECOND
from hotlap.racer.sensors import LOOKAHEADS_U
from hotlap.store.drives import BYTES_PER_TICK, MOST_RESPAWNS, MOST_TICKS
from hotlap.store.missions import LONGEST_DRIVER, MOST_LISTED
from hotlap.units import KMH_PER_MPS

NUMBERS = "numbers.json"
NO_RUN = 4404
"""What the live channel closes with where no training runs."""


def page_numbers() -> dict[str, Any]:
    """Every number that a page needs before it has loaded a kernel, by the name it has in TypeScript."""
    return {
        "ticks_per_second": TICKS_PER_SECOND,
        "gates": GATE_COUNT,
        "road": ROAD,
        "top_speed_ups": PHYSICS.max_speed_ups,
        "grip_top_mps": round(max(flat_out(load_car(car).data)[-1] for car in car_ids()), 1),
        "gravity_mps2": GRAVITY_MPS2,
        "kmh_per_mps": KMH_PER_MPS,
        "mph_mps": MPH,
        "foot_m": METERS_PER_UNIT["foot"],
        "still_mps": STILL_MPS,
        "unsaid": UNSAID,
        "rays": RAY_COUNT,
        "ray_range_u": PHYSICS.ray_range_u,
        "lookaheads_u": LOOKAHEADS_U,
        "grip_lookaheads_m": GRIP_LOOKAHEADS_M,
        "seen_cars": 2 * SEEN_EACH_WAY,
        "numbers_of_a_car": NUMBERS_OF_A_CAR,
        "sight_u": SIGHT_U,
        "drawn_slot": DRAWN_SLOT,
        "nobody": NOBODY,
        "tape": {"bytes_per_tick": BYTES_PER_TICK, "most_ticks": MOST_TICKS, "most_respawns": MOST_RESPAWNS},
        "network": {"most_layers": MOST_LAYERS, "most_units": MOST_UNITS, "most_inputs": MOST_INPUTS},
        "longest_driver": LONGEST_DRIVER,
        "most_listed": MOST_LISTED,
        "no_run": NO_RUN,
        "modes": dict.fromkeys(MODE_NAMES, True),
        "vehicle_kinds": {name: number for number, name in enumerate(SIZE_NAMES)},
    }


def numbers_text() -> str:
    """The file, as the package keeps it."""
    return json.dumps(page_numbers(), indent=2) + "\n"
