"""What the driver of a car with grip sees: the car, its place on the road, its tyres, and the road ahead."""

import math

from hotlap.kernel import kernel
from hotlap.racer.fleet import FleetState, StepOutputs
from hotlap.racer.grip_fleet import CAR_NUMBERS, CarTable, GripFleet
from hotlap.racer.physics import RUNOFF, SHOULDER
from hotlap.racer.sensors import road_at
from hotlap.racer.tables import TrackTables

# The grip layout, version 1: the car, then three numbers for each spot of the road ahead, then, where asked, the car's.
GRIP_LOOKAHEADS_M = (
    5.0,
    12.0,
    20.0,
    30.0,
    41.0,
    53.0,
    67.0,
    83.0,
    101.0,
    121.0,
    144.0,
    170.0,
    199.0,
    230.0,
    264.0,
    300.0,
)
GRIP_CAR_SIZE = 18
GRIP_SIZE = GRIP_CAR_SIZE + 3 * len(GRIP_LOOKAHEADS_M)
GRIP_AND_CAR_SIZE = GRIP_SIZE + CAR_NUMBERS
FORWARD_SCALE_MPS = 50.0
SIDEWAYS_SCALE_MPS = 10.0
ACCEL_SCALE_MPS2 = 20.0
GRIP_YAW_SCALE_RPS = 1.5
WIDTH_SCALE_M = 10.0
BEND_SCALE_M = 25.0
TURN_SCALE_RAD = 2.0


@kernel
def write_grip(fleet: FleetState, grip: GripFleet, car: int, row: int, tables: TrackTables, out: StepOutputs) -> None:
    """The grip layout, from a row of the observations on."""
    track = fleet.track[car]
    cos_heading, sin_heading = math.cos(fleet.heading_rad[car]), math.sin(fleet.heading_rad[car])
    vx, vy = fleet.vx_ups[car], fleet.vy_ups[car]

    # The road under the car.
    road = road_at(fleet.arc_u[car], track, tables)
    cos_road, sin_road = math.cos(road.heading_rad), math.sin(road.heading_rad)
    offset = cos_road * (fleet.y_u[car] - road.y_u) - sin_road * (fleet.x_u[car] - road.x_u)

    seen = out.observation
    seen[row] = (vx * cos_heading + vy * sin_heading) / FORWARD_SCALE_MPS
    seen[row + 1] = (vy * cos_heading - vx * sin_heading) / SIDEWAYS_SCALE_MPS
    seen[row + 2] = fleet.accel_ups2[car] / ACCEL_SCALE_MPS2
    seen[row + 3] = grip.sideways_accel_mps2[car] / ACCEL_SCALE_MPS2
    seen[row + 4] = fleet.yaw_rate_rps[car] / GRIP_YAW_SCALE_RPS
    seen[row + 5] = fleet.steer[car]
    seen[row + 6] = fleet.throttle[car]
    seen[row + 7] = fleet.brake[car]
    seen[row + 8] = (road.half_width_u - offset) / WIDTH_SCALE_M
    seen[row + 9] = (road.half_width_u + offset) / WIDTH_SCALE_M
    seen[row + 10] = sin_heading * cos_road - cos_heading * sin_road
    seen[row + 11] = cos_heading * cos_road + sin_heading * sin_road
    seen[row + 12] = 1.0 if fleet.surface[car] == SHOULDER else 0.0
    seen[row + 13] = 1.0 if fleet.surface[car] == RUNOFF else 0.0
    seen[row + 14] = grip.grip_used_front[car]
    seen[row + 15] = grip.grip_used_rear[car]
    seen[row + 16] = grip.traction_control[car]
    seen[row + 17] = grip.anti_lock[car]
    write_road_ahead(fleet.arc_u[car], road.heading_rad, track, row + GRIP_CAR_SIZE, tables, out)


@kernel
def write_road_ahead(
    arc_u: float, heading_rad: float, track: int, row: int, tables: TrackTables, out: StepOutputs
) -> None:
    """At each look-ahead distance: how far the road has turned by then, how much it bends before, how wide it is."""
    length = tables.length_u[track]
    samples_per_u = tables.coarse_count[track] / length
    first = tables.coarse_first[track]
    last_heading, last_ahead, turned = heading_rad, 0.0, 0.0
    for k in range(len(GRIP_LOOKAHEADS_M)):
        spot_u = arc_u + GRIP_LOOKAHEADS_M[k]
        while spot_u >= length:
            spot_u -= length
        place = spot_u * samples_per_u
        i = first + min(int(place), tables.coarse_count[track] - 1)
        there = place - (i - first)
        heading = tables.coarse_heading_rad[i] * (1.0 - there) + tables.coarse_heading_rad[i + 1] * there
        half_width = tables.coarse_half_width_u[i] * (1.0 - there) + tables.coarse_half_width_u[i + 1] * there
        turn = heading - last_heading
        turn -= 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
        turned += turn
        out.observation[row + 3 * k] = turned / TURN_SCALE_RAD
        out.observation[row + 3 * k + 1] = turn * (BEND_SCALE_M / (GRIP_LOOKAHEADS_M[k] - last_ahead))
        out.observation[row + 3 * k + 2] = half_width / WIDTH_SCALE_M
        last_heading, last_ahead = heading, GRIP_LOOKAHEADS_M[k]


@kernel
def write_car_numbers(number: int, row: int, cars: CarTable, out: StepOutputs) -> None:
    """The numbers of the car that is driven, from a row on."""
    for k in range(CAR_NUMBERS):
        out.observation[row + k] = cars.seen[number * CAR_NUMBERS + k]
