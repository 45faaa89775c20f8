"""The car with grip: the slow twin, the laws of nature, and what the cars' numbers mean."""

import math
from functools import cache

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotlap.kernel import compile_kernel
from hotlap.racer.cars import car_ids, load_car
from hotlap.racer.cars.drives import rolling
from hotlap.racer.fleet import Controls
from hotlap.racer.grip_car import Assists, GripState, advance_grip_car, motion_energy
from racer import grip_twin

OFF, ON = Assists(0.0, 0.0), Assists(1.0, 1.0)
cars = st.sampled_from(car_ids())
surfaces = st.sampled_from((0, 1, 2))
seeds = st.integers(0, 2**32 - 1)


@cache
def compiled():
    return compile_kernel(advance_grip_car, numba.njit(error_model="numpy"))


def any_state(rng: np.random.Generator) -> GripState:
    """A car in any motion a drive can bring, spins and rolling backwards included."""
    state = dict.fromkeys(GripState._fields, 0.0)
    speed, course = rng.choice([0.0, 3.0, 30.0, 90.0]) * rng.random(), rng.uniform(-math.pi, math.pi) * rng.random()
    state |= {"x_m": rng.uniform(-500, 500), "y_m": rng.uniform(-500, 500), "heading_rad": rng.uniform(-3, 3)}
    state |= {"forward_mps": speed * math.cos(course), "sideways_mps": speed * math.sin(course)}
    state |= {"yaw_rate_rps": rng.uniform(-3, 3), "wheel_angle_rad": rng.uniform(-0.4, 0.4)}
    state |= {"throttle": rng.random(), "brake": rng.random(), "forward_accel_mps2": rng.uniform(-20, 10)}
    return GripState(**{name: float(value) for name, value in state.items()})


def wild_controls(rng: np.random.Generator, ticks: int, throttle: float = 1.0) -> list[Controls]:
    """Held for a while, then torn elsewhere."""
    rows = np.repeat(rng.uniform((-1.0, 0.0, 0.0), (1.0, 1.0, 1.0), (ticks // 12 + 1, 3)), 12, axis=0)[:ticks]
    return [Controls(float(row[0]), float(row[1]) * throttle, float(row[2])) for row in rows]


@given(cars, surfaces, seeds, st.sampled_from((OFF, ON)))
@settings(max_examples=60)
def test_slow_twin_agrees(name, surface, seed, assists):
    rng = np.random.default_rng(seed)
    data, state = load_car(name).data, any_state(rng)
    twin = state._asdict()
    helped = bool(assists.traction_control)
    for controls in wild_controls(rng, 20):
        state = advance_grip_car(state, controls, surface, assists, data)
        twin = grip_twin.tick(data._asdict(), twin, controls, surface, helped, helped)
        np.testing.assert_allclose(list(state), list(twin.values()), rtol=0.0, atol=1e-9)
        twin = state._asdict()  # so that a slide does not double the last digit's difference tick after tick


@given(cars, surfaces, seeds)
@settings(max_examples=40)
def test_compiled_car_is_the_plain_one(name, surface, seed):
    """Within 1e-9 after a second: the compiler may contract or reorder nothing, only its sines differ."""
    rng = np.random.default_rng(seed)
    data, plain = load_car(name).data, any_state(rng)
    for controls in wild_controls(rng, 20):
        fast = compiled()(plain, controls, surface, OFF, data)
        plain = advance_grip_car(plain, controls, surface, OFF, data)
        np.testing.assert_allclose(list(fast), list(plain), rtol=0.0, atol=1e-9)


def energy(state: GripState, data) -> float:
    return motion_energy(state.forward_mps, state.sideways_mps, state.yaw_rate_rps, data)


@given(cars, surfaces, seeds, st.sampled_from((OFF, ON)))
@settings(max_examples=200)
def test_energy_never_grows_without_the_engine(name, surface, seed, assists):
    rng = np.random.default_rng(seed)
    data, state = load_car(name).data, any_state(rng)._replace(throttle=0.0)
    for controls in wild_controls(rng, 240, throttle=0.0):
        before = energy(state, data)
        state = compiled()(state, controls, surface, assists, data)
        assert energy(state, data) <= before * (1.0 + 1e-12)


@given(cars, surfaces, seeds)
@settings(max_examples=40)
def test_mirrored_steering_mirrors_the_drive(name, surface, seed):
    """To the bit: a changed sign changes no rounding."""
    rng = np.random.default_rng(seed)
    data, state = load_car(name).data, any_state(rng)
    odd = ("y_m", "heading_rad", "sideways_mps", "yaw_rate_rps", "wheel_angle_rad", "sideways_accel_mps2")
    mirror = state._replace(**{field: -getattr(state, field) for field in odd})
    for controls in wild_controls(rng, 240):
        state = compiled()(state, controls, surface, OFF, data)
        mirror = compiled()(mirror, controls._replace(steer=-controls.steer), surface, OFF, data)
        assert mirror == state._replace(**{field: -getattr(state, field) for field in odd})


@pytest.mark.parametrize("name", car_ids())
@pytest.mark.parametrize("brake", [0.0, 0.5, 1.0])
def test_car_at_rest_stays_at_rest(name, brake):
    state = rolling(0.0)
    for tick in range(600):
        state = compiled()(state, Controls(math.sin(tick), 0.0, brake), tick % 3, OFF, load_car(name).data)
        assert (state.x_m, state.y_m, state.heading_rad, state.forward_mps, state.yaw_rate_rps) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("name", car_ids())
def test_braked_car_comes_to_rest(name):
    state = rolling(50.0)
    for _ in range(900):
        state = compiled()(state, Controls(0.1, 0.0, 0.3), 0, OFF, load_car(name).data)
    assert state.forward_mps == 0.0
    assert state.yaw_rate_rps == 0.0


@pytest.mark.parametrize("name", car_ids())
def test_run_off_stops_a_car_from_200_kmh_in_about_150_m(name):
    state = rolling(200.0 / 3.6)
    for _ in range(1800):
        state = compiled()(state, Controls(0.0, 0.0, 0.0), 1, OFF, load_car(name).data)
    assert state.forward_mps == 0.0
    assert 135.0 < state.x_m < 165.0


@pytest.mark.parametrize("name", car_ids())
def test_car_gets_out_of_the_run_off_again(name):
    state = rolling(0.0)
    for _ in range(600):
        state = compiled()(state, Controls(0.0, 1.0, 0.0), 1, OFF, load_car(name).data)
    assert state.forward_mps > 5.0


def test_traction_control_keeps_a_powerful_car_from_spinning():
    data = load_car("formula").data
    angles = []
    for assists in (OFF, ON):
        state = rolling(20.0)
        for _ in range(150):
            state = compiled()(state, Controls(-0.2, 1.0, 0.0), 0, assists, data)
        angles.append(abs(math.atan2(state.sideways_mps, state.forward_mps)))
    assert angles[0] > 1.0
    assert angles[1] < 0.3


def test_braking_takes_side_force_away():
    data = load_car("gt").data
    sideways = []
    for brake in (0.0, 1.0):
        state = rolling(40.0)
        for _ in range(30):
            state = compiled()(state, Controls(-0.2, 0.0, brake), 0, OFF, data)
        sideways.append(state.sideways_accel_mps2)
    assert sideways[1] < 0.6 * sideways[0]


@pytest.mark.parametrize("name", car_ids())
def test_no_finite_input_gives_a_state_that_is_not_finite(name):
    rng = np.random.default_rng(1)
    data, state = load_car(name).data, any_state(rng)
    for tick, controls in enumerate(wild_controls(rng, 60_000)):
        state = compiled()(state, controls, (tick // 300) % 3, OFF if tick % 2 else ON, data)
    assert np.isfinite(list(state)).all()
    assert abs(state.forward_mps) < 150.0
    assert abs(state.yaw_rate_rps) < 20.0
