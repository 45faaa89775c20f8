"""The teacher drives many tracks at once, each car along the line of its own."""

import numpy as np

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
