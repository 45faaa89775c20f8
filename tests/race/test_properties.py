"""What holds for every race: order, threads and batches change nothing, one car is alone, walls hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotlap.episodes import write_streams
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.grid import RACING
from hotlap.race.senses import OTHERS_SIZE
from hotlap.racer.batch import RacerBatch
from hotlap.racer.cars import load_car
from hotlap.racer.fleet import FleetState, StepOutputs
from hotlap.racer.sensors import strip_quad
from hotlap.racer.tracks import load_track
from race.grids import hostile_actions, new_race, overlap_depths, state_of
from race.twins import seen_of
from racer.cars import wild_actions

seeds = st.integers(0, 2**32 - 1)
ALONE = tuple(name for name in StepOutputs._fields if name not in ("observation", "terminated", "truncated"))


def grip_race(grids: int, cars: int, **settings) -> RaceBatch:
    car = load_car("gt")
    race = RaceBatch(grids, [load_track("quarry")], RaceSettings(cars=cars, layout="grip", **settings), 1, [car])
    race.alone.grip.car_count[:] = 1
    race.reset()
    return race


@pytest.mark.parametrize("layout", ["classic", "full"])
def test_one_car_on_a_grid_is_the_world_alone_to_the_bit(layout):
    race = new_race(3, 1, "track-02", layout=layout)
    alone = RacerBatch(3, race.tracks, race.settings.config.solo(), layout, 1)
    alone.starts.track_count[:] = alone.starts.delay_count[:] = 1
    alone.reset()
    drive_both(race, alone)


def test_one_car_with_grip_on_a_grid_is_the_world_alone_to_the_bit():
    race = grip_race(3, 1)
    alone = RacerBatch(3, race.tracks, race.settings.config.solo(), "grip", 1, cars=[load_car("gt")])
    alone.starts.track_count[:] = alone.starts.delay_count[:] = alone.grip.car_count[:] = 1
    alone.reset()
    drive_both(race, alone)


def drive_both(race: RaceBatch, alone: RacerBatch) -> None:
    for tick, actions in enumerate(wild_actions(np.random.default_rng(5), 290, 3)):
        actions[:, 1] = 1.0 if tick < 60 else actions[:, 1]
        race.set_actions(actions)
        alone.set_actions(actions)
        race.step()
        alone.step()
        for name in FleetState._fields:
            assert getattr(race.fleet, name).tobytes() == getattr(alone.fleet, name).tobytes(), name
        for name in ALONE:
            assert getattr(race.out, name).tobytes() == getattr(alone.out, name).tobytes(), name
        assert race.observation[:, :-OTHERS_SIZE].tobytes() == alone.observation.tobytes()


@given(seeds)
@settings(max_examples=5, deadline=None)
def test_order_of_the_cars_in_the_batch_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(8)
    race, other = new_race(cars=8), new_race(cars=8)
    copy_cars(race, other, mixed)
    for _ in range(240):
        actions = hostile_actions(race, rng)
        race.set_actions(actions)
        other.set_actions(actions[mixed])
        race.step()
        other.step()
        for name, column in state_of(race, mixed).items():
            assert column.tobytes() == state_of(other, slice(None))[name].tobytes(), name
    assert race.contenders.contacts.any()


def copy_cars(race: RaceBatch, other: RaceBatch, rows: np.ndarray) -> None:
    """The cars of one grid in another, in another order."""
    for group in ("fleet", "contenders"):
        for name, column in getattr(race, group)._asdict().items():
            getattr(getattr(other, group), name)[:] = column[rows]
    for name in race.pairs._fields:
        getattr(other.pairs, name)[:] = 0
    for car in range(race.cars):
        for later in range(car + 1, race.cars):
            ahead = race.contenders.distance_u[rows[car]] > race.contenders.distance_u[rows[later]]
            other.pairs.leads[car * race.cars + later] = ahead
    other.look()


def test_threads_and_grids_beside_it_change_no_race():
    many = RaceBatch(16, [load_track("track-01")], RaceSettings(cars=8), threads=2)
    one = RaceBatch(1, [load_track("track-01")], RaceSettings(cars=8), threads=1)
    many.reset()
    write_streams(one.alone.episodes, 0, 13 * 8)
    one.reset()
    rows, rng = slice(13 * 8, 14 * 8), np.random.default_rng(2)
    for _ in range(300):
        actions = hostile_actions(many, rng)
        many.set_actions(actions)
        one.set_actions(actions[rows])
        many.step()
        one.step()
    for name, column in state_of(one, slice(None)).items():
        assert column.tobytes() == np.ascontiguousarray(state_of(many, rows)[name]).tobytes(), name


def test_driver_sees_its_six_neighbours_as_a_look_at_all_of_them_says():
    race, rng = new_race(2, 12, start="spread"), np.random.default_rng(4)
    for tick in range(200):
        race.set_actions(hostile_actions(race, rng))
        race.step()
        if tick % 20 == 0:
            for car in range(race.count):
                if race.contenders.status[car] == RACING:
                    np.testing.assert_allclose(race.observation[car, -OTHERS_SIZE:], seen_of(race, car), atol=1e-9)


class Watch:
    """Follows a race for overlaps that last."""

    def __init__(self, race: RaceBatch) -> None:
        self.race = race
        self.deep_ticks = np.zeros((race.grid_count, race.cars * (race.cars - 1) // 2), int)
        self.longest = 0

    def look(self) -> None:
        assert np.isfinite(self.race.fleet.x_u).all()
        self.deep_ticks = np.where(overlap_depths(self.race) > 0.1, self.deep_ticks + 1, 0)
        self.longest = max(self.longest, int(self.deep_ticks.max()))


def drive_hostile(race: RaceBatch, ticks: int, seed: int, with_grip: bool = False) -> Watch:
    rng, watch = np.random.default_rng(seed), Watch(race)
    for _ in range(ticks):
        actions = hostile_actions(race, rng)
        if with_grip:
            actions[:, 2] *= 0.3
        race.set_actions(actions)
        race.step()
        watch.look()
        for car in rng.choice(race.count, min(race.count, 16), replace=False):
            assert is_between_walls(race, car)
    return watch


def is_between_walls(race: RaceBatch, car: int) -> bool:
    fleet = race.fleet
    x, y, arc, track = (column[car] for column in (fleet.x_u, fleet.y_u, fleet.arc_u, fleet.track))
    return strip_quad(x, y, arc, track, race.alone.tables) >= 0


@pytest.mark.parametrize("start", ["standing", "spread"])
def test_nobody_leaves_the_walls_and_no_overlap_lasts_in_a_hostile_race(start):
    race = new_race(2, 8, "track-01", start=start)
    watch = drive_hostile(race, 600, 1)
    assert race.contenders.contacts.sum() > 20
    assert watch.longest <= 3


def test_nobody_leaves_the_walls_and_no_overlap_lasts_with_grip():
    race = grip_race(2, 8)
    watch = drive_hostile(race, 600, 1, with_grip=True)
    assert race.contenders.contacts.sum() > 5
    assert watch.longest <= 3


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("with_grip", [False, True])
def test_no_overlap_lasts_in_ten_million_hostile_car_ticks(with_grip):
    race = grip_race(500, 8) if with_grip else new_race(500, 8, "track-03")
    watch = drive_hostile(race, 2500, 7, with_grip)
    assert watch.longest <= 3


def test_cars_pressed_against_a_wall_come_to_rest():
    race = new_race(1, 4, "track-01")
    race.set_actions(np.tile([1.0, 1.0, 0.0], (4, 1)))
    for _ in range(240):
        race.step()
    race.set_actions(np.tile([0.0, 0.0, 1.0], (4, 1)))
    for _ in range(290):
        race.step()
    assert (race.fleet.speed_ups < 1.0).all()
