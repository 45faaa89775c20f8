"""A driver of cars with grip for many circuits and cars at once, which shows a learner a good line at a good speed.

It drives like the reference, with room for mistakes: farther from the edges of the road, and a little below the limit.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import (
    AllCores,
    Entry,
    address_table,
    arrays_at,
    jit_is_on,
    kernel,
    numbers_at,
    part_of,
    pointers_at,
    zeros,
)
from hotlap.learning.teacher_kernel import TeacherKernel
from hotlap.native_code import native_entry
from hotlap.policies.grip_driver import ANY_SPEED_MPS, LineSpot, Manner, PlannedLine, drive_line, find_spot
from hotlap.policies.grip_plans import (
    ALONE,
    CAREFUL,
    POINTS,
    Lane,
    Lines,
    Pace,
    Plans,
    envelopes_of,
    lane_lines,
    plan_of,
)
from hotlap.policies.policy import FloatArray
from hotlap.racer.cars.catalogue import Car
from hotlap.racer.fleet import Actions, FleetState
from hotlap.racer.grip_fleet import CarTable, GripFleet, build_car_table, car_data
from hotlap.racer.grip_tick import grip_state
from hotlap.racer.tick import car_at
from hotlap.racer.tracks import Track

if TYPE_CHECKING:
    from hotlap.racer.batch import RacerBatch
    from hotlap.racer.world import RacerWorld

WORTH_A_THREAD = 256
"""So many cars make it worth while to call another core."""
POINTS_BEFORE = 3
"""How far before its place along the road a car is looked for on its line."""
MANNER = Manner(
    look_s=0.5, hands_s=0.08, feet_s=0.08, yaw_gain_per_s=10.0, grip_share=0.97, rear_braking=1.0, foresight=1.0
)
"""Without foresight a formula that obeys a tick late swings ever more when it brakes from high speed."""


class Traffic(NamedTuple):
    """What others on the road ask of a driver, (cars,) each."""

    lane: NDArray[np.int64]
    """Which lane it follows."""
    aside_m: FloatArray
    """How far to the left of its line it drives."""
    most_mps: FloatArray
    """How fast it may be."""


class Places(NamedTuple):
    """How long each circuit is, and whose line each car follows."""

    length_m: FloatArray
    """(circuits,)"""
    kind: NDArray[np.int64]
    """(cars,) which kind each car is of: cars of a kind share their lines."""


class Sizes(NamedTuple):
    """How many lanes each circuit has, and how many lines and plans each lane."""

    lanes: float
    kinds: float
    cars: float


class Lesson(NamedTuple):
    """All that the teacher knows."""

    lines: Lines
    plans: Plans
    cars: CarTable
    places: Places
    sizes: Sizes


class Showing(NamedTuple):
    """All that the teacher's kernel works on."""

    fleet: FleetState
    grip: GripFleet
    traffic: Traffic
    shown: Actions
    lesson: Lesson
    manner: Manner


GROUPS = (FleetState, GripFleet, Traffic, Actions, Lines, Plans, CarTable, Places)
"""What the address table begins with; then the sizes and the manner."""
SLOTS = [sum(len(group._fields) for group in GROUPS[:k]) for k in range(len(GROUPS) + 1)]
FLEET_SLOT, GRIP_SLOT, TRAFFIC_SLOT, SHOWN_SLOT, LINES_SLOT, PLANS_SLOT, CARS_SLOT, PLACES_SLOT, SIZES_SLOT = SLOTS
MANNER_SLOT = SIZES_SLOT + 1


@kernel
def planned_line(lesson: Lesson, track: int, lane: int, car: int) -> PlannedLine:
    """The line of a car in a lane of a circuit."""
    row = track * int(lesson.sizes.lanes) + lane
    first = (row * int(lesson.sizes.kinds) + lesson.places.kind[car]) * POINTS
    planned = (row * int(lesson.sizes.cars) + car) * POINTS
    return PlannedLine(
        x_m=part_of(lesson.lines.x_m, first, POINTS),
        y_m=part_of(lesson.lines.y_m, first, POINTS),
        step_m=part_of(lesson.lines.step_m, first, POINTS),
        heading_rad=part_of(lesson.lines.heading_rad, first, POINTS),
        curvature_per_m=part_of(lesson.lines.curvature_per_m, first, POINTS),
        speed_mps=part_of(lesson.plans.speed_mps, planned, POINTS),
        accel_mps2=part_of(lesson.plans.accel_mps2, planned, POINTS),
    )


@kernel
def show_car(showing: Showing, number: int) -> None:
    """What the teacher would do now with a car."""
    fleet, lesson, traffic, shown = showing.fleet, showing.lesson, showing.traffic, showing.shown
    track, car = fleet.track[number], showing.grip.car[number]
    line = planned_line(lesson, track, traffic.lane[number], car)
    point = int(fleet.arc_u[number] / lesson.places.length_m[track] * POINTS) - POINTS_BEFORE
    spot = find_spot(fleet.x_u[number], fleet.y_u[number], point % POINTS, line)
    aside = LineSpot(point=spot.point, share=spot.share, left_m=spot.left_m - traffic.aside_m[number])
    state = grip_state(car_at(fleet, number), showing.grip, number)
    data, most_mps = car_data(lesson.cars, car), traffic.most_mps[number]
    controls = drive_line(state, aside, line, showing.manner, data, most_mps)
    shown.steer[number], shown.throttle[number], shown.brake[number] = controls.steer, controls.throttle, controls.brake


@kernel
def show_cars(showing: Showing, first: int, last: int) -> None:
    """The same for the cars from the first up to the last."""
    for number in range(first, last):
        show_car(showing, number)


@kernel
def lesson_at(addresses: Any) -> Lesson:
    """What the teacher knows, from its address table."""
    return Lesson(
        lines=arrays_at(addresses, LINES_SLOT, Lines),
        plans=arrays_at(addresses, PLANS_SLOT, Plans),
        cars=pointers_at(addresses, CARS_SLOT, CarTable),
        places=pointers_at(addresses, PLACES_SLOT, Places),
        sizes=numbers_at(addresses, SIZES_SLOT, Sizes),
    )


def show_entry(addresses: Any, first: int, last: int, _mode: int) -> None:
    """`show_cars` over an address table: what is compiled for every machine."""
    showing = Showing(
        fleet=pointers_at(addresses, FLEET_SLOT, FleetState),
        grip=pointers_at(addresses, GRIP_SLOT, GripFleet),
        traffic=pointers_at(addresses, TRAFFIC_SLOT, Traffic),
        shown=pointers_at(addresses, SHOWN_SLOT, Actions),
        lesson=lesson_at(addresses),
        manner=numbers_at(addresses, MANNER_SLOT, Manner),
    )
    show_cars(showing, first, last)


@cache
def _compiled_entry() -> Entry:
    return native_entry(show_entry)


class GripTeacher:
    """Shows what it would do with every car of a world of such circuits and cars, at a share of its speed."""

    def __init__(
        self,
        tracks: Sequence[Track],
        cars: Sequence[Car],
        pace: Pace = CAREFUL,
        share: float = 1.0,
        lanes: Sequence[Lane] = (ALONE,),
    ) -> None:
        kinds = list(dict.fromkeys(car.car_id for car in cars))
        kind = [kinds.index(car.car_id) for car in cars]
        typical = [cars[kind.index(number)].data for number in range(len(kinds))]
        rows = len(tracks) * len(lanes)
        with ThreadPoolExecutor() as pool:
            envelopes = list(pool.map(partial(envelopes_of, pace=pace), cars))
            of_lanes = partial(lane_lines, lanes=lanes, pace=pace)
            found = list(pool.map(of_lanes, *zip(*product(tracks, typical), strict=True)))
            by_track = [found[first : first + len(kinds)] for first in range(0, len(found), len(kinds))]
            lines = [each[lane] for kinds_of in by_track for lane in range(len(lanes)) for each in kinds_of]
            own = [lines[row * len(kinds) + number] for row in range(rows) for number in kind]
            plans = list(pool.map(partial(plan_of, share=share), own, envelopes * rows))
        self.lesson = Lesson(
            lines=Lines(*(np.concatenate(column) for column in zip(*lines, strict=True))),
            plans=Plans(*(np.concatenate(column) for column in zip(*plans, strict=True))),
            cars=build_car_table([car.data for car in cars]),
            places=Places(np.array([track.length_u for track in tracks]), np.array(kind)),
            sizes=Sizes(len(lanes), len(kinds), len(cars)),
        )
        self.side_grip_mps2 = np.array([each.limit.cornering_mps2 for each in envelopes])
        """How hard each car can corner, at the speeds of an envelope."""
        self._cores = AllCores(_compiled_entry(), None, WORTH_A_THREAD) if jit_is_on() else None

    def act(self, world: "RacerWorld | RacerBatch", traffic: Traffic | None = None) -> FloatArray:
        """What every car should do now, alone on the road or in traffic."""
        showing = self._showing(world, traffic)
        if self._cores is None:
            show_cars(showing, 0, world.count)
        else:
            addresses = address_table(*_groups(showing))
            self._cores.call(int(addresses.ctypes.data), world.count, 0)
        return np.column_stack(showing.shown)

    def kernel(self, world: "RacerWorld | RacerBatch") -> TeacherKernel:
        """The same for the cars of a world, alone on the road, on another machine."""
        showing = self._showing(world, None)
        return TeacherKernel(show_entry, _groups(showing), showing.shown, np.eye(len(Actions._fields)))

    def _showing(self, world: "RacerWorld | RacerBatch", traffic: Traffic | None) -> Showing:
        shown = zeros(Actions, world.count)
        return Showing(world.fleet, world.grip, traffic or no_traffic(world.count), shown, self.lesson, MANNER)


def no_traffic(cars: int) -> Traffic:
    """So many cars, each alone on its road."""
    return Traffic(np.zeros(cars, np.int64), np.zeros(cars), np.full(cars, ANY_SPEED_MPS))


def _groups(showing: Showing) -> Any:
    """The arrays of the kernel in the order of its address table."""
    lesson, numbers = showing.lesson, (np.array(showing.lesson.sizes, np.float64), np.array(showing.manner))
    return (*showing[:4], *lesson[:4], numbers)
