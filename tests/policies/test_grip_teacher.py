"""The teacher of cars with grip drives every car along the line of its own circuit, below the limit and on the road."""

import numpy as np

from hotlap.policies.grip_plans import pace_of
from hotlap.policies.grip_teacher import WORTH_A_THREAD, GripTeacher
from hotlap.racer.cars import load_car
from hotlap.racer.cars.variations import cars_around
from hotlap.racer.physics import ROAD
from hotlap.racer.tracks import build_track, load_track
from hotlap.racer.tracks.rounding import round_polygon
from hotlap.racer.world import RacerWorld

CIRCUITS = [load_track(name) for name in ("quarry", "generated:1000:circuit")]
TICKS = 1500


def drive(circuits, cars, places, caution=1.0, ticks=TICKS):
    """Cars at rest at gates: (circuit, gate) of each; how far they got, and how often they were off the road."""
    world, teacher = RacerWorld(len(places), circuits, car=cars), GripTeacher(circuits, cars, pace_of(caution))
    rng, gained, off = np.random.default_rng(0), np.zeros(len(places)), np.zeros(len(places), int)
    for car, (circuit, gate) in enumerate(places):
        options = {"start": "gate", "gate": gate, "track": circuit, "action_delay": car % 2}
        world.begin(car, rng, options)
    lengths = np.array([circuits[circuit].length_u for circuit, _ in places])
    for _ in range(ticks):
        before = world.fleet.arc_u.copy()
        world.advance(teacher.act(world))
        gained += (world.fleet.arc_u - before + lengths / 2.0) % lengths - lengths / 2.0
        off += world.fleet.surface != ROAD
    return gained, off


def test_cars_around_the_three_are_driven_fast_and_on_the_road():
    cars = cars_around(("gt", "formula", "street"), 0.1, 2)
    gained, off = drive(CIRCUITS, cars, [(gate % 2, gate) for gate in range(24)])
    assert (off == 0).all()
    assert (gained > TICKS / 60.0 * 16.0).all()


def test_a_formula_that_obeys_a_tick_late_brakes_from_high_speed_without_swinging():
    formula = [load_car("formula")]
    gained, off = drive(CIRCUITS[:1], formula, [(0, gate) for gate in range(30)], caution=0.3)
    assert (off == 0).all()
    assert (gained > TICKS / 60.0 * 30.0).all()


def test_a_street_car_that_swings_from_bend_to_bend_stays_on_the_road():
    """Its soft tyres take their time from one side to the other, while the bends are as near as at Silverstone."""
    _, off = drive([slalom()], [load_car("street")], [(0, gate) for gate in range(3)], caution=0.5, ticks=2400)
    assert (off == 0).all()


def slalom():
    """A straight that ends in five bends this way and that, sixty metres apart."""
    bends = [(400 + 60 * number, 12 if number % 2 else -12) for number in range(1, 6)]
    corners = [(0, 0), (400, 0), *bends, (760, 0), (1200, 0), (1200, 400), (0, 400)]
    line = round_polygon(np.array(corners, float), np.array([60.0, *[70.0] * 7, 60.0, 60.0, 60.0]), 5.0).points
    return build_track(np.column_stack([line, np.full(len(line), 5.0)]), track_id="slalom", name="Slalom", scale=1.0)


def test_much_of_a_wide_road_can_be_left_alone():
    """What makes a corner faster on a wide road a driver would have to see coming from afar."""
    for half_width_m, used_m in ((6.0, 5.0), (12.0, 7.4)):
        angle = 2.0 * np.pi * np.arange(240) / 240
        oval = np.column_stack([300.0 * np.cos(angle), 90.0 * np.sin(angle), np.full(240, half_width_m)])
        track = build_track(oval, track_id="oval", name="Oval", scale=1.0)
        pace = pace_of(1.0)._replace(spared=0.6)
        lines = GripTeacher([track], [load_car("gt")], pace).lesson.lines
        places = np.column_stack([lines.x_m, lines.y_m])
        aside_m = np.hypot(*(places[:, None] - track.centre[None]).transpose(2, 0, 1)).min(axis=1)
        assert abs(aside_m.max() - used_m) < 0.3


def test_a_car_is_shown_the_same_alone_and_among_others():
    gt = [load_car("gt")]
    among, _ = drive(CIRCUITS, gt, [(1, 3), (0, 7), (0, 7), (1, 9)])
    alone, _ = drive(CIRCUITS[:1], gt, [(0, 12), (0, 7)])
    assert among[1] == alone[1]


def test_less_caution_is_faster_and_still_on_the_road():
    gt, places = [load_car("gt")], [(0, gate) for gate in range(0, 30, 3)]
    (careful, _), (bold, off) = (drive(CIRCUITS[:1], gt, places, caution) for caution in (1.0, 0.15))
    assert (bold > careful).all()
    assert (off == 0).all()


def test_many_cars_are_shown_what_few_are():
    cars = cars_around(("gt", "street"), 0.1, 2)
    world, teacher = RacerWorld(3 * WORTH_A_THREAD, CIRCUITS, car=cars), GripTeacher(CIRCUITS, cars)
    world.reset(0)
    np.testing.assert_array_equal(teacher.act(world)[:40], teacher.act(FirstCars(world, 40)))


class FirstCars:
    """The first cars of a world, as a teacher looks at them."""

    def __init__(self, world, count):
        self.count = count
        self.fleet, self.grip = (type(of)(*(column[:count] for column in of)) for of in (world.fleet, world.grip))
