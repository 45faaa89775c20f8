"""The state of grids of cars, what a tick says about a race, and what it works with, as structs of arrays."""

from typing import NamedTuple

from hotlap.racer.fleet import ByteArray, Float64Array, Int32Array
from hotlap.racer.tick import Racer

RACING, FINISHED, RETIRED = range(3)
"""What a car does: one that finished or retired is off the road."""
STANDING, ROLLING, SPREAD = range(3)
START_KINDS = ("standing", "rolling", "spread")
"""At rest on the grid, at speed on it, or at speed anywhere along the lap."""
FEWEST_CARS, MOST_CARS = 1, 20
DRAWN_SLOT = -1
NOBODY = -1


class Contenders(NamedTuple):
    """What a car carries through a race beside its fleet's state; one element per car."""

    status: Int32Array
    slot: Int32Array
    """Where on the grid it started, 0 is pole."""
    place: Int32Array
    """Position in the race, 1 leads."""
    distance_u: Float64Array
    """Driven along the lap since the start line; below 0 behind it."""
    origin_u: Float64Array
    """Distance at which its first lap began to count."""
    mark_u: Float64Array
    mark_ticks: Int32Array
    """Ticks since it got beyond the mark by something worth the name."""
    stuck_times: Int32Array
    """How often in a row it was put back without getting anywhere."""
    finish_tick: Int32Array
    overtakes: Int32Array
    overtaken: Int32Array
    contacts: Int32Array
    faults: Int32Array
    put_backs: Int32Array
    half_length_u: Float64Array
    half_width_u: Float64Array
    mass: Float64Array
    inertia: Float64Array


class Pairs(NamedTuple):
    """What is known of two cars of a grid: flat, a row for each car and a column for each car of its grid."""

    leads: ByteArray
    """Whether the first was ahead of the second when that was last settled."""
    held_ticks: Int32Array
    """For how long it has been the other way round."""
    apart_ticks: Int32Array
    """Ticks until a touch counts as a new contact."""


class Grids(NamedTuple):
    """What a grid carries; one element per grid."""

    clock: Int32Array
    """Ticks since the start."""


class Slots(NamedTuple):
    """Which slot each car starts from: its number, or -1 for a drawn one."""

    wanted: Int32Array


class Facts(NamedTuple):
    """What one tick says about every car's race, and what its driver sees: flat, one row per car."""

    seen: Float64Array
    gap_ahead_u: Float64Array
    gap_ahead_s: Float64Array
    gap_behind_u: Float64Array
    gap_behind_s: Float64Array
    contact_with: Int32Array
    """The car of the grid it touched hardest, or -1."""
    impulse: Float64Array
    fault: ByteArray
    passes: Int32Array
    """Overtakes that were settled in this tick."""
    losses: Int32Array
    places_gained: Int32Array
    put_back: ByteArray
    race_reward: Float64Array
    """What the race adds to the reward of the drive."""


class Work(NamedTuple):
    """What a tick works with and nobody keeps; one element per car, or a row of contacts for each car."""

    order: Int32Array
    """The cars of each grid along the lap."""
    from_x_u: Float64Array
    from_y_u: Float64Array
    arc_before_u: Float64Array
    gained_u: Float64Array
    draft: Float64Array
    spin_before_rps: Float64Array
    struck: ByteArray
    touching: Int32Array
    pushed_u: Float64Array
    add_x_u: Float64Array
    add_y_u: Float64Array
    add_vx_ups: Float64Array
    add_vy_ups: Float64Array
    add_spin_rps: Float64Array
    hardest: Float64Array
    # The road under each car, and the car seen from it.
    road_cosine: Float64Array
    road_sine: Float64Array
    offset_u: Float64Array
    along_ups: Float64Array
    across_ups: Float64Array
    # The contacts of a grid.
    one: Int32Array
    two: Int32Array
    depth_u: Float64Array
    normal_x: Float64Array
    normal_y: Float64Array
    point_x_u: Float64Array
    point_y_u: Float64Array


CONTACT_COLUMNS = ("one", "two", "depth_u", "normal_x", "normal_y", "point_x_u", "point_y_u")


class RaceRules(NamedTuple):
    """How many cars race how far, how they start, what a race pays, and the scales of what drivers see."""

    cars: float
    laps: float
    """0 for no end."""
    start: float
    place_bonus: float
    fault_penalty: float
    contact_penalty: float
    risk_penalty: float
    row_u: float
    """From slot to slot along the road."""
    rolling_ups: float
    side_scale_u: float
    speed_scale_ups: float
    solo_size: float
    """How many numbers a driver sees of its own car and the road."""


class Race(NamedTuple):
    """Everything that a tick of a race reads or writes, in the order of the address table."""

    racer: Racer
    contenders: Contenders
    pairs: Pairs
    grids: Grids
    slots: Slots
    facts: Facts
    work: Work
    rules: RaceRules
