"""Contact of two cars: found where rectangles overlap, parted without gaining or losing momentum."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from hotlap.race.collisions import resolve_contacts
from hotlap.race.contact import Body, Touch, impulse_of, spin_of, touch_of
from hotlap.race.fault import fault_of
from hotlap.race.slipstream import wake_share
from race.grids import momentum, new_race, put_by_pole
from race.twins import area, overlap_polygon, wake, who_is_at_fault

near = st.floats(-3.0, 3.0)
speeds = st.floats(-150.0, 150.0)
angles = st.floats(-math.pi, math.pi)


def body(x=0.0, y=0.0, angle=0.0, vx=0.0, vy=0.0, spin=0.0, mass=800.0) -> Body:
    return Body(x, y, vx, vy, spin, math.cos(angle), math.sin(angle), 1.275, 0.65, mass, mass * 0.7)


@given(near, near, angles, angles)
@example(2.76076847742355e-16, 2.76076847742355e-16, 2.0, 2.0)  # one car on the other but for a rounding
@settings(max_examples=300)
def test_cars_touch_exactly_where_their_rectangles_overlap(x, y, angle, other):
    one, two = body(angle=angle), body(x, y, other)
    touch, common = touch_of(one, two), area(overlap_polygon(one, two))
    assume(abs(touch.depth_u) > 1e-6)
    assert (touch.depth_u > 0.0) == (common > 1e-12)


@given(near, near, angles, angles)
def test_pushing_cars_apart_by_the_depth_ends_the_overlap(x, y, angle, other):
    one, two = body(angle=angle), body(x, y, other)
    touch = touch_of(one, two)
    assume(touch.depth_u > 0.0)
    away = touch.depth_u + 1e-9
    apart = two._replace(x_u=two.x_u + away * touch.normal_x, y_u=two.y_u + away * touch.normal_y)
    assert touch_of(one, apart).depth_u <= 1e-8


@given(near, near, angles, angles, speeds, speeds, speeds, speeds, st.floats(500.0, 2000.0))
@settings(max_examples=300)
def test_impulse_keeps_both_momenta_and_never_adds_energy(x, y, angle, other, ax, ay, bx, by, mass):
    one, two = body(angle=angle, vx=ax, vy=ay), body(x, y, other, bx, by, mass=mass)
    touch = touch_of(one, two)
    assume(touch.depth_u > 0.0)
    push = impulse_of(one, two, touch)
    after_one = struck(one, touch, -push.x, -push.y)
    after_two = struck(two, touch, push.x, push.y)
    scale = 1.0 + abs(ax) + abs(ay) + abs(bx) + abs(by)
    for of in (lambda b: b.mass * b.vx_ups, lambda b: b.mass * b.vy_ups, turning):
        change = of(after_one) + of(after_two) - of(one) - of(two)
        assert abs(change) <= 1e-9 * mass * scale
    assert energy(after_one) + energy(after_two) <= (energy(one) + energy(two)) * (1.0 + 1e-12)


def struck(car: Body, touch: Touch, x: float, y: float) -> Body:
    spin = car.spin_rps + spin_of(car, touch, x, y)
    return car._replace(vx_ups=car.vx_ups + x / car.mass, vy_ups=car.vy_ups + y / car.mass, spin_rps=spin)


def turning(car: Body) -> float:
    return car.mass * (car.x_u * car.vy_ups - car.y_u * car.vx_ups) + car.inertia * car.spin_rps


def energy(car: Body) -> float:
    return 0.5 * car.mass * (car.vx_ups**2 + car.vy_ups**2) + 0.5 * car.inertia * car.spin_rps**2


def test_straight_hit_bounces_by_a_tenth():
    one, two = body(vx=10.0), body(x=2.5)
    touch = touch_of(one, two)
    push = impulse_of(one, two, touch)
    apart = push.x / two.mass - (one.vx_ups - push.x / one.mass)
    assert apart == pytest.approx(0.1 * 10.0)
    assert (touch.normal_x, touch.normal_y) == (1.0, 0.0)


@given(near, near, angles, st.floats(1.0, 4.0))
def test_wake_fades_backwards_and_to_both_sides(x, y, heading, width):
    race = new_race(cars=2)
    race.fleet.x_u[:], race.fleet.y_u[:] = [0.0, 10.0 * x], [0.0, 10.0 * y]
    race.fleet.heading_rad[1] = heading
    expected = wake((0.0, 0.0), (10.0 * x, 10.0 * y), heading, width)
    assert wake_share(race.fleet, 0, 1, width) == pytest.approx(expected, abs=1e-9)


@given(st.floats(-2.5, 2.5), st.booleans(), st.tuples(speeds, speeds), st.tuples(speeds, speeds))
@settings(max_examples=300)
def test_fault_is_what_the_rule_says_in_words(ahead, two_is_left, along, across):
    one = body(vx=along[0], vy=across[0])
    two = body(x=ahead, y=1.0 if two_is_left else -1.0, vx=along[1], vy=across[1])
    blame = fault_of(one, two, 1.0, 0.0)
    assert (blame.one, blame.two) == who_is_at_fault(ahead, 2.55, along, across, two_is_left)


def test_car_that_runs_into_the_one_ahead_is_at_fault():
    race = scene(((0.0, 0.0, 0.0, 100.0), (2.6, 0.0, 0.0, 80.0)))
    assert race.facts.fault.tolist() == [1, 0]
    assert race.contenders.contacts.tolist() == [1, 1]
    assert race.facts.contact_with.tolist() == [1, 0]
    assert race.facts.impulse[0] > 0.0


def test_car_that_turns_in_on_the_one_beside_it_is_at_fault():
    race = scene(((0.0, 0.0, 0.0, 80.0), (0.2, 1.5, -0.25, 82.0)))
    assert race.facts.fault.tolist() == [0, 1]


def test_cars_that_turn_in_on_each_other_are_both_at_fault():
    race = scene(((0.0, 0.0, 0.15, 80.0), (0.0, 1.75, -0.15, 80.0)))
    assert race.facts.fault.tolist() == [1, 1]


def scene(cars) -> object:
    """Two cars by the start line, and one tick with nobody's foot on anything."""
    race = new_race(cars=len(cars))
    for number, car in enumerate(cars):
        put_by_pole(race, number, *car)
    race.look()
    race.step()
    return race


def test_touch_goes_on_without_counting_again_until_the_cars_were_apart():
    race = scene(((0.0, 0.0, 0.0, 60.0), (2.6, 0.0, 0.0, 0.0)))
    race.set_actions(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    for _ in range(20):
        race.step()
    assert race.contenders.contacts.tolist() == [1, 1]


def test_pile_up_keeps_momentum_to_a_billionth_and_gains_no_energy():
    rng = np.random.default_rng(3)
    race, struck = new_race(cars=6), 0
    for _ in range(60):
        for car in range(6):
            put_by_pole(race, car, *rng.uniform([-3.0, -3.0, -3.0, 0.0], [3.0, 3.0, 3.0, 150.0]))
        race.look()
        before, energy_before = momentum(race), motion_energy(race)
        race.work.from_x_u[:], race.work.from_y_u[:] = race.fleet.x_u, race.fleet.y_u
        race.work.arc_before_u[:], race.work.pushed_u[:] = race.fleet.arc_u, 0.0
        resolve_contacts(race.race, 0, 6)
        scale = np.sum(race.contenders.mass * 150.0)
        assert np.abs(momentum(race) - before).max() < 1e-9 * scale
        assert motion_energy(race) <= energy_before * (1.0 + 1e-12)
        struck += race.facts.impulse.any()
        assert not race.out.collided.any()
    assert struck > 50


def motion_energy(race) -> float:
    fleet, cars = race.fleet, race.contenders
    moving = cars.mass * (fleet.vx_ups**2 + fleet.vy_ups**2)
    return 0.5 * float(np.sum(moving + cars.inertia * fleet.yaw_rate_rps**2))
