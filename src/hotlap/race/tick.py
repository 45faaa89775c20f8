"""One tick of a grid of cars, in the order of the rules, and the loop over grids."""

from typing import Any

from hotlap.episodes import is_out_of_time, write_draws, write_end, write_seen
from hotlap.kernel import kernel, numbers_at, pointers_at
from hotlap.race.collisions import resolve_contacts
from hotlap.race.facts import clear_facts, write_places
from hotlap.race.grid import (
    FINISHED,
    Contenders,
    Facts,
    Grids,
    Pairs,
    Race,
    RaceRules,
    Slots,
    Work,
)
from hotlap.race.neighbours import is_racing, sort_along_lap
from hotlap.race.recovery import recover
from hotlap.race.risk import risk_of
from hotlap.race.senses import OTHERS_SIZE, write_road_frame, write_seen_race
from hotlap.race.slipstream import in_wake, write_drafts
from hotlap.race.starts import place_grid
from hotlap.racer.gates import Move, accumulate_race
from hotlap.racer.physics import ROAD
from hotlap.racer.rewards import lap_progress, write_reward
from hotlap.racer.starts import DRAWS, clear_outputs
from hotlap.racer.tick import (
    AUTORESET,
    DRIVE,
    PHYSICS_SLOT,
    PLACE,
    RESET,
    drive_car,
    racer_at,
    write_observation,
    write_place,
)

CONTENDERS_SLOT = PHYSICS_SLOT + 1
PAIRS_SLOT = CONTENDERS_SLOT + len(Contenders._fields)
GRIDS_SLOT = PAIRS_SLOT + len(Pairs._fields)
SLOTS_SLOT = GRIDS_SLOT + len(Grids._fields)
FACTS_SLOT = SLOTS_SLOT + len(Slots._fields)
WORK_SLOT = FACTS_SLOT + len(Facts._fields)
RACE_RULES_SLOT = WORK_SLOT + len(Work._fields)

CLASSIC_LENGTH_U, CLASSIC_WIDTH_U = 2.55, 1.3
"""The body of the classic car: 1.7 wheelbases long."""


@kernel
def move_car(race: Race, car: int) -> None:
    """A car's own motion for a tick, walls included, in the air that the others leave it."""
    drive_car(in_wake(race.racer, race.work.draft[car]), car)


@kernel
def write_body(race: Race, car: int) -> None:
    """The rectangle of a car, its mass and how hard it is to turn: that of an even plate."""
    contenders, mass = race.contenders, race.racer.physics.mass
    length, width = CLASSIC_LENGTH_U, CLASSIC_WIDTH_U
    contenders.half_length_u[car], contenders.half_width_u[car] = 0.5 * length, 0.5 * width
    contenders.mass[car] = mass
    contenders.inertia[car] = mass * (length * length + width * width) / 12.0


@kernel
def move_grid(race: Race, first: int, last: int) -> None:
    """Everybody drives for a tick, then who ran into whom is resolved."""
    fleet, work = race.racer.fleet, race.work
    write_drafts(race, first, last)
    for car in range(first, last):
        clear_facts(race, car)
        work.from_x_u[car], work.from_y_u[car] = fleet.x_u[car], fleet.y_u[car]
        work.arc_before_u[car] = fleet.arc_u[car]
        if is_racing(race, car):
            move_car(race, car)
        work.spin_before_rps[car] = fleet.yaw_rate_rps[car]
        work.pushed_u[car] = 0.0
        work.struck[car] = 0
    if last - first > 1:
        resolve_contacts(race, first, last)


@kernel
def count_lap(race: Race, car: int) -> None:
    """A car's laps and the distance it gained, as in a world alone; who has driven all laps has finished."""
    racer, contenders, work = race.racer, race.contenders, race.work
    fleet, out = racer.fleet, racer.out
    fleet.lap_off_road_ticks[car] += fleet.surface[car] != ROAD
    fleet.lap_wall_ticks[car] += out.wall_contact[car] | out.collided[car]
    move = Move(from_x_u=work.from_x_u[car], from_y_u=work.from_y_u[car], to_x_u=fleet.x_u[car], to_y_u=fleet.y_u[car])
    accumulate_race(fleet, car, move, racer.tables, out)
    work.gained_u[car] = lap_progress(work.arc_before_u[car], fleet.arc_u[car], racer.tables.length_u[fleet.track[car]])
    contenders.distance_u[car] += work.gained_u[car]
    if race.rules.laps > 0.0 and fleet.lap[car] > race.rules.laps:
        contenders.status[car] = FINISHED
        contenders.finish_tick[car] = race.grids.clock[car // int(race.rules.cars)]


@kernel
def pay(race: Race, car: int) -> None:
    """The reward of the drive, and what the race adds to it; the step is counted."""
    racer, facts, rules = race.racer, race.facts, race.rules
    fleet, out, solo = racer.fleet, racer.out, racer.rules
    write_reward(fleet, car, race.work.gained_u[car], racer.tables.length_u[fleet.track[car]], solo, out, racer.physics)
    touched = 1.0 if facts.impulse[car] > 0.0 else 0.0
    facts.race_reward[car] = (
        rules.place_bonus * facts.places_gained[car]
        + rules.fault_penalty * facts.fault[car]
        + rules.contact_penalty * touched
    )
    if rules.risk_penalty != 0.0:
        facts.race_reward[car] += rules.risk_penalty * risk_of(race, car)
    out.reward[car] += facts.race_reward[car]
    racer.episodes.episode_return[car] += out.reward[car]
    still = fleet.speed_ups[car] < solo.stillness_threshold_ups
    fleet.tick[car] += 1
    fleet.still_ticks[car] = fleet.still_ticks[car] + 1 if still else 0


@kernel
def close_tick(race: Race, car: int, raced: bool, time_is_up: bool) -> None:
    """Pay a car that raced in this tick, and say whether its race is over."""
    out = race.racer.out
    if raced:
        pay(race, car)
    else:
        clear_outputs(out, car)
    out.terminated[car] = 0 if is_racing(race, car) else 1
    out.truncated[car] = 1 if time_is_up else 0


@kernel
def advance_grid(race: Race, grid: int, first: int, last: int, drives: bool) -> None:
    """One tick of a grid; one that does not drive is only placed on its track, and its drivers shown it."""
    racer, work = race.racer, race.work
    if drives:
        race.grids.clock[grid] += 1
        move_grid(race, first, last)
    for car in range(first, last):
        work.struck[car] = 1 if is_racing(race, car) else 0
        if not drives:
            write_body(race, car)
            clear_facts(race, car)
        write_place(racer.fleet, car, racer.tables, racer.physics)
        if drives and work.struck[car]:
            count_lap(race, car)
    write_places(race, first, last, drives)
    if drives:
        for place in range(first, last):
            if is_racing(race, work.order[place]):
                recover(race, work.order[place])
    sort_along_lap(race, first, last)
    for car in range(first, last):
        write_road_frame(race, car)
        write_observation(racer, car)
    time_is_up = is_out_of_time(racer.episodes, first, race.grids.clock[grid], racer.rules.max_steps)
    for place in range(last - first):
        write_seen_race(race, place, first, last)
        if drives:
            car = work.order[first + place]
            close_tick(race, car, work.struck[car] != 0, time_is_up)


@kernel
def race_is_over(race: Race, first: int, last: int) -> bool:
    """Whether nobody races any more, or the time is up."""
    for car in range(first, last):
        if not race.racer.out.truncated[car] and not race.racer.out.terminated[car]:
            return False
    return True


@kernel
def close_grid(race: Race, first: int, last: int) -> bool:
    """Hand a step to the learner, and keep what is known of a race that ended; whether it did. All cars end at once."""
    racer = race.racer
    over = race_is_over(race, first, last)
    size = int(race.rules.solo_size) + OTHERS_SIZE
    for car in range(first, last):
        racer.rollout.reward[car] = racer.out.reward[car]
        racer.rollout.ended[car] = 1 if over else 0
        if over:
            write_end(racer.rollout, car, race.facts.seen, size, racer.episodes.episode_return[car])
            racer.rollout.final_length[car] = racer.fleet.tick[car]
            racer.rollout.final_count[car] = racer.fleet.lap[car] - 1
    return over


@kernel
def prepare_grid(race: Race, grid: int, first: int, last: int, mode: int) -> None:
    """What a mode does to a grid before it drives or looks."""
    racer = race.racer
    if mode not in (RESET, PLACE):
        return
    for car in range(first, last):
        if mode == RESET:
            write_draws(racer.starts.draws, car * DRAWS, DRAWS, racer.episodes, car)
    place_grid(race, grid, first, last)


@kernel
def update_grid(race: Race, grid: int, mode: int) -> None:
    """One grid in one of the modes of the racing world: LOOK, DRIVE, PLACE, RESET or AUTORESET."""
    cars = int(race.rules.cars)
    first, last = grid * cars, (grid + 1) * cars
    racer = race.racer
    for car in range(first, last):
        if mode in (PLACE, RESET):
            clear_outputs(racer.out, car)
        if mode == RESET:
            racer.episodes.episode[car] = 0
    doing = mode
    while True:
        prepare_grid(race, grid, first, last, doing)
        advance_grid(race, grid, first, last, doing in (DRIVE, AUTORESET))
        if doing != AUTORESET or not close_grid(race, first, last):
            break
        doing = RESET
    if mode in (AUTORESET, RESET):
        size = int(race.rules.solo_size) + OTHERS_SIZE
        for car in range(first, last):
            write_seen(racer.rollout, car, race.facts.seen, size)


@kernel
def update_grids(race: Race, first: int, last: int, mode: int) -> None:
    """The grids from `first` up to `last`, in place."""
    for grid in range(first, last):
        update_grid(race, grid, mode)


@kernel
def race_at(addresses: Any) -> Race:
    """Everything that a tick reads or writes, from an address table, as pointers: a race is passed on many times."""
    return Race(
        racer=racer_at(addresses),
        contenders=pointers_at(addresses, CONTENDERS_SLOT, Contenders),
        pairs=pointers_at(addresses, PAIRS_SLOT, Pairs),
        grids=pointers_at(addresses, GRIDS_SLOT, Grids),
        slots=pointers_at(addresses, SLOTS_SLOT, Slots),
        facts=pointers_at(addresses, FACTS_SLOT, Facts),
        work=pointers_at(addresses, WORK_SLOT, Work),
        rules=numbers_at(addresses, RACE_RULES_SLOT, RaceRules),
    )


def update_race_entry(addresses: Any, first: int, last: int, mode: int) -> None:
    """`update_grids` over an address table: what is compiled for every machine."""
    update_grids(race_at(addresses), first, last, mode)
