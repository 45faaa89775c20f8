"""Where on the road a line driver of the classic car goes among others, and how fast it may be behind them."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hotlap.policies.policy import Array, FloatArray
from hotlap.race.senses import NUMBERS_OF_A_CAR, OTHERS_SIZE, SEEN_EACH_WAY, SIGHT_U
from hotlap.racer.tracks import Track

if TYPE_CHECKING:  # only types, and kernels need not be compiled again when these change
    from hotlap.race.batch import RaceBatch

LINE_POINTS = 1024
"""Of the table of a line, at even arcs of its track."""
LOOKS_AHEAD_S = np.arange(0.0, 2.0, 0.15)
"""When a car that leaves its line looks whether it is still on the road."""
MOMENT = 4
"""So many of these it stays on the road for whatever happens."""
SLOWEST_PASS_UPS = 4.0
"""Nobody reckons with passing another more slowly."""


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
    foresees_s: float = 0.12
    """How far ahead it reckons with where others move sideways."""
    beside_lengths: float = 1.5
    """Cars that are no further ahead or behind, in lengths of a car, are alongside: nobody cuts in before them."""
    clears_u: float = 2.0
    """The distance it keeps from a car that it is about to pass, until it is beside it."""
    yields_per_s: float = 2.0
    """How fast it drops back from a car that it is too close to, for each unit that is missing."""


class Others(NamedTuple):
    """The cars that drivers see, (n, slots) each, and the drivers' own place, (n, 1): all along and beside the line."""

    is_there: Array
    gap_u: FloatArray
    """Along the line, below 0 behind."""
    left_u: FloatArray
    """To the left of the line."""
    drift_ups: FloatArray
    """How fast it moves to the left of the line."""
    closing_ups: FloatArray
    own_left_u: FloatArray
    length_u: FloatArray
    """Of a car."""

    @property
    def apart_u(self) -> FloatArray:
        """To the left of one's own car, for two that follow the line side by side."""
        return self.left_u - self.own_left_u

    def reach(self, seconds: float) -> tuple[FloatArray, FloatArray]:
        """The rightmost and the leftmost that they will be for so long, to the left of the line."""
        later_u = self.left_u + np.where(np.abs(self.gap_u) < 2.0 * self.length_u, seconds, 0.0) * self.drift_ups
        return np.minimum(self.left_u, later_u), np.maximum(self.left_u, later_u)


class Way(NamedTuple):
    """Where cars drive, to the left of their lines, (n,) each."""

    aside_u: FloatArray
    """Now."""
    ends_u: FloatArray
    """Where the edges of the road will have pushed it to, unless it gets past others before."""


class LineOffsets:
    """How far to the left of the middle of the road lines are, and how long, by track and arc."""

    def __init__(self, tracks: tuple[Track, ...], lines: list[FloatArray]) -> None:
        """From the points (LINE_POINTS, 2) of each line at even arcs of its track."""
        self.length_u = np.array([track.length_u for track in tracks])
        self.offset_u = np.array([_offsets(track, line) for track, line in zip(tracks, lines, strict=True)])
        self.slope = (np.roll(self.offset_u, -1, axis=1) - self.offset_u) * LINE_POINTS / self.length_u[:, None]
        self.way_u = np.array([_ways(line) for line in lines])

    def at(self, line: Array, arc_u: FloatArray) -> FloatArray:
        """The offsets at some arcs."""
        place = (arc_u / self.length_u[line] % 1.0 * LINE_POINTS).astype(np.intp)
        found: FloatArray = self.offset_u[line, np.minimum(place, LINE_POINTS - 1)]
        return found

    def slope_at(self, line: Array, arc_u: FloatArray) -> FloatArray:
        """How far the line moves to the left with each unit of the road, at some arcs."""
        place = (arc_u / self.length_u[line] % 1.0 * LINE_POINTS).astype(np.intp)
        found: FloatArray = self.slope[line, np.minimum(place, LINE_POINTS - 1)]
        return found

    def along(self, line: Array, arc_u: FloatArray) -> FloatArray:
        """How long the line is up to some arcs, which may be below 0 or beyond a lap."""
        place = arc_u / self.length_u[line] * LINE_POINTS
        lap, point = np.divmod(np.floor(place).astype(np.intp), LINE_POINTS)
        before, after = self.way_u[line, point], self.way_u[line, point + 1]
        along: FloatArray = lap * self.way_u[line, -1] + before + (place - np.floor(place)) * (after - before)
        return along


def _offsets(track: Track, line: FloatArray) -> FloatArray:
    arcs_u = np.arange(LINE_POINTS) / LINE_POINTS * track.length_u
    tangent, apart = track.tangent_at(arcs_u), line - track.position_at(arcs_u)
    return np.asarray(tangent[:, 0] * apart[:, 1] - tangent[:, 1] * apart[:, 0])


def _ways(line: FloatArray) -> FloatArray:
    steps = np.roll(line, -1, axis=0) - line
    return np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))])


def seen_others(observation: Array, race: "RaceBatch", rows: Array, lines: LineOffsets) -> Others:
    """What the last numbers of the observations (n, size) say, seen from the lines."""
    seen = np.asarray(observation[:, -OTHERS_SIZE:], np.float64).reshape(-1, 2 * SEEN_EACH_WAY, NUMBERS_OF_A_CAR)
    track, arc_u = race.fleet.track[rows][:, None], race.fleet.arc_u[rows][:, None]
    there_u, own_u = arc_u + seen[:, :, 0] * SIGHT_U, race.work.offset_u[rows][:, None]
    along_ups = race.work.along_ups[rows][:, None] - np.sign(seen[:, :, 0]) * seen[:, :, 2] * race.rules.speed_scale_ups
    across_ups = race.work.across_ups[rows][:, None] + seen[:, :, 3] * race.rules.speed_scale_ups
    return Others(
        is_there=np.abs(seen[:, :, 0]) < 1.0,
        gap_u=lines.along(track, there_u) - lines.along(track, arc_u),
        left_u=own_u + seen[:, :, 1] * race.rules.side_scale_u - lines.at(track, there_u),
        drift_ups=across_ups - along_ups * lines.slope_at(track, there_u),
        closing_ups=seen[:, :, 2] * race.rules.speed_scale_ups,
        own_left_u=own_u - lines.at(track, arc_u),
        length_u=2.0 * race.contenders.half_length_u[rows][:, None],
    )


def way_past(others: Others, race: "RaceBatch", rows: Array, lines: LineOffsets, manners: Manners) -> Way:
    """Where each car drives: on its line, or clear of everybody, past those in the way."""
    edges, own_u = _edges(race, rows, lines, manners), others.own_left_u
    low_u, high_u = others.reach(manners.foresees_s)
    ways_u = np.concatenate([np.zeros_like(own_u), own_u, high_u + manners.room_u, low_u - manners.room_u], axis=1)
    is_free = ~_is_blocked(others, ways_u, manners) & (edges.lasts_s(ways_u) > _passing_s(others, manners))
    cost = np.where(is_free, np.abs(ways_u) + 0.5 * np.abs(ways_u - own_u), np.inf)
    best = np.argmin(cost, axis=1)[:, None]
    has_way = np.asarray(is_free.any(axis=1))
    wanted_u = np.where(has_way[:, None], np.take_along_axis(ways_u, best, axis=1), own_u)[:, 0]
    return Way(edges.nearest(wanted_u, MOMENT), np.where(has_way, wanted_u, edges.nearest(wanted_u, None)))


def _is_blocked(others: Others, ways_u: FloatArray, manners: Manners) -> Array:
    """Whether a way (n, ways) is too near to that of a car ahead or alongside, or leads through one alongside."""
    is_near = others.is_there & (np.abs(others.gap_u) < manners.beside_lengths * others.length_u)
    low_u, high_u = others.reach(manners.foresees_s)
    apart_u = np.maximum(low_u[:, None, :] - ways_u[:, :, None], ways_u[:, :, None] - high_u[:, None, :])
    blocked = (is_near | _is_ahead(others, manners))[:, None, :] & (apart_u < 0.98 * manners.room_u)
    own_apart_u = others.apart_u[:, None, :]
    moves_u = (ways_u - others.own_left_u)[:, :, None]
    crossed = (own_apart_u * moves_u > 0.0) & (np.abs(own_apart_u) < np.abs(moves_u))
    return np.asarray((blocked | (is_near[:, None, :] & crossed)).any(axis=2))


def _is_ahead(others: Others, manners: Manners) -> Array:
    """Who is ahead, in sight and no faster."""
    in_sight = others.is_there & (others.gap_u >= 0.0) & (others.gap_u < manners.notices_u)
    return np.asarray(in_sight & (others.closing_ups > -1.0))


def _passing_s(others: Others, manners: Manners) -> FloatArray:
    """How long it takes to get past the nearest car ahead, and past those alongside, (n, 1)."""
    ahead = _is_ahead(others, manners)
    first_u = np.where(ahead, others.gap_u, np.inf).min(axis=1, keepdims=True)
    counts = ahead & (others.gap_u <= np.maximum(first_u, manners.beside_lengths * others.length_u))
    onward_ups = np.maximum(others.closing_ups, SLOWEST_PASS_UPS)
    seconds = np.where(counts, (others.gap_u + manners.beside_lengths * others.length_u) / onward_ups, 0.0)
    return np.asarray(seconds.max(axis=1, keepdims=True))


class _Edges(NamedTuple):
    """How far to either side of its line a car can be on the road, now and some times ahead, (n, times) each."""

    right_u: FloatArray
    left_u: FloatArray

    def lasts_s(self, ways_u: FloatArray) -> FloatArray:
        """For how long each way (n, ways) stays on the road."""
        off = (ways_u[:, :, None] < self.right_u[:, None, :]) | (ways_u[:, :, None] > self.left_u[:, None, :])
        return np.asarray(np.where(off, LOOKS_AHEAD_S, np.inf).min(axis=2))

    def nearest(self, way_u: FloatArray, times: int | None) -> FloatArray:
        """The nearest to a way (n,) that is on the road for so many times."""
        right_u, left_u = (column[:, :times] for column in self)
        return np.clip(way_u, right_u.max(axis=1), left_u.min(axis=1))


def _edges(race: "RaceBatch", rows: Array, lines: LineOffsets, manners: Manners) -> _Edges:
    track, fleet = race.fleet.track[rows][:, None], race.fleet
    ahead_u = fleet.arc_u[rows][:, None] + fleet.speed_ups[rows][:, None] * LOOKS_AHEAD_S
    line_u = lines.at(track, ahead_u)
    room_u = np.maximum(_half_width(race, track, ahead_u) - manners.edge_u, 0.0)
    return _Edges(np.minimum(-room_u - line_u, 0.0), np.maximum(room_u - line_u, 0.0))


def _half_width(race: "RaceBatch", track: Array, arc_u: FloatArray) -> FloatArray:
    tables = race.alone.tables
    spot = (arc_u / tables.length_u[track] % 1.0 * tables.coarse_count[track]).astype(np.int64)
    width: FloatArray = tables.coarse_half_width_u[tables.coarse_first[track] + spot]
    return width


def most_speed(others: Others, race: "RaceBatch", rows: Array, manners: Manners, way: Way) -> FloatArray:
    """How fast each car may be on its way, to slow down in time behind whoever is there.

    Whoever will be in its way is followed; whoever is only in its way now is kept clear of until it is beside them.
    """
    speed_ups, along_ups = race.fleet.speed_ups[rows][:, None], race.work.along_ups[rows][:, None]
    width_u = 2.0 * race.contenders.half_width_u[rows][:, None]
    lane_u = 0.8 * manners.room_u
    low_u, high_u = others.reach(manners.foresees_s)
    right_u, left_u = np.minimum(*way)[:, None], np.maximum(*way)[:, None]
    will_be = np.maximum(low_u - left_u, right_u - high_u) < lane_u
    is_now = np.abs(others.apart_u) < np.where(others.gap_u < 1.2 * others.length_u, 1.2 * width_u, lane_u)
    keeps_u = np.where(will_be, manners.keeps_u, manners.clears_u)
    room_u = others.gap_u - others.length_u - keeps_u
    theirs_ups = speed_ups - others.closing_ups * speed_ups / np.maximum(along_ups, 0.5 * speed_ups + 1e-9)
    faster_ups = np.sqrt(2.0 * manners.braking_ups2 * np.maximum(room_u, 0.0))
    allowed = np.maximum(theirs_ups + np.where(room_u > 0.0, faster_ups, manners.yields_per_s * room_u), 0.0)
    counts = others.is_there & (others.gap_u > 0.0) & (will_be | is_now)
    most: FloatArray = np.where(counts, allowed, np.inf).min(axis=1)
    return most
