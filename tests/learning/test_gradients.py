"""Gradients, Adam and the likelihood of actions, held against torch."""

import numpy as np
import pytest
import torch

from hotlap.learning.lessons import Lesson, PpoRules
from hotlap.learning.network import NetworkShape
from hotlap.learning.passes import LEARN, SHARES
from hotlap.learning.ppo import PpoLearner

RULES = PpoRules(batch_size=700, epochs=1, gamma=0.98, gae_lambda=0.95, ent_coef=0.01, vf_coef=0.5, max_grad_norm=0.5)
CLIP_RANGE = 0.2
TORCH = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "elu": torch.nn.ELU}


def learner_with(hidden: tuple[int, ...], activation: str, *, inputs: int = 14, actions: int = 3) -> PpoLearner:
    """A learner with random weights and 700 random samples: two whole tiles and a part of one."""
    learner = PpoLearner(NetworkShape(inputs, hidden, actions, activation), 100, 7, RULES, threads=2)
    random = np.random.default_rng(0)
    learner.weights.parameters[:] = 0.3 * random.standard_normal(learner.weights.parameters.size)
    learner.samples.observations[:] = random.standard_normal(learner.samples.observations.size)
    learner.begin_rollout(0)
    for tick in range(learner.ticks):
        learner.act(tick)
    learner.samples.log_probs[:] += 0.2 * random.standard_normal(700)
    learner.samples.advantages[:] = random.standard_normal(700)
    learner.samples.returns[:] = random.standard_normal(700)
    return learner


class TorchTwin:
    """The same networks in torch."""

    def __init__(self, learner: PpoLearner) -> None:
        self.learner = learner
        layers = learner.layers(learner.weights.parameters)
        self.policy, self.value = (self._network(layers[name]) for name in ("policy", "value"))
        self.log_std = torch.tensor(learner.log_std(learner.weights.parameters), requires_grad=True)

    def _network(self, layers: list[tuple[np.ndarray, np.ndarray]]) -> torch.nn.Sequential:
        modules: list[torch.nn.Module] = []
        for weights, biases in layers:
            linear = torch.nn.Linear(weights.shape[1], weights.shape[0])
            linear.load_state_dict({"weight": torch.tensor(weights), "bias": torch.tensor(biases)})
            modules += [linear, TORCH[self.learner.shape.activation]()]
        return torch.nn.Sequential(*modules[:-1])

    def parameters(self) -> list[torch.Tensor]:
        return [*self.policy.parameters(), *self.value.parameters(), self.log_std]

    def loss(self) -> torch.Tensor:
        """PPO's, over all samples."""
        samples = self.learner.samples
        rows = [torch.tensor(part.reshape(700, -1)) for part in (samples.observations, samples.actions)]
        old, advantages, returns = (
            torch.tensor(part) for part in (samples.log_probs, samples.advantages, samples.returns)
        )
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        spread = torch.distributions.Normal(self.policy(rows[0]), self.log_std.exp())
        ratio = torch.exp(spread.log_prob(rows[1]).sum(dim=1) - old)
        clipped = ratio.clamp(1 - CLIP_RANGE, 1 + CLIP_RANGE)
        policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
        value_loss = torch.nn.functional.mse_loss(returns, self.value(rows[0]).flatten())
        return policy_loss + 0.5 * value_loss - 0.01 * spread.entropy().sum(dim=1).mean()


def flat(tensors: list[torch.Tensor]) -> np.ndarray:
    return torch.cat([tensor.detach().flatten() for tensor in tensors]).numpy()


def added(learner: PpoLearner) -> np.ndarray:
    """The gradients of all shares together."""
    return learner.weights.gradients.reshape(SHARES, -1).sum(axis=0)


def assert_near(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Within 1e-4 of the largest: sums of hundreds of float32 products in another order differ by less."""
    assert np.abs(ours - theirs).max() < 1e-4 * np.abs(theirs).max()


@pytest.mark.parametrize("activation", ["relu", "tanh", "elu"])
@pytest.mark.parametrize(
    ("hidden", "inputs", "actions"), [((64, 64), 14, 3), ((32,), 7, 1), ((48, 20, 9), 61, 2), ((5, 3), 200, 8)]
)
def test_gradients_are_those_of_autograd(activation: str, hidden: tuple[int, ...], inputs: int, actions: int) -> None:
    learner = learner_with(hidden, activation, inputs=inputs, actions=actions)
    twin = TorchTwin(learner)
    twin.loss().backward()
    lesson = Lesson(learner, learner.samples, 1e-3, learns_spread=True)
    lesson.take_batch(0, 700, CLIP_RANGE)
    lesson.passes.call(LEARN, 700)
    ours = added(learner)
    learner.log_std(ours)[:] -= RULES.ent_coef
    assert_near(ours, flat([parameter.grad for parameter in twin.parameters()]))


def test_twenty_steps_of_adam_are_those_of_torch() -> None:
    learner = learner_with((64, 64), "tanh")
    twin = TorchTwin(learner)
    optimizer = torch.optim.Adam(twin.parameters(), lr=1e-3, eps=1e-5)
    lesson = Lesson(learner, learner.samples, 1e-3, learns_spread=True)
    for _ in range(20):
        optimizer.zero_grad()
        twin.loss().backward()
        torch.nn.utils.clip_grad_norm_(twin.parameters(), 0.5)
        optimizer.step()
        lesson.learn(0, 700, CLIP_RANGE)
    assert_near(learner.weights.parameters, flat(twin.parameters()))
