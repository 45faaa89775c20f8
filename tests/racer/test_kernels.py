"""The kernels one by one as plain functions: the figures the rules promise, edges, ties, compiled against plain."""

import math

import numpy as np
import pytest

from hotlap.racer import tick
from hotlap.racer.batch import RacerBatch
from hotlap.racer.car import advance_car, clamp, wrap_angle
from hotlap.racer.fleet import CarState, Controls
from hotlap.racer.gates import Move, crosses_gate
from hotlap.racer.physics import PHYSICS, ROAD, RUNOFF, SHOULDER
from hotlap.racer.projection import cell_of, interval_near, lap_distance, nearest_sample
from hotlap.racer.rewards import lap_progress
from hotlap.racer.sensors import ray_through_all_walls, strip_quad
from hotlap.racer.tables import build_tables
from hotlap.racer.tracks import load_track
from hotlap.racer.walls import WallHit, nearest_wall, respond_to_wall, sweep_walls, walls_near
from racer import twins
from racer.cars import TRACKS, new_car, put, toward_the_road_ahead, twin_track
from racer.twin_starts import choose_start

TICKS_PER_SECOND = 60


def car_with(**known: float) -> CarState:
    return CarState(**{**dict.fromkeys(CarState._fields, 0.0), **known})


def cruising(speed_ups: float, **known: float) -> CarState:
    """A car that drives along x with its inputs settled."""
    return car_with(vx_ups=speed_ups, speed_ups=speed_ups, **known)


def driven(car: CarState, controls: tuple[float, float, float], ticks: int, surface: int = ROAD) -> list[CarState]:
    """The car at the beginning and after every tick on an endless plane."""
    path = [car]
    for _ in range(ticks):
        path.append(advance_car(path[-1], Controls(*controls), surface, PHYSICS))
    return path


# The figures of the rules


@pytest.mark.parametrize(("speed_ups", "tick_reached"), [(50, 55), (100, 111), (140, 189), (150, 227), (160, 303)])
def test_full_throttle_from_rest_reaches_a_speed_at_its_tick(speed_ups, tick_reached):
    speeds = [car.speed_ups for car in driven(car_with(), (0.0, 1.0, 0.0), 400)]
    assert next(i for i, speed in enumerate(speeds) if speed >= speed_ups) == tick_reached


@pytest.mark.parametrize(("surface", "speed_ups"), [(ROAD, 160.0), (SHOULDER, 140.73), (RUNOFF, 66.11)])
def test_surface_sets_the_terminal_speed(surface, speed_ups):
    last = driven(cruising(60.0, throttle=1.0), (0.0, 1.0, 0.0), 5000, surface)[-1]
    assert last.speed_ups == pytest.approx(speed_ups, abs=0.005)


def test_full_brake_from_top_speed_stops_in_123_ticks_and_146_units():
    path = driven(cruising(160.0), (0.0, 0.0, 1.0), 200)
    stopped = next(i for i, car in enumerate(path) if car.speed_ups == 0.0)
    assert stopped == 123
    assert path[stopped].x_u == pytest.approx(146.0, abs=0.5)


def test_coasting_for_a_second_loses_46_units_per_second():
    assert driven(cruising(160.0), (0.0, 0.0, 0.0), TICKS_PER_SECOND)[-1].speed_ups == pytest.approx(114.0, abs=0.5)


@pytest.mark.parametrize(("speed_ups", "radius_u"), [(20, 6.1), (40, 8.1), (80, 12.2), (120, 16.2), (160, 20.3)])
def test_full_lock_turns_on_its_radius(speed_ups, radius_u):
    car = cruising(float(speed_ups), steer=1.0)
    for _ in range(120):
        car = advance_car(car, Controls(1.0, 0.0, 0.0), ROAD, PHYSICS)
        scale = speed_ups / car.speed_ups
        car = car._replace(vx_ups=car.vx_ups * scale, vy_ups=car.vy_ups * scale, speed_ups=float(speed_ups))
    assert car.yaw_rate_rps < 0.0  # positive steer is right, clockwise
    assert speed_ups / -car.yaw_rate_rps == pytest.approx(radius_u, abs=0.06)


def test_tyres_slip_steadily_at_full_lock_and_top_speed():
    path = driven(cruising(160.0, steer=1.0, throttle=1.0), (1.0, 1.0, 0.0), 120)
    assert path[-1].slip_rad == pytest.approx(0.105, abs=0.001)


def test_inputs_follow_with_their_lags():
    after = advance_car(car_with(), Controls(1.0, 1.0, 1.0), ROAD, PHYSICS)
    assert (after.steer, after.throttle, after.brake) == pytest.approx((0.32968, 0.09516, 0.15352), abs=5e-6)


def test_no_reverse_gear():
    assert all(car.x_u >= 0.0 for car in driven(car_with(), (0.0, 0.0, 1.0), 100))


@pytest.mark.parametrize(
    ("speed_ups", "after_ups"), [(0.01, 0.01), (0.0101, 0.0101 - 150.0 / 48_000.0), (1.0, 1.0 - 152.0 / 48_000.0)]
)
def test_resistance_leaves_the_slowest_car_alone(speed_ups, after_ups):
    """150 + 2 s² of force, mass 800, 60 ticks a second; nothing at 0.01 and below."""
    after = advance_car(cruising(speed_ups), Controls(0.0, 0.0, 0.0), ROAD, PHYSICS)
    assert after.speed_ups == pytest.approx(after_ups, abs=1e-7)


def test_brakes_take_no_more_than_the_speed():
    after = advance_car(cruising(0.5, brake=1.0), Controls(0.0, 0.0, 1.0), ROAD, PHYSICS)
    assert after.speed_ups == 0.0
    assert after.accel_ups2 == pytest.approx(-0.5 * 60.0)


# Angles, arcs and progress


@pytest.mark.parametrize("angle", [-20.0, -math.pi, -1.0, 0.0, math.pi, 3.2, 100.0])
def test_wrapped_angle_points_the_same_way_within_half_a_turn(angle):
    wrapped = wrap_angle(angle)
    assert -math.pi <= wrapped <= math.pi
    assert math.cos(wrapped - angle) == pytest.approx(1.0, abs=1e-12)


def test_clamp_holds_between_bounds():
    assert [clamp(value, -1.0, 1.0) for value in (-1e300, -1.0, 0.3, 1.0, 1e300)] == [-1.0, -1.0, 0.3, 1.0, 1.0]


def test_lap_distance_comes_back_into_the_lap():
    assert [lap_distance(arc, 100.0) for arc in (-30.0, 0.0, 99.0, 100.0, 130.0)] == [70.0, 0.0, 99.0, 0.0, 30.0]


@pytest.mark.parametrize(("start", "end", "gained"), [(10, 15, 5), (15, 10, -5), (98, 3, 5), (3, 98, -5), (0, 50, 50)])
def test_progress_goes_the_short_way_round(start, end, gained):
    assert lap_progress(float(start), float(end), 100.0) == gained


# The road under the car


@pytest.mark.parametrize("name", TRACKS)
def test_interval_of_the_arc_table_is_found_from_any_hint(name):
    tables = build_tables([load_track(name)])
    count = int(tables.interval_count[0])
    for arc in np.linspace(0.0, tables.length_u[0], 50, endpoint=False):
        expected = int(np.searchsorted(tables.interval_arc_u[: count + 1], arc, side="right")) - 1
        assert {interval_near(arc, hint, 0, tables) for hint in (0, count // 2, count - 1, expected)} == {expected}


def test_lowest_sample_wins_among_equally_near_ones():
    tables = build_tables([load_track("track-01")])
    tables.coarse_x_u[[7, 300, 301]], tables.coarse_y_u[[7, 300, 301]] = 3.0, 4.0
    assert nearest_sample(3.0, 4.0, -1, 0, tables) == 7
    # A cell's run may go over the end of the lap; then the lowest number comes last.
    cell = cell_of(0.0, 0.0, 0, tables)
    tables.cell_sample_first[cell], tables.cell_sample_count[cell] = 300, int(tables.coarse_count[0]) - 300 + 10
    assert nearest_sample(3.0, 4.0, cell, 0, tables) == 7


@pytest.mark.parametrize("name", TRACKS)
def test_every_cell_knows_the_nearest_sample_of_every_point_in_it(name):
    tables, rng = build_tables([load_track(name)]), np.random.default_rng(0)
    xs, ys = tables.coarse_x_u[:-1], tables.coarse_y_u[:-1]
    size = 8.0 * np.array([tables.cell_columns[0], tables.cell_rows[0]])
    corner = np.array([tables.cell_x_u[0], tables.cell_y_u[0]])
    for x, y in corner + rng.uniform(-0.1, 1.1, (300, 2)) * size:
        expected = int(np.argmin((xs - x) ** 2 + (ys - y) ** 2))
        assert nearest_sample(x, y, cell_of(x, y, 0, tables), 0, tables) == expected


def test_point_beyond_all_numbers_still_has_a_sample():
    """Where squared distances overflow no sample is nearest; the first one is as good as any, and none is no answer."""
    tables = build_tables([load_track("track-01")])
    with np.errstate(over="ignore"):
        assert nearest_sample(1e200, 0.0, -1, 0, tables) == 0


def test_point_on_the_rim_of_the_grid_is_in_its_last_cell_or_outside():
    tables = build_tables([load_track("track-01")])
    x0, y0 = float(tables.cell_x_u[0]), float(tables.cell_y_u[0])
    columns, rows = int(tables.cell_columns[0]), int(tables.cell_rows[0])
    x1, y1 = x0 + 8.0 * columns, y0 + 8.0 * rows
    assert cell_of(x0, y0, 0, tables) == 0
    assert cell_of(x1 - 1e-9, y1 - 1e-9, 0, tables) == columns * rows - 1
    outside = [(x1, y0), (x0, y1), (math.nextafter(x0, -1e9), y0), (x0, math.nextafter(y0, -1e9)), (1e300, -1e300)]
    assert [cell_of(x, y, 0, tables) for x, y in outside] == [-1] * 5


# Walls


LONGEST_WAY_U = 160.0 / 60.0 + 1.0 + 0.8
"""How far a tick can take a car: its fastest move, then a push out of a wall."""


@pytest.mark.parametrize("name", TRACKS)
def test_walls_of_a_cell_answer_for_every_spot_a_tick_can_reach(name):
    """From the corners of cells, where the way is longest, straight to the wall: what it would touch is in the list."""
    tables, track = build_tables([load_track(name)]), twin_track(name)
    columns, corner = int(tables.cell_columns[0]), np.array([tables.cell_x_u[0], tables.cell_y_u[0]])
    checked = 0
    for cell in range(0, len(tables.cell_wall_count), 7):
        row, column = divmod(cell, columns)
        for shift in ((1e-9, 1e-9), (7.999999, 1e-9), (1e-9, 7.999999), (7.999999, 7.999999)):
            start = corner + np.array([column, row]) * 8.0 + shift
            away, wall_x, wall_y = min(twins.nearest_on(line, *start) for line in (track.inner, track.outer))
            if not LONGEST_WAY_U < away < LONGEST_WAY_U + PHYSICS.contact_radius_u:
                continue
            x, y = start + (np.array([wall_x, wall_y]) - start) * (LONGEST_WAY_U / away)
            found = nearest_wall(x, y, walls_near(cell_of(*start, 0, tables), 0, tables), tables)
            assert found.distance_u == pytest.approx(away - LONGEST_WAY_U, abs=1e-9)
            checked += 1
    assert checked > 10


def test_car_far_from_any_wall_is_left_alone():
    tables = build_tables([load_track("track-01")])
    car = cruising(160.0, x_u=1e5)
    assert sweep_walls(car, 1e5 - 2.6, 0.0, walls_near(-1, 0, tables), tables, PHYSICS) == (car, False)


def test_glancing_hit_slides_along_and_keeps_the_heading():
    car = cruising(100.0, heading_rad=-0.1, yaw_rate_rps=1.0)._replace(vy_ups=-10.0)
    after = respond_to_wall(car, 0.0, 0.0, WallHit(distance_u=0.4, normal_x=0.0, normal_y=1.0), PHYSICS)
    assert (after.vx_ups, after.vy_ups) == pytest.approx((70.0, 8.0))
    assert (after.x_u, after.y_u) == pytest.approx((0.0, 0.6 + 0.8))
    assert (after.heading_rad, after.yaw_rate_rps) == (-0.1, 1.0)


def test_head_on_hit_bounces_and_turns_the_car_along_the_wall():
    car = car_with(vy_ups=-50.0, speed_ups=50.0, heading_rad=-math.pi / 2.0, yaw_rate_rps=1.0)
    after = respond_to_wall(car, 0.0, 0.0, WallHit(distance_u=0.5, normal_x=0.0, normal_y=1.0), PHYSICS)
    assert (after.vx_ups, after.vy_ups, after.speed_ups) == pytest.approx((0.0, 4.0, 4.0))
    turn = wrap_angle(math.pi - car.heading_rad) * 0.4  # with nothing along the wall, the tangent is (-n_y, n_x)
    assert after.heading_rad == pytest.approx(car.heading_rad + turn)
    assert after.yaw_rate_rps == pytest.approx(0.5)


def test_car_that_leaves_the_wall_is_only_pushed():
    car = car_with(vy_ups=3.0, speed_ups=3.0, heading_rad=1.0)
    after = respond_to_wall(car, 0.0, 0.0, WallHit(distance_u=0.5, normal_x=0.0, normal_y=1.0), PHYSICS)
    assert after == car._replace(y_u=0.5 + 0.5)


def test_car_on_the_wall_itself_is_pushed_up():
    tables = build_tables([load_track("track-01")])
    x, y = float(tables.wall_x_u[5]), float(tables.wall_y_u[5])
    hit = nearest_wall(x, y, walls_near(cell_of(x, y, 0, tables), 0, tables), tables)
    assert hit == WallHit(distance_u=0.0, normal_x=0.0, normal_y=1.0)


# Gates


def gate_of_track_01(gate: int) -> tuple:
    """The tables, both ends of a gate and its direction."""
    track = load_track("track-01")
    return build_tables([track]), track.gate_left[gate], track.gate_right[gate], track.gate_direction[gate]


def test_gate_counts_only_forwards():
    tables, left, right, direction = gate_of_track_01(7)
    behind, ahead = (left + right) / 2.0 - direction, (left + right) / 2.0 + direction
    assert crosses_gate(Move(*behind, *ahead), 7, 0, tables)
    assert not crosses_gate(Move(*ahead, *behind), 7, 0, tables)


def test_gate_counts_when_the_move_ends_on_it():
    """On a gate along y and a move along x nothing is rounded: both ends of the move belong to it."""
    tables, *_ = gate_of_track_01(7)
    for column, value in {"left_x": 0.0, "left_y": -1.0, "right_x": 0.0, "right_y": 1.0}.items():
        getattr(tables, f"gate_{column}_u")[7] = value
    tables.gate_direction_x[7], tables.gate_direction_y[7] = 1.0, 0.0
    moves = [((-2, 0), (0, 0)), ((0, 0), (2, 0)), ((-2, 1), (2, 1)), ((-2, 0), (-0.5, 0)), ((0.5, 0), (2, 0))]
    crossed = [crosses_gate(Move(*start, *end), 7, 0, tables) for start, end in moves]
    assert crossed == [True, True, True, False, False]


def test_gate_ends_at_the_walls():
    tables, left, right, direction = gate_of_track_01(7)
    for share, crossed in [(0.001, True), (0.999, True), (-0.001, False), (1.001, False)]:
        spot = left + (right - left) * share
        assert crosses_gate(Move(*(spot - direction), *(spot + direction)), 7, 0, tables) == crossed


def test_car_that_does_not_move_crosses_nothing():
    tables, left, *_ = gate_of_track_01(7)
    assert not crosses_gate(Move(*left, *left), 7, 0, tables)


# What the driver sees


@pytest.mark.parametrize("name", TRACKS)
def test_every_spot_between_the_walls_is_in_the_quad_that_holds_it(name):
    track, rng = load_track(name), np.random.default_rng(2)
    tables = build_tables([track])
    left, right = (track.inner_wall, track.outer_wall) if track.inner_is_left else (track.outer_wall, track.inner_wall)
    for quad in rng.integers(0, len(track.centre), 100):
        along, across = rng.uniform(0.01, 0.99, 2)
        near = left[quad] + (right[quad] - left[quad]) * across
        far = left[quad + 1] + (right[quad + 1] - left[quad + 1]) * across
        x, y = near + (far - near) * along
        assert strip_quad(x, y, quad / len(track.centre) * track.length_u, 0, tables) == quad


@pytest.mark.parametrize("name", TRACKS)
def test_car_exactly_on_a_wall_sees_what_the_rules_say(name):
    """On a corner the rays that touch it end at once; in a wall's middle rounding puts the car on either side."""
    batch, track = RacerBatch(1, [load_track(name)]), twin_track(name)
    for line in (track.inner, track.outer):
        for x, y in line[:: max(1, len(line) // 40)].tolist():
            put(batch, 0, new_car(x_u=x, y_u=y, heading_rad=0.7))
            expected = [twins.ray(track, x, y, angle) / 200.0 for angle in twins.ray_angles(0.7)]
            np.testing.assert_allclose(batch.observation[0, :9], expected, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("name", TRACKS)
def test_walking_through_the_strip_sees_what_looking_at_every_wall_sees(name):
    track, rng = load_track(name), np.random.default_rng(3)
    batch = RacerBatch(1, [track])
    for sample in rng.integers(0, len(track.centre), 40):
        (x, y), heading = track.centre[sample] + rng.uniform(-3.0, 3.0, 2), rng.uniform(-math.pi, math.pi)
        put(batch, 0, new_car(x_u=x, y_u=y, heading_rad=heading))
        seen = [
            ray_through_all_walls(x, y, math.cos(angle), math.sin(angle), 0, 200.0, batch.tables) / 200.0
            for angle in twins.ray_angles(heading)
        ]
        np.testing.assert_allclose(batch.observation[0, :9], seen, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("name", TRACKS)
def test_full_layout_changes_smoothly_across_the_start_line_and_everywhere_else(name):
    """Along a line beside the road's middle, a hundredth of a unit changes no number by more than 0.005."""
    track, rng = load_track(name), np.random.default_rng(6)
    stretches = np.concatenate([[-10.0, -5.0, -2.5, 0.0, 2.5], rng.uniform(0.0, track.length_u, 25)])
    for begin in stretches:
        arcs = np.mod(begin + 0.01 * np.arange(500), track.length_u)
        position, tangent = track.position_at(arcs), track.tangent_at(arcs)
        batch = RacerBatch(len(arcs), [track], layout="full")
        batch.fleet.x_u[:], batch.fleet.y_u[:] = (position + 3.0 * tangent[:, ::-1] * [-1.0, 1.0]).T
        batch.fleet.heading_rad[:] = 0.3
        batch.observe(0, batch.count)
        changes = np.abs(np.diff(batch.observation, axis=0)).max(axis=0)
        assert changes.max() < 0.005, (begin, np.argmax(changes))


# Compiled against plain


@pytest.mark.parametrize("layout", ["classic", "full"])
def test_compiled_tick_is_the_plain_one_bit_for_bit(layout):
    """Both call the same C library for sines and take the same roundings: nothing is contracted or reordered."""
    tracks, rng = [load_track(name) for name in TRACKS], np.random.default_rng(4)
    compiled, plain = (RacerBatch(len(tracks), tracks, layout=layout) for _ in range(2))
    for car, track in enumerate(tracks):
        start = choose_start(track, "random", None, rng)
        compiled.place(car, car, start, car % 2)
        plain.place(car, car, start, car % 2)
    for _ in range(60):
        actions = toward_the_road_ahead(compiled, 80.0) + rng.normal(0.0, 0.5, (len(tracks), 3))
        compiled.set_actions(actions)
        compiled.step()
        plain.set_actions(actions)
        plain._interpreted_update(0, 0, plain.count, tick.DRIVE)
    for mine, theirs in [*zip(compiled.fleet, plain.fleet, strict=True), *zip(compiled.out, plain.out, strict=True)]:
        assert mine.tobytes() == theirs.tobytes()
