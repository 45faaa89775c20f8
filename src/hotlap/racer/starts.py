"""Where a car begins: on the grid, at rest at a gate, or across a gate at some speed; and where it is put back."""

import math
from typing import Any, NamedTuple

from hotlap.episodes import Episodes, begin_episode
from hotlap.errors import ConfigError, did_you_mean
from hotlap.kernel import kernel
from hotlap.racer.fleet import CarState, FleetState, Rules, Starts, StepOutputs
from hotlap.racer.physics import GATE_COUNT, Physics
from hotlap.racer.tables import TrackTables
from hotlap.settings import is_whole

START_KINDS = ("grid", "gate", "random")
GRID, GATE, RANDOM, POSE = range(4)
TRACK_DRAW, GATE_DRAW, SIDE_DRAW, TURN_DRAW, SPEED_DRAW, DELAY_DRAW = range(6)
DRAWS = 6
"""What each number of a row of draws is for, and how many there are."""
RESPAWN_TICKS = 30
"""What it costs to be put back on the road."""
ROAD_SHARE = 0.8
HEADING_SPREAD_RAD = 0.35
REST_SHARE = 0.2
SLOWEST = -REST_SHARE / (1.0 - REST_SHARE)
"""Speeds are drawn from here to 1 as shares of the top speed; below 0 the car stands."""


class Start(NamedTuple):
    """The state a car is put into; its laps run from its gate to its gate."""

    x_u: float
    y_u: float
    heading_rad: float
    speed_ups: float
    gate: int


class StartMotion(NamedTuple):
    """How a car moves across its gate: turned from the road's direction, and how fast."""

    turn_rad: float
    speed_ups: float


def check_start_kind(kind: Any) -> str:
    """The kind, or an error with the nearest one."""
    if not isinstance(kind, str) or kind not in START_KINDS:
        raise ConfigError(f'no start "{kind}".{did_you_mean(str(kind), START_KINDS)} Known: {", ".join(START_KINDS)}.')
    return kind


def check_gate(gate: Any) -> int | None:
    """The number of a gate, or None for any."""
    if gate is not None and not (is_whole(gate) and 0 <= gate < GATE_COUNT):
        raise ConfigError(f"gate must be a whole number from 0 to {GATE_COUNT - 1}, not {gate!r}.")
    return None if gate is None else int(gate)


@kernel
def drawn(starts: Starts, car: int, number: int) -> float:
    """One of the draws of a car's episode."""
    return float(starts.draws[car * DRAWS + number])


@kernel
def start_at_gate(gate: int, row: int, tables: TrackTables) -> Start:
    """At rest in the middle of a gate."""
    return Start(
        x_u=tables.gate_centre_x_u[row],
        y_u=tables.gate_centre_y_u[row],
        heading_rad=math.atan2(tables.gate_direction_y[row], tables.gate_direction_x[row]),
        speed_ups=0.0,
        gate=gate,
    )


@kernel
def start_motion(starts: Starts, car: int, row: int, tables: TrackTables, physics: Physics) -> StartMotion:  # noqa: ARG001
    """Turned a little, one in five at rest and the others at any speed: all a lap can bring."""
    turn = 2.0 * drawn(starts, car, TURN_DRAW) - 1.0
    pace = SLOWEST + drawn(starts, car, SPEED_DRAW) * (1.0 - SLOWEST)
    return StartMotion(turn_rad=turn * HEADING_SPREAD_RAD, speed_ups=max(pace, 0.0) * physics.max_speed_ups)


@kernel
def start_across_gate(starts: Starts, car: int, gate: int, row: int, tables: TrackTables, physics: Physics) -> Start:
    """Somewhere across the gate's road, in motion or at rest."""
    side = 2.0 * drawn(starts, car, SIDE_DRAW) - 1.0
    motion = start_motion(starts, car, row, tables, physics)
    centre = start_at_gate(gate, row, tables)
    end_x = tables.gate_left_x_u[row] if side > 0.0 else tables.gate_right_x_u[row]
    end_y = tables.gate_left_y_u[row] if side > 0.0 else tables.gate_right_y_u[row]
    toward_x, toward_y = end_x - centre.x_u, end_y - centre.y_u
    room = math.sqrt(toward_x * toward_x + toward_y * toward_y)
    reach = abs(side) * min(tables.gate_half_width_u[row] * ROAD_SHARE, room - 2.0 * physics.contact_radius_u)
    share = max(reach, 0.0) / room
    return Start(
        x_u=centre.x_u + toward_x * share,
        y_u=centre.y_u + toward_y * share,
        heading_rad=centre.heading_rad + motion.turn_rad,
        speed_ups=motion.speed_ups,
        gate=gate,
    )


@kernel
def chosen_start(starts: Starts, car: int, track: int, tables: TrackTables, physics: Physics) -> Start:
    """Where a car's next episode begins."""
    kind = starts.kind[car]
    gate = starts.first_gate[car] + int(drawn(starts, car, GATE_DRAW) * starts.gate_count[car])
    if kind == RANDOM:
        return start_across_gate(starts, car, gate, track * GATE_COUNT + gate, tables, physics)
    if kind == GATE:
        return start_at_gate(gate, track * GATE_COUNT + gate, tables)
    if kind == POSE:
        return Start(
            x_u=starts.x_u[car],
            y_u=starts.y_u[car],
            heading_rad=starts.heading_rad[car],
            speed_ups=starts.speed_ups[car],
            gate=gate,
        )
    return Start(
        x_u=tables.start_x_u[track],
        y_u=tables.start_y_u[track],
        heading_rad=tables.start_heading_rad[track],
        speed_ups=0.0,
        gate=0,
    )


@kernel
def moving_car(start: Start) -> CarState:
    """A car in motion straight ahead, its pedals and its wheel at rest."""
    return CarState(
        x_u=start.x_u,
        y_u=start.y_u,
        vx_ups=start.speed_ups * math.cos(start.heading_rad),
        vy_ups=start.speed_ups * math.sin(start.heading_rad),
        heading_rad=start.heading_rad,
        yaw_rate_rps=0.0,
        speed_ups=start.speed_ups,
        steer=0.0,
        throttle=0.0,
        brake=0.0,
        front_angle_rad=0.0,
        accel_ups2=0.0,
        slip_rad=0.0,
    )


@kernel
def rest_driver(fleet: FleetState, car: int) -> None:
    """Nothing is asked for yet, and nobody has stood still."""
    fleet.still_ticks[car] = 0
    fleet.held_steer[car] = fleet.held_throttle[car] = fleet.held_brake[car] = 0.0


@kernel
def write_new_race(fleet: FleetState, car: int, gate: int) -> None:
    """The first lap begins, and nothing has been counted."""
    fleet.gate[car] = fleet.finish_gate[car] = gate
    fleet.lap[car] = 1
    fleet.best_lap_ticks[car] = -1
    fleet.lap_ticks[car] = fleet.race_ticks[car] = fleet.tick[car] = 0
    fleet.lap_off_road_ticks[car] = fleet.lap_wall_ticks[car] = 0
    rest_driver(fleet, car)


@kernel
def gate_arc_u(gate: int, track: int, tables: TrackTables) -> float:
    """Where a gate is along the lap."""
    return float(gate * (tables.length_u[track] / GATE_COUNT))


@kernel
def write_stretch(fleet: FleetState, car: int, arc_u: float) -> None:
    """The stretch of road that a car is on, by which its place is found."""
    fleet.arc_u[car] = arc_u
    fleet.centre_distance_u[car] = 0.0


@kernel
def write_episode(starts: Starts, episodes: Episodes, fleet: FleetState, car: int, rules: Rules) -> int:
    """Count a new episode, and choose its delay and its track: the number of the track."""
    begin_episode(episodes, car, rules.stagger, rules.max_steps)
    delays, tracks = starts.delay_count[car], starts.track_count[car]
    fleet.delay[car] = starts.first_delay[car] + int(drawn(starts, car, DELAY_DRAW) * delays)
    fleet.track[car] = starts.first_track[car] + int(drawn(starts, car, TRACK_DRAW) * tracks)
    return int(fleet.track[car])


@kernel
def clear_outputs(out: StepOutputs, car: int) -> None:
    """Nothing has happened yet."""
    out.reward[car] = out.progress[car] = out.speed[car] = out.wall[car] = 0.0
    out.off_track[car] = out.backward[car] = out.stillness[car] = 0.0
    out.terminated[car] = out.truncated[car] = out.wall_contact[car] = out.collided[car] = 0
    out.lap_complete[car] = out.lap_clean[car] = 0
    out.last_lap_ticks[car] = 0


@kernel
def count_respawn(fleet: FleetState, car: int) -> None:
    """The clock went on, and the lap is not clean."""
    fleet.lap_ticks[car] += RESPAWN_TICKS
    fleet.race_ticks[car] += RESPAWN_TICKS
    fleet.lap_off_road_ticks[car] += 1
    rest_driver(fleet, car)
