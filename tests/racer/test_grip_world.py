"""Cars with grip in the racing world: the slow twin, what drivers see, walls, surfaces, draws of cars, refusals."""

import math

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env
from matplotlib.path import Path

import hotlap
from hotlap.errors import CarError, ConfigError
from hotlap.kernel import interpreted
from hotlap.racer import grip_sensors, tick
from hotlap.racer.cars import car_ids, load_car
from hotlap.racer.cars.variations import cars_around
from hotlap.racer.fingerprint import fingerprint_of_layout, physics_fingerprint
from hotlap.racer.grip_fingerprint import CONSTANTS, grip_fingerprint
from hotlap.racer.grip_sensors import GRIP_AND_CAR_SIZE, GRIP_LOOKAHEADS_M, GRIP_SIZE
from hotlap.racer.grip_tick import update_grip_entry
from hotlap.racer.tracks import load_track
from hotlap.racer.world import RacerWorld
from racer import grip_twin
from racer.twin_track import TwinTrack
from racer.twins import FullRoad

# Another value means another world: every driver trained before is then for a world that is gone.
FINGERPRINT = "grip-1:c621dbaf77e2709f"
CARS = 12
HOSTILE = (1e38, -1e38, 1e300, -1e300, 5e-324, 1e-310, 0.0, -0.0, 1.0, -1.0, 0.5, np.finfo(float).max)
TEN_MILLION = [pytest.mark.soak, pytest.mark.timeout(1200)]


def world_of(car="gt", count=CARS, track="track-02", **options) -> RacerWorld:
    world = RacerWorld(count, track, car=car, start="random", **options)
    world.reset(3)
    return world


def actions_of(rng: np.random.Generator, count: int = CARS) -> np.ndarray:
    return rng.uniform((-0.5, 0.0, 0.0), (0.5, 1.0, 0.6), (count, 3))


def seen_state(world: RacerWorld, car: int) -> dict:
    """A car as the twin knows it."""
    fleet, grip = world.fleet, world.grip
    cos, sin = math.cos(fleet.heading_rad[car]), math.sin(fleet.heading_rad[car])
    vx, vy = fleet.vx_ups[car], fleet.vy_ups[car]
    return {
        "x_m": fleet.x_u[car],
        "y_m": fleet.y_u[car],
        "heading_rad": fleet.heading_rad[car],
        "forward_mps": vx * cos + vy * sin,
        "sideways_mps": vy * cos - vx * sin,
        "yaw_rate_rps": fleet.yaw_rate_rps[car],
        "wheel_angle_rad": fleet.front_angle_rad[car],
        "throttle": fleet.throttle[car],
        "brake": fleet.brake[car],
        "forward_accel_mps2": fleet.accel_ups2[car],
        "sideways_accel_mps2": grip.sideways_accel_mps2[car],
        "grip_used_front": grip.grip_used_front[car],
        "grip_used_rear": grip.grip_used_rear[car],
    }


@pytest.mark.parametrize("name", car_ids())
def test_cars_drive_as_the_slow_twin_wherever_no_wall_is(name):
    rng, world, data = np.random.default_rng(5), world_of(name), load_car(name).data._asdict()
    compared = 0
    for _ in range(60):
        before = [(seen_state(world, car), int(world.fleet.surface[car])) for car in range(CARS)]
        actions = actions_of(rng)
        world.advance(actions)
        for car in np.flatnonzero(world.out.collided == 0):
            expected = grip_twin.tick(data, before[car][0], actions[car], before[car][1])
            np.testing.assert_allclose(
                list(seen_state(world, car).values()), list(expected.values()), rtol=0.0, atol=1e-9
            )
            compared += 1
    assert compared > 500


def twin_observation(road: FullRoad, state: dict, arc: float, surface: int, lock: float) -> list[float]:
    x, y, heading, width = road.at(arc)
    h = state["heading_rad"]
    offset = math.cos(heading) * (state["y_m"] - y) - math.sin(heading) * (state["x_m"] - x)
    row = [state["forward_mps"] / 50, state["sideways_mps"] / 10, state["forward_accel_mps2"] / 20]
    row += [state["sideways_accel_mps2"] / 20, state["yaw_rate_rps"] / 1.5, -state["wheel_angle_rad"] / lock]
    row += [state["throttle"], state["brake"], (width - offset) / 10, (width + offset) / 10]
    row += [math.sin(h - heading), math.cos(h - heading), float(surface == 2), float(surface == 1)]
    row += [state["grip_used_front"], state["grip_used_rear"], 0.0, 0.0]
    turned, last_heading, last_ahead = 0.0, heading, 0.0
    for ahead in GRIP_LOOKAHEADS_M:
        _, _, there, width = road.at(arc + ahead)
        turn = math.remainder(there - last_heading, 2.0 * math.pi)
        turned += turn
        row += [turned / 2, turn / (ahead - last_ahead) * 25, width / 10]
        last_heading, last_ahead = there, ahead
    return row


def test_drivers_see_what_the_twin_sees():
    rng, world = np.random.default_rng(6), world_of()
    road, lock = FullRoad(TwinTrack(load_track("track-02"))), load_car("gt").data.max_wheel_angle_rad
    for _ in range(40):
        world.advance(actions_of(rng))
        for car in range(CARS):
            fleet = world.fleet
            expected = twin_observation(road, seen_state(world, car), fleet.arc_u[car], fleet.surface[car], lock)
            np.testing.assert_allclose(world.observation[car], expected, rtol=0.0, atol=1e-9)


def test_interpreted_tick_is_the_compiled_one():
    rng, fast, slow = np.random.default_rng(7), world_of(count=3), world_of(count=3)
    plain = interpreted(tick.update_fleet, update_grip_entry)
    for _ in range(5):
        actions = actions_of(rng, 3)
        fast.advance(actions)
        slow.batch.set_actions(actions)
        plain(slow.batch._racer, 0, 3, tick.DRIVE)
        np.testing.assert_allclose(slow.observation, fast.observation, rtol=0.0, atol=1e-9)


def test_one_in_a_batch_drives_as_one_alone():
    rng, many, alone = np.random.default_rng(8), world_of(threads=2), world_of(count=1)
    for name, column in many.state_columns().items():
        alone.state_columns()[name][:] = column[4]
    for _ in range(60):
        actions = actions_of(rng)
        many.advance(actions)
        alone.advance(actions[4:5])
        np.testing.assert_array_equal(alone.observation[0], many.observation[4])
        assert alone.reward[0] == many.reward[4]


def test_written_back_state_drives_on_the_same():
    rng, first, second = np.random.default_rng(9), world_of(), world_of()
    for _ in range(50):
        first.advance_and_reset(actions_of(rng))
    for name, column in first.state_columns().items():
        second.state_columns()[name][:] = column
    second.look()
    np.testing.assert_array_equal(second.observation, first.observation)


def test_wall_holds_the_car_and_turns_it_along_itself():
    """Full throttle with a little steer from every start: whoever meets a wall stays inside, and follows it."""
    world = world_of(count=64)
    hit = np.zeros(64, bool)
    for _ in range(600):
        before = world.fleet.speed_ups.copy()
        world.advance(np.tile([0.05, 0.7, 0.0], (64, 1)))
        struck = world.out.collided > 0
        assert (world.fleet.speed_ups[struck] <= before[struck] + 0.5).all()
        hit |= struck
    assert hit.sum() > 20
    assert np.isfinite(world.observation).all()
    track, places = world.tracks[0], np.column_stack([world.fleet.x_u, world.fleet.y_u])
    within = [Path(wall).contains_points(places) for wall in (track.inner_wall, track.outer_wall)]
    assert (within[0] != within[1]).all()
    assert (world.fleet.speed_ups[hit] > 2.0).mean() > 0.5


@pytest.mark.parametrize(
    ("cars", "ticks"),
    [([*car_ids()], 200), *(pytest.param([car], 10_000, marks=TEN_MILLION, id=car) for car in car_ids())],
)
def test_no_finite_input_gives_a_state_that_is_not_finite(cars, ticks):
    """A thousand cars of all kinds, hostile actions held for a while: in the soak ten million ticks of each kind."""
    count, rng = 1000, np.random.default_rng(9)
    world = world_of(cars, count, ["quarry", "track-02"])
    for tick_number in range(ticks):
        if tick_number % 10 == 0:
            actions = rng.choice(HOSTILE, (count, 3))
        world.advance_and_reset(actions)
        if tick_number % 50 == 0 or tick_number == ticks - 1:
            for name, column in world.state_columns().items():
                assert np.isfinite(column).all(), name
            assert np.isfinite(world.observation).all()


def test_random_start_is_along_the_road_and_no_faster_than_the_bends_ahead_allow():
    world = world_of(count=400, track="quarry")
    track, fleet = load_track("quarry"), world.fleet
    moving = np.flatnonzero(fleet.speed_ups > 0.0)
    assert 0.7 < len(moving) / world.count < 0.9
    arcs_m = fleet.arc_u[moving, None] + np.arange(0.0, 192.0, 8.0)
    heading = np.unwrap(np.arctan2(*track.tangent_at(arcs_m.ravel())[:, ::-1].T).reshape(arcs_m.shape))
    apart = (fleet.heading_rad[moving] - heading[:, 0] + math.pi) % (2.0 * math.pi) - math.pi
    assert (np.abs(apart) < 0.04).all()
    # Every car can corner with 8 m/s² and brake with 6 m/s².
    radius_m = 8.0 / np.maximum(np.abs(np.diff(heading)), 1e-6)
    allowed = 8.0 * radius_m + 2.0 * 6.0 * 8.0 * np.arange(radius_m.shape[1])
    assert (fleet.speed_ups[moving] ** 2 <= 1.1 * allowed.min(axis=1)).all()
    assert fleet.speed_ups.max() > 35.0


def test_each_episode_draws_a_car_and_shows_its_numbers():
    world = world_of(list(car_ids()), count=64, observation="grip-car")
    assert set(world.grip.car) == {0, 1, 2}
    for car in range(64):
        seen = world.observation[car, GRIP_SIZE:]
        data = load_car(car_ids()[world.grip.car[car]]).data
        assert seen[0] == pytest.approx(data.mass_kg / 1300.0 - 1.0)
        assert seen[9] == pytest.approx(data.drive_share_front - 1.0)
    assert world.observation.shape == (64, GRIP_AND_CAR_SIZE)


def test_assists_are_seen_and_felt():
    helped, alone = world_of("formula", assists="on"), world_of("formula")
    assert (helped.observation[:, 16:18] == 1.0).all()
    assert (alone.observation[:, 16:18] == 0.0).all()
    for _ in range(120):
        for world in (helped, alone):
            world.advance(np.tile([-0.2, 1.0, 0.0], (CARS, 1)))
    assert (helped.fleet.slip_rad > 1.0).sum() < (alone.fleet.slip_rad > 1.0).sum()


def test_environment_keeps_the_contract_of_gymnasium():
    env = gym.make("hotlap/Racer-v0", track="track-01", car="gt")
    check_env(env.unwrapped, skip_render_check=True)
    assert env.observation_space.shape == (GRIP_SIZE,)


def test_vector_environments_take_cars():
    many = gym.make_vec("hotlap/Racer-v0", num_envs=3, car="street", track="track-01")
    assert many.reset(seed=0)[0].shape == (3, GRIP_SIZE)
    learner = hotlap.make_vec_env("racer", 2, seed=0, car="gt", observation="grip-car")
    assert learner.reset().shape == (2, GRIP_AND_CAR_SIZE)


def test_torch_tensors_take_cars():
    env = hotlap.make_torch_env("racer", 4, seed=1, car="gt", track="track-02", start="random")
    seen, _ = env.reset()
    assert seen.shape == (4, GRIP_SIZE)
    assert env.world.batch.entry is update_grip_entry
    assert np.isfinite(env.step(torch.full((4, 3), 0.3))[0].numpy()).all()


def test_grip_car_drives_a_circuit_at_true_scale():
    world = RacerWorld(1, "quarry", car="gt")
    world.begin(0, np.random.default_rng(0))
    assert world.tracks[0].scale == 1.0
    for _ in range(120):
        world.advance(np.array([[0.0, 1.0, 0.0]]))
    assert world.fleet.speed_ups[0] > 12.0


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"car": "gtt"}, CarError, 'Did you mean "gt"'),
        ({"car": []}, ConfigError, "car must be"),
        ({"car": ["classic", "gt"]}, ConfigError, "car must be"),
        ({"car": "gt", "observation": "classic"}, ConfigError, "cars with grip see grip or grip-car"),
        ({"observation": "grip"}, ConfigError, "the classic car sees classic or full"),
        ({"car": "gt", "assists": "of"}, ConfigError, "assists cannot be"),
    ],
)
def test_choices_that_do_not_fit_are_refused(options, error, reason):
    with pytest.raises(error, match=reason):
        RacerWorld(1, **options)


def test_cars_are_drawn_around_others():
    drawn = cars_around(["gt", "street"], 0.2, 5)
    assert drawn == cars_around(["gt", "street"], 0.2, 5)
    assert drawn[0] == load_car("gt")
    masses = [car.data.mass_kg for car in drawn[:5]]
    assert len(set(masses)) == 5
    assert all(0.8 * 1300 <= mass <= 1.2 * 1300 for mass in masses)
    assert cars_around(["gt"], 0.0, 5) == [load_car("gt")]


def test_fingerprint_of_grip_is_the_one_written_down():
    assert grip_fingerprint() == FINGERPRINT
    assert fingerprint_of_layout("grip-car") == FINGERPRINT
    assert fingerprint_of_layout("full") == physics_fingerprint()


def test_every_scale_of_what_is_seen_is_in_the_fingerprint():
    sizes = {"GRIP_CAR_SIZE", "GRIP_SIZE", "GRIP_AND_CAR_SIZE", "CAR_NUMBERS", "RUNOFF", "SHOULDER"}
    assert {name for name in vars(grip_sensors) if name.isupper()} - sizes == set(CONSTANTS)
