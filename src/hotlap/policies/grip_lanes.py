"""The lanes of cars with grip side by side: a row follows the fastest line of a car as wide as itself.

So two or three beside each other stay apart and on the road through every bend.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hotlap.policies.grip_plans import ALONE, POINTS, Lane
from hotlap.policies.grip_teacher import GripTeacher
from hotlap.policies.policy import Array, FloatArray
from hotlap.racer.tracks import Track

ROOM_M = 3.0
"""Between the middles of two cars side by side."""
RIGHT_OF_TWO, LEFT_OF_TWO = 1, 2
FIRST_OF = (0, 0, 1, 3)
"""The rightmost lane of a row of so many."""
BRAKING_MPS2 = 15.0
"""What drivers reckon with behind others."""
OFF_ROAD_M = 0.5
"""A lane that comes nearer to an edge is none."""


def lanes_apart(room_m: float) -> tuple[Lane, ...]:
    """Alone; right and left of two; right, middle and left of three: so far between the middles of two."""
    pair, three = 0.5 * room_m, room_m
    two = (Lane(pair, -pair), Lane(pair, pair))
    return (ALONE, *two, Lane(three, -three), Lane(three, 0.0), Lane(three, three))


class LaneTables(NamedTuple):
    """The lanes of a kind of cars at even arcs of each track: (tracks, lanes, POINTS)."""

    length_m: FloatArray
    """(tracks,) of the tracks."""
    offset_m: FloatArray
    """To the left of the middle of the road."""
    speed_mps: FloatArray
    slowest_mps: FloatArray
    """The least that is planned within the distance to brake, of the lane of one car."""
    curvature_per_m: FloatArray
    half_width_m: FloatArray
    """(tracks, 1, POINTS) of the road."""
    is_road: Array
    """Whether the lane is on the road."""
    side_grip_mps2: FloatArray
    """(SPEEDS,) at even speeds."""


def lane_tables(teacher: GripTeacher, tracks: Sequence[Track], car: int) -> LaneTables:
    """What a teacher with `lanes_apart` plans for one of its cars."""
    lesson = teacher.lesson
    shape = (len(tracks), int(lesson.sizes.lanes), -1, POINTS)
    kind = int(lesson.places.kind[car])
    x, y, curvature = (
        np.asarray(column).reshape(shape)[:, :, kind]
        for column in (lesson.lines.x_m, lesson.lines.y_m, lesson.lines.curvature_per_m)
    )
    speed = lesson.plans.speed_mps.reshape(shape)[:, :, car]
    arcs = np.arange(POINTS) / POINTS
    tangent = np.array([track.tangent_at(arcs * track.length_u) for track in tracks])[:, None]
    middle = np.array([track.position_at(arcs * track.length_u) for track in tracks])[:, None]
    width = np.array([track.half_width_at(arcs * track.length_u) for track in tracks])[:, None]
    offset = tangent[..., 0] * (y - middle[..., 1]) - tangent[..., 1] * (x - middle[..., 0])
    length = np.array([track.length_u for track in tracks])
    slowest = np.array([[_slowest(own[0], length_m / POINTS)] for own, length_m in zip(speed, length, strict=True)])
    side_grip = teacher.side_grip_mps2[car]
    is_road = np.abs(offset) <= width - OFF_ROAD_M
    return LaneTables(length, offset, speed, slowest, curvature, width, is_road, side_grip)


def _slowest(speed: FloatArray, step_m: float) -> FloatArray:
    """The least speed from each point of a lap to where a car that brakes there could stand."""
    reach = np.ceil(speed**2 / (2.0 * BRAKING_MPS2) / step_m).astype(int)
    twice = np.concatenate([speed, speed])
    return np.array([twice[point : point + reach[point] + 1].min() for point in range(len(speed))])


def at_arc(table: FloatArray, tables: LaneTables, track: Array, lane: Array | int, arc_m: FloatArray) -> Array:
    """What a table (tracks, lanes, POINTS) says of a lane at an arc."""
    point = (arc_m / tables.length_m[track] % 1.0 * POINTS).astype(np.intp)
    found: Array = table[track, lane, np.minimum(point, POINTS - 1)]
    return found
