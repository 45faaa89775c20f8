"""One tick of a grid of cars with grip: the parts that take the place of the classic car's in the tick of a race."""

import math
from typing import Any

from hotlap.kernel import kernel, parts_of, with_parts
from hotlap.race.collisions import settle
from hotlap.race.grid import Race
from hotlap.race.slipstream import car_in_wake
from hotlap.race.starts import fastest_spread
from hotlap.race.tick import move_car, race_at, update_grids, write_body
from hotlap.racer.grip_fleet import car_data
from hotlap.racer.grip_starts import fastest_start
from hotlap.racer.grip_tick import advance_in_fleet, update_grip_entry
from hotlap.racer.projection import cell_of_car
from hotlap.racer.tick import take_controls, write_car
from hotlap.racer.walls import sweep_walls, touches_wall, walls_near

LENGTH_PER_WHEELBASE = 1.7
WIDTH_M = 1.9
"""Bodies of cars with grip: a GT is 4.5 m long by this, a formula car 5.4 m."""


@kernel
def move_grip_car(race: Race, car: int) -> None:
    """A car's own motion for a tick, walls included, in the air that the others leave it."""
    racer = race.racer
    fleet, tables, out, physics = racer.fleet, racer.tables, racer.out, racer.physics
    from_x, from_y = fleet.x_u[car], fleet.y_u[car]
    controls = take_controls(fleet, car, racer.actions)
    data = car_in_wake(car_data(racer.cars, racer.grip.car[car]), race.work.draft[car])
    driven = advance_in_fleet(fleet, racer.grip, car, controls, data)
    walls = walls_near(cell_of_car(fleet, car, tables), fleet.track[car], tables)
    after, collided = sweep_walls(driven, from_x, from_y, walls, tables, physics)
    write_car(fleet, car, after)
    out.collided[car] = collided
    out.wall_contact[car] = touches_wall(after.x_u, after.y_u, walls, tables, physics)


@kernel
def write_grip_body(race: Race, car: int) -> None:
    """The rectangle of a car, its mass and how hard it is to turn."""
    contenders = race.contenders
    data = car_data(race.racer.cars, race.racer.grip.car[car])
    contenders.half_length_u[car] = 0.5 * LENGTH_PER_WHEELBASE * (data.front_axle_m + data.rear_axle_m)
    contenders.half_width_u[car] = 0.5 * WIDTH_M
    contenders.mass[car], contenders.inertia[car] = data.mass_kg, data.yaw_inertia_kgm2


@kernel
def settle_grip(race: Race, car: int) -> None:
    """A car with grip after contact: it slides and spins on as it was left."""
    fleet = race.racer.fleet
    vx, vy = fleet.vx_ups[car], fleet.vy_ups[car]
    fleet.speed_ups[car] = math.sqrt(vx * vx + vy * vy)


@kernel
def fastest_grip_spread(race: Race, arc_u: float, track: int) -> float:
    """What the bends ahead allow."""
    return float(fastest_start(arc_u, track, race.racer.tables, race.racer.physics))


@with_parts(
    {
        **parts_of(update_grip_entry),
        fastest_spread: fastest_grip_spread,
        move_car: move_grip_car,
        write_body: write_grip_body,
        settle: settle_grip,
    }
)
def update_grip_race_entry(addresses: Any, first: int, last: int, mode: int) -> None:
    """The tick of a race with these parts, over an address table: what is compiled for every machine."""
    update_grids(race_at(addresses), first, last, mode)
