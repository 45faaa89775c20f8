"""Hands and feet that keep cars on a line: the car's own laws turned round, so that the lag of its steering is undone.

Sideways speed fades by the traction T each tick, so the direction of motion psi follows the heading h like
psi' = psi + T (h' - psi). From the direction we want comes the heading, from the heading the angle of the front wheels,
from that the smoothed steering, and from that what to ask for now.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hotlap.policies.foresight import Foresight, Sight
from hotlap.policies.line_kernel import (
    BRAKE_SPAN_UPS,
    FEET_LEAD_S,
    LOOK_PER_GAP,
    NEAR_THE_LINE_U,
    SHARPEST_TURN_RAD,
    SLOWEST_STEP_U,
    THROTTLE_SPAN_UPS,
)
from hotlap.policies.policy import Array, FloatArray
from hotlap.policies.racing_line import RacingLine
from hotlap.racer.physics import PHYSICS, Physics
from hotlap.racer.world import RacerWorld


@dataclass(frozen=True)
class Hands:
    """How a driver turns what it sees of the line into steering."""

    look_ticks: float = 3.0
    """How far beyond the next tick the eyes rest on the line, in ticks of travel; 2 to 5."""
    gain: float = 0.5
    """Share of the angle to that spot that is turned in one tick; 0.3 to 0.8."""


class LineTables(NamedTuple):
    """Several lines of one track, one row each."""

    x_u: FloatArray
    y_u: FloatArray
    length_u: FloatArray
    distance_at_arc_u: FloatArray
    speed_limit_ups: FloatArray


class LineFollower:
    """Drives every car along the one line there is, car i along line i, or each car along the line of its track."""

    def __init__(
        self,
        lines: Sequence[RacingLine],
        hands: Sequence[Hands],
        speed_limits_ups: Sequence[FloatArray] | None = None,
        physics: Physics = PHYSICS,
        *,
        by_track: bool = False,
    ) -> None:
        limits = speed_limits_ups or [np.full(len(line.points), np.inf) for line in lines]
        self.tables = LineTables(
            x_u=np.array([line.points[:, 0] for line in lines]),
            y_u=np.array([line.points[:, 1] for line in lines]),
            length_u=np.array([line.length_u for line in lines]),
            distance_at_arc_u=np.array([line.distance_at_arc_u for line in lines]),
            speed_limit_ups=np.array(limits),
        )
        self.look_ticks = np.array([each.look_ticks for each in hands])
        self.gain = np.array([each.gain for each in hands])
        self.limited = speed_limits_ups is not None
        self.physics = physics
        self.by_track = by_track
        self.foresight = Foresight()

    def act(self, world: RacerWorld) -> Array:
        """What every car does now."""
        row = self._rows(world)
        sight = self.foresight.look(world)
        here_u = self._distance_along(row, sight, world)
        actions = np.zeros((world.count, 3))
        actions[:, 0] = self._steer(row, sight, here_u)
        actions[:, 1] = 1.0
        if self.limited:
            limit = self._speed_limit(row, here_u + sight.speed_ups * FEET_LEAD_S)
            actions[:, 1] = np.clip((limit - sight.speed_ups) / THROTTLE_SPAN_UPS, 0.0, 1.0)
            actions[:, 2] = np.clip((sight.speed_ups - limit) / BRAKE_SPAN_UPS, 0.0, 1.0)
        return actions

    def _rows(self, world: RacerWorld) -> Array:
        """Which line each car is on."""
        if self.by_track:
            return np.asarray(world.fleet.track)
        return np.arange(world.count) if len(self.tables.length_u) > 1 else np.zeros(world.count, np.intp)

    def _distance_along(self, row: Array, sight: Sight, world: RacerWorld) -> FloatArray:
        """How far along its line each car is, from how far along the track it is."""
        table = self.tables.distance_at_arc_u
        sections = table.shape[1] - 1
        lengths = np.array([track.length_u for track in world.tracks])[world.fleet.track]
        place = sight.arc_u / lengths * sections
        index = np.minimum(place.astype(np.intp), sections - 1)
        before, after = table[row, index], table[row, index + 1]
        along: FloatArray = before + (place - index) * (after - before)
        return along

    def _point_at(self, row: Array, distance_u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The spot of each car's line at a distance along it."""
        count = self.tables.x_u.shape[1]
        place = distance_u / self.tables.length_u[row] % 1.0 * count
        index = np.minimum(place.astype(np.intp), count - 1)
        share, after = place - index, (index + 1) % count
        x, y = self.tables.x_u, self.tables.y_u
        return (
            x[row, index] + share * (x[row, after] - x[row, index]),
            y[row, index] + share * (y[row, after] - y[row, index]),
        )

    def _speed_limit(self, row: Array, distance_u: FloatArray) -> FloatArray:
        count = self.tables.x_u.shape[1]
        place = distance_u / self.tables.length_u[row] % 1.0 * count
        limit: FloatArray = self.tables.speed_limit_ups[row, np.minimum(place.astype(np.intp), count - 1)]
        return limit

    def _steer(self, row: Array, sight: Sight, here_u: FloatArray) -> FloatArray:
        """Steer for a spot some ticks ahead on the line; farther ahead when the line is far to the side."""
        line_x, line_y = self._point_at(row, here_u)
        gap_u = np.hypot(line_x - sight.x_u, line_y - sight.y_u)
        step_u = sight.speed_ups * self.physics.tick_s
        look_u = step_u + self.look_ticks[row] * np.maximum(step_u, SLOWEST_STEP_U)
        look_u = look_u + LOOK_PER_GAP * np.maximum(gap_u - NEAR_THE_LINE_U, 0.0)
        aim_x, aim_y = self._point_at(row, here_u + look_u)
        motion_rad = sight.motion_rad
        off_rad = wrapped(np.arctan2(aim_y - sight.y_u, aim_x - sight.x_u) - motion_rad)
        return steer_towards(sight, motion_rad + self.gain[row] * off_rad, self.physics)


def wrapped(angle_rad: FloatArray) -> FloatArray:
    """The same angles in [-pi, pi)."""
    return (angle_rad + np.pi) % (2.0 * np.pi) - np.pi


def steer_towards(sight: Sight, motion_rad: FloatArray, physics: Physics = PHYSICS) -> FloatArray:
    """The raw steering that comes nearest to moving in a given direction after the next tick, on the road."""
    speed = sight.speed_ups
    fade = physics.traction_lost_at_max_speed * np.minimum(speed / physics.max_speed_ups, 1.0)
    traction = (physics.traction_at_rest - fade) * physics.road_grip
    turn = wrapped(motion_rad - sight.motion_rad) / traction - wrapped(sight.heading_rad - sight.motion_rad)
    turn = np.clip(turn, -SHARPEST_TURN_RAD, SHARPEST_TURN_RAD)

    # The triangle of wheelbase and travel that the car's turning law draws, solved for the angle of the front wheels.
    step_u = np.maximum(speed * physics.tick_s, 1e-3)
    front = turn + np.arcsin(np.clip(np.sin(turn) * (2.0 * physics.half_wheelbase_u - step_u) / step_u, -1.0, 1.0))
    smoothed = -front * (1.0 + physics.steer_fade_per_ups * speed) / physics.max_front_angle_rad
    raw = (smoothed - (1.0 - physics.steer_blend) * sight.steer) / physics.steer_blend
    return np.clip(raw, -1.0, 1.0)
