"""Gates and laps: which gate a tick's motion crossed, and what that does to the race."""

from typing import NamedTuple

from hotlap.kernel import kernel
from hotlap.racer.fleet import FleetState, StepOutputs
from hotlap.racer.physics import GATE_COUNT
from hotlap.racer.tables import TrackTables


class Move(NamedTuple):
    """A straight piece of motion in one tick."""

    from_x_u: float
    from_y_u: float
    to_x_u: float
    to_y_u: float


@kernel
def crosses_gate(move: Move, gate: int, track: int, tables: TrackTables) -> bool:
    """Whether the motion crosses a gate between its ends, in the driving direction."""
    row = track * GATE_COUNT + gate
    left_x, left_y = tables.gate_left_x_u[row], tables.gate_left_y_u[row]
    gate_x, gate_y = tables.gate_right_x_u[row] - left_x, tables.gate_right_y_u[row] - left_y
    move_x, move_y = move.to_x_u - move.from_x_u, move.to_y_u - move.from_y_u
    denominator = move_x * gate_y - move_y * gate_x
    if abs(denominator) < 1e-10:
        return False
    to_left_x, to_left_y = left_x - move.from_x_u, left_y - move.from_y_u
    t = (to_left_x * gate_y - to_left_y * gate_x) / denominator
    u = (to_left_x * move_y - to_left_y * move_x) / denominator
    onward = move_x * tables.gate_direction_x[row] + move_y * tables.gate_direction_y[row]
    return 0.0 <= t <= 1.0 and 0.0 <= u <= 1.0 and onward > 0.0


@kernel
def accumulate_race(fleet: FleetState, car: int, move: Move, tables: TrackTables, out: StepOutputs) -> None:
    """Count the tick, pass the next gate if it was crossed, and close the lap at the finish gate."""
    next_gate = (fleet.gate[car] + 1) % GATE_COUNT
    fleet.race_ticks[car] += 1
    fleet.lap_ticks[car] += 1
    out.lap_complete[car] = 0
    out.lap_clean[car] = 0
    if not crosses_gate(move, next_gate, fleet.track[car], tables):
        return
    fleet.gate[car] = next_gate
    if next_gate != fleet.finish_gate[car]:
        return
    ticks = fleet.lap_ticks[car]
    out.lap_complete[car] = 1
    out.lap_clean[car] = 1 if fleet.lap_off_road_ticks[car] == 0 and fleet.lap_wall_ticks[car] == 0 else 0
    out.last_lap_ticks[car] = ticks
    if fleet.best_lap_ticks[car] < 0 or ticks < fleet.best_lap_ticks[car]:
        fleet.best_lap_ticks[car] = ticks
    fleet.lap[car] += 1
    fleet.lap_ticks[car] = 0
    fleet.lap_off_road_ticks[car] = 0
    fleet.lap_wall_ticks[car] = 0
