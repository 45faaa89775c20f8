"""Line drivers keep their pace, pass slower cars without touching them, and stay behind where they cannot."""

import gymnasium as gym
import numpy as np
import pytest

from hotlap.policies.grip_teacher import GripTeacher, no_traffic
from hotlap.policies.line_drivers import CLASSIC_MANNERS, LineDriver, line_driver, line_teacher
from hotlap.policies.line_traffic import LINE_POINTS, LineOffsets, most_speed, seen_others, way_past
from hotlap.policies.race_drivers import race_driver
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.grid import RACING
from hotlap.race.opponents import Opponents, seated_drivers
from hotlap.race.senses import OTHERS_SIZE, SIGHT_U
from hotlap.race.world import RaceWorld
from hotlap.racer.cars import load_car
from hotlap.racer.physics import ROAD
from hotlap.racer.tracks import load_track
from hotlap.racer.world import RacerWorld


def all_finished(race: RaceBatch) -> bool:
    return bool((race.contenders.status != RACING).all())


def first_finished(race: RaceBatch) -> bool:
    return bool((race.contenders.status != RACING).any())


def second_is_past(race: RaceBatch) -> bool:
    """Three seconds ahead of the car that started before it."""
    ahead_u = race.contenders.distance_u[1] - race.contenders.distance_u[0]
    return bool(ahead_u > max(3.0 * race.fleet.speed_ups[1], 40.0))


def race_of(drivers: list[str], laps: int, car: str | None = None, is_over=all_finished):
    """Until it is over: the race, and for how many ticks each car was off the road."""
    cars = [load_car(car)] if car else []
    track = load_track("quarry" if car else "track-01")
    race = RaceBatch(1, [track], RaceSettings(len(drivers), laps, layout="grip" if car else "classic"), 1, cars)
    race.alone.grip.car_count[:] = len(cars)
    race.reset()
    seats = Opponents(race, seated_drivers(drivers, len(drivers), race), 0)
    actions, off = np.zeros((race.count, 3)), np.zeros(race.count, int)
    for _ in range(200 * 60):
        seats.write_actions(actions)
        race.set_actions(actions)
        race.step()
        off += (race.fleet.surface != ROAD) & (race.contenders.status == RACING)
        if is_over(race):
            break
    return race, off


@pytest.mark.parametrize(
    ("paces", "laps"),
    [((78, 96, 87), 2), pytest.param((78, 96, 81, 93, 83, 91, 86, 89), 4, marks=pytest.mark.soak)],
    ids=["three", "eight"],
)
def test_drivers_of_the_classic_car_sort_themselves_by_pace_and_hardly_touch(paces, laps):
    race, off = race_of([f"line-{pace}" for pace in paces], laps)
    assert race.contenders.place.tolist() == [1 + sum(other > pace for other in paces) for pace in paces]
    assert race.contenders.contacts.sum() <= 2
    assert (off == 0).all()


def overtakes_and_faults(driver_of) -> tuple[np.ndarray, np.ndarray]:
    """From the last slot against slower cars, four times on a narrow winding track, in twenty seconds."""
    opponents = [f"line-{pace}" for pace in (78, 81, 83, 86, 89, 91, 93)]
    world = RaceWorld(4, "generated:6004:hard", cars=8, laps=0, slot="last", opponents=opponents)
    for race in range(4):
        world.begin(race, np.random.default_rng(race))
    driver = driver_of(world.batch)
    for _ in range(20 * 60):
        world.advance(driver.act(world.observation, world.batch, world.rows))
    return world.contenders.overtakes[world.rows], world.contenders.faults[world.rows]


def test_fast_driver_of_the_classic_car_gets_through_the_field_on_a_narrow_winding_track_without_a_fault():
    overtakes, faults = overtakes_and_faults(lambda race: race_driver("line-100", race))
    assert overtakes.min() >= 3
    assert faults.sum() == 0


def test_driver_that_shows_learners_gets_through_the_field_too():
    overtakes, _ = overtakes_and_faults(line_teacher)
    assert overtakes.min() >= 3


def test_driver_that_shows_learners_turns_less_for_the_same_error_and_leaves_them_more_room():
    """A learner that strays a little is shown a little more steering, where the usual hands go to the lock."""
    world = RaceWorld(1, "track-01", cars=1, laps=0)
    world.begin(0, np.random.default_rng(0))
    usual, shown = line_driver(world.batch, 100), line_teacher(world.batch)
    for _ in range(240):
        world.advance(usual.act(world.observation, world.batch, world.rows))
    state = {name: column.copy() for name, column in world.state_columns().items()}

    def steering_change(driver) -> float:
        """Between two places that are 0.1 u apart, side by side."""
        steered = []
        for aside_u in (-0.05, 0.05):
            for name, column in world.state_columns().items():
                column[:] = state[name]
            world.fleet.x_u[0] -= aside_u * np.sin(world.fleet.heading_rad[0])
            world.fleet.y_u[0] += aside_u * np.cos(world.fleet.heading_rad[0])
            world.look()
            steered.append(driver.act(world.observation, world.batch, world.rows)[0, 0])
        return abs(steered[1] - steered[0])

    assert 0.0 < steering_change(shown) < 0.6 * steering_change(usual)
    assert shown.manners.room_u > usual.manners.room_u


@pytest.mark.parametrize("car", ["gt", "formula", "street"])
@pytest.mark.parametrize("is_over", [second_is_past, pytest.param(first_finished, marks=pytest.mark.soak)])
def test_car_with_grip_passes_a_much_slower_one_and_both_stay_on_the_road(car, is_over):
    race, off = race_of(["line-50", "line-95"], 1, car, is_over)
    assert is_over(race)
    assert race.contenders.place.tolist() == [2, 1]
    assert race.contenders.contacts.sum() == 0
    assert (off == 0).all()


def test_pace_of_a_car_with_grip_is_a_share_of_its_speed():
    slow, fast = (race_of([f"line-{pace}"], 1, "gt")[0].contenders.finish_tick[0] for pace in (80, 100))
    assert slow / fast == pytest.approx(1.25, rel=0.03)  # the start from rest is the same


def test_driver_with_grip_keeps_below_the_speed_that_traffic_allows():
    track, gt = load_track("quarry"), load_car("gt")
    world, teacher = RacerWorld(1, track, car=gt), GripTeacher([track], [gt])
    world.begin(0, np.random.default_rng(0))
    for _ in range(600):
        world.advance(teacher.act(world, no_traffic(1)._replace(most_mps=np.full(1, 12.0))))
    assert world.fleet.speed_ups[0] == pytest.approx(12.0, abs=0.5)


def scene(cars: list[tuple[float, float, float]]) -> tuple[RaceBatch, LineOffsets]:
    """Cars of the classic kind by arc, offset to the left and speed, and a line in the middle of the road."""
    track = load_track("track-01")
    race = RaceBatch(1, [track], RaceSettings(len(cars)), 1)
    race.reset()
    for row, (arc, offset, speed) in enumerate(cars):
        (x, y), (tx, ty) = track.position_at(np.array([arc]))[0], track.tangent_at(np.array([arc]))[0]
        fleet = race.fleet
        fleet.x_u[row], fleet.y_u[row], fleet.arc_u[row] = x - offset * ty, y + offset * tx, arc
        fleet.heading_rad[row], fleet.speed_ups[row] = np.arctan2(ty, tx), speed
        fleet.vx_ups[row], fleet.vy_ups[row] = speed * tx, speed * ty
    race.look()
    middle = track.position_at(np.arange(LINE_POINTS) / LINE_POINTS * track.length_u)
    return race, LineOffsets((track,), [middle])


def decided(cars: list[tuple[float, float, float]]) -> tuple[float, float]:
    """How far to the left the first of some cars goes, and how fast it may be."""
    race, lines = scene(cars)
    row = np.array([0])
    others = seen_others(race.observation[row], race, row, lines)
    way = way_past(others, race, row, lines, CLASSIC_MANNERS)
    return way.aside_u[0], most_speed(others, race, row, CLASSIC_MANNERS, way)[0]


def test_slower_car_on_the_line_is_passed_on_the_side_one_is_on():
    left, right = (decided([(40.0, own, 40.0), (60.0, 0.0, 30.0)]) for own in (0.5, -0.5))
    assert left[0] == pytest.approx(CLASSIC_MANNERS.room_u, abs=0.1)
    assert right[0] == pytest.approx(-CLASSIC_MANNERS.room_u, abs=0.1)
    assert left[1] == right[1] > 40.0  # it need not slow down to get beside it


def test_driver_whose_way_past_ends_at_the_edge_of_the_road_slows_down_before():
    """Its line changes from one edge to the other: beside the slow car it would be pushed into it before it is past."""
    edge_u = load_track("track-01").half_width_at(np.array([60.0]))[0] - CLASSIC_MANNERS.edge_u
    race, lines = scene([(40.0, 4.0 - edge_u, 60.0), (50.0, -edge_u, 50.0)])
    lines.offset_u[0] = np.where(np.arange(LINE_POINTS) / LINE_POINTS * lines.length_u[0] < 90.0, -edge_u, edge_u)
    row = np.array([0])
    others = seen_others(race.observation[row], race, row, lines)
    way = way_past(others, race, row, lines, CLASSIC_MANNERS)
    assert way.ends_u[0] == pytest.approx(0.0, abs=0.5)
    assert most_speed(others, race, row, CLASSIC_MANNERS, way)[0] < 60.0


def test_faster_car_ahead_and_car_far_ahead_move_nobody():
    assert decided([(40.0, 0.0, 40.0), (60.0, 0.0, 60.0)])[0] == 0.0
    assert decided([(40.0, 0.0, 40.0), (110.0, 0.0, 20.0)])[0] == 0.0


def test_car_alongside_is_not_cut_off():
    """It is half a length behind on the left, and the line leads through it."""
    aside, most = decided([(41.2, -3.0, 40.0), (40.0, -0.5, 40.0)])
    assert aside == pytest.approx(-0.5 - CLASSIC_MANNERS.room_u, abs=0.1)
    assert most == np.inf


def test_nobody_drives_into_a_car_that_it_cannot_pass():
    """A wall of three cars: slow down for them, the more the nearer."""
    wall = [(offset_arc, side, 20.0) for offset_arc in (70.0,) for side in (-5.0, -2.5, 0.0, 2.5, 5.0)]
    far, near = decided([(40.0, 0.0, 60.0), *wall])[1], decided([(60.0, 0.0, 60.0), *wall])[1]
    assert 20.0 <= near < far < 60.0


def test_races_of_cars_with_grip_have_line_drivers_by_default():
    env = gym.make("hotlap/Race-v0", track="quarry", car="gt", cars=4)
    env.reset(seed=0)
    world = env.unwrapped.world
    before = world.contenders.distance_u.copy()
    for _ in range(120):
        env.step([0.0, 0.0, 1.0])
    assert (world.contenders.distance_u - before)[1:].min() > 5.0
    assert not world.opponents.parked


def test_the_kernel_of_line_drivers_does_what_they_do_without_it():
    world = RaceWorld(
        8, ("track-01", "generated:3:hard"), cars=8, learners=4, start="spread", opponents=("line-80", "line-95")
    )
    world.reset(0)
    driver = LineDriver(world.tracks, 100)
    for _ in range(240):
        actions = driver.act(world.observation, world.batch, world.rows)
        slowly = driver.act_slowly(world.observation, world.batch, world.rows)
        # The same formulas with the sines of another library.
        np.testing.assert_allclose(actions, slowly, rtol=0.0, atol=1e-9)
        world.advance_and_reset(actions)


def test_a_line_driver_looks_at_what_it_is_shown_of_others():
    world = RaceWorld(1, "track-01", cars=2, start="spread", opponents=("line-80",))
    world.reset(0)
    driver = LineDriver(world.tracks, 100)
    alone = world.observation.copy()
    alone[:, -OTHERS_SIZE:] = np.tile([[1.0, *[0.0] * 5]] * 3 + [[-1.0, *[0.0] * 5]] * 3, (1, 1)).ravel()
    beside = alone.copy()
    beside[:, -OTHERS_SIZE : -OTHERS_SIZE + 3] = 6.0 / SIGHT_U, 0.0, 30.0 / world.batch.rules.speed_scale_ups
    assert driver.act(alone, world.batch, world.rows)[0, 2] == 0.0
    assert driver.act(beside, world.batch, world.rows)[0, 2] > 0.0
