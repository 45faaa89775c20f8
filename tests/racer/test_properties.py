"""What holds for every drive: progress, mirrors, batches, threads, laps, delay, and that nothing ever goes infinite."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotlap.racer.batch import RacerBatch
from hotlap.racer.config import RacerConfig
from hotlap.racer.fleet import FleetState, StepOutputs
from hotlap.racer.physics import GATE_COUNT, PHYSICS
from hotlap.racer.starts import Start, choose_start
from hotlap.racer.tracks import Track, build_track, load_track
from racer.cars import TRACKS, new_car, put, taken, toward_the_road_ahead

tracks = st.sampled_from(TRACKS)
seeds = st.integers(0, 2**32 - 1)


def wild_actions(rng: np.random.Generator, ticks: int, count: int) -> np.ndarray:
    """(ticks, count, 3) wishes that change a few times a second."""
    wishes = rng.uniform([-1.2, -0.3, -1.5], [1.2, 2.0, 1.0], (ticks // 12 + 1, count, 3))
    return np.repeat(wishes, 12, axis=0)[:ticks]


def drive(batch: RacerBatch, actions: np.ndarray) -> None:
    for row in actions:
        batch.set_actions(row)
        batch.step()


def placed(count: int, names: list[str], rng: np.random.Generator, **options) -> RacerBatch:
    """Cars at random starts, taking the tracks in turn."""
    batch = RacerBatch(count, [load_track(name) for name in names], **options)
    for car in range(count):
        track = car % len(names)
        batch.place(car, track, choose_start(batch.tracks[track], "random", None, rng), int(rng.integers(2)))
    return batch


def everything(batch: RacerBatch) -> dict[str, np.ndarray]:
    """Every column, the observation with a row per car."""
    columns = dict(zip((*FleetState._fields, *StepOutputs._fields), (*batch.fleet, *batch.out), strict=True))
    return {**columns, "observation": batch.observation}


def assert_same_bytes(mine: dict, theirs: dict, cars: slice | list = slice(None), apart_from: tuple = ()) -> None:
    for name, column in mine.items():
        if name not in apart_from:
            assert column.tobytes() == np.ascontiguousarray(theirs[name][cars]).tobytes(), name


# Progress


@given(tracks, seeds)
@settings(max_examples=20)
def test_progress_sums_to_the_distance_driven(name, seed):
    """What is paid for progress is laps plus the way from the first place to the last."""
    rng = np.random.default_rng(seed)
    batch = placed(4, [name], rng)
    start, laps_begun = batch.fleet.arc_u.copy(), np.zeros(4)
    total, last = np.zeros(4), start.copy()
    length_u = batch.tracks[0].length_u
    for row in wild_actions(rng, 600, 4):
        batch.set_actions(row)
        batch.step()
        total += batch.out.progress
        jump = batch.fleet.arc_u - last
        laps_begun += (jump < -length_u / 2.0).astype(float) - (jump > length_u / 2.0)
        last = batch.fleet.arc_u.copy()
    np.testing.assert_allclose(total, laps_begun + (last - start) / length_u, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("name", ["track-01", "track-03", "generated:3:easy"])
def test_lap_from_any_gate_ends_at_that_gate_with_one_lap_of_progress(name):
    """A car per gate follows the road: the lap completes when its own gate is crossed again, having gained one lap."""
    batch = RacerBatch(GATE_COUNT, [load_track(name)], RacerConfig.load({"episode": {"maxSteps": 10_000}}))
    for car in range(GATE_COUNT):
        batch.place(car, 0, choose_start(batch.tracks[0], "gate", car, np.random.default_rng(0)), 0)
    progress, finished_at = np.zeros(GATE_COUNT), np.zeros(GATE_COUNT)
    gates = [[car] for car in range(GATE_COUNT)]
    for _ in range(4000):
        batch.set_actions(toward_the_road_ahead(batch, 90.0))
        batch.step()
        running = finished_at == 0
        progress[running] += batch.out.progress[running]
        for car in np.flatnonzero(running):
            if batch.fleet.gate[car] != gates[car][-1]:
                gates[car].append(int(batch.fleet.gate[car]))
        completed = running & (batch.out.lap_complete == 1)
        finished_at[completed] = batch.fleet.tick[completed]
        np.testing.assert_array_equal(batch.out.last_lap_ticks[completed], batch.fleet.tick[completed])
        if finished_at.all():
            break
    assert finished_at.all()
    assert gates == [[(car + k) % GATE_COUNT for k in range(GATE_COUNT + 1)] for car in range(GATE_COUNT)]
    # A gate is crossed some way before or behind its arc, since gates are not quite perpendicular to the road.
    np.testing.assert_allclose(progress, 1.0, atol=0.01)


def test_driving_the_wrong_way_completes_no_lap_and_loses_progress():
    track = load_track("track-01")
    batch = RacerBatch(1, [track])
    start = choose_start(track, "grid", None, np.random.default_rng(0))
    batch.place(0, 0, start._replace(heading_rad=start.heading_rad + np.pi), 0)
    total = 0.0
    for _ in range(1500):
        batch.set_actions(toward_the_road_ahead(batch, 80.0, onward=-1.0))
        batch.step()
        total += batch.out.progress[0]
    assert total < -1.0
    assert (batch.fleet.lap[0], batch.fleet.gate[0]) == (1, 0)


# Clean laps


def lap_of(batch: RacerBatch, spoil=None) -> list[tuple[int, bool, int]]:
    """Follow the road for some laps, spoiled at times; (lap ticks, clean, off-road ticks before) of each."""
    laps = []
    for tick in range(6000):
        actions = toward_the_road_ahead(batch, 70.0)
        if spoil is not None:
            spoil(batch, tick, actions)
        off_road = int(batch.fleet.lap_off_road_ticks[0])
        batch.set_actions(actions)
        batch.step()
        if batch.out.lap_complete[0]:
            laps.append((int(batch.out.last_lap_ticks[0]), bool(batch.out.lap_clean[0]), off_road))
        if len(laps) == 3:
            return laps
    raise AssertionError("three laps take longer than 100 seconds")


def on_the_grid(name: str) -> RacerBatch:
    batch = RacerBatch(1, [load_track(name)])
    batch.place(0, 0, choose_start(batch.tracks[0], "grid", None, np.random.default_rng(0)), 0)
    return batch


def test_laps_on_the_road_are_clean_and_the_best_is_kept():
    batch = on_the_grid("track-01")
    laps = lap_of(batch)
    assert [clean for _, clean, _ in laps] == [True, True, True]
    assert batch.fleet.best_lap_ticks[0] == min(ticks for ticks, *_ in laps)
    assert batch.fleet.race_ticks[0] == sum(ticks for ticks, *_ in laps)
    assert laps[0][0] > laps[1][0]  # the first is from standing


def test_one_excursion_spoils_its_lap_and_no_other():
    def leave_the_road_in_the_second_lap(batch, tick, actions):
        if batch.fleet.lap[0] == 2 and 200 < batch.fleet.lap_ticks[0] < 260:
            actions[0] = (-0.12, 1.0, 0.0)

    laps = lap_of(on_the_grid("track-01"), leave_the_road_in_the_second_lap)
    assert [clean for _, clean, _ in laps] == [True, False, True]
    assert laps[1][2] > 0


def test_touching_a_wall_spoils_the_lap_even_on_the_road():
    """The wall of a tight corner may stand on the road: put a car next to one, and its lap is not clean."""
    batch = on_the_grid("track-01")
    batch.fleet.lap_wall_ticks[0] = 1
    laps = lap_of(batch)
    assert [clean for _, clean, _ in laps] == [False, True, True]


def test_wall_within_two_units_counts_against_the_lap():
    track = load_track("track-01")
    batch = RacerBatch(1, [track])
    wall, inward = track.outer_wall[50], track.centre[50] - track.outer_wall[50]
    x, y = wall + inward / np.hypot(*inward) * 1.9
    put(batch, 0, new_car(x_u=x, y_u=y))
    batch.step()
    assert (batch.out.wall_contact[0], batch.out.collided[0], batch.fleet.lap_wall_ticks[0]) == (1, 0, 1)


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
