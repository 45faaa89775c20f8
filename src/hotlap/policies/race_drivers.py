"""Drivers for the other cars of a race: line drivers of several paces that keep clear, and policy files."""

import re
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.errors import ConfigError
from hotlap.policies.line_follower import Hands, LineFollower
from hotlap.policies.pace import speed_limits
from hotlap.policies.policy import Array, FloatArray
from hotlap.policies.racing_line import RacingLine, cut_road, shortest_offsets, with_margin
from hotlap.race.batch import RaceBatch
from hotlap.race.opponents import RaceDriver
from hotlap.race.senses import NUMBERS_OF_A_CAR, OTHERS_SIZE, SEEN_EACH_WAY, SIGHT_U
from hotlap.racer.physics import PHYSICS
from hotlap.racer.tracks import Track

SECTIONS = 1024
MARGIN_U = 3.0
CAUTION = 1.2
LINE_NAME = re.compile(r"line-(\d{2,3})")
SLOWEST_PACE, FASTEST_PACE = 50, 100
ROOM_U = 2.6
"""How far aside a line driver passes, middle to middle."""
EDGE_U = 2.0
NOTICES_U = 45.0
KEEPS_U = 5.0
BRAKING_UPS2 = 45.0


def race_driver(wanted: Any, race: RaceBatch) -> RaceDriver:
    """The driver of that name for the cars of a race: line-50 to line-100, or a .onnx file; a driver as it is."""
    driver: RaceDriver
    if not isinstance(wanted, str | Path):
        if not hasattr(wanted, "act") or not hasattr(wanted, "name"):
            raise ConfigError(f"an opponent is a name, a .onnx file or a driver with a name and act, not {wanted!r}.")
        driver = wanted
        return driver
    line = LINE_NAME.fullmatch(str(wanted))
    if line and SLOWEST_PACE <= int(line[1]) <= FASTEST_PACE:
        return LineDriver(race.tracks, int(line[1])) if not race.alone.cars else _no_line_for_grip(str(wanted))
    if str(wanted).lower().endswith(".onnx"):
        # Files need the runtime of policies, which line drivers do without.
        driver = import_module("hotlap.policies.race_policy").FileDriver(Path(wanted), race)
        return driver
    raise ConfigError(
        f'no opponent "{wanted}". Give line-{SLOWEST_PACE} to line-{FASTEST_PACE} (its pace in percent), '
        "or the policy.onnx of a run."
    )


def _no_line_for_grip(name: str) -> RaceDriver:
    raise ConfigError(f'"{name}" drives the classic car only: give policy files as opponents of cars with grip.')


class LineDriver:
    """Follows the shortest lines at a share of the speed they allow, passes slower cars and brakes behind them.

    It remembers nothing: the same race gives the same drive.
    """

    def __init__(self, tracks: tuple[Track, ...], pace_percent: int) -> None:
        self.name = f"line-{pace_percent}"
        self.pace = pace_percent / 100.0
        lines = [racing_line(track) for track in tracks]
        limits = [self.pace * np.minimum(speed_limits(line, CAUTION), PHYSICS.max_speed_ups) for line in lines]
        self._follower = _AsideFollower(lines, [Hands()] * len(lines), limits, by_track=True)

    def act(self, observation: Array, race: RaceBatch, rows: Array) -> Array:
        """Along the line, past or behind whoever is in the way."""
        others = _others(observation)
        self._follower.aside_u = np.zeros(race.count)
        self._follower.aside_u[rows] = _way_past(others, race, rows)
        actions = self._follower.act(race)[rows]  # type: ignore[arg-type]
        brake = _needed_braking(others, race, rows)
        actions[:, 2] = np.maximum(actions[:, 2], brake)
        actions[:, 1] = np.where(brake > 0.0, 0.0, actions[:, 1])
        return actions


class _AsideFollower(LineFollower):
    """Follows lines so far to their left."""

    aside_u: FloatArray

    def _point_at(self, row: Array, distance_u: FloatArray) -> tuple[FloatArray, FloatArray]:
        x, y = super()._point_at(row, distance_u)
        ahead_x, ahead_y = super()._point_at(row, distance_u + 1.0)
        along = np.maximum(np.hypot(ahead_x - x, ahead_y - y), 1e-9)
        return x - self.aside_u * (ahead_y - y) / along, y + self.aside_u * (ahead_x - x) / along


@lru_cache(maxsize=64)
def racing_line(track: Track) -> RacingLine:
    """The shortest line of a track that leaves room to its edges."""
    road = cut_road(track, track.length_u / (SECTIONS - 0.5))
    return with_margin(road, shortest_offsets(road), MARGIN_U)


def _others(observation: Array) -> FloatArray:
    """The cars ahead (n, slots, numbers) that a driver sees."""
    ahead = observation[:, -OTHERS_SIZE : -OTHERS_SIZE // 2]
    return np.asarray(ahead.reshape(-1, SEEN_EACH_WAY, NUMBERS_OF_A_CAR), np.float64)


def _in_the_way(others: FloatArray, race: RaceBatch, width_u: float) -> Array:
    """Which cars ahead (n, slots) are near, slower, and in the same lane."""
    gap, aside = others[:, :, 0] * SIGHT_U, others[:, :, 1] * race.rules.side_scale_u
    is_near: Array = (others[:, :, 0] < 1.0) & (gap < NOTICES_U) & (np.abs(aside) < width_u)
    return is_near & (others[:, :, 2] > -0.02)


def _way_past(others: FloatArray, race: RaceBatch, rows: Array) -> FloatArray:
    """How far aside of the line to drive: past the nearest car in the way, on the side where there is room."""
    blocked = _in_the_way(others, race, 2.0 * ROOM_U)
    first = np.argmax(blocked, axis=1)
    cars = np.arange(len(rows))
    aside = others[cars, first, 1] * race.rules.side_scale_u
    offset, half_width = race.work.offset_u[rows], _half_width(race, rows)
    room = np.maximum(half_width - EDGE_U, 0.0)
    left = np.where(aside < 0.0, offset + aside + ROOM_U < room, offset + aside - ROOM_U < -room)
    target = np.where(left, aside + ROOM_U, aside - ROOM_U)
    shift = np.clip(offset + target, -room, room) - offset
    return np.where(blocked.any(axis=1), shift, 0.0)


def _half_width(race: RaceBatch, rows: Array) -> FloatArray:
    tables, fleet = race.alone.tables, race.fleet
    track = fleet.track[rows]
    spot = (fleet.arc_u[rows] / tables.length_u[track] * tables.coarse_count[track]).astype(np.int64)
    width: FloatArray = tables.coarse_half_width_u[tables.coarse_first[track] + spot]
    return width


def _needed_braking(others: FloatArray, race: RaceBatch, rows: Array) -> FloatArray:
    """How hard to brake so as not to run into somebody in the same lane."""
    closing = np.maximum(others[:, :, 2] * race.rules.speed_scale_ups, 0.0)
    lengths = 2.0 * race.contenders.half_length_u[rows][:, None]
    room = np.maximum(others[:, :, 0] * SIGHT_U - lengths - KEEPS_U * (closing > 0.0), 0.3)
    needed = closing * closing / (2.0 * room * BRAKING_UPS2)
    lane = _in_the_way(others, race, 0.8 * ROOM_U)
    hardest: FloatArray = np.where(lane & (needed > 0.5), needed, 0.0).max(axis=1)
    return np.clip(hardest, 0.0, 1.0)
