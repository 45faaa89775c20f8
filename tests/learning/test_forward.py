"""A policy as plain loops: the twin of the tiles, and small enough for a page."""

import numpy as np
import pytest

from hotlap.export.wasm import object_imports, wasm_object
from hotlap.kernel import address_table, native_entry
from hotlap.learning.forward import Cars, Limits, drive, drive_entry, policy_of
from hotlap.learning.lessons import PpoRules
from hotlap.learning.network import NetworkShape
from hotlap.learning.ppo import PpoLearner

CARS = 40
FAR = np.full(3, 100.0, np.float32)


def rooms(shape: NetworkShape) -> tuple[Cars, Limits]:
    random = np.random.default_rng(1)
    widest = max(shape.sizes)
    seen = random.standard_normal(CARS * shape.inputs).astype(np.float32)
    cars = Cars(seen, np.zeros(CARS * shape.outputs, np.float32), np.zeros(2 * widest, np.float32))
    return cars, Limits(clip=10.0, actions=shape.outputs, widest=widest)


@pytest.mark.parametrize("activation", ["relu", "tanh", "elu"])
def test_tiles_give_what_plain_loops_give(activation: str) -> None:
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
    cars.actions[:] = 0.0
    numbers = np.array(limits, np.float64)
    table = address_table(policy, cars, (numbers,))  # type: ignore[arg-type]
    native_entry(drive_entry)(table.ctypes.data, 0, CARS, 0)
    assert cars.actions == pytest.approx(plain, abs=1e-5)
    assert np.abs(plain).max() == 1.0  # clipped somewhere


def test_policy_compiles_to_webassembly_that_needs_nothing_but_exp() -> None:
    imports = object_imports(wasm_object("drive", drive_entry))
    assert set(imports) - {"__linear_memory", "__stack_pointer", "__indirect_function_table"} <= {"exp"}


def test_outputs_are_clipped_before_they_are_mixed() -> None:
    shape = NetworkShape(1, (), 2, "relu")
    plain = policy_of(shape, np.array([0.0, 0.0, 5.0, -0.25], np.float32), -FAR[:2], FAR[:2])
    mixing = np.array([1.0, 2.0, 0.0, 0.0, 0.0, 4.0], np.float32)
    bounds = np.ones(2, np.float32)
    policy = plain._replace(output_low=-bounds, output_high=bounds, mixing=mixing, low=-FAR, high=FAR)
    cars = Cars(np.zeros(1, np.float32), np.zeros(3, np.float32), np.zeros(4, np.float32))
    drive(policy, cars, Limits(clip=10.0, actions=3, widest=2), 0, 1)
    assert cars.actions.tolist() == [1.0, 2.0, -1.0]  # 5 counts as 1 before it is doubled
