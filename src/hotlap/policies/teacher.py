"""A driver for many tracks at once that shows a learner a good line: the reference's manner, with room for mistakes."""

from collections.abc import Sequence

from hotlap.policies.line_follower import Hands, LineFollower
from hotlap.policies.pace import speed_limits
from hotlap.policies.racing_line import RacingLine, cut_road, shortest_offsets, with_margin
from hotlap.racer.tracks import Track

SECTIONS = 1024
MARGIN_U = 2.0
CAUTION = 1.2


def teacher_of(tracks: Sequence[Track]) -> LineFollower:
    """Follows on every track the shortest line that keeps a margin from the edges, and brakes where it must."""
    lines = [_line(track) for track in tracks]
    limits = [speed_limits(line, CAUTION) for line in lines]
    return LineFollower(lines, [Hands()] * len(lines), limits, by_track=True)


def _line(track: Track) -> RacingLine:
    road = cut_road(track, track.length_u / (SECTIONS - 0.5))  # rounded up, as many sections on every track
    return with_margin(road, shortest_offsets(road), MARGIN_U)
