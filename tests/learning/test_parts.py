"""Products, advantages, statistics and shares, each held against an obvious twin or another library."""

from typing import NamedTuple

import numpy as np
import pytest
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer

from hotlap.errors import ConfigError
from hotlap.kernel import address_table, pointers_at
from hotlap.learning.lessons import Lesson, PpoRules
from hotlap.learning.network import NetworkShape, tanh
from hotlap.learning.ppo import PpoLearner
from hotlap.learning.products import LINE, accumulate_outer, write_product, write_transposed_product
from hotlap.native_code import native_entry

RULES = PpoRules(batch_size=600, epochs=2, gamma=0.98, gae_lambda=0.95, ent_coef=0.01, vf_coef=0.5, max_grad_norm=0.5)


class Given(NamedTuple):
    weights: NDArray[np.float32]
    source: NDArray[np.float32]
    delta: NDArray[np.float32]
    product: NDArray[np.float32]
    transposed: NDArray[np.float32]
    outer: NDArray[np.float32]


def random_learner(threads: int | None, seed: int = 0) -> PpoLearner:
    learner = PpoLearner(NetworkShape(9, (20, 12), 2, "relu"), 300, 8, RULES, seed, threads)
    random = np.random.default_rng(3)
    learner.weights.parameters[:] = 0.3 * random.standard_normal(learner.weights.parameters.size)
    learner.samples.observations[:] = random.standard_normal(learner.samples.observations.size)
    learner.after.observations[:] = random.standard_normal(learner.after.observations.size)
    learner.rollout.rewards[:] = random.standard_normal(learner.rollout.rewards.size)
    learner.rollout.starts[:] = random.random(learner.rollout.starts.size) < 0.1
    return learner


def learned(learner: PpoLearner, updates: int = 3) -> np.ndarray:
    """The parameters after some rollouts and updates."""
    for step in range(updates):
        learner.begin_rollout(step)
        for tick in range(learner.ticks):
            learner.act(tick)
        learner.finish_rollout()
        learner.update(step, 1e-3, 0.2, learns_spread=True)
    return learner.weights.parameters.copy()


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_learns_the_same_bytes_as_one(threads: int) -> None:
    assert learned(random_learner(threads)).tobytes() == learned(random_learner(1)).tobytes()


def test_another_seed_learns_something_else() -> None:
    assert learned(random_learner(1, seed=1)).tobytes() != learned(random_learner(1)).tobytes()


def test_advantages_are_those_of_sb3() -> None:
    learner = random_learner(1)
    learner.finish_rollout()
    shape = (learner.ticks, learner.cars)
    buffer = RolloutBuffer(8, spaces.Box(-1, 1, (9,)), spaces.Box(-1, 1, (2,)), gae_lambda=0.95, gamma=0.98, n_envs=300)
    buffer.rewards, buffer.values = learner.rollout.rewards.reshape(shape), learner.samples.values.reshape(shape)
    starts = learner.rollout.starts.reshape(-1, learner.cars)
    buffer.episode_starts = starts[:-1]
    buffer.compute_returns_and_advantage(torch.tensor(learner.after.values), starts[-1])
    assert learner.samples.advantages.reshape(shape) == pytest.approx(buffer.advantages, abs=1e-5)
    assert learner.samples.returns.reshape(shape) == pytest.approx(buffer.returns, abs=1e-5)


def product_entry(addresses, outputs, inputs, rows):
    given = pointers_at(addresses, 0, Given)
    write_product(given.product, given.weights, given.source, outputs, inputs, rows)
    write_transposed_product(given.transposed, given.weights, given.delta, outputs, inputs, rows)
    accumulate_outer(given.outer, given.delta, given.source, outputs, inputs, rows)


@pytest.mark.parametrize(("outputs", "inputs", "rows"), [(64, 64, 256), (3, 64, 48), (13, 7, 16), (1, 5, 160)])
def test_vector_code_multiplies_like_numpy(outputs: int, inputs: int, rows: int) -> None:
    random = np.random.default_rng(0)
    sizes = (outputs * inputs, inputs * LINE, outputs * LINE, outputs * LINE, inputs * LINE, outputs * inputs)
    ours = Given(*[random.standard_normal(size).astype(np.float32) for size in sizes])
    theirs = Given(*[array.copy() for array in ours])
    table = address_table(ours)
    native_entry(product_entry)(table.ctypes.data, outputs, inputs, rows)
    write_product(theirs.product, theirs.weights, theirs.source, outputs, inputs, rows)
    write_transposed_product(theirs.transposed, theirs.weights, theirs.delta, outputs, inputs, rows)
    accumulate_outer(theirs.outer, theirs.delta, theirs.source, outputs, inputs, rows)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(other, abs=1e-4)  # sums of up to 256 products of order one


@pytest.mark.parametrize("value", [-9.0, -3.0, -0.7, -1e-3, 0.0, 1e-4, 0.3, 2.5, 8.0])
def test_tanh_is_within_a_few_last_places(value: float) -> None:
    assert tanh(np.float32(value)) == pytest.approx(np.tanh(value), rel=1e-6, abs=1e-7)


def test_imitation_moves_the_policy_towards_the_teacher_and_nothing_else() -> None:
    learner = random_learner(1)
    before = learner.weights.parameters.copy()
    shown = learner.room_for(700)
    shown.observations[:] = np.random.default_rng(7).standard_normal(shown.observations.size)
    shown.actions[:] = 0.5
    first = learner.imitate(shown, 700, 0, 1e-2, epochs=1)
    last = learner.imitate(shown, 700, 1, 1e-2, epochs=20)
    assert last < 0.7 * first
    policy = learner.shape.parameter_count
    assert (learner.weights.parameters[policy:] == before[policy:]).all()


def test_network_wider_than_a_tile_allows_is_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match=r"up to 1,024 units, not 4,000.*--learner sb3"):
        NetworkShape(14, (64, 4000), 3, "relu")


def test_an_update_of_a_single_last_sample_is_finite() -> None:
    learner = random_learner(1)
    learner.finish_rollout()
    Lesson(learner, learner.samples, 1e-3, learns_spread=True).learn(2399, 1, 0.2)
    assert np.isfinite(learner.weights.parameters).all()
