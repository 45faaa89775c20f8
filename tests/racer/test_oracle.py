"""The kernels against their slow twins: inside and outside the walls, on cell borders, at corners of walls."""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hotlap.racer.batch import RacerBatch
from hotlap.racer.config import RacerConfig, RewardWeights
from hotlap.racer.tables import CELL_U
from hotlap.racer.tracks import load_track
from racer import twins
from racer.cars import COUNTED, FLAGS, MOTION, PARTS, PLACE, TRACKS, new_car, put, said, taken, twin_track

# Two ways of rounding the same sums: a few units in the last place of numbers up to 3,000.
NEAR = 1e-9


@cache
def one_car(name: str, layout: str = "classic") -> RacerBatch:
    return RacerBatch(1, [load_track(name)], layout=layout, threads=1)


@cache
def full_road(name: str) -> twins.FullRoad:
    return twins.FullRoad(twin_track(name))


def finite(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


@st.composite
def spots(draw, name: str) -> tuple[float, float]:
    """A point beside the centre line, at an edge of the road, on a cell's border, at a corner of a wall, far away."""
    track, kind = load_track(name), draw(st.sampled_from(("road", "beside", "edge", "border", "corner", "far")))
    event(kind)
    if kind == "far":
        return draw(finite(-1e6, 1e6)), draw(finite(-1e6, 1e6))
    if kind == "corner":
        corner = draw(st.sampled_from([*track.inner_wall, *track.outer_wall]))
        reach, angle = draw(st.sampled_from((0.0, 1e-12, 0.5, 1.0, 1.5, 2.0, 3.0))), draw(finite(0.0, 6.3))
        return float(corner[0] + reach * math.cos(angle)), float(corner[1] + reach * math.sin(angle))
    sample = draw(st.integers(0, len(track.centre) - 1))
    (x, y), (tx, ty) = track.centre[sample], track.tangent[sample]
    aside = draw(finite(-10.0, 10.0) if kind == "road" else finite(-120.0, 120.0))
    if kind == "edge":
        width = float(track.half_width_at(sample / len(track.centre) * track.length_u)[0])
        beyond = draw(st.sampled_from((0.0, 24.0))) + draw(st.sampled_from((-1.0, 1.0))) * draw(finite(1e-6, 1e-4))
        aside = math.copysign(width + beyond, aside)
    x, y = float(x - ty * aside), float(y + tx * aside)
    if kind == "border":
        tables = one_car(name).tables
        x = float(tables.cell_x_u[0] + CELL_U * round((x - tables.cell_x_u[0]) / CELL_U))
        x = draw(st.sampled_from((x, math.nextafter(x, math.inf), math.nextafter(x, -math.inf))))
    return x, y


@st.composite
def cars(draw) -> tuple[str, dict]:
    """A track and a car somewhere on it, at any speed, sliding or not, in the middle of a race."""
    name = draw(st.sampled_from(TRACKS))
    x, y = draw(spots(name))
    heading, speed = (
        draw(finite(-math.pi, math.pi)),
        draw(st.one_of(finite(0.0, 0.1), finite(0.0, 2.0), finite(0.0, 200.0))),
    )
    course = heading + draw(st.one_of(st.just(0.0), finite(-math.pi, math.pi)))
    return name, new_car(
        x_u=x,
        y_u=y,
        heading_rad=heading,
        speed_ups=speed,
        vx_ups=speed * math.cos(course),
        vy_ups=speed * math.sin(course),
        yaw_rate_rps=draw(finite(-8.0, 8.0)),
        steer=draw(finite(-1.0, 1.0)),
        throttle=draw(finite(0.0, 1.0)),
        brake=draw(finite(0.0, 1.0)),
        gate=draw(st.integers(0, 29)),
        finish_gate=draw(st.integers(0, 29)),
        lap_ticks=draw(st.integers(0, 5000)),
        best_lap_ticks=draw(st.sampled_from((-1, 1, 400, 5000))),
        delay=draw(st.integers(0, 1)),
        held_steer=draw(finite(-1.0, 1.0)),
        held_throttle=draw(finite(0.0, 1.0)),
    )


actions = st.tuples(finite(-2.0, 2.0), finite(-1.0, 2.0), finite(-1.0, 2.0))


def assert_same(mine: dict, twins_own: dict, names: tuple[str, ...], tolerance: float = 0.0) -> None:
    for name in names:
        assert abs(mine[name] - twins_own[name]) <= tolerance, (name, mine[name], twins_own[name])


def assert_same_place(name: str, mine: dict, twins_own: dict) -> None:
    """Arc and distance, unless two parts of the lap are equally near; far away, distances round more coarsely."""
    tolerance = NEAR + 1e-12 * twins_own["centre_distance_u"]
    assert abs(mine["centre_distance_u"] - twins_own["centre_distance_u"]) <= tolerance
    here, there = (twin_track(name).point(each["arc_u"]) for each in (mine, twins_own))
    if math.dist(here, there) > 0.01:
        where = (twins_own["x_u"], twins_own["y_u"])
        assert abs(math.dist(here, where) - math.dist(there, where)) <= tolerance
        event("equally near to two parts of the lap")


@given(cars())
def test_car_anywhere_is_placed_on_its_track_as_by_looking_at_everything(car):
    name, state = car
    put(one_car(name), 0, state)
    mine, twins_own = taken(one_car(name), 0), twins.look(twin_track(name), state)
    assert_same_place(name, mine, twins_own)
    assert mine["surface"] == twins_own["surface"]


def assert_same_rays(name: str, observation: np.ndarray, car: dict) -> None:
    """All nine rays, unless one passes a corner of a wall so closely that rounding decides."""
    track = twin_track(name)
    for i, angle in enumerate(twins.ray_angles(car["heading_rad"])):
        if abs(observation[i] - twins.ray(track, car["x_u"], car["y_u"], angle) / 200.0) > NEAR:
            assert twins.grazes_a_corner(track, car["x_u"], car["y_u"], angle), f"ray {i}"
            event("a ray grazes a corner")


@given(cars())
def test_driver_sees_what_looking_at_every_wall_shows(car):
    name, state = car
    batch = one_car(name)
    put(batch, 0, state)
    placed = taken(batch, 0)
    assert_same_rays(name, batch.observation[0], placed)
    expected = twins.classic(twin_track(name), placed)
    np.testing.assert_allclose(batch.observation[0, 9:], expected[9:], rtol=0.0, atol=NEAR)


@given(cars())
def test_full_layout_is_what_its_words_say(car):
    name, state = car
    batch = one_car(name, "full")
    put(batch, 0, state)
    placed = taken(batch, 0)
    # Far away, the offset and the spots ahead are large numbers with larger last places.
    tolerance = NEAR + 1e-12 * placed["centre_distance_u"]
    np.testing.assert_allclose(batch.observation[0], twins.full(full_road(name), placed), rtol=0.0, atol=tolerance)


def only_rounding_stops_it(mine: dict, theirs: dict) -> bool:
    """Whether one car stands and the other still slides, exactly sideways.

    Brakes that take all forward speed leave v·e(h) = 0, and the rule "stop where it is negative" hangs on its last bit.
    """
    forward_ups = [
        car["vx_ups"] * math.cos(car["heading_rad"]) + car["vy_ups"] * math.sin(car["heading_rad"])
        for car in (mine, theirs)
    ]
    one_stands = (mine["speed_ups"] == 0.0) != (theirs["speed_ups"] == 0.0)
    return one_stands and max(mine["speed_ups"], theirs["speed_ups"]) < 1.0 and max(map(abs, forward_ups)) < 1e-12


@given(cars(), actions)
def test_tick_of_a_car_anywhere_is_the_tick_by_the_rules(car, action):
    name, state = car
    batch = one_car(name)
    put(batch, 0, state)
    before = taken(batch, 0)
    batch.set_actions(np.array([action]))
    batch.step()
    mine, mine_said = taken(batch, 0), said(batch, 0)
    theirs, theirs_said = twins.tick(twin_track(name), before, action)
    if only_rounding_stops_it(mine, theirs):
        event("rounding decides whether the car stands")
        return
    assert_same(mine, theirs, MOTION, NEAR)
    assert_same_place(name, mine, theirs)
    assert_same(mine, theirs, COUNTED)
    assert_same(mine_said, theirs_said, FLAGS)
    # Where two spots are equally near, the reward counts from the one the engine took.
    chosen = {**theirs, "arc_u": mine["arc_u"]}
    parts = twins.reward(twin_track(name), before, chosen, mine_said["wall_contact"], twins.DEFAULT_WEIGHTS)
    assert_same(mine_said, parts, ("reward", *PARTS), NEAR)


weights = st.fixed_dictionaries(
    {field.name: finite(-3.0, 3.0) for field in dataclasses.fields(RewardWeights)}
    | {"stillnessSpeedThreshold": finite(0.0, 100.0)}
)
limits = st.fixed_dictionaries(
    {
        "maxSteps": st.integers(1, 3),
        "stillnessTimeoutTicks": st.integers(1, 3),
        "offTrackTimeoutTicks": st.integers(0, 2),
    }
)


@given(cars(), actions, weights, limits)
def test_reward_and_the_end_of_an_episode_follow_the_config(car, action, weights, limits):
    name, state = car
    batch = RacerBatch(1, [load_track(name)], RacerConfig.load({"weights": weights, "episode": limits}))
    put(batch, 0, {**state, "tick": 1, "still_ticks": 1})
    before = taken(batch, 0)
    batch.set_actions(np.array([action]))
    batch.step()
    mine, mine_said = taken(batch, 0), said(batch, 0)
    parts = twins.reward(twin_track(name), before, mine, mine_said["wall_contact"], weights)
    assert_same(mine_said, parts, ("reward", *PARTS), NEAR)
    _, ends = twins.episode(mine | {"tick": 1, "still_ticks": 1}, weights, limits)
    assert_same(mine_said, ends, ("terminated", "truncated"))


def drive_both(name: str, start: dict, actions: np.ndarray) -> None:
    """The same drive by the engine and by the twin; each tick of the twin begins where the engine is."""
    batch = one_car(name)
    put(batch, 0, start)
    for action in actions:
        before = taken(batch, 0)
        batch.set_actions(action[None])
        batch.step()
        after, out = twins.tick(twin_track(name), before, tuple(action))
        assert_same(taken(batch, 0), after, (*MOTION, *PLACE), NEAR)
        assert_same(taken(batch, 0), after, COUNTED)
        assert_same(said(batch, 0), out, FLAGS)
        assert_same(said(batch, 0), out, ("reward", *PARTS), NEAR)
        assert_same_rays(name, batch.observation[0], taken(batch, 0))


@pytest.mark.parametrize("name", TRACKS)
def test_wild_drive_is_the_same_tick_by_tick(name):
    rng = np.random.default_rng(5)
    track = load_track(name)
    start = new_car(x_u=track.start_x_u, y_u=track.start_y_u, heading_rad=track.start_heading_rad)
    wishes = rng.uniform([-1.5, -0.5, -2.0], [1.5, 3.0, 1.0], (30, 3))
    drive_both(name, start, np.repeat(wishes, 15, axis=0))


@pytest.mark.parametrize("name", TRACKS)
def test_ray_that_just_touches_a_corner_ends_there(name):
    """From the left of every corner, at exactly its height, the ray ahead runs through it: by the rules a hit."""
    track, distances_u = load_track(name), np.array([0.5, 10.0, 50.0])
    corners = np.concatenate([track.inner_wall[:-1], track.outer_wall[:-1]])
    batch = RacerBatch(len(corners) * len(distances_u), [track], threads=1)
    batch.fleet.x_u[:] = (corners[:, :1] - distances_u).ravel()
    batch.fleet.y_u[:] = np.repeat(corners[:, 1], len(distances_u))
    batch.observe(0, batch.count)
    places = zip(batch.fleet.x_u.tolist(), batch.fleet.y_u.tolist(), strict=True)
    expected = [twins.ray(twin_track(name), x, y, 0.0) / 200.0 for x, y in places]
    np.testing.assert_allclose(batch.observation[:, 4], expected, rtol=0.0, atol=NEAR)


@pytest.mark.parametrize("name", TRACKS)
def test_long_rays_along_the_road_end_where_looking_at_every_wall_ends_them(name):
    """Most of them near the range of 200, where the walk through the strip may stop early."""
    track, rng = load_track(name), np.random.default_rng(7)
    arcs = rng.uniform(0.0, track.length_u, 1500)
    position, tangent = track.position_at(arcs), track.tangent_at(arcs)
    batch = RacerBatch(len(arcs), [track], threads=1)
    batch.fleet.x_u[:], batch.fleet.y_u[:] = (position + rng.uniform(-8.0, 8.0, position.shape)).T
    batch.fleet.heading_rad[:] = np.arctan2(tangent[:, 1], tangent[:, 0]) + rng.choice([0.0, np.pi], len(arcs))
    batch.fleet.heading_rad[:] += rng.uniform(-0.35, 0.35, len(arcs))
    batch.observe(0, batch.count)
    rows = zip(batch.fleet.x_u, batch.fleet.y_u, batch.fleet.heading_rad, strict=True)
    expected = np.array([twins.ray(twin_track(name), *row) for row in rows])
    np.testing.assert_allclose(batch.observation[:, 4] * 200.0, expected, rtol=0.0, atol=1e-7)
    assert np.count_nonzero((expected > 150.0) & (expected < 200.0)) > 100
