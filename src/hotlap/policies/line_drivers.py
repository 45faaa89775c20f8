"""Drivers that follow a line at a share of its pace, pass slower cars and brake behind those they cannot pass.

They remember nothing: the same race gives the same drive.
"""

from functools import lru_cache

import numpy as np

from hotlap.kernel import jit_is_on
from hotlap.policies.grip_lanes import lane_tables, lanes_apart
from hotlap.policies.grip_plans import Pace, pace_of
from hotlap.policies.grip_teacher import GripTeacher, no_traffic
from hotlap.policies.grip_traffic import USUAL_MANNERS, choose, seen_cars
from hotlap.policies.grip_traffic import Manners as GripManners
from hotlap.policies.line_follower import Hands, LineFollower
from hotlap.policies.line_kernel import BRAKE_SPAN_UPS, THROTTLE_SPAN_UPS
from hotlap.policies.line_traffic import LINE_POINTS, LineOffsets, Manners, most_speed, seen_others, way_past
from hotlap.policies.pace import speed_limits
from hotlap.policies.policy import Array, FloatArray
from hotlap.policies.racing_line import RacingLine, cut_road, shortest_offsets, with_margin
from hotlap.policies.traffic_kernel import TrafficKernel
from hotlap.race.batch import RaceBatch
from hotlap.race.opponents import RaceDriver
from hotlap.racer.cars import Car
from hotlap.racer.fleet import FleetState
from hotlap.racer.physics import PHYSICS
from hotlap.racer.tracks import Track

MARGIN_U = 3.0
CAUTION = 1.2
GRIP_CAUTION = 0.5
"""Between the bold and the careful pace of cars with grip."""
CLASSIC_MANNERS = Manners(room_u=3.2, edge_u=2.0, braking_ups2=12.0)
USUAL_HANDS = Hands()
TEACHER_PACE = 100
TEACHER_MANNERS = CLASSIC_MANNERS._replace(room_u=3.6, braking_ups2=20.0)
"""Of the driver that shows learners: they pass less exactly, so it leaves them room."""
GRIP_TEACHER_MANNERS = GripManners(room_m=3.8, clear_m=2.8, meets_m=2.4, touches_m=2.6, wanted_m=3.4, foresees_s=0.3)
CALM_HANDS = Hands(look_ticks=5.0, gain=0.3)
"""Its hands: a learner cannot follow the usual ones, which turn from lock to lock for an error of a degree."""


def line_driver(race: RaceBatch, pace_percent: int, pace: Pace | None = None) -> RaceDriver:
    """A line driver of a pace for the cars of a race; those with grip drive at a share of theirs."""
    if race.alone.cars:
        return GripLineDriver(race.tracks, tuple(race.alone.cars), pace_percent, pace or pace_of(GRIP_CAUTION))
    return LineDriver(race.tracks, pace_percent)


def line_teacher(race: RaceBatch, pace: Pace | None = None) -> RaceDriver:
    """The line driver that shows learners how to race."""
    if race.alone.cars:
        own_pace = pace or pace_of(GRIP_CAUTION)
        return GripLineDriver(race.tracks, tuple(race.alone.cars), TEACHER_PACE, own_pace, GRIP_TEACHER_MANNERS)
    return LineDriver(race.tracks, TEACHER_PACE, TEACHER_MANNERS, CALM_HANDS)


class LineDriver:
    """Drives the classic car along the shortest lines at a share of the speed they allow."""

    def __init__(
        self,
        tracks: tuple[Track, ...],
        pace_percent: int,
        manners: Manners = CLASSIC_MANNERS,
        hands: Hands = USUAL_HANDS,
    ) -> None:
        self.name, self.manners = f"line-{pace_percent}", manners
        lines = [racing_line(track) for track in tracks]
        pace = pace_percent / 100.0
        limits = [pace * np.minimum(speed_limits(line, CAUTION), PHYSICS.max_speed_ups) for line in lines]
        self._follower = _AsideFollower(lines, [hands] * len(lines), limits, by_track=True)
        self._offsets = LineOffsets(tracks, [_at_even_arcs(line) for line in lines])

        self._kernel: TrafficKernel | None = None

    def act(self, observation: Array, race: RaceBatch, rows: Array) -> Array:
        """Along the line, past or behind whoever is in the way."""
        if not jit_is_on():
            return self.act_slowly(observation, race, rows)
        kernel = self._kernel
        if kernel is None or kernel.race is not race or not np.array_equal(kernel.rows, rows):
            self._kernel = kernel = TrafficKernel(race, rows, self._follower, self._offsets)
        return kernel.act(observation, self.manners)

    def act_slowly(self, observation: Array, race: RaceBatch, rows: Array) -> Array:
        """The same without the kernel."""
        others = seen_others(observation, race, rows, self._offsets)
        way = way_past(others, race, rows, self._offsets, self.manners)
        self._follower.aside_u = way.aside_u
        actions = self._follower.act(_Some(race, rows))  # type: ignore[arg-type]
        too_fast = race.fleet.speed_ups[rows] - most_speed(others, race, rows, self.manners, way)
        actions[:, 1] = np.minimum(actions[:, 1], np.clip(-too_fast / THROTTLE_SPAN_UPS, 0.0, 1.0))
        actions[:, 2] = np.maximum(actions[:, 2], np.clip(too_fast / BRAKE_SPAN_UPS, 0.0, 1.0))
        return actions


class GripLineDriver:
    """Drives cars with grip along their fastest lines at a share of a pace."""

    def __init__(
        self,
        tracks: tuple[Track, ...],
        cars: tuple[Car, ...],
        pace_percent: int,
        pace: Pace,
        manners: GripManners = USUAL_MANNERS,
    ) -> None:
        self.name, self.manners = f"line-{pace_percent}", manners
        self._teacher = GripTeacher(tracks, cars, pace, pace_percent / 100.0, lanes_apart(manners.room_m))
        self._tables = [lane_tables(self._teacher, tracks, car) for car in range(len(cars))]

    def act(self, observation: Array, race: RaceBatch, rows: Array) -> Array:
        """Along its line or in a row with others, past or behind whoever is in the way."""
        traffic, car = no_traffic(race.count), race.alone.grip.car[rows]
        for number, tables in enumerate(self._tables):
            own = rows[car == number]
            choice = choose(seen_cars(observation[car == number], race, own, tables), tables, self.manners)
            for column, chosen in zip(traffic, choice, strict=True):
                column[own] = chosen
        actions: Array = self._teacher.act(race.alone, traffic)[rows]
        return actions


class _Some:
    """Some cars of a race, as a follower looks at a world."""

    def __init__(self, race: RaceBatch, rows: Array) -> None:
        self.count, self.tracks = len(rows), race.tracks
        self.fleet = FleetState._make(column[rows] for column in race.fleet)


class _AsideFollower(LineFollower):
    """Follows lines so far to their left."""

    aside_u: FloatArray

    def _point_at(self, row: Array, distance_u: FloatArray) -> tuple[FloatArray, FloatArray]:
        x, y = super()._point_at(row, distance_u)
        ahead_x, ahead_y = super()._point_at(row, distance_u + 1.0)
        along = np.maximum(np.hypot(ahead_x - x, ahead_y - y), 1e-9)
        return x - self.aside_u * (ahead_y - y) / along, y + self.aside_u * (ahead_x - x) / along


@lru_cache(maxsize=512)
def racing_line(track: Track) -> RacingLine:
    """The shortest line of a track that leaves room to its edges."""
    road = cut_road(track, track.length_u / (LINE_POINTS - 0.5))
    return with_margin(road, shortest_offsets(road), MARGIN_U)


def _at_even_arcs(line: RacingLine) -> FloatArray:
    """The points (LINE_POINTS, 2) of a line at even arcs of its track."""
    count = len(line.points)
    even_u = np.arange(count + 1) / count * line.length_u
    closed = np.concatenate([line.points, line.points[:1]])
    return np.column_stack([np.interp(line.distance_at_arc_u[:-1], even_u, closed[:, axis]) for axis in (0, 1)])
