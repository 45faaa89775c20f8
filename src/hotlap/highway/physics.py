"""The numbers of the highway world: time steps, what vehicles can do, how traffic drives; SI units throughout."""

from typing import NamedTuple

TICK_S = 0.05
TICKS_PER_DECISION = 4
DECISION_S = TICK_S * TICKS_PER_DECISION
EPISODE_S = 180.0
EPISODE_DECISIONS = 900
MPH = 0.44704
"""Metres per second in a mile per hour."""

LANE_WIDTH_M = 3.6
FEWEST_LANES, MOST_LANES = 2, 6
MOST_LANES_AND_SHOULDER = MOST_LANES + 1
"""Right of the rightmost lane lies the shoulder: its number is that of the lanes. Only who stops may go there."""
MOST_VEHICLES = 40

# What the ego can do.
TOP_SPEED_MPS = 40.0
MAX_ACCEL_MPS2 = 3.6
COMFORT_BRAKE_MPS2 = 3.0
EASY_ACCEL_MPS2 = EASY_BRAKE_MPS2 = 2.5
"""How a speed is reached in comfort."""
RELEASE_JERK_MPS3 = 10.0
"""How fast acceleration may grow: a foot pressing the throttle or leaving the brake."""
BRAKE_JERK_MPS3 = 40.0
"""How fast it may fall: from full throttle to full braking in 0.3 s."""
EGO_LENGTH_M, EGO_WIDTH_M = 4.8, 1.85

# What holds for everybody: all can brake equally hard, so whoever keeps the safe distance can always stop in time.
HARD_BRAKE_MPS2 = 8.0
SAFE_MARGIN_M = 1.0
"""Bumper to bumper, what is left when two vehicles have braked as hard as they can."""

# Lane changes: the time they take, and the road they need, so that nobody slides sideways at walking pace.
CHANGE_S = 3.0
CHANGE_ROAD_M = 25.0
CHANGE_LENGTHS = 2.0
CHANGE_RATE_PER_S2 = 1.0
"""How fast the pace of a change may change: an aborted one turns round in two thirds of a second."""
LANE_REQUEST = 1.0 / 3.0

# The stretch of road around the ego that has traffic; who leaves it at one end comes back at the other.
AHEAD_M, BEHIND_M = 300.0, 200.0
SPAWN_INSIDE_M = 5.0
SPAWN_GAP_S = 1.0
PLACE_TRIES = 12
DECISIONS_PER_ARRIVAL = 3
"""One of those that wait may try to come back every so many decisions."""

# The intelligent-driver model.
STANDSTILL_GAP_M = 2.0
FREE_GAP_M = 1e9
# MOBIL.
THINKING_TICKS = 20
"""A driver thinks about changing lanes once in so many ticks, each at another one."""
CHANGE_GAIN_MPS2 = 0.2
SAFE_BRAKE_MPS2 = 3.0


class Temperament(NamedTuple):
    """How one kind of driver drives: the parameters of IDM and MOBIL."""

    pace: float
    """Wanted speed as a share of the lane's limit."""
    headway_s: float
    """Time gap to the vehicle ahead."""
    accel_mps2: float
    """Strongest acceleration."""
    brake_mps2: float
    """Comfortable braking."""
    politeness: float
    """How much the others' acceleration counts in a lane change, against one's own."""


class Size(NamedTuple):
    """One kind of vehicle."""

    length_m: float
    width_m: float
    pace: float
    """What a lane's limit is multiplied with: trucks are slower."""
    pep: float
    """What a driver's acceleration is multiplied with."""


# Impolite drivers: what each of them does beyond its temperament.
POLITE, TAILGATER, HARD_BRAKER, CUTTER, ADVERSARY = range(5)
MANNER_NAMES = ("polite", "tailgater", "hard_braker", "cutter", "adversary")
TAILGATING_S, TAILGATING_PACE = 0.4, 1.15
"""The headway and the pace of a tailgater; it still leaves what its brakes need."""
BRAKES_EVERY_TICKS, BRAKES_FOR_TICKS, BRAKES_APART_TICKS = 600, 30, 37
"""A hard braker brakes as hard as it can for 1.5 s every 30 s, each at another time."""
CUTS_IN_FROM_M, CUTS_IN_TO_M, CUT_IN_TICKS = 2.0, 20.0, 80
"""A cutter moves over so close ahead of the ego, and answers for the gap for 4 s, or until it is safe again."""
BRAKE_CHECK_M = 40.0
"""An adversary cuts in and brakes hard when the ego is so near behind it."""

CAUTIOUS, STEADY, ASSERTIVE = 0, 1, 2
TEMPERAMENTS = (
    Temperament(pace=0.90, headway_s=1.9, accel_mps2=1.1, brake_mps2=1.6, politeness=0.6),
    Temperament(pace=0.98, headway_s=1.5, accel_mps2=1.5, brake_mps2=2.0, politeness=0.35),
    Temperament(pace=1.06, headway_s=1.1, accel_mps2=2.0, brake_mps2=2.6, politeness=0.1),
)
TEMPERAMENT_NAMES = ("cautious", "steady", "assertive")
MOTORCYCLE, SEDAN, SUV, TRUCK = 0, 1, 2, 3
SIZES = (
    Size(length_m=2.2, width_m=0.8, pace=1.0, pep=1.0),
    Size(length_m=4.8, width_m=1.85, pace=1.0, pep=1.0),
    Size(length_m=5.2, width_m=2.0, pace=0.98, pep=0.9),
    Size(length_m=12.0, width_m=2.5, pace=0.9, pep=0.6),
)
SIZE_NAMES = ("motorcycle", "sedan", "SUV", "truck")
SIZE_SHARES = (0.08, 0.70, 0.87)
"""Dice below the first are motorcycles, then sedans, SUVs, and trucks from the last one on."""
