"""Contacts of a grid in one tick: found between near neighbours, resolved for all pairs at once, kept off the walls.

Every pair is computed from the positions before resolution, the car behind along the lap first, and what all pairs do
to a car is added up in the order along the lap. So the result depends neither on the order of the cars nor on threads.
Each pair gives the share of its impulse and push that its busier car has room for, and that is repeated some turns.
"""

import math

from hotlap.kernel import kernel
from hotlap.race.contact import Body, Touch, impulse_of, spin_of, touch_of
from hotlap.race.fault import fault_of
from hotlap.race.grid import NOBODY, Race
from hotlap.race.neighbours import is_racing, onward_gap
from hotlap.race.slipstream import ALONG_LAP_U
from hotlap.racer.car import clamp
from hotlap.racer.projection import cell_of_car
from hotlap.racer.walls import nearest_wall, touches_wall, walls_near

MOST_TURNS = 12
SHALLOWEST_U = 0.01
"""Overlaps of less are left alone after the first turn."""
LONGEST_PUSH_U = 2.0
"""No car is pushed further in a tick, so that the walls near the start of its tick are all it can meet."""
SWEEP_U = 1.0
"""Cars that move further than this against each other in a tick are also tested on the way."""
NEW_CONTACT_TICKS = 30
"""Cars that were apart for so long touch anew."""
MOST_TURN_RAD = 0.3
OFF_WALL_U = 1e-3


@kernel
def body_at(race: Race, car: int, share: float) -> Body:
    """A car as a rectangle, at a share of its way through the tick."""
    fleet, contenders, work = race.racer.fleet, race.contenders, race.work
    back = 1.0 - share
    return Body(
        x_u=fleet.x_u[car] - back * (fleet.x_u[car] - work.from_x_u[car]),
        y_u=fleet.y_u[car] - back * (fleet.y_u[car] - work.from_y_u[car]),
        vx_ups=fleet.vx_ups[car],
        vy_ups=fleet.vy_ups[car],
        spin_rps=fleet.yaw_rate_rps[car],
        cosine=math.cos(fleet.heading_rad[car]),
        sine=math.sin(fleet.heading_rad[car]),
        half_length_u=contenders.half_length_u[car],
        half_width_u=contenders.half_width_u[car],
        mass=contenders.mass[car],
        inertia=contenders.inertia[car],
    )


@kernel
def are_near(race: Race, car: int, other: int, more_u: float) -> bool:
    """Whether the circles around two cars meet, with so much more room."""
    fleet, contenders = race.racer.fleet, race.contenders
    dx, dy = fleet.x_u[other] - fleet.x_u[car], fleet.y_u[other] - fleet.y_u[car]
    reach = more_u + contenders.half_length_u[car] + contenders.half_width_u[car]
    reach += contenders.half_length_u[other] + contenders.half_width_u[other]
    return bool(dx * dx + dy * dy < reach * reach)


@kernel
def touch_in_tick(race: Race, car: int, other: int) -> Touch:
    """The first overlap of two cars on their way through the tick, as deep as it would be at its end."""
    fleet, work = race.racer.fleet, race.work
    move_x = (fleet.x_u[other] - work.from_x_u[other]) - (fleet.x_u[car] - work.from_x_u[car])
    move_y = (fleet.y_u[other] - work.from_y_u[other]) - (fleet.y_u[car] - work.from_y_u[car])
    steps = max(int(math.ceil(math.sqrt(move_x * move_x + move_y * move_y) / SWEEP_U)), 1)
    touch = Touch(depth_u=0.0, normal_x=0.0, normal_y=0.0, point_x_u=0.0, point_y_u=0.0)
    for step in range(1, steps + 1):
        share = step / steps
        touch = touch_of(body_at(race, car, share), body_at(race, other, share))
        if touch.depth_u > 0.0:
            closing = max(-(move_x * touch.normal_x + move_y * touch.normal_y), 0.0)
            return Touch(
                depth_u=touch.depth_u + (1.0 - share) * closing,
                normal_x=touch.normal_x,
                normal_y=touch.normal_y,
                point_x_u=touch.point_x_u,
                point_y_u=touch.point_y_u,
            )
    return touch


@kernel
def contact_at(race: Race, row: int) -> Touch:
    """A contact out of the list."""
    work = race.work
    return Touch(
        depth_u=work.depth_u[row],
        normal_x=work.normal_x[row],
        normal_y=work.normal_y[row],
        point_x_u=work.point_x_u[row],
        point_y_u=work.point_y_u[row],
    )


@kernel
def find_contacts(race: Race, first: int, last: int, turn: int) -> int:
    """List the pairs of a grid that overlap, along the lap, and count the contacts of each car: how many pairs."""
    fleet, work = race.racer.fleet, race.work
    count, found = last - first, 0
    room = first * int(race.rules.cars)
    length = race.racer.tables.length_u[fleet.track[first]]
    for car in range(first, last):
        work.touching[car] = 0
    for place in range(count):
        one = work.order[first + place]
        if not is_racing(race, one):
            continue
        for step in range(1, count):
            two = work.order[first + (place + step) % count]
            if onward_gap(work.arc_before_u[one], work.arc_before_u[two], length) > ALONG_LAP_U:
                break
            if not is_racing(race, two) or not are_near(race, one, two, 6.0 if turn == 0 else 0.0):
                continue
            touch = (
                touch_in_tick(race, one, two)
                if turn == 0
                else touch_of(body_at(race, one, 1.0), body_at(race, two, 1.0))
            )
            if touch.depth_u <= (0.0 if turn == 0 else SHALLOWEST_U):
                continue
            row = room + found
            work.one[row], work.two[row], work.depth_u[row] = one, two, touch.depth_u
            work.normal_x[row], work.normal_y[row] = touch.normal_x, touch.normal_y
            work.point_x_u[row], work.point_y_u[row] = touch.point_x_u, touch.point_y_u
            work.touching[one] += 1
            work.touching[two] += 1
            found += 1
    return found


@kernel
def note_contact(race: Race, one: int, two: int, normal_impulse: float) -> None:
    """Who touched whom how hard; a new contact is counted, and its fault."""
    facts, contenders, work = race.facts, race.contenders, race.work
    cars = int(race.rules.cars)
    first = one - one % cars
    if facts.contact_with[one] == NOBODY or normal_impulse > work.hardest[one]:
        facts.contact_with[one], work.hardest[one] = two - first, normal_impulse
    if facts.contact_with[two] == NOBODY or normal_impulse > work.hardest[two]:
        facts.contact_with[two], work.hardest[two] = one - first, normal_impulse
    pair = min(one, two) * cars + max(one, two) - first
    if race.pairs.apart_ticks[pair] == 0:
        blame = fault_of(body_at(race, one, 1.0), body_at(race, two, 1.0), work.road_cosine[one], work.road_sine[one])
        contenders.contacts[one] += 1
        contenders.contacts[two] += 1
        if blame.one:
            facts.fault[one] = 1
            contenders.faults[one] += 1
        if blame.two:
            facts.fault[two] = 1
            contenders.faults[two] += 1
    race.pairs.apart_ticks[pair] = NEW_CONTACT_TICKS


@kernel
def add_contact(race: Race, row: int, turn: int) -> None:
    """What a contact does to both cars: its share of impulse and push, equal and opposite."""
    work = race.work
    one, two = work.one[row], work.two[row]
    body_one, body_two = body_at(race, one, 1.0), body_at(race, two, 1.0)
    touch = contact_at(race, row)
    share = 1.0 / max(work.touching[one], work.touching[two])
    impulse = impulse_of(body_one, body_two, touch)
    if turn == 0:
        note_contact(race, one, two, impulse.normal)
    jx, jy = share * impulse.x, share * impulse.y
    race.facts.impulse[one] += share * impulse.normal
    race.facts.impulse[two] += share * impulse.normal
    work.add_vx_ups[one] -= jx / body_one.mass
    work.add_vy_ups[one] -= jy / body_one.mass
    work.add_vx_ups[two] += jx / body_two.mass
    work.add_vy_ups[two] += jy / body_two.mass
    work.add_spin_rps[one] -= spin_of(body_one, touch, jx, jy)
    work.add_spin_rps[two] += spin_of(body_two, touch, jx, jy)
    push = share * touch.depth_u / (body_one.mass + body_two.mass)
    work.add_x_u[one] -= push * body_two.mass * touch.normal_x
    work.add_y_u[one] -= push * body_two.mass * touch.normal_y
    work.add_x_u[two] += push * body_one.mass * touch.normal_x
    work.add_y_u[two] += push * body_one.mass * touch.normal_y


@kernel
def apply_contacts(race: Race, car: int) -> None:
    """Give a car what all of its contacts did to it in this turn, and keep it off the walls."""
    fleet, work = race.racer.fleet, race.work
    fleet.vx_ups[car] += work.add_vx_ups[car]
    fleet.vy_ups[car] += work.add_vy_ups[car]
    fleet.yaw_rate_rps[car] += work.add_spin_rps[car]
    length = math.sqrt(work.add_x_u[car] * work.add_x_u[car] + work.add_y_u[car] * work.add_y_u[car])
    room = LONGEST_PUSH_U - work.pushed_u[car]
    share = room / length if length > room else 1.0
    push_to(race, car, fleet.x_u[car] + share * work.add_x_u[car], fleet.y_u[car] + share * work.add_y_u[car])
    work.pushed_u[car] += share * length
    work.struck[car] = 1
    work.add_x_u[car] = work.add_y_u[car] = work.add_vx_ups[car] = work.add_vy_ups[car] = work.add_spin_rps[car] = 0.0


@kernel
def push_to(race: Race, car: int, x: float, y: float) -> None:
    """Push a car to a spot, or to the first wall on the way; what it moved into the wall is lost."""
    racer, fleet = race.racer, race.racer.fleet
    radius = racer.physics.car_radius_u
    walls = walls_near(cell_of_car(fleet, car, racer.tables), fleet.track[car], racer.tables)
    from_x, from_y = fleet.x_u[car], fleet.y_u[car]
    dx, dy = x - from_x, y - from_y
    steps = max(int(math.ceil(math.sqrt(dx * dx + dy * dy) / racer.physics.sweep_step_u)), 1)
    fleet.x_u[car], fleet.y_u[car] = x, y
    if walls.length == 0:
        return
    for step in range(1, steps + 1):
        spot_x, spot_y = from_x + dx * step / steps, from_y + dy * step / steps
        hit = nearest_wall(spot_x, spot_y, walls, racer.tables)
        if hit.distance_u < radius:
            off = radius - hit.distance_u + OFF_WALL_U
            fleet.x_u[car], fleet.y_u[car] = spot_x + hit.normal_x * off, spot_y + hit.normal_y * off
            into = min(fleet.vx_ups[car] * hit.normal_x + fleet.vy_ups[car] * hit.normal_y, 0.0)
            fleet.vx_ups[car] -= into * hit.normal_x
            fleet.vy_ups[car] -= into * hit.normal_y
            racer.out.collided[car] = 1
            return


@kernel
def settle(race: Race, car: int) -> None:
    """The classic car after contact: it is turned as far as a tick turns it, and rolls on with its speed forward.

    Its law knows no rolling backwards and no spin that lasts: the tyres take that away in the next tick.
    """
    fleet, physics = race.racer.fleet, race.racer.physics
    turn = (fleet.yaw_rate_rps[car] - race.work.spin_before_rps[car]) * physics.tick_s
    fleet.heading_rad[car] += clamp(turn, -MOST_TURN_RAD, MOST_TURN_RAD)
    cosine, sine = math.cos(fleet.heading_rad[car]), math.sin(fleet.heading_rad[car])
    fleet.speed_ups[car] = max(fleet.vx_ups[car] * cosine + fleet.vy_ups[car] * sine, 0.0)


@kernel
def resolve_contacts(race: Race, first: int, last: int) -> None:
    """All contacts of a grid, some turns of all pairs at once."""
    racer, work = race.racer, race.work
    room = first * int(race.rules.cars)
    for turn in range(MOST_TURNS):
        found = find_contacts(race, first, last, turn)
        if found == 0:
            break
        for row in range(room, room + found):
            add_contact(race, row, turn)
        for car in range(first, last):
            if work.touching[car] > 0:
                apply_contacts(race, car)
    for car in range(first, last):
        if work.struck[car]:
            settle(race, car)
            walls = walls_near(cell_of_car(racer.fleet, car, racer.tables), racer.fleet.track[car], racer.tables)
            x, y = racer.fleet.x_u[car], racer.fleet.y_u[car]
            racer.out.wall_contact[car] = touches_wall(x, y, walls, racer.tables, racer.physics)
