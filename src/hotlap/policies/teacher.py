"""A driver for many tracks at once that shows a learner a good line: the reference's manner, with room for mistakes."""

from collections.abc import Sequence

import numpy as np

from hotlap.policies.line_follower import Hands, LineFollower
from hotlap.policies.pace import speed_limits
from hotlap.policies.policy import FloatArray
from hotlap.policies.racing_line import RacingLine, cut_road, shortest_offsets, with_margin
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.tracks import Track
from hotlap.racer.world import RacerWorld

SECTIONS = 1024
MARGIN_U = 2.0
MANNERS = (None, 1.2)
"""Flat out, or with so much caution in tight bends."""
SLOWEST_AVERAGE_UPS = 60.0


def teacher_of(tracks: Sequence[Track], margin_u: float | None = None) -> LineFollower:
    """Follows on every track the shortest line that keeps a margin from the edges, in the manner that is faster."""
    lines = [_line(track, MARGIN_U if margin_u is None else margin_u) for track in tracks]
    limits = [[speed_limits(line, caution) for line in lines] for caution in MANNERS]
    laps = [_first_laps(tracks, _follower(lines, manner)) for manner in limits]
    fastest = np.argmin(laps, axis=0)
    return _follower(lines, [limits[manner][track] for track, manner in enumerate(fastest)])


def _line(track: Track, margin_u: float) -> RacingLine:
    road = cut_road(track, track.length_u / (SECTIONS - 0.5))  # rounded up, as many sections on every track
    return with_margin(road, shortest_offsets(road), margin_u)


def _follower(lines: Sequence[RacingLine], limits_ups: Sequence[FloatArray]) -> LineFollower:
    return LineFollower(lines, [Hands()] * len(lines), limits_ups, by_track=True)


def _first_laps(tracks: Sequence[Track], follower: LineFollower) -> FloatArray:
    """Ticks (n,) of a clean first lap from the grid of each track; infinite where there was none."""
    world = RacerWorld(len(tracks), list(tracks))
    for car in range(len(tracks)):
        world.begin(car, np.random.default_rng(0), {"start": "grid", "track": car})
    ticks = np.full(len(tracks), np.inf)
    is_over = np.zeros(len(tracks), bool)
    longest_u = max(track.length_u for track in tracks)
    for tick in range(1, round(longest_u / SLOWEST_AVERAGE_UPS * TICKS_PER_SECOND)):
        world.advance(follower.act(world))
        ended = (world.out.lap_complete != 0) & ~is_over
        ticks[ended & (world.out.lap_clean != 0)] = tick
        is_over |= ended
        if is_over.all():
            break
    return ticks
