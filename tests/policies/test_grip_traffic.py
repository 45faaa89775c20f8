"""Line drivers of cars with grip among others: lanes side by side, room for each other, distance where it must be."""

from functools import cache

import numpy as np
import pytest

from hotlap.policies.grip_lanes import LEFT_OF_TWO, RIGHT_OF_TWO, ROOM_M, lane_tables, lanes_apart
from hotlap.policies.grip_plans import pace_of
from hotlap.policies.grip_teacher import GripTeacher
from hotlap.policies.grip_traffic import USUAL_MANNERS, choose, seen_cars
from hotlap.policies.line_drivers import GRIP_TEACHER_MANNERS, line_teacher
from hotlap.policies.race_drivers import race_driver
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.world import RaceWorld
from hotlap.racer.cars import load_car
from hotlap.racer.tracks import load_track

CAR_M = 4.5


@cache
def tables():
    """Of a gt on quarry."""
    track, gt = load_track("quarry"), load_car("gt")
    return lane_tables(GripTeacher([track], [gt], pace_of(0.5), 1.0, lanes_apart(ROOM_M)), [track], 0)


def point_where(is_so) -> int:
    """The first point of quarry where it is so for the planned speeds from there on."""
    return next(point for point in range(1024) if is_so(np.roll(tables().speed_mps[0, 0], -point)))


def on_the_straight() -> float:
    """An arc in m where a car gains speed for long, away from the bend before."""
    return (point_where(lambda speed: (np.diff(speed[:120]) > 0.0).all()) + 40) / 1024.0 * tables().length_m[0]


def before_the_hairpin() -> float:
    """An arc in m where braking begins."""
    return point_where(lambda speed: speed[0] > 45.0 and speed[60] < 0.6 * speed[0]) / 1024.0 * tables().length_m[0]


def decided(arc_m: float, cars: list[tuple[float, float, float]], of: int = 0, manners=USUAL_MANNERS):
    """What one of some cars does: each is so far ahead, so far left of the line, at such a share of the plan."""
    track = load_track("quarry")
    race = RaceBatch(1, [track], RaceSettings(len(cars), layout="grip"), 1, [load_car("gt")])
    race.alone.grip.car_count[:] = 1
    race.reset()
    for row, (ahead_m, left_m, pace) in enumerate(cars):
        arc = (arc_m + ahead_m) % track.length_u
        point, fleet = int(arc / track.length_u * 1024), race.fleet
        (x, y), (tx, ty) = track.position_at(np.array([arc]))[0], track.tangent_at(np.array([arc]))[0]
        offset, speed = left_m + tables().offset_m[0, 0, point], pace * tables().speed_mps[0, 0, point]
        fleet.x_u[row], fleet.y_u[row], fleet.arc_u[row] = x - offset * ty, y + offset * tx, arc
        fleet.heading_rad[row], fleet.speed_ups[row] = np.arctan2(ty, tx), speed
        fleet.vx_ups[row], fleet.vy_ups[row] = speed * tx, speed * ty
    race.look()
    rows = np.array([of])
    choice = choose(seen_cars(race.observation[rows], race, rows, tables()), tables(), manners)
    return tuple(column[0] for column in choice), race.fleet.speed_ups[of]


@pytest.mark.parametrize("count", [2, 3])
def test_lanes_of_a_row_are_apart_and_on_the_road_all_around(count):
    first = {2: 1, 3: 3}[count]
    lanes_m = tables().offset_m[0, first : first + count]
    np.testing.assert_allclose(np.diff(lanes_m, axis=0), ROOM_M, atol=0.05)  # the offsets go through a spline
    assert (np.abs(lanes_m) < tables().half_width_m[0]).all()


def test_two_side_by_side_take_a_lane_each_on_their_own_side():
    cars = [(0.0, -1.3, 0.9), (1.0, 1.3, 0.9)]
    (right, *_), _ = decided(on_the_straight(), cars)
    (left, *_), _ = decided(on_the_straight(), cars, of=1)
    assert (right, left) == (RIGHT_OF_TWO, LEFT_OF_TWO)


def test_three_side_by_side_make_a_row_of_three():
    cars = [(0.0, 0.0, 0.9), (1.0, 2.8, 0.9), (-1.0, -2.8, 0.9)]
    assert [decided(on_the_straight(), cars, of)[0][0] for of in range(3)] == [4, 5, 3]


def test_slower_car_on_a_straight_is_passed_without_slowing_down():
    (lane, _, most_mps), speed_mps = decided(on_the_straight(), [(0.0, 2.3, 0.95), (14.0, 0.0, 0.8)])
    assert lane == LEFT_OF_TWO
    assert most_mps > speed_mps


def test_car_behind_another_before_a_hairpin_keeps_the_time_that_two_need_there():
    """What is far enough on a straight is too near where both will be slow."""
    cars = [(0.0, 0.0, 0.9), (CAR_M + 4.0, 0.0, 0.9)]
    (_, _, braking_mps), there_mps = decided(before_the_hairpin(), cars)
    (_, _, driving_mps), here_mps = decided(on_the_straight(), cars)
    assert braking_mps < there_mps
    assert driving_mps > here_mps


def test_driver_that_shows_learners_falls_back_where_it_is_too_near_for_them():
    """Learners steer less exactly than their teacher."""
    cars = [(0.0, 1.0, 0.9), (1.0, -1.0, 0.9)]
    (_, _, usual_mps), speed_mps = decided(on_the_straight(), cars)
    (_, _, shown_mps), _ = decided(on_the_straight(), cars, manners=GRIP_TEACHER_MANNERS)
    assert shown_mps < speed_mps < usual_mps
    race = RaceBatch(1, [load_track("quarry")], RaceSettings(2, layout="grip"), 1, [load_car("gt")])
    assert line_teacher(race).manners is GRIP_TEACHER_MANNERS


def test_faster_car_ahead_and_nobody_move_no_driver():
    for cars in ([(0.0, 0.0, 0.9)], [(0.0, 0.0, 0.9), (20.0, 0.0, 1.0)]):
        (lane, aside_m, most_mps), speed_mps = decided(on_the_straight(), cars)
        assert (lane, aside_m) == (0, pytest.approx(0.0, abs=0.1))
        assert most_mps > speed_mps


@pytest.mark.parametrize("seconds", [35, pytest.param(100, marks=pytest.mark.soak)])
def test_fast_driver_gets_past_slower_ones_on_a_circuit_without_touching_anybody(seconds):
    world = RaceWorld(2, "quarry", cars=4, laps=0, slot="last", car="gt", opponents=["line-70", "line-74", "line-78"])
    for race in range(2):
        world.begin(race, np.random.default_rng(race))
    driver = race_driver("line-100", world.batch)
    for _ in range(seconds * 60):
        world.advance(driver.act(world.observation, world.batch, world.rows))
    assert world.contenders.place[world.rows].max() <= 2
    assert world.contenders.contacts.sum() == 0
    assert world.fleet.lap_off_road_ticks.sum() == 0
