"""Laps: what progress sums to, where a lap ends, which laps are clean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotlap.racer.batch import RacerBatch
from hotlap.racer.config import RacerConfig
from hotlap.racer.physics import GATE_COUNT
from hotlap.racer.tracks import load_track
from racer.cars import TRACKS, new_car, placed, put, toward_the_road_ahead, wild_actions
from racer.twin_starts import choose_start

# Progress


@given(st.sampled_from(TRACKS), st.integers(0, 2**32 - 1))
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
