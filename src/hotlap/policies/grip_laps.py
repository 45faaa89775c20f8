"""Laps of a car with grip on a planned line, driven in its own physics, as fast as the machine can."""

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hotlap.kernel import kernel, native_function
from hotlap.policies.grip_driver import ANY_SPEED_MPS, Manner, PlannedLine, drive_line, find_spot
from hotlap.policies.policy import FloatArray
from hotlap.racer.grip_car import Assists, CarData, GripState, advance_grip_car
from hotlap.racer.physics import ROAD

LOST_M = 12.0
"""A car so far from its line has lost it."""
TRACE = 6
"""Numbers kept of each tick: x, y, heading, speed, offset from the centre line, point of the line."""


class Edges(NamedTuple):
    """The road at each point of the line, (n,): how far left of the centre line the point is, and the half-width."""

    offset_m: FloatArray
    half_width_m: FloatArray


class DrivenLap(NamedTuple):
    """A flying lap: its ticks (0 where the car did not come round), and how far it left the road, summed in m."""

    ticks: int
    off_road_m: float


@kernel
def drive_laps(
    line: PlannedLine, edges: Edges, manner: Manner, car: CarData, trace: FloatArray, most_ticks: int
) -> DrivenLap:
    """A lap to settle, from the planned speed at the first point, then a flying one, kept tick by tick in `trace`."""
    state = GripState(
        x_m=line.x_m[0],
        y_m=line.y_m[0],
        heading_rad=line.heading_rad[0],
        forward_mps=line.speed_mps[0],
        sideways_mps=0.0,
        yaw_rate_rps=0.0,
        wheel_angle_rad=0.0,
        throttle=1.0,
        brake=0.0,
        forward_accel_mps2=0.0,
        sideways_accel_mps2=0.0,
        grip_used_front=0.0,
        grip_used_rear=0.0,
    )
    assists = Assists(traction_control=0.0, anti_lock=0.0)
    count = len(line.x_m)
    point, laps, ticks, off_road = 0, 0, 0, 0.0
    for _ in range(most_ticks):
        spot = find_spot(state.x_m, state.y_m, point, line)
        if spot.point < point - count // 2:
            laps += 1
            if laps == 2:
                return DrivenLap(ticks=ticks, off_road_m=off_road)
        point = spot.point
        controls = drive_line(state, spot, line, manner, car, ANY_SPEED_MPS)
        state = advance_grip_car(state, controls, ROAD, assists, car)
        if laps == 1:
            after = point + 1 if point + 1 < count else 0
            offset = edges.offset_m[point] + (edges.offset_m[after] - edges.offset_m[point]) * spot.share + spot.left_m
            off_road += max(abs(offset) - edges.half_width_m[point], 0.0)
            row = ticks * TRACE
            trace[row], trace[row + 1], trace[row + 2] = state.x_m, state.y_m, state.heading_rad
            trace[row + 3], trace[row + 4], trace[row + 5] = state.forward_mps, offset, point
            ticks += 1
        if abs(spot.left_m) > LOST_M or state.forward_mps < 1.0:
            break
    return DrivenLap(ticks=0, off_road_m=math.inf)


@cache
def compiled_laps() -> Any:
    """`drive_laps` as machine code."""
    return native_function(drive_laps)


def room_for_trace(most_ticks: int) -> FloatArray:
    """Where a lap of so many ticks is kept."""
    return np.zeros(most_ticks * TRACE)
