"""A driver of cars with grip for many circuits and cars at once, which shows a learner a good line at a good speed.

It drives like the reference, with room for mistakes: farther from the edges of the road, and a little below the limit.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hotlap.kernel import kernel, native_function
from hotlap.policies.fastest_line import fastest_line, road_with_margin
from hotlap.policies.grip_driver import ANY_SPEED_MPS, LineSpot, Manner, PlannedLine, drive_line, find_spot
from hotlap.policies.policy import Array, FloatArray
from hotlap.policies.racing_line import cut_road
from hotlap.policies.speed_profile import empty_profile, fill_between_corners, fill_profile, measure_line
from hotlap.policies.steady_envelope import steady_envelope
from hotlap.racer.cars.catalogue import Car
from hotlap.racer.fleet import FleetState
from hotlap.racer.grip_car import CarData
from hotlap.racer.grip_fleet import CarTable, GripFleet, build_car_table, car_data
from hotlap.racer.grip_tick import grip_state
from hotlap.racer.tick import car_at
from hotlap.racer.tracks import Track

if TYPE_CHECKING:
    from hotlap.racer.batch import RacerBatch
    from hotlap.racer.world import RacerWorld

POINTS = 1024
"""Of every line, whatever the length of the circuit."""
WORTH_A_THREAD = 256
"""So many cars make it worth while to call another core."""
POINTS_BEFORE = 3
"""How far before its place along the road a car is looked for on its line."""
MANNER = Manner(
    look_s=0.5, hands_s=0.08, feet_s=0.08, yaw_gain_per_s=10.0, grip_share=0.97, rear_braking=1.0, foresight=1.0
)
"""Without foresight a formula that obeys a tick late swings ever more when it brakes from high speed."""


class Pace(NamedTuple):
    """How near the limit the teacher drives."""

    margin_m: float
    """What it leaves of the road on either side."""
    cornering: float
    """Share of the speed in corners."""
    driving: float
    """Share of the grip that is used to gain speed."""
    braking: float
    """Share of the grip that is used to lose speed."""


BOLD, CAREFUL = Pace(0.3, 1.0, 1.0, 0.97), Pace(1.0, 0.95, 0.92, 0.85)


def pace_of(caution: float) -> Pace:
    """Between the bold pace, at 0, and the careful one, at 1."""
    return Pace(*(bold + (careful - bold) * caution for bold, careful in zip(BOLD, CAREFUL, strict=True)))


class Traffic(NamedTuple):
    """What others on the road ask of a driver, (cars,) each."""

    aside_m: FloatArray
    """How far to the left of its line it drives."""
    most_mps: FloatArray
    """How fast it may be."""


class Lines(NamedTuple):
    """The lines of some kinds of cars on some circuits, (lines, POINTS) each."""

    x_m: FloatArray
    y_m: FloatArray
    step_m: FloatArray
    heading_rad: FloatArray
    curvature_per_m: FloatArray


class Plans(NamedTuple):
    """What cars with other numbers make of the lines: (lines, cars of a kind, POINTS) each."""

    speed_mps: FloatArray
    accel_mps2: FloatArray


class Lesson(NamedTuple):
    """All that the teacher knows."""

    lines: Lines
    plans: Plans
    cars: CarTable
    length_m: FloatArray
    """(circuits,)"""
    kind: Array
    """(cars,) which kind each car is of: cars of a kind share their lines."""
    place: Array
    """(cars,) which one of its kind it is."""
    kinds: int


@kernel
def planned_line(lesson: Lesson, track: int, car: int) -> PlannedLine:
    """The line of a car on a circuit."""
    line = track * lesson.kinds + lesson.kind[car]
    return PlannedLine(
        x_m=lesson.lines.x_m[line],
        y_m=lesson.lines.y_m[line],
        step_m=lesson.lines.step_m[line],
        heading_rad=lesson.lines.heading_rad[line],
        curvature_per_m=lesson.lines.curvature_per_m[line],
        speed_mps=lesson.plans.speed_mps[line, lesson.place[car]],
        accel_mps2=lesson.plans.accel_mps2[line, lesson.place[car]],
    )


@kernel
def write_shown(
    fleet: FleetState, grip: GripFleet, lesson: Lesson, manner: Manner, traffic: Traffic, shown: FloatArray
) -> None:
    """What the teacher would do now with every car, (cars, 3)."""
    for number in range(len(shown)):
        track, car = fleet.track[number], grip.car[number]
        line = planned_line(lesson, track, car)
        point = int(fleet.arc_u[number] / lesson.length_m[track] * POINTS) - POINTS_BEFORE
        spot = find_spot(fleet.x_u[number], fleet.y_u[number], point % POINTS, line)
        aside = LineSpot(point=spot.point, share=spot.share, left_m=spot.left_m - traffic.aside_m[number])
        state = grip_state(car_at(fleet, number), grip, number)
        controls = drive_line(state, aside, line, manner, car_data(lesson.cars, car), traffic.most_mps[number])
        shown[number, 0], shown[number, 1], shown[number, 2] = controls.steer, controls.throttle, controls.brake


@cache
def compiled_showing() -> Any:
    """`write_shown` as machine code."""
    return native_function(write_shown)


@cache
def _threads(process: int) -> ThreadPoolExecutor:  # noqa: ARG001 - threads do not survive a fork
    """The other cores, of a process."""
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="hotlap-teacher")


class GripTeacher:
    """Shows what it would do with every car of a world of such circuits and cars, at a share of its speed."""

    def __init__(self, tracks: Sequence[Track], cars: Sequence[Car], pace: Pace = CAREFUL, share: float = 1.0) -> None:
        kinds = list(dict.fromkeys(car.car_id for car in cars))
        groups = [[car for car in cars if car.car_id == kind] for kind in kinds]
        places = [(track, group[0].data) for track in tracks for group in groups]
        with ThreadPoolExecutor() as pool:
            lines = list(pool.map(partial(_line, margin_m=pace.margin_m), *zip(*places, strict=True)))
        envelopes = [[_Envelopes(car.data, pace) for car in group] for group in groups]
        plans = [_plans(line, envelopes[number % len(kinds)], share) for number, line in enumerate(lines)]
        self.lesson = Lesson(
            lines=Lines(*(np.array(column) for column in zip(*lines, strict=True))),
            plans=Plans(*(np.array(column) for column in zip(*plans, strict=True))),
            cars=build_car_table([car.data for car in cars]),
            length_m=np.array([track.length_u for track in tracks]),
            kind=np.array([kinds.index(car.car_id) for car in cars]),
            place=np.array([sum(other.car_id == car.car_id for other in cars[:k]) for k, car in enumerate(cars)]),
            kinds=len(kinds),
        )

    def act(self, world: "RacerWorld | RacerBatch", traffic: Traffic | None = None) -> FloatArray:
        """What every car should do now, alone on the road or in traffic."""
        traffic = traffic or Traffic(np.zeros(world.count), np.full(world.count, ANY_SPEED_MPS))
        shown = np.zeros((world.count, 3))
        parts = max(1, min(os.cpu_count() or 1, world.count // WORTH_A_THREAD))
        bounds = [world.count * k // parts for k in range(parts + 1)]
        show, threads = compiled_showing(), _threads(os.getpid())
        first, *rest = (self._part(world, traffic, shown, slice(*ends)) for ends in pairwise(bounds))
        others = [threads.submit(show, *part) for part in rest]
        show(*first)
        for other in others:
            other.result()
        return shown

    def _part(self, world: "RacerWorld | RacerBatch", traffic: Traffic, shown: FloatArray, part: slice) -> Any:
        """What the kernel takes for some neighbouring cars."""
        groups: tuple[Any, ...] = (world.fleet, world.grip, traffic)
        fleet, grip, asked = (type(group)(*(column[part] for column in group)) for group in groups)
        return fleet, grip, self.lesson, MANNER, asked, shown[part]


class _Envelopes:
    """What a car can do, and what the teacher asks of it."""

    def __init__(self, car: CarData, pace: Pace) -> None:
        shares = (1.0, pace.driving, pace.braking)
        self.limit, self.driving, self.braking = (steady_envelope(car, share) for share in shares)
        self.cornering = pace.cornering


def _line(track: Track, car: CarData, margin_m: float) -> Lines:
    """The fastest line of a car that keeps its distance from the edges."""
    road = road_with_margin(cut_road(track, track.length_u / (POINTS - 0.5)), margin_m)
    offset_m = fastest_line(road, steady_envelope(car)).offset_m
    x, y = road.x + road.normal_x * offset_m, road.y + road.normal_y * offset_m
    profile = empty_profile(POINTS)
    measure_line(x, y, profile, 0, POINTS)
    ahead_x, ahead_y = (np.roll(column, -1) - np.roll(column, 1) for column in (x, y))
    return Lines(x, y, profile.step_m, np.arctan2(ahead_y, ahead_x), profile.curvature_per_m)


def _plans(line: Lines, envelopes: Sequence[_Envelopes], share: float) -> Plans:
    """The speeds of several cars on a line."""
    speeds = share * np.array([_speeds(line, envelope) for envelope in envelopes])
    return Plans(speeds, (np.roll(speeds, -1, axis=1) ** 2 - speeds**2) / (2.0 * line.step_m))


def _speeds(line: Lines, envelopes: _Envelopes) -> FloatArray:
    """A car's speeds (POINTS,) on a line: slower than it could through bends, less hard than it could between them."""
    profile = empty_profile(POINTS)
    profile.step_m[:], profile.curvature_per_m[:] = line.step_m, line.curvature_per_m
    fill_profile(profile, envelopes.limit)
    profile.corner_mps[:] *= envelopes.cornering
    fill_between_corners(profile, envelopes.driving, envelopes.braking)
    return profile.speed_mps.copy()
