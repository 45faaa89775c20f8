"""No state from outside gets numbers into a kernel that cannot be: every column of every world is tried."""

import numpy as np
import pytest

from hotlap.errors import StateError
from hotlap.highway import world as highway_world
from hotlap.racer import world as racer_world
from hotlap.worlds import WORLDS, make_world

COUNT = 3
OPTIONS = {"racer": {"track": ["track-01", "track-02"], "start": "random"}, "highway": {"vehicles": (4, 9)}}
OPTIONS["race"] = {"track": ["track-01", "track-02"], "cars": 3, "learners": 3, "opponents": (), "start": "spread"}
WHOLE = (np.iinfo(np.int64).min, -(2**31), -1_000_000, -100, -2, -1, 40, 100, 1_000_000, 2**30 + 1, 2**31 - 1, 2**62)
BROKEN = (np.nan, np.inf, -np.inf, 1e300, -1e300)
ACTIONS = np.array([[0.3, 0.6, 0.0], [0.0, 1.0, 0.0], [0.9, 0.1, -0.9]])


def driven(name: str):
    """A world some steps into its first episodes."""
    world = make_world(name, COUNT, threads=1, **OPTIONS[name])
    world.reset(0)
    for _ in range(25):
        world.advance_and_reset(ACTIONS)
    return world


def saved(world) -> dict[str, np.ndarray]:
    return {name: column.copy() for name, column in world.state_columns().items()}


def is_refused(world, state: dict[str, np.ndarray]) -> bool:
    try:
        world.put_state(state)
    except StateError:
        return True
    return False


def hostile_values(column: np.ndarray) -> list:
    """What does not fit into the column's type is left out."""
    if column.dtype.kind == "f":
        return list(BROKEN)
    limits = np.iinfo(column.dtype)
    fitting = [value for value in WHOLE if limits.min <= value <= limits.max]
    return [*fitting, limits.min, limits.max]


def limits_of(world) -> dict:
    """The world's own statement of what its columns can hold."""
    if world.name == "racer":
        return racer_world.state_limits(len(world.tracks), len(world.cars))
    if world.name == "race":
        return world.state_limits()
    return highway_world.state_limits(world.config.road.lanes, world.batch.slots)


@pytest.mark.parametrize("name", WORLDS)
def test_every_column_is_refused_or_drives_on_without_harm(name):
    """Each hostile number in each column, first or last: refused with nothing changed, or harmless."""
    world = driven(name)
    good, refused = saved(world), 0
    for column_name, column in good.items():
        for value in hostile_values(column):
            for place in (0, column.size - 1):
                bad = {**good, column_name: column.copy()}
                bad[column_name][place] = value
                if is_refused(world, bad):
                    refused += 1
                    assert all(np.array_equal(now, good[key]) for key, now in world.state_columns().items())
                    continue
                world.advance_and_reset(ACTIONS)
                assert np.isfinite(world.observation).all(), (column_name, value)
                world.put_state(good)
    assert refused > 5 * len(good)


@pytest.mark.parametrize("name", WORLDS)
def test_no_column_takes_a_number_that_is_not_finite(name):
    world = driven(name)
    good = saved(world)
    for column_name, column in good.items():
        if column.dtype.kind == "f":
            for value in (np.nan, np.inf, -np.inf):
                bad = {**good, column_name: np.full_like(column, value)}
                with pytest.raises(StateError, match=column_name):
                    world.put_state(bad)


@pytest.mark.parametrize("name", WORLDS)
def test_every_integer_column_has_bounds_and_they_are_kept(name):
    world = driven(name)
    good, limits = saved(world), limits_of(world)
    for column_name, column in good.items():
        if column.dtype.kind != "f" and limits.get(column_name, (0, 0))[1] < 2**62:
            low, high = limits.get(column_name, (0, 1 if column.dtype.kind == "u" else 2**30))
            for value in (low - 1, high + 1):
                if np.iinfo(column.dtype).min <= value <= np.iinfo(column.dtype).max:
                    bad = {**good, column_name: np.full_like(column, value)}
                    with pytest.raises(StateError):
                        world.put_state(bad)


@pytest.mark.parametrize("name", WORLDS)
def test_column_that_is_missing_or_of_another_kind_is_refused(name):
    world = driven(name)
    good = saved(world)
    for column_name, column in good.items():
        wrong = [np.zeros(column.size + 1, column.dtype), column.astype(np.float32), column.reshape(1, -1)]
        for replacement in wrong:
            with pytest.raises(StateError, match=column_name):
                world.put_state({**good, column_name: replacement})
        with pytest.raises(StateError, match=f'no "{column_name}"'):
            world.put_state({key: each for key, each in good.items() if key != column_name})


@pytest.mark.parametrize("name", WORLDS)
def test_state_written_back_drives_on_bit_for_bit(name):
    world, other = driven(name), make_world(name, COUNT, **OPTIONS[name])
    other.reset(7)
    other.put_state(saved(world))
    for each in (world, other):
        for _ in range(60):
            each.advance_and_reset(ACTIONS)
    assert world.rollout.observation.tobytes() == other.rollout.observation.tobytes()
    assert all(a.tobytes() == b.tobytes() for a, b in zip(saved(world).values(), saved(other).values(), strict=True))


def test_vehicles_between_lanes_that_are_not_neighbours_are_refused():
    world = driven("highway")
    good = saved(world)
    bad = {**good, "target_lane": good["target_lane"].copy()}
    bad["target_lane"][0] = (good["lane"][0] + 2) % 5
    with pytest.raises(StateError, match="beside"):
        world.put_state(bad)


def test_order_that_lists_a_slot_twice_is_refused():
    world = driven("highway")
    good = saved(world)
    bad = {**good, "order": good["order"].copy()}
    bad["order"][0] = bad["order"][1]
    with pytest.raises(StateError, match="once"):
        world.put_state(bad)
