"""SB3's SAC with its gradients written out: the same mathematics, settings, logs, weights and files, much faster.

SB3 spends most of a gradient step on graphs of small tensors. Here both critics are computed together, the actor sees
observations and next observations in one pass, and the samples of a round are gathered at once.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import SAC
from torch import Tensor, nn

from hotlap.training.sac_networks import FlatAdam, FlatParameters, StackedNetworks

LOG_STD = (-20.0, 2.0)
"""Between which SB3's actor keeps the logarithm of its spread."""
SQUASHED = 1e-6
"""What SB3 adds to the slope of a squashed action, so that its logarithm stays finite."""
HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
FIGURES = ("ent_coef", "actor_loss", "critic_loss", "ent_coef_loss")


@dataclass(frozen=True)
class Batch:
    """Samples of one gradient step."""

    both: Tensor
    """Observations, then next observations, one under the other."""
    taken: Tensor
    """Observations with the actions that were taken."""
    ongoing: Tensor
    """The discount, or zero where the episode ended."""
    rewards: Tensor


@dataclass(frozen=True)
class Decisions:
    """What the actor would do, and what its gradient needs."""

    passed: list[Tensor]
    raw_log_std: Tensor
    spread_noise: Tensor
    """Noise times spread: by how much an action, before it is squashed, is beside its mean."""
    actions: Tensor
    slope: Tensor
    """Of the squashing."""
    log_prob: Tensor


class HotlapSAC(SAC):
    """SAC whose updates are computed without autograd."""

    def _setup_model(self) -> None:
        super()._setup_model()
        activation = self.policy.activation_fn
        actor: Any = self.actor
        layers = [[layer] for layer in _linear(actor.latent_pi)]
        self.actors = StackedNetworks([*layers, [actor.mu, actor.log_std]], 1, activation)
        self.critics, self.targets = (
            StackedNetworks(
                list(zip(*map(_linear, critic.q_networks), strict=True)), len(critic.q_networks), activation
            )
            for critic in (self.critic, self.critic_target)
        )
        self.optimizers = {
            "actor": FlatAdam(self.actors.flat, self.actor.optimizer),
            "critic": FlatAdam(self.critics.flat, self.critic.optimizer),
        }
        self.temperature: FlatParameters | None = None
        if self.ent_coef_optimizer is not None:
            logarithm: Any = self.log_ent_coef
            self.temperature = FlatParameters([logarithm])
            self.optimizers["temperature"] = FlatAdam(self.temperature, self.ent_coef_optimizer)

    @torch.no_grad()
    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """Some gradient steps on samples of the replay, as SB3 makes them."""
        self._update_learning_rate([adam.optimizer for adam in self.optimizers.values()])
        for adam in self.optimizers.values():
            adam.take_over()
        figures = torch.stack([self._learn(batch) for batch in self._batches(gradient_steps, batch_size)])
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        for name, figure in zip(FIGURES, figures.mean(0).tolist(), strict=True):
            if name != "ent_coef_loss" or self.temperature is not None:
                self.logger.record(f"train/{name}", figure)

    def _batches(self, count: int, size: int) -> Iterator[Batch]:
        """Samples for some gradient steps; drawn as SB3 draws them, gathered at once."""
        buffer: Any = self.replay_buffer
        most = buffer.buffer_size if buffer.full else buffer.pos
        draw = np.random.randint
        drawn = [(draw(0, most, size), draw(0, buffer.n_envs, size)) for _ in range(count)]
        ticks, cars = np.concatenate(drawn, axis=1)
        env = self._vec_normalize_env
        taken_rows = ticks * buffer.n_envs + cars
        rewards, last_rows, ongoing = self._ahead(ticks, cars)
        seen, after = (
            buffer._normalize_obs(part.reshape(-1, *buffer.obs_shape)[rows], env).reshape(count, size, -1)
            for part, rows in ((buffer.observations, taken_rows), (buffer.next_observations, last_rows))
        )
        actions = buffer.actions.reshape(-1, buffer.action_dim)[taken_rows].reshape(count, size, -1)
        both = torch.from_numpy(np.concatenate([seen, after], axis=1))
        taken = torch.from_numpy(np.concatenate([seen, actions], axis=2))
        columns = (torch.from_numpy(part.reshape(count, size, 1)) for part in (ongoing, rewards))
        return map(Batch, both, taken, *columns)

    def _ahead(self, ticks: NDArray[Any], cars: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """What the next `n_steps` ticks earned, the row of the last of them, and the discount behind it.

        They end early where the episode ends, and at the newest tick of the replay.
        """
        buffer: Any = self.replay_buffer
        ahead = (ticks[:, None] + np.arange(self.n_steps)) % buffer.buffer_size
        rows = ahead * buffer.n_envs + cars[:, None]
        is_last = (buffer.dones.reshape(-1)[rows] > 0) | (buffer.timeouts.reshape(-1)[rows] > 0)
        is_last |= ahead == (buffer.pos - 1) % buffer.buffer_size
        counts = np.cumsum(is_last, axis=1) - is_last == 0
        lengths = counts.sum(axis=1)
        earned = buffer._normalize_reward(buffer.rewards.reshape(-1)[rows], self._vec_normalize_env) * counts
        discounts = (self.gamma ** np.arange(self.n_steps)).astype(np.float32)
        last_rows = rows[np.arange(len(rows)), lengths - 1]
        has_ended = buffer.dones.reshape(-1)[last_rows] * (1 - buffer.timeouts.reshape(-1)[last_rows])
        return earned @ discounts, last_rows, (self.gamma**lengths * (1 - has_ended)).astype(np.float32)

    def _learn(self, batch: Batch) -> Tensor:
        """One gradient step of temperature, critics and actor; what SB3 would log of it."""
        size = len(batch.rewards)
        decisions = self._decide(batch.both)
        temperature, temperature_loss = self._learn_temperature(decisions.log_prob[:size])
        imagined = torch.cat([batch.both, decisions.actions], 1)
        critic_loss = self._learn_critics(batch, imagined[size:], decisions.log_prob[size:], temperature)
        actor_loss = self._learn_actor(decisions, imagined[:size], temperature)
        self.targets.flat.values.lerp_(self.critics.flat.values, self.tau)
        return torch.stack([temperature, actor_loss, critic_loss, temperature_loss])

    def _decide(self, observations: Tensor) -> Decisions:
        passed = self.actors.forward(observations)
        mean, raw_log_std = passed[-1][0].chunk(2, 1)
        log_std = raw_log_std.clamp(*LOG_STD)
        noise = torch.empty_like(mean)
        for half in noise.chunk(2):  # as SB3 draws it
            half.normal_()
        spread_noise = noise * log_std.exp()
        actions = torch.tanh(mean + spread_noise)
        slope = 1.0 - actions * actions
        densities = -0.5 * noise * noise - log_std - HALF_LOG_TWO_PI - torch.log(slope + SQUASHED)
        return Decisions(passed, raw_log_std, spread_noise, actions, slope, densities.sum(1, keepdim=True))

    def _learn_temperature(self, log_prob: Tensor) -> tuple[Tensor, Tensor]:
        """The temperature as it was, and its loss."""
        if self.temperature is None:
            return self.ent_coef_tensor, torch.zeros(())
        logarithm, wanted = self.temperature.values.clone(), float(self.target_entropy)
        gradient = -(log_prob.mean() + wanted)
        self.temperature.gradients.copy_(gradient)
        self.optimizers["temperature"].step()
        return logarithm.exp().squeeze(), (logarithm * gradient).squeeze()

    def _learn_critics(self, batch: Batch, after: Tensor, log_prob: Tensor, temperature: Tensor) -> Tensor:
        """Towards the reward and what the targets expect of the next observation."""
        expected = self.targets.forward(after)[-1].amin(0) - temperature * log_prob
        aims = batch.rewards + batch.ongoing * expected
        passed = self.critics.forward(batch.taken)
        errors = passed[-1] - aims
        self.critics.backward(passed, errors / len(aims))
        self.optimizers["critic"].step()
        return 0.5 * (errors * errors).sum() / len(aims)

    def _learn_actor(self, decisions: Decisions, imagined: Tensor, temperature: Tensor) -> Tensor:
        """Towards actions that the critics like and that stay random."""
        size = len(imagined)
        passed = self.critics.forward(imagined)
        lowest, which = passed[-1].min(0, keepdim=True)
        chosen = torch.zeros_like(passed[-1]).scatter_(0, which, -1.0 / size)
        actions, slope, log_prob = decisions.actions[:size], decisions.slope[:size], decisions.log_prob[:size]
        liked = self.critics.input_gradient(passed, chosen, imagined.shape[1] - actions.shape[1])
        weight = temperature / size
        means = slope * (liked + 2.0 * weight * actions / (slope + SQUASHED))
        raw = decisions.raw_log_std[:size]
        within = (raw >= LOG_STD[0]) & (raw <= LOG_STD[1])
        spreads = (means * decisions.spread_noise[:size] - weight) * within
        seen = [part[:, :size] for part in decisions.passed]
        self.actors.backward(seen, torch.cat([means, spreads], 1).unsqueeze(0))
        self.optimizers["actor"].step()
        return (temperature * log_prob - lowest[0]).mean()


def _linear(network: Any) -> list[nn.Linear]:
    return [module for module in network if isinstance(module, nn.Linear)]
