"""SB3's SAC with compiled updates: the same mathematics, settings, logs, weights and files, much faster."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import SAC
from torch import Tensor, nn

from hotlap.learning.adam import Moved
from hotlap.learning.network import NetworkShape
from hotlap.learning.soft_lessons import Rates, SoftLearner, SoftRules, SoftWeights, moved_with
from hotlap.learning.soft_passes import Replayed
from hotlap.training.flat_parameters import FlatAdam, FlatParameters

ACTIVATIONS: dict[Any, str] = {nn.ReLU: "relu", nn.Tanh: "tanh", nn.ELU: "elu"}
FIGURES = ("ent_coef", "actor_loss", "critic_loss", "ent_coef_loss")


class HotlapSAC(SAC):
    """SAC whose updates are computed without torch."""

    def _setup_model(self) -> None:
        super()._setup_model()
        actor: Any = self.actor
        hidden = _linear(actor.latent_pi)
        parameters = {
            "actor": [*_parameters(hidden), *_side_by_side(actor.mu, actor.log_std)],
            "critics": _parameters([layer for critic in self.critic.q_networks for layer in _linear(critic)]),
            "temperature": [_logarithm(self)],
        }
        flat = {name: FlatParameters(parts) for name, parts in parameters.items()}
        targets = _parameters([layer for critic in self.critic_target.q_networks for layer in _linear(critic)])
        optimizers = {"actor": self.actor.optimizer, "critics": self.critic.optimizer}
        if self.ent_coef_optimizer is not None:
            optimizers["temperature"] = self.ent_coef_optimizer
        self.optimizers = {name: FlatAdam(flat[name], optimizer) for name, optimizer in optimizers.items()}
        self.learner = SoftLearner(
            self._shape(hidden, 2 * actor.mu.out_features),
            self._shape(_linear(self.critic.q_networks[0])[:-1], 1),
            SoftWeights(
                **{name: self._moved(name, part) for name, part in flat.items()},
                targets=FlatParameters(targets).values.numpy(),
            ),
            SoftRules(self.tau, float(self.target_entropy), self.ent_coef_optimizer is not None),
        )

    def _shape(self, hidden: list[nn.Linear], outputs: int) -> NetworkShape:
        """Of a network with these layers, and one more."""
        sizes = tuple(layer.out_features for layer in hidden)
        return NetworkShape(hidden[0].in_features, sizes, outputs, ACTIVATIONS[self.policy.activation_fn])

    def _moved(self, name: str, flat: FlatParameters) -> Moved:
        """What a step moves, with the moments of its optimiser, where it has one."""
        adam = self.optimizers.get(name)
        moments = torch.zeros(2, flat.values.numel()) if adam is None else (adam.first, adam.second)
        return moved_with(flat.values.numpy(), *(moment.numpy() for moment in moments))

    @torch.no_grad()
    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """Some gradient steps on samples of the replay, as SB3 makes them."""
        self._update_learning_rate([adam.optimizer for adam in self.optimizers.values()])
        for adam in self.optimizers.values():
            adam.take_over()
        rates = {name: adam.rate for name, adam in self.optimizers.items()}
        replayed = self._replayed(gradient_steps, batch_size)
        figures = self.learner.update(replayed, batch_size, Rates(**{"temperature": (0.0, 0), **rates}))
        for adam in self.optimizers.values():
            adam.count += gradient_steps
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        for name, figure in zip(FIGURES, figures.tolist(), strict=False):
            if name != "ent_coef_loss" or self.ent_coef_optimizer is not None:
                self.logger.record(f"train/{name}", figure)

    def _replayed(self, count: int, size: int) -> Replayed:
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
            buffer._normalize_obs(part.reshape(-1, *buffer.obs_shape)[rows], env)
            for part, rows in ((buffer.observations, taken_rows), (buffer.next_observations, last_rows))
        )
        actions = buffer.actions.reshape(-1, buffer.action_dim)[taken_rows]
        return Replayed(
            *(
                np.ascontiguousarray(part, np.float32).reshape(-1)
                for part in (seen, after, actions, rewards, ongoing, *_noise(count, size, buffer.action_dim))
            )
        )

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


def _noise(count: int, size: int, actions: int) -> Tensor:
    """For what is seen and for what follows, drawn as SB3 draws it: first for the one, then for the other."""
    noise = torch.empty(2, count, size, actions)
    for step in range(count):
        for part in noise[:, step]:
            part.normal_()
    return noise


def _linear(network: Any) -> list[nn.Linear]:
    return [module for module in network if isinstance(module, nn.Linear)]


def _parameters(layers: list[nn.Linear]) -> list[Tensor]:
    """Weights and biases of each layer."""
    return [part for layer in layers for part in (layer.weight, layer.bias)]


def _side_by_side(*layers: nn.Linear) -> list[Tensor]:
    """Weights and biases of layers that have the same inputs, as those of one."""
    return [layer.weight for layer in layers] + [layer.bias for layer in layers]


def _logarithm(model: HotlapSAC) -> Tensor:
    """The logarithm of the temperature, learned or not."""
    return model.ent_coef_tensor.log().reshape(1) if model.log_ent_coef is None else model.log_ent_coef
