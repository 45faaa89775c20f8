"""A policy as plain loops: the twin of the tiles to the bit, and small enough for a page."""

import numpy as np
import pytest

from hotlap.export.wasm import object_imports, wasm_object
from hotlap.kernel import address_table
from hotlap.learning.forward import Cars, Limits, Policy, drive, drive_entry, drive_tiles, tiles_entry
from hotlap.learning.lessons import PpoRules
from hotlap.learning.network import NetworkShape, elu
from hotlap.learning.ppo import PpoLearner
from hotlap.learning.products import LINE
from hotlap.native_code import native_entry

CARS = 40
FAR = np.full(3, 100.0, np.float32)


def policy_of(shape: NetworkShape, parameters: np.ndarray, low: np.ndarray, high: np.ndarray) -> Policy:
    """A policy that sees observations as they are and acts as its network says, within bounds."""
    mixing = np.eye(shape.outputs, dtype=np.float32).ravel()
    mean, scale = np.zeros(shape.inputs), np.ones(shape.inputs)
    return Policy(*shape.network(0), parameters, mean, scale, low, high, mixing, low, high)


def rooms(shape: NetworkShape, count: int = CARS) -> tuple[Cars, Limits]:
    random = np.random.default_rng(1)
    widest = max(shape.sizes)
    seen = random.standard_normal(count * shape.inputs).astype(np.float32)
    room = np.zeros(max(2 * widest, LINE * sum(shape.sizes)), np.float32)
    return Cars(seen, np.zeros(count * shape.outputs, np.float32), room), Limits(10.0, shape.outputs, widest)


def driven(entry, policy: Policy, cars: Cars, limits: Limits) -> np.ndarray:
    """What the compiled entry lets the cars do."""
    cars.actions[:] = np.nan
    numbers = np.array(limits, np.float64)
    table = address_table(policy, cars, (numbers,))  # type: ignore[arg-type]
    native_entry(entry)(table.ctypes.data, 0, cars.actions.size // int(limits.actions), 0)
    return cars.actions.copy()


@pytest.mark.parametrize("activation", ["relu", "tanh", "elu"])
def test_tiles_of_a_portable_network_give_the_bits_of_plain_loops(activation: str) -> None:
    shape = NetworkShape(37, (66, 25), 3, activation, portable=True)
    weights = 0.3 * np.random.default_rng(0).standard_normal(shape.parameter_count).astype(np.float32)
    policy = policy_of(shape, weights, -FAR, FAR)
    for count in (1, 16, 300):  # a padded block, a whole one, and more than a tile
        cars, limits = rooms(shape, count)
        actions = driven(tiles_entry, policy, cars, limits)
        np.testing.assert_array_equal(actions, driven(drive_entry, policy, cars, limits))
    assert np.unique(actions).size > 500


def test_portable_tiles_in_plain_python_give_the_compiled_bits() -> None:
    shape = NetworkShape(7, (9,), 3, "relu", portable=True)
    weights = np.random.default_rng(0).standard_normal(shape.parameter_count).astype(np.float32)
    policy = policy_of(shape, weights, -FAR, FAR)
    cars, limits = rooms(shape, 5)
    compiled = driven(tiles_entry, policy, cars, limits)
    drive_tiles(policy, cars, limits, 0, 5)
    np.testing.assert_array_equal(cars.actions, compiled)


def test_number_that_is_none_stays_none() -> None:
    shape = NetworkShape(2, (), 3, "relu", portable=True)
    weights = np.full(shape.parameter_count, np.nan, np.float32)
    cars, limits = rooms(shape, 2)
    assert np.isnan(driven(tiles_entry, policy_of(shape, weights, -FAR, FAR), cars, limits)).all()


def test_elu_is_the_exponential_less_one_to_single_precision() -> None:
    seen = np.concatenate([-np.logspace(-6, 2, 200), [0.0, 0.5, 3.0]]).astype(np.float32)
    exact = np.where(seen > 0.0, seen, np.expm1(seen.astype(np.float64)))
    # A power near 1 loses what is below the last place of double precision when 1 is taken off.
    assert np.array([elu(x) for x in seen]) == pytest.approx(exact, rel=2e-7, abs=1e-14)


@pytest.mark.parametrize("activation", ["relu", "tanh", "elu"])
def test_tiles_that_learn_give_what_plain_loops_give(activation: str) -> None:
    shape = NetworkShape(14, (32, 24), 3, activation)
    learner = PpoLearner(shape, CARS, 1, PpoRules(32, 1, 0.9, 0.9, 0.0, 0.5, 0.5))
    weights = learner.weights.parameters
    weights[:] = 0.3 * np.random.default_rng(0).standard_normal(weights.size)
    cars, limits = rooms(shape)
    learner.samples.observations[:] = cars.observations
    drawn = learner.act(0)  # before a rollout has begun there is no noise
    drive(policy_of(shape, weights, -FAR, FAR), cars, limits, 0, CARS)
    assert drawn.ravel() == pytest.approx(cars.actions, abs=1e-5)  # float32 sums in another order


def test_compiled_policy_acts_like_the_plain_one() -> None:
    shape = NetworkShape(14, (16, 16), 3, "tanh")
    weights = np.random.default_rng(0).standard_normal(shape.parameter_count).astype(np.float32)
    policy = policy_of(shape, weights, -FAR / 100.0, FAR / 100.0)
    cars, limits = rooms(shape)
    drive(policy, cars, limits, 0, CARS)
    plain = cars.actions.copy()
    assert driven(drive_entry, policy, cars, limits) == pytest.approx(plain, abs=1e-5)
    assert np.abs(plain).max() == 1.0  # clipped somewhere


def test_policy_compiles_to_webassembly_that_needs_no_mathematics_of_the_machine() -> None:
    imports = object_imports(wasm_object("drive", drive_entry))
    assert set(imports) <= {"__linear_memory", "__stack_pointer", "__indirect_function_table"}


def test_outputs_are_clipped_before_they_are_mixed() -> None:
    shape = NetworkShape(1, (), 2, "relu")
    plain = policy_of(shape, np.array([0.0, 0.0, 5.0, -0.25], np.float32), -FAR[:2], FAR[:2])
    mixing = np.array([1.0, 2.0, 0.0, 0.0, 0.0, 4.0], np.float32)
    bounds = np.ones(2, np.float32)
    policy = plain._replace(output_low=-bounds, output_high=bounds, mixing=mixing, low=-FAR, high=FAR)
    cars = Cars(np.zeros(1, np.float32), np.zeros(3, np.float32), np.zeros(4, np.float32))
    drive(policy, cars, Limits(clip=10.0, actions=3, widest=2), 0, 1)
    assert cars.actions.tolist() == [1.0, 2.0, -1.0]  # 5 counts as 1 before it is doubled
