"""Where on the road a line driver goes among others, and how fast it may be behind them."""

from typing import NamedTuple

import numpy as np

from hotlap.policies.policy import Array, FloatArray
from hotlap.race.batch import RaceBatch
from hotlap.race.senses import NUMBERS_OF_A_CAR, OTHERS_SIZE, SEEN_EACH_WAY, SIGHT_U
from hotlap.racer.tracks import Track

LINE_POINTS = 1024
"""Of the table of a line, at even arcs of its track."""
LOOKS_AHEAD_S = np.array([0.0, 0.3, 0.6, 0.9, 1.2, 1.5])
"""For how long a car that leaves its line must stay on the road."""


class Manners(NamedTuple):
    """How a driver treats others."""

    room_u: float
    """How far aside it passes, middle to middle."""
    edge_u: float
    """What it leaves of the road on either side meanwhile."""
    braking_ups2: float
    """How hard it plans to brake behind a slower car."""
    notices_u: float = 45.0
    """How far ahead it begins to move aside."""
    keeps_u: float = 5.0
    """The distance it keeps from a car that it cannot pass, bumper to bumper."""
    keeps_s: float = 0.0
    """What it keeps beside that, in seconds of its own travel."""
    yields_per_s: float = 0.0
    """How fast it drops back from a car that it is too close to, for each unit that is missing."""
    creeps_ups: float = 0.0
    """How fast it goes at least where nobody is straight ahead: from rest a car gets around another only by moving."""
    swerve_u: float = np.inf
    """How far aside of where it is it steers at most: more would cost a car with grip its hold in bends."""


class Others(NamedTuple):
    """The cars that drivers see, (n, slots) each."""

    is_there: Array
    gap_u: FloatArray
    """Along the lap, below 0 behind."""
    aside_u: FloatArray
    """To the left of one's own car."""
    closing_ups: FloatArray
    offset_u: FloatArray
    """To the left of the middle of the road."""


class LineOffsets:
    """How far to the left of the middle of the road lines are, by track and arc."""

    def __init__(self, tracks: tuple[Track, ...], lines: list[FloatArray]) -> None:
        """From the points (LINE_POINTS, 2) of each line at even arcs of its track."""
        self.length_u = np.array([track.length_u for track in tracks])
        self.offset_u = np.array([_offsets(track, line) for track, line in zip(tracks, lines, strict=True)])

    def at(self, line: Array, arc_u: FloatArray) -> FloatArray:
        """The offsets at some arcs."""
        place = (arc_u / self.length_u[line] % 1.0 * LINE_POINTS).astype(np.intp)
        found: FloatArray = self.offset_u[line, np.minimum(place, LINE_POINTS - 1)]
        return found


def _offsets(track: Track, line: FloatArray) -> FloatArray:
    arcs_u = np.arange(LINE_POINTS) / LINE_POINTS * track.length_u
    tangent, apart = track.tangent_at(arcs_u), line - track.position_at(arcs_u)
    return np.asarray(tangent[:, 0] * apart[:, 1] - tangent[:, 1] * apart[:, 0])


def seen_others(observation: Array, race: RaceBatch, rows: Array) -> Others:
    """What the last numbers of the observations (n, size) say."""
    seen = np.asarray(observation[:, -OTHERS_SIZE:], np.float64).reshape(-1, 2 * SEEN_EACH_WAY, NUMBERS_OF_A_CAR)
    aside_u = seen[:, :, 1] * race.rules.side_scale_u
    return Others(
        is_there=np.abs(seen[:, :, 0]) < 1.0,
        gap_u=seen[:, :, 0] * SIGHT_U,
        aside_u=aside_u,
        closing_ups=seen[:, :, 2] * race.rules.speed_scale_ups,
        offset_u=race.work.offset_u[rows][:, None] + aside_u,
    )


def way_past(others: Others, race: RaceBatch, rows: Array, lines: LineOffsets, manners: Manners) -> FloatArray:
    """How far to the left of its line each car drives: past the nearest car in the way, clear of those alongside."""
    track, arc_u = race.fleet.track[rows], race.fleet.arc_u[rows]
    here_u = lines.at(track, arc_u)
    there_u = lines.at(track[:, None], _arcs(race, rows, others))
    in_way = others.is_there & (others.gap_u >= 0.0) & (others.gap_u < manners.notices_u)
    in_way &= (np.abs(others.offset_u - there_u) < manners.room_u) & (others.closing_ups > -1.0)
    first = np.argmax(np.where(in_way, -others.gap_u, -np.inf), axis=1)[:, None]
    passed_u, line_u = (np.take_along_axis(column, first, axis=1)[:, 0] for column in (others.offset_u, there_u))
    edges = _edges(race, rows, lines, manners)
    beside_u = _side(passed_u, race.work.offset_u[rows], edges.room_u, manners.room_u)
    wanted_u = here_u + np.where(in_way.any(axis=1), beside_u - line_u, 0.0)
    low_u, high_u = _between(others, race, rows, manners)
    own_u = race.work.offset_u[rows]
    wanted_u = np.clip(np.clip(wanted_u, low_u, high_u), own_u - manners.swerve_u, own_u + manners.swerve_u)
    return np.clip(wanted_u - here_u, edges.right_u, edges.left_u)


class _Edges(NamedTuple):
    """What the road has room for, (n,) each."""

    room_u: FloatArray
    """From its middle to either side, here."""
    right_u: FloatArray
    left_u: FloatArray
    """How far to either side of its line a car may be so as to stay on the road for a while."""


def _edges(race: RaceBatch, rows: Array, lines: LineOffsets, manners: Manners) -> _Edges:
    track, fleet = race.fleet.track[rows][:, None], race.fleet
    ahead_u = fleet.arc_u[rows][:, None] + fleet.speed_ups[rows][:, None] * LOOKS_AHEAD_S
    line_u = lines.at(track, ahead_u)
    room_u = np.maximum(_half_width(race, track, ahead_u) - manners.edge_u, 0.0)
    right_u, left_u = np.max(-room_u - line_u, axis=1), np.min(room_u - line_u, axis=1)
    return _Edges(room_u[:, 0], np.minimum(right_u, 0.0), np.maximum(left_u, 0.0))


def _side(passed_u: FloatArray, own_u: FloatArray, room_u: FloatArray, aside_u: float) -> FloatArray:
    """Left or right of a car: where one is already, unless only the other side has room."""
    left_u, right_u = passed_u + aside_u, passed_u - aside_u
    has_left, has_right = left_u <= room_u, right_u >= -room_u
    goes_left = np.where(has_left == has_right, own_u >= passed_u, has_left)
    return np.where(goes_left, left_u, right_u)


def _between(others: Others, race: RaceBatch, rows: Array, manners: Manners) -> tuple[FloatArray, FloatArray]:
    """How far to the right and to the left cars alongside let one go."""
    lengths_u = 2.0 * race.contenders.half_length_u[rows][:, None]
    alongside = others.is_there & (np.abs(others.gap_u) < 1.5 * lengths_u)
    right, left = alongside & (others.aside_u < 0.0), alongside & (others.aside_u >= 0.0)
    low_u = np.where(right, others.offset_u + manners.room_u, -np.inf).max(axis=1)
    high_u = np.where(left, others.offset_u - manners.room_u, np.inf).min(axis=1)
    return low_u, high_u


def _half_width(race: RaceBatch, track: Array, arc_u: FloatArray) -> FloatArray:
    tables = race.alone.tables
    spot = (arc_u / tables.length_u[track] % 1.0 * tables.coarse_count[track]).astype(np.int64)
    width: FloatArray = tables.coarse_half_width_u[tables.coarse_first[track] + spot]
    return width


def most_speed(
    others: Others, race: RaceBatch, rows: Array, lines: LineOffsets, manners: Manners, aside_u: FloatArray
) -> FloatArray:
    """How fast each car, so far to the left of its line, may be so as to slow down in time behind whoever is there."""
    lengths_u = 2.0 * race.contenders.half_length_u[rows][:, None]
    apart_u = others.offset_u - lines.at(race.fleet.track[rows][:, None], _arcs(race, rows, others)) - aside_u[:, None]
    is_near = others.gap_u < 2.0 * lengths_u
    lane_u = 0.8 * manners.room_u
    in_lane = (np.abs(apart_u) < lane_u) | (is_near & (np.abs(others.aside_u) < lane_u))
    keeps_u = manners.keeps_u + manners.keeps_s * race.fleet.speed_ups[rows][:, None]
    room_u = others.gap_u - lengths_u - keeps_u
    theirs_ups = race.work.along_ups[rows][:, None] - others.closing_ups
    faster_ups = np.sqrt(2.0 * manners.braking_ups2 * np.maximum(room_u, 0.0))
    allowed = np.maximum(theirs_ups + np.where(room_u > 0.0, faster_ups, manners.yields_per_s * room_u), 0.0)
    straight_ahead = np.abs(others.aside_u) < 2.2 * race.contenders.half_width_u[rows][:, None]
    allowed = np.maximum(allowed, np.where(straight_ahead, 0.0, manners.creeps_ups))
    most: FloatArray = np.where(others.is_there & (others.gap_u > 0.0) & in_lane, allowed, np.inf).min(axis=1)
    return most


def _arcs(race: RaceBatch, rows: Array, others: Others) -> FloatArray:
    """Where along the lap the others are."""
    arcs: FloatArray = race.fleet.arc_u[rows][:, None] + others.gap_u
    return arcs
