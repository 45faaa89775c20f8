"""The state of a fleet and what a step puts out, as structs of arrays; one car, as a struct of numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float64Array = NDArray[np.float64]
Int32Array = NDArray[np.int32]
ByteArray = NDArray[np.uint8]


class CarState(NamedTuple):
    """The motion of one car: position and velocity in the world frame, angles counter-clockwise, inputs as smoothed."""

    x_u: float
    y_u: float
    vx_ups: float
    vy_ups: float
    heading_rad: float
    yaw_rate_rps: float
    speed_ups: float
    steer: float
    throttle: float
    brake: float
    front_angle_rad: float
    accel_ups2: float
    slip_rad: float


class Controls(NamedTuple):
    """What the driver asks for: steer in [-1, 1] (positive is right), throttle and brake in [0, 1]."""

    steer: float
    throttle: float
    brake: float


class FleetState(NamedTuple):
    """Everything a car carries from tick to tick; one array per quantity, one element per car."""

    x_u: Float64Array
    y_u: Float64Array
    vx_ups: Float64Array
    vy_ups: Float64Array
    heading_rad: Float64Array
    yaw_rate_rps: Float64Array
    speed_ups: Float64Array
    steer: Float64Array
    throttle: Float64Array
    brake: Float64Array
    front_angle_rad: Float64Array
    accel_ups2: Float64Array
    slip_rad: Float64Array
    # Where it is on its track.
    arc_u: Float64Array
    centre_distance_u: Float64Array
    surface: Int32Array
    track: Int32Array
    # Its race: `gate` is the last one passed, a lap ends at `finish_gate`.
    gate: Int32Array
    finish_gate: Int32Array
    lap: Int32Array
    lap_ticks: Int32Array
    best_lap_ticks: Int32Array
    race_ticks: Int32Array
    lap_off_road_ticks: Int32Array
    lap_wall_ticks: Int32Array
    # Its episode: `delay` is 0 or 1 ticks, the held action is the one that waits.
    tick: Int32Array
    still_ticks: Int32Array
    delay: Int32Array
    held_steer: Float64Array
    held_throttle: Float64Array
    held_brake: Float64Array


class Starts(NamedTuple):
    """How each car's episodes begin: a kind of start, and ranges from which the draws choose track, gate and delay.

    A range begins at the first number and has so many; one that has a single number leaves nothing to the draws.
    """

    kind: Int32Array
    first_track: Int32Array
    track_count: Int32Array
    first_gate: Int32Array
    gate_count: Int32Array
    first_delay: Int32Array
    delay_count: Int32Array
    # Of the kind POSE: where exactly.
    x_u: Float64Array
    y_u: Float64Array
    heading_rad: Float64Array
    speed_ups: Float64Array
    draws: Float64Array
    """Numbers in [0, 1), flat: a row for each car, in the order of `hotlap.racer.starts`."""


class StepOutputs(NamedTuple):
    """What one step says about every car. `observation` is flat: one row of the layout's size per car."""

    observation: Float64Array
    reward: Float64Array
    progress: Float64Array
    speed: Float64Array
    wall: Float64Array
    off_track: Float64Array
    backward: Float64Array
    stillness: Float64Array
    terminated: ByteArray
    truncated: ByteArray
    wall_contact: ByteArray
    collided: ByteArray
    lap_complete: ByteArray
    lap_clean: ByteArray
    last_lap_ticks: Int32Array


class Rules(NamedTuple):
    """Reward weights, episode limits and the observation layout, as numbers for the kernel."""

    progress: float
    speed_bonus: float
    wall_penalty: float
    off_track_penalty: float
    backward_penalty: float
    stillness_penalty: float
    stillness_threshold_ups: float
    max_steps: float
    stillness_timeout_ticks: float
    layout: float
    distance_bonus: float
    stagger: float
    """1 cuts each car's first episode off at a drawn tick."""
    off_track_timeout_ticks: float


class Actions(NamedTuple):
    """One request per car, raw: clamping is a rule of the world."""

    steer: Float64Array
    throttle: Float64Array
    brake: Float64Array
