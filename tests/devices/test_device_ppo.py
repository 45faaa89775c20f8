"""The learner in torch does what hotlap's learner on the cores does: same advantages, same step of the weights."""

import numpy as np
import pytest
import torch

from hotlap.devices.ppo import DevicePpo
from hotlap.devices.statistics import Scaling
from hotlap.devices.torch_env import make_torch_env
from hotlap.learning.lessons import PpoRules
from hotlap.learning.network import NetworkShape
from hotlap.learning.ppo import PpoLearner

CARS, TICKS = 24, 12
RULES = PpoRules(
    batch_size=CARS * TICKS, epochs=1, gamma=0.99, gae_lambda=0.95, ent_coef=0.01, vf_coef=0.5, max_grad_norm=0.5
)
PLAIN = Scaling(learns=False, gamma=0.99, epsilon=1e-8, clip_observations=np.inf, clip_rewards=np.inf)
SCALED = Scaling(learns=True, gamma=0.99, epsilon=1e-8, clip_observations=10.0, clip_rewards=10.0)


def learner(scaling, activation="tanh", seed=5):
    torch.manual_seed(seed)
    env = make_torch_env("racer", CARS, seed=seed, track="track-01")
    env.reset()
    shape = NetworkShape(env.observation.shape[1], (16, 8), 3, activation)
    made = DevicePpo(env, shape, TICKS, RULES, scaling)
    with torch.no_grad():
        made.parameters.normal_(0.0, 0.3)
        made.log_std.fill_(-0.7)
    return made


def twin(device_learner):
    """The learner of the cores with the same weights and the same rollout."""
    cores = PpoLearner(device_learner.shape, CARS, TICKS, RULES)
    cores.weights.parameters[:] = device_learner.parameters.numpy()
    cores.begin_rollout(0)
    samples = cores.samples
    samples.observations[:] = device_learner.seen.reshape(-1).numpy()
    samples.actions[:] = device_learner.actions.reshape(-1).numpy()
    samples.log_probs[:] = device_learner.log_probs.reshape(-1).numpy()
    cores.after.observations[:] = device_learner.scaled(device_learner.env.observation).reshape(-1).numpy()
    cut = cores.room_for(CARS * TICKS)
    cut.observations[:] = device_learner.scaled(device_learner.final).reshape(-1).numpy()
    cores.write_values(cut, CARS * TICKS)
    bonus = RULES.gamma * cut.values * device_learner.cut.reshape(-1).numpy()
    cores.rollout.rewards[:] = device_learner._scaled_rewards().reshape(-1).numpy() + bonus
    cores.rollout.starts[CARS:] = device_learner.ended.reshape(-1).numpy()
    cores.finish_rollout()
    return cores


def iterate(made, seed, rate):
    made.drive(seed)
    made.learn(seed, rate, 0.2)


@pytest.mark.parametrize("activation", ["tanh", "relu", "elu"])
def test_a_step_moves_the_weights_as_the_learner_of_the_cores_would(activation):
    made = learner(PLAIN, activation)
    made._rollout()
    cores = twin(made)
    made.rate.fill_(3e-3)
    made.clip_range.fill_(0.2)
    made._learn()
    cores.update(0, 3e-3, 0.2, learns_spread=True)
    np.testing.assert_allclose(made.advantages.reshape(-1).numpy(), cores.samples.advantages, rtol=1e-4, atol=1e-5)
    moved = np.abs(cores.weights.parameters - made.parameters.numpy())
    assert moved.max() < 1e-4
    assert np.abs(made.first_moments.numpy() - cores.weights.first_moments).max() < 1e-5


def test_statistics_are_those_of_all_that_was_seen():
    made = learner(SCALED)
    seen, spreads = [], []
    for _ in range(3):
        spreads.append(made.observed.variance.clone())
        iterate(made, 5, 1e-3)
        seen.append(made.raw.reshape(-1, made.shape.inputs).double())
    rows = torch.cat(seen)
    torch.testing.assert_close(made.observed.mean, rows.mean(0), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(made.observed.variance, rows.var(0, correction=0), rtol=1e-2, atol=1e-4)
    torch.testing.assert_close(made.scale.double(), (spreads[-1] + SCALED.epsilon).rsqrt(), rtol=1e-5, atol=0.0)


def test_same_seed_gives_the_same_weights():
    first, second, other = learner(SCALED), learner(SCALED), learner(SCALED, seed=6)
    for made, seed in ((first, 5), (second, 5), (other, 6)):
        for _ in range(2):
            iterate(made, seed, 1e-3)
    assert torch.equal(first.parameters, second.parameters)
    assert not torch.equal(first.parameters, other.parameters)


def test_frozen_parameters_stay():
    made = learner(SCALED)
    made.moves[-3:] = 0.0
    before = made.log_std.detach().clone()
    iterate(made, 5, 1e-2)
    assert torch.equal(made.log_std.detach(), before)
