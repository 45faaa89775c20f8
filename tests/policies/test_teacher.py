"""The teacher drives many tracks at once, each car along the line of its own."""

import numpy as np
import pytest

from hotlap.policies.line_kernel import show_cars, showing_of
from hotlap.policies.teacher import teacher_of
from hotlap.racer.physics import ROAD
from hotlap.racer.tracks import load_track
from hotlap.worlds import make_world

TRACKS = ["track-01", "generated:3:hard", "track-03"]


def drive(track, ticks, cars, names):
    """Cars from the grids of their tracks; their arcs, and how often they were off the road."""
    world = make_world("racer", len(cars), track=names, threads=1)
    rng = np.random.default_rng(0)
    for car, number in enumerate(cars):
        world.begin(car, rng, {"start": "grid", "track": number, "action_delay": car % 2})
    teacher, off = track, np.zeros(len(cars), int)
    for _ in range(ticks):
        world.advance(teacher.act(world))
        off += world.fleet.surface != ROAD
    return world.fleet.arc_u.copy(), off


def test_every_track_is_driven_fast_and_on_the_road():
    teacher = teacher_of([load_track(name) for name in TRACKS])
    arcs_u, off = drive(teacher, 360, [0, 1, 2, 0, 1, 2], TRACKS)
    assert (arcs_u > 600.0).all()
    assert (off == 0).all()


def test_a_car_is_shown_the_same_alone_and_among_others():
    among, _ = drive(teacher_of([load_track(name) for name in TRACKS]), 120, [2, 0, 1, 2], TRACKS)
    alone, _ = drive(teacher_of([load_track("track-03")]), 120, [0], ["track-03"])
    assert among[0] == alone[0]


def kernel_and_follower(delay, ticks):
    """What the kernel shows and what the follower would do, tick by tick, with cars that hardly stray from it."""
    world = make_world("racer", 6, track=TRACKS, threads=1)
    rng = np.random.default_rng(1)
    for car in range(6):
        world.begin(car, rng, {"start": "random", "track": car % 3, "action_delay": delay})
    follower = teacher_of([load_track(name) for name in TRACKS])
    showing = showing_of(follower, world)
    shown, wanted = [], []
    for _ in range(ticks):
        wanted.append(follower.act(world))
        show_cars(showing, 0, world.count)
        shown.append(np.column_stack(showing.shown))
        world.advance(wanted[-1] + rng.normal(0.0, 0.1, (6, 3)))
    return np.array(shown), np.array(wanted)


def test_kernel_shows_what_the_follower_does():
    shown, wanted = kernel_and_follower(0, 40)
    assert shown == pytest.approx(wanted, abs=1e-9)


def test_kernel_looks_a_tick_ahead_where_actions_are_late():
    shown, wanted = kernel_and_follower(1, 40)
    # It takes the road to be straight for that tick: a few units of a hundredth in the steering.
    assert np.abs(shown - wanted).mean() < 0.01
    assert np.abs(shown - wanted).max() < 0.1
