"""An honest slow lap: the middle of the road at one speed, which every cheat must earn less than."""

from pathlib import Path

import numpy as np

from hotlap.policies.line_follower import Hands, LineFollower
from hotlap.policies.policy import Array
from hotlap.policies.racing_line import cut_road, line_at_offsets
from hotlap.racer.tracks import Track, load_track
from hotlap.racer.world import RacerWorld

WALKING_HANDS = Hands(look_ticks=6.0, gain=0.4)


class CentreLineDriver:
    """Follows the middle of the road of one track at a steady speed."""

    layout = "classic"

    def __init__(self, track: Track | str | Path, speed_ups: float = 60.0) -> None:
        self.name = f"centre line at {speed_ups:g} u/s"
        road = cut_road(load_track(track))
        line = line_at_offsets(road, np.zeros(len(road.centre)))
        limit = np.full(len(line.points), float(speed_ups))
        self._follower = LineFollower([line], [WALKING_HANDS], [limit])

    def reset(self, cars: Array) -> None:
        """Nothing is remembered."""

    def act(self, observation: Array, world: RacerWorld) -> Array:  # noqa: ARG002 - it looks at the cars themselves
        """Stay in the middle, keep the speed."""
        return self._follower.act(world)
