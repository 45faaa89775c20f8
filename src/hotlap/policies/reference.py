"""The driver to measure against: the shortest on-road line, driven flat out in the real physics; and its lap.

How closely a car can follow a line without leaving the road depends on the track, so a small family of drivers
(margins to the road's edge, ways of steering) races once, and the fastest clean flying lap is the reference. Where
none of them stays on the road flat out, a second family brakes for what is too tight.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hotlap.errors import TrackError
from hotlap.policies.kept_laps import kept_lap
from hotlap.policies.line_follower import Hands, LineFollower
from hotlap.policies.pace import speed_limits
from hotlap.policies.policy import Array, FloatArray
from hotlap.policies.racing_line import CrossSections, cut_road, shortest_offsets, with_margin
from hotlap.progress import tracked
from hotlap.racer.physics import ROAD, TICKS_PER_SECOND
from hotlap.racer.tracks import Track, drawn_for_classic_car, load_track
from hotlap.racer.world import RacerWorld

FLYING_LAPS = 2
SLOWEST_AVERAGE_UPS = 25.0


@dataclass(frozen=True)
class DrivingStyle:
    """One member of the family."""

    margin_u: float
    """Distance the line keeps from the road's edge."""
    hands: Hands
    """How it steers."""
    caution: float | None = None
    """None is flat out; else corners are taken where full lock would turn this many times tighter."""


FLAT_OUT = tuple(
    DrivingStyle(margin_u, Hands(look_ticks, gain))
    for margin_u, (look_ticks, gain) in product(
        (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.5), ((2.0, 0.6), (3.0, 0.4), (3.0, 0.5), (3.0, 0.6))
    )
)
CAREFUL = tuple(
    DrivingStyle(margin_u, Hands(look_ticks, gain), caution)
    for margin_u, (look_ticks, gain), caution in product(
        (0.5, 1.0, 2.0, 4.0), ((2.0, 0.4), (3.0, 0.5)), (0.8, 1.0, 1.2, 1.5, 2.0, 3.0)
    )
)


@dataclass(frozen=True, eq=False)
class ReferenceLap:
    """The fastest clean flying lap found on a track, tick by tick."""

    ticks: int
    """Length of the lap in ticks of 1/60 s."""
    seconds: float
    """The same in seconds."""
    standing_ticks: int
    """What the same driver needs for its first lap, from rest on the grid."""
    line: FloatArray
    """(ticks, 2) where the car was after each tick."""
    distance_u: FloatArray
    """(ticks,) how far along the track it was."""
    speed_ups: FloatArray
    """(ticks,) how fast it was."""
    path_length_u: float
    """How far it drove."""
    shortest_path_u: float
    """The shortest on-road line, which no margin and no steering lag has lengthened."""
    style: DrivingStyle = field(repr=False)
    """Who drove it."""


class ReferenceDriver:
    """Drives the reference line of one track, on every car of a world that has only that track."""

    layout = "classic"

    def __init__(self, track: Track | str | Path) -> None:
        self.track = drawn_for_classic_car(load_track(track))
        self.name = "reference"
        style = reference_lap(self.track).style
        self._follower = _follower(_road_of(self.track), [style])

    def reset(self, cars: Array) -> None:
        """Nothing is remembered."""

    def act(self, observation: Array, world: RacerWorld) -> Array:  # noqa: ARG002 - it looks at the cars themselves
        """Follow the line, flat out wherever that stays on the road."""
        return self._follower.act(world)


def reference_lap(track: Track | str | Path) -> ReferenceLap:
    """The reference of a track, worked out once and then kept."""
    return _reference_of(_KeptTrack(drawn_for_classic_car(load_track(track))))


class _KeptTrack:
    """A track that equals every other with the same shape, so that results can be kept by it."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self.content = hashlib.sha256(track.control_points.tobytes()).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KeptTrack) and self.content == other.content

    def __hash__(self) -> int:
        return hash(self.content)


@cache
def _reference_of(kept: _KeptTrack) -> ReferenceLap:
    lap = kept_lap("reference", kept.track, None, lambda: _as_columns(_raced(kept.track)))
    margin_u, look_ticks, gain, caution = lap["style"].tolist()
    hands = Hands(look_ticks, gain)
    return ReferenceLap(
        ticks=int(lap["ticks"]),
        seconds=int(lap["ticks"]) / TICKS_PER_SECOND,
        standing_ticks=int(lap["standing_ticks"]),
        line=lap["line"],
        distance_u=lap["distance_u"],
        speed_ups=lap["speed_ups"],
        path_length_u=float(lap["path_length_u"]),
        shortest_path_u=float(lap["shortest_path_u"]),
        style=DrivingStyle(margin_u, hands, None if math.isnan(caution) else caution),
    )


def _as_columns(lap: ReferenceLap) -> dict[str, Any]:
    """A lap as plain arrays; a style without caution has NaN for it."""
    style = lap.style
    caution = math.nan if style.caution is None else style.caution
    return vars(lap) | {"style": [style.margin_u, style.hands.look_ticks, style.hands.gain, caution]}


def _raced(track: Track) -> ReferenceLap:
    road = _road_of(track)
    for family in (FLAT_OUT, CAREFUL):
        races = _Races(track, _follower(road, family), len(family))
        winner = races.winner()
        if winner is not None:
            return _lap_of(races, winner, family[winner], road)
    raise TrackError(
        f'track "{track.track_id}": no driver of the reference family gets round it cleanly. '
        "Widen its tightest corners, or measure laps without a reference."
    )


class _Road(NamedTuple):
    """A road and the shortest line on it."""

    sections: CrossSections
    offsets_u: FloatArray


def _road_of(track: Track) -> _Road:
    sections = cut_road(track)
    return _Road(sections, shortest_offsets(sections))


def _follower(road: _Road, styles: Sequence[DrivingStyle]) -> LineFollower:
    margins = {style.margin_u for style in styles}
    lines = {margin: with_margin(road.sections, road.offsets_u, margin) for margin in margins}
    limits = None
    if any(style.caution is not None for style in styles):
        limits = [speed_limits(lines[style.margin_u], style.caution) for style in styles]
    return LineFollower([lines[style.margin_u] for style in styles], [style.hands for style in styles], limits)


class _Races:
    """Every member of a family on the track at once: a standing lap, then flying ones; all of it kept."""

    def __init__(self, track: Track, follower: LineFollower, count: int) -> None:
        self.track = track
        world = RacerWorld(count, track)
        rng = np.random.default_rng(0)
        for car in range(count):
            world.begin(car, rng)
        self.lap_ends: list[list[int]] = [[0] for _ in range(count)]
        self.clean: list[list[bool]] = [[] for _ in range(count)]
        self.off_road_ticks = np.zeros(count, np.int64)
        self.trace: list[FloatArray] = []
        self._drive(world, follower)

    def _drive(self, world: RacerWorld, follower: LineFollower) -> None:
        """Drive until somebody has done all laps and everybody near enough to matter had time to."""
        limit = round((1 + FLYING_LAPS) * self.track.length_u / SLOWEST_AVERAGE_UPS * TICKS_PER_SECOND)
        fleet, out = world.fleet, world.out
        for tick in tracked(range(1, limit + 1), limit, "ticks", "looking for the reference lap"):
            world.advance(follower.act(world))
            self.off_road_ticks += fleet.surface != ROAD
            self.trace.append(np.stack([fleet.x_u, fleet.y_u, fleet.arc_u, fleet.speed_ups]))
            for car in np.flatnonzero(out.lap_complete):
                self.lap_ends[car].append(tick)
                self.clean[car].append(bool(out.lap_clean[car]))
                if len(self.clean[car]) == 1 + FLYING_LAPS:
                    limit = min(limit, round(tick * 1.02))
            if tick >= limit:
                return

    def flying(self, car: int) -> list[tuple[int, int, bool]]:
        """Length in ticks, first tick and cleanness of every lap after the first."""
        ends = self.lap_ends[car]
        return [(ends[k + 1] - ends[k], ends[k], clean) for k, clean in enumerate(self.clean[car])][1:]

    def winner(self) -> int | None:
        """Who has the fastest clean flying lap; among equals, who was least off the road and fastest on average."""
        ranked = []
        for car in range(len(self.clean)):
            flying = self.flying(car)
            fastest = min((ticks for ticks, _, clean in flying if clean), default=None)
            if fastest is not None:
                mean = sum(ticks for ticks, _, _ in flying) / len(flying)
                ranked.append((fastest, int(self.off_road_ticks[car]), mean, car))
        return min(ranked)[-1] if ranked else None


def _lap_of(races: _Races, car: int, style: DrivingStyle, road: _Road) -> ReferenceLap:
    """The winner's best clean flying lap, cut out of its race."""
    ticks, begin = min((ticks, begin) for ticks, begin, clean in races.flying(car) if clean)
    x, y, arc, speed = np.stack(races.trace[begin - 1 : begin + ticks])[:, :, car].T
    line = np.column_stack([x, y])
    return ReferenceLap(
        ticks=ticks,
        seconds=ticks / TICKS_PER_SECOND,
        standing_ticks=races.lap_ends[car][1],
        line=line[1:],
        distance_u=arc[1:],
        speed_ups=speed[1:],
        path_length_u=float(np.hypot(*np.diff(line, axis=0).T).sum()),
        shortest_path_u=with_margin(road.sections, road.offsets_u, 0.0).length_u,
        style=style,
    )
