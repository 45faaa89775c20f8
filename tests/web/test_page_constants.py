"""Numbers that the pages and the package both need are the same in both."""

import re
from pathlib import Path

import pytest

from hotlap.highway import physics as highway
from hotlap.learning import network
from hotlap.policies import small_network
from hotlap.race import senses
from hotlap.racer import grip_sensors, physics, sensors
from hotlap.store import drives, missions

PAGES = Path(__file__).parents[2] / "frontend" / "src"
SHARED = {
    ("physics/numbers.ts", "TICKS_PER_SECOND"): physics.TICKS_PER_SECOND,
    ("physics/numbers.ts", "TOP_SPEED_UPS"): physics.PHYSICS.max_speed_ups,
    ("physics/small-network.ts", "MOST_LAYERS"): small_network.MOST_LAYERS,
    ("physics/small-network.ts", "MOST_UNITS"): network.MOST_UNITS,
    ("physics/small-network.ts", "MOST_INPUTS"): network.MOST_INPUTS,
    ("race/laps.ts", "ROAD"): physics.ROAD,
    ("race/tape.ts", "BYTES_PER_TICK"): drives.BYTES_PER_TICK,
    ("race/tape.ts", "MOST_TICKS"): drives.MOST_TICKS,
    ("race/tape.ts", "MOST_RESPAWNS"): drives.MOST_RESPAWNS,
    ("view/senses.ts", "SEEN_CARS"): 2 * senses.SEEN_EACH_WAY,
    ("view/senses.ts", "NUMBERS_OF_A_CAR"): senses.NUMBERS_OF_A_CAR,
    ("view/senses.ts", "SIGHT_U"): senses.SIGHT_U,
    ("highway/drive.ts", "LONGEST_DRIVER"): missions.LONGEST_DRIVER,
    ("highway/vehicle-art.ts", "MOTORCYCLE"): highway.MOTORCYCLE,
    ("highway/vehicle-art.ts", "SUV"): highway.SUV,
    ("highway/vehicle-art.ts", "TRUCK"): highway.TRUCK,
}


LISTS = {
    ("view/senses.ts", "LOOKAHEADS_U"): sensors.LOOKAHEADS_U,
    ("view/senses.ts", "GRIP_LOOKAHEADS_M"): grip_sensors.GRIP_LOOKAHEADS_M,
}


@pytest.mark.parametrize(("file", "name"), LISTS)
def test_list_of_a_page_is_that_of_the_package(file, name):
    text = (PAGES / file).read_text(encoding="utf-8")
    written = re.search(rf"^export const {name} = \[([^\]]+)\];", text, re.MULTILINE)
    assert tuple(float(number) for number in written[1].split(",") if number.strip()) == LISTS[file, name]


@pytest.mark.parametrize(("file", "name"), SHARED)
def test_constant_of_a_page_is_that_of_the_package(file, name):
    text = (PAGES / file).read_text(encoding="utf-8")
    written = re.search(rf"^(?:export )?const {name} = ([\d._]+);", text, re.MULTILINE)
    assert float(written[1].replace("_", "")) == SHARED[file, name]
