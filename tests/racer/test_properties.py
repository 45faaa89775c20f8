"""What holds for every drive: mirrors, batches, threads, delay, and that nothing ever becomes infinite."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotlap.racer.batch import RacerBatch
from hotlap.racer.fleet import FleetState, StepOutputs
from hotlap.racer.physics import PHYSICS
from hotlap.racer.starts import Start
from hotlap.racer.tracks import Track, build_track, load_track
from racer.cars import TRACKS, drive, new_car, placed, put, taken, wild_actions
from racer.twin_starts import choose_start

tracks = st.sampled_from(TRACKS)
seeds = st.integers(0, 2**32 - 1)


def everything(batch: RacerBatch) -> dict[str, np.ndarray]:
    """Every column, the observation with a row per car."""
    columns = dict(zip((*FleetState._fields, *StepOutputs._fields), (*batch.fleet, *batch.out), strict=True))
    return {**columns, "observation": batch.observation}


def assert_same_bytes(mine: dict, theirs: dict, cars: slice | list = slice(None), apart_from: tuple = ()) -> None:
    for name, column in mine.items():
        if name not in apart_from:
            assert column.tobytes() == np.ascontiguousarray(theirs[name][cars]).tobytes(), name


# Mirrors


@cache
def mirrored(name: str) -> Track:
    points = load_track(name).control_points * np.array([1.0, -1.0, 1.0])
    return build_track(points, track_id=f"{name} in the mirror", name=name)


@given(tracks, seeds)
@settings(max_examples=15)
def test_mirrored_track_and_steering_mirror_the_drive(name, seed):
    """To the bit in the state: a changed sign changes no rounding. Rays are rounded by their own angles, hence 1e-9."""
    rng = np.random.default_rng(seed)
    batch, mirror = placed(3, [name], rng), RacerBatch(3, [mirrored(name)])
    for car in range(3):
        state = taken(batch, car)
        put(
            mirror,
            car,
            {**state, "y_u": -state["y_u"], "vy_ups": -state["vy_ups"], "heading_rad": -state["heading_rad"]},
        )
    for row in wild_actions(rng, 240, 3):
        drive(batch, row[None])
        drive(mirror, row[None] * np.array([-1.0, 1.0, 1.0]))
        for column in ("x_u", "vx_ups", "speed_ups", "throttle", "arc_u", "surface", "gate", "lap_wall_ticks"):
            np.testing.assert_array_equal(getattr(mirror.fleet, column), getattr(batch.fleet, column))
        for column in ("y_u", "vy_ups", "heading_rad", "yaw_rate_rps", "steer"):
            np.testing.assert_array_equal(getattr(mirror.fleet, column), -getattr(batch.fleet, column))
        np.testing.assert_allclose(mirror.observation[:, 8::-1], batch.observation[:, :9], rtol=0.0, atol=1e-9)


# Many at once


@given(seeds, st.sampled_from(("classic", "full")))
@settings(max_examples=10)
def test_batch_equals_singles(seed, layout):
    rng = np.random.default_rng(seed)
    batch = placed(5, list(TRACKS), rng, layout=layout)
    singles = [RacerBatch(1, batch.tracks, layout=layout) for _ in range(5)]
    for car, single in enumerate(singles):
        put(single, 0, taken(batch, car))
    actions = wild_actions(rng, 120, 5)
    drive(batch, actions)
    for car, single in enumerate(singles):
        drive(single, actions[:, car : car + 1])
        assert_same_bytes(everything(single), everything(batch), [car])


@given(seeds)
@settings(max_examples=5)
def test_mixed_tracks_equal_separate_batches(seed):
    rng = np.random.default_rng(seed)
    mixed = placed(2 * len(TRACKS), list(TRACKS), rng)
    separate = [RacerBatch(2, [load_track(name)]) for name in TRACKS]
    for track, batch in enumerate(separate):
        for car in range(2):
            put(batch, car, {**taken(mixed, track + car * len(TRACKS)), "track": 0})
    actions = wild_actions(rng, 240, mixed.count)
    drive(mixed, actions)
    for track, batch in enumerate(separate):
        cars = [track, track + len(TRACKS)]
        drive(batch, actions[:, cars])
        assert_same_bytes(everything(batch), everything(mixed), cars, apart_from=("track",))


@pytest.mark.parametrize("count", [128, 131, 500])
def test_threads_change_nothing(count):
    ends = []
    for threads in (1, 2, 3):
        rng = np.random.default_rng(count)
        batch = placed(count, list(TRACKS), rng, threads=threads)
        drive(batch, wild_actions(rng, 60, count))
        ends.append(everything(batch))
    assert_same_bytes(ends[0], ends[1])
    assert_same_bytes(ends[0], ends[2])


def test_other_cars_are_left_alone_when_one_begins_anew():
    rng = np.random.default_rng(8)
    batch = placed(6, list(TRACKS), rng)
    drive(batch, wild_actions(rng, 60, 6))
    before = {name: column.copy() for name, column in everything(batch).items()}
    batch.place(3, 1, choose_start(batch.tracks[1], "grid", None, rng), 0)
    others = [0, 1, 2, 4, 5]
    assert_same_bytes({name: column[others] for name, column in before.items()}, everything(batch), others)
    assert (batch.fleet.tick[3], batch.fleet.speed_ups[3], batch.fleet.lap[3]) == (0, 0.0, 1)


# Delay


@given(tracks, seeds)
@settings(max_examples=15)
def test_delay_of_one_tick_is_the_same_actions_one_tick_later(name, seed):
    rng = np.random.default_rng(seed)
    start = choose_start(load_track(name), "random", None, rng)
    delayed, direct = (RacerBatch(1, [load_track(name)]) for _ in range(2))
    delayed.place(0, 0, start, 1)
    direct.place(0, 0, start, 0)
    actions = wild_actions(rng, 150, 1)
    shifted = np.concatenate([np.zeros((1, 1, 3)), actions[:-1]])
    drive(delayed, actions)
    drive(direct, shifted)
    held = ("delay", "held_steer", "held_throttle", "held_brake")
    assert_same_bytes(everything(delayed), everything(direct), apart_from=held)


# Robustness

HOSTILE = (1e38, -1e38, 1e300, -1e300, 5e-324, -5e-324, 1e-310, 0.0, -0.0, 1.0, -1.0, 0.5, np.finfo(float).max)


def assert_all_finite(batch: RacerBatch) -> None:
    for name, column in everything(batch).items():
        assert np.isfinite(column).all(), name


@pytest.mark.parametrize("layout", ["classic", "full"])
def test_a_million_ticks_of_hostile_actions_stay_finite(layout):
    """A thousand cars, a thousand ticks, held for a while so that cars get everywhere; bounds hold all the time."""
    rng = np.random.default_rng(9)
    batch = placed(1000, [*TRACKS, "generated:1:hard"], rng, layout=layout)
    low, high = np.full(1000, np.inf), np.full(1000, -np.inf)
    for tick in range(1000):
        if tick % 10 == 0:
            batch.set_actions(rng.choice(HOSTILE, (1000, 3)))
        batch.step()
        low, high = np.minimum(low, batch.fleet.speed_ups), np.maximum(high, batch.fleet.speed_ups)
        if tick % 50 == 0:
            assert_all_finite(batch)
    assert_all_finite(batch)
    assert low.min() >= 0.0
    assert high.max() <= PHYSICS.max_speed_ups
    assert (np.abs(batch.fleet.steer) <= 1.0).all()
    lengths_u = batch.tables.length_u[batch.fleet.track]
    assert ((batch.fleet.arc_u >= 0.0) & (batch.fleet.arc_u <= lengths_u)).all()


@given(tracks, st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.floats(-50.0, 50.0), st.floats(0.0, 500.0), seeds)
def test_car_put_anywhere_at_any_speed_drives_on(name, x, y, heading, speed, seed):
    """At the rim of the grid, outside the walls, on another planet: finite, and the observation within its bounds."""
    batch = RacerBatch(1, [load_track(name)])
    velocity = speed * np.exp(1j * heading)
    put(
        batch,
        0,
        new_car(x_u=x, y_u=y, heading_rad=heading, speed_ups=speed, vx_ups=velocity.real, vy_ups=velocity.imag),
    )
    drive(batch, wild_actions(np.random.default_rng(seed), 20, 1))
    assert_all_finite(batch)
    assert (np.abs(batch.observation) <= 1.0).all()


@pytest.mark.parametrize("name", TRACKS)
def test_car_can_drive_across_the_rim_of_the_grid(name):
    """From outside inwards and back out again, tick by tick, without a jump in its place."""
    track = load_track(name)
    batch = RacerBatch(2, [track])
    x, y = float(batch.tables.cell_x_u[0]), float(track.outer_wall[np.argmin(track.outer_wall[:, 0]), 1])
    fast = {"speed_ups": 100.0, "y_u": y + 40.0}
    put(batch, 0, new_car(x_u=x - 20.0, heading_rad=0.0, vx_ups=100.0, **fast))
    put(batch, 1, new_car(x_u=x + 2.0, heading_rad=np.pi, vx_ups=-100.0, **fast))
    last = batch.fleet.centre_distance_u.copy()
    for _ in range(8):
        drive(batch, np.array([[[0.0, 1.0, 0.0]] * 2]))
        moved_u = batch.fleet.speed_ups / 60.0
        assert (np.abs(batch.fleet.centre_distance_u - last) <= moved_u + 1e-9).all()
        last = batch.fleet.centre_distance_u.copy()
    assert batch.fleet.x_u[0] > x - 8.0
    assert batch.fleet.x_u[1] < x


def test_start_at_speed_moves_at_once():
    track = load_track("track-01")
    batch = RacerBatch(1, [track])
    batch.place(0, 0, Start(track.start_x_u, track.start_y_u, track.start_heading_rad, 120.0, 0), 0)
    drive(batch, np.zeros((1, 1, 3)))
    moved_u = np.hypot(batch.fleet.x_u[0] - track.start_x_u, batch.fleet.y_u[0] - track.start_y_u)
    assert moved_u == pytest.approx(batch.fleet.speed_ups[0] / 60.0)
    assert batch.fleet.speed_ups[0] > 119.0
