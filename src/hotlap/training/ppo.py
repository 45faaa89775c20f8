"""SB3's PPO with hotlap's learner inside: the same settings, callbacks, logs, weights and files, several times faster.

The torch policy and its optimiser stay the truth between two rollouts, so that everything that reads or writes them
finds what it expects; the learner takes the weights over for a rollout or an update, and gives them back.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.learning.lessons import PpoRules
from hotlap.learning.losses import Samples
from hotlap.learning.network import NetworkShape
from hotlap.learning.ppo import PpoLearner, UpdateFigures
from hotlap.learning.teacher_kernel import TeacherKernel
from hotlap.training.driving import CompiledDriver, Driver, SteppedDriver, is_compiled, sees_whole_rollouts

Floats = NDArray[np.float32]
ACTIVATIONS: dict[Any, str] = {torch.nn.ReLU: "relu", torch.nn.Tanh: "tanh", torch.nn.ELU: "elu"}
MOMENTS = {"exp_avg": "first_moments", "exp_avg_sq": "second_moments"}


def no_columns(_world: Any) -> Mapping[str, Any]:
    """Nobody looks."""
    return {}


class HotlapPPO(PPO):
    """PPO whose rollouts and updates are hotlap's own."""

    def _setup_model(self) -> None:
        super()._setup_model()
        space: Any = self.action_space
        options: Any = self.policy_kwargs
        inputs: Any = self.observation_space.shape
        activation = ACTIVATIONS[options["activation_fn"]]
        shape = NetworkShape(int(np.prod(inputs)), tuple(options["net_arch"]), int(np.prod(space.shape)), activation)
        rules = PpoRules(
            self.batch_size,
            self.n_epochs,
            self.gamma,
            self.gae_lambda,
            self.ent_coef,
            self.vf_coef,
            self.max_grad_norm,
        )
        self.learner = PpoLearner(shape, self.n_envs, self.n_steps, rules, self.seed or 0)
        self.learner.bounds.low[:], self.learner.bounds.high[:] = space.low, space.high
        self.driver: Driver | None = None
        self.watched: Callable[[Any], Mapping[str, Any]] = no_columns
        """Which columns of a compiled world callbacks look at."""
        self.driving_s = 0.0
        """What driving took in the last rollout."""
        self.watched_cars = self.n_envs
        """How many of the cars callbacks see."""
        self.only_taught = False
        """Whether all that is learned is what a teacher shows."""
        self.teacher: Callable[[], TeacherKernel] | None = None
        """Who shows what it would do wherever the cars of a compiled world are."""
        self.is_taught = False
        """Whether it does in this rollout."""
        self.shown: Samples | None = None
        """What was seen in the rollout, and what the teacher would have done."""
        self.bring_home: Callable[[], None] | None = None
        """Where others learn, how this process comes to have the run as it is now; None where it has."""
        self._share_rollout()

    def _share_rollout(self) -> None:
        """The rollout buffer shows the learner's arrays."""
        buffer, samples = self.rollout_buffer, self.learner.samples
        rows = (self.n_steps, self.n_envs)
        buffer.observations, buffer.actions = (
            part.reshape(*rows, -1) for part in (samples.observations, samples.actions)
        )
        buffer.log_probs, buffer.values = samples.log_probs.reshape(rows), samples.values.reshape(rows)
        buffer.advantages, buffer.returns = samples.advantages.reshape(rows), samples.returns.reshape(rows)
        buffer.rewards = self.learner.rollout.rewards.reshape(rows)
        buffer.episode_starts = self.learner.rollout.starts.reshape(-1, self.n_envs)[: self.n_steps]

    def collect_rollouts(self, env: Any, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int) -> bool:
        """Drive all cars for some ticks with the policy as it is; callbacks may see compiled ones all at once."""
        callback.on_rollout_start()
        driver = self.driver or self._make_driver(env)
        if isinstance(driver, CompiledDriver):
            driver.rollouts.teach(speaks=self.is_taught)
        self.take_weights()
        self.learner.begin_rollout(self.num_timesteps)
        self.learner.rollout.starts[: self.n_envs] = self._last_episode_starts
        driver.begin()
        whole = isinstance(driver, CompiledDriver) and sees_whole_rollouts(callback)
        at_once = rollout_buffer.buffer_size if whole else 1
        self.driving_s = 0.0
        for first in range(0, n_rollout_steps, at_once):
            began_s = time.perf_counter()
            driven = driver.drive(first, first + at_once)
            self.driving_s += time.perf_counter() - began_s
            self.num_timesteps += at_once * self.n_envs * self.learner.peers.count
            callback.update_locals({**locals(), **vars(driven)})
            if not callback.on_step():
                return False
        self._finish(driver)
        callback.on_rollout_end()
        return True

    def settle(self) -> None:
        """Let this process have everything as it is."""
        bring_home, self.bring_home = self.bring_home, None
        if bring_home is not None:
            bring_home()

    def _make_driver(self, env: Any) -> Driver:
        """The cars, driven without Python where their world can be."""
        if is_compiled(env):
            self.driver = driver = CompiledDriver(self.learner, env, self.watched(env.unwrapped.world))
            self.shown = driver.rollouts.take_teacher(self.teacher()) if self.teacher is not None else None
        else:
            seen = env.old_obs if isinstance(env, VecNormalize) else self._last_obs
            self.driver = SteppedDriver(self.learner, env, seen)
        return self.driver

    def _finish(self, driver: Driver) -> None:
        """Values, and with them advantages; what SB3 keeps of the last tick."""
        driver.finish()
        if not self.only_taught:
            self.learner.finish_rollout()
        self._last_obs = driver.kept.after.reshape(self.n_envs, -1).copy()
        self._last_episode_starts = driver.kept.ended[-self.n_envs :] != 0
        finished: Any = self.ep_info_buffer
        finished.extend(driver.episodes)

    def train(self) -> None:
        """Update the policy with the rollout."""
        if self.only_taught:
            return
        self._update_learning_rate(self.policy.optimizer)
        schedule: Any = self.clip_range
        clip_range = float(schedule(self._current_progress_remaining))
        rate = float(self.lr_schedule(self._current_progress_remaining))
        self.take_weights()
        self.take_moments()
        figures = self.learner.update(self.num_timesteps, rate, clip_range, learns_spread=self._learns_spread())
        self.give_back()
        self._n_updates += self.n_epochs
        explained = explained_variance(self.rollout_buffer.values.ravel(), self.rollout_buffer.returns.ravel())
        self._log(figures, clip_range, self.learner.log_std(self.learner.weights.parameters), float(explained))

    def _learns_spread(self) -> bool:
        policy: Any = self.policy
        return bool(policy.log_std.requires_grad)

    def _log(self, figures: UpdateFigures, clip_range: float, log_std: Floats, explained: float) -> None:
        """What SB3 logs of an update."""
        entropy = float(np.sum(log_std + 0.5 * np.log(2.0 * np.pi * np.e)))
        self.logger.record("train/entropy_loss", -entropy)
        self.logger.record("train/policy_gradient_loss", figures.policy_loss)
        self.logger.record("train/value_loss", figures.value_loss)
        self.logger.record("train/approx_kl", figures.approximate_kl)
        self.logger.record("train/clip_fraction", figures.clip_fraction)
        loss = figures.policy_loss + self.vf_coef * figures.value_loss - self.ent_coef * entropy
        self.logger.record("train/loss", loss)
        self.logger.record("train/explained_variance", explained)
        self.logger.record("train/std", float(np.exp(log_std).mean()))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clip_range)

    def imitate(self, shown: Samples, rate: float, epochs: int) -> float:
        """Draw the policy towards a teacher's actions; the mean squared distance on the way."""
        self.take_weights()
        self.take_moments()
        distance = self.learner.imitate(shown, len(shown.order), self.num_timesteps, rate, epochs)
        self.give_back()
        return distance

    def take_weights(self) -> None:
        """Into the learner, as torch has them."""
        for part, tensor in self._parts(self.learner.weights.parameters):
            part[...] = tensor.detach().numpy()

    def take_moments(self) -> None:
        """Adam's memory, and how many steps it made."""
        learner, state = self.learner, self.policy.optimizer.state
        for key, name in MOMENTS.items():
            for part, tensor in self._parts(getattr(learner.weights, name)):
                part[...] = state[tensor][key].numpy() if tensor in state else 0.0
        policy: Any = self.policy
        learner.policy_steps, learner.value_steps = (
            int(state[layer.bias]["step"]) if layer.bias in state else 0
            for layer in (policy.action_net, policy.value_net)
        )

    def give_back(self) -> None:
        """Weights, and Adam's memory of those that were moved, to torch."""
        learner, state = self.learner, self.policy.optimizer.state
        with torch.no_grad():
            for part, tensor in self._parts(learner.weights.parameters):
                tensor.copy_(torch.from_numpy(part))
        policies = len(self.learner.shape.layers) * 2
        for number, (part, tensor) in enumerate(self._parts(learner.weights.first_moments)):
            steps = learner.policy_steps if number < policies else learner.value_steps
            if tensor.requires_grad and steps:
                state[tensor]["step"] = torch.tensor(float(steps))
                state[tensor]["exp_avg"] = torch.from_numpy(part.copy())
        for part, tensor in self._parts(learner.weights.second_moments):
            if tensor in state:
                state[tensor]["exp_avg_sq"] = torch.from_numpy(part.copy())

    def _parts(self, array: Floats) -> list[tuple[Floats, torch.Tensor]]:
        """Each part of an array that is laid out like the parameters, and the tensor of torch for it."""
        policy: Any = self.policy
        layers = self.learner.layers(array)
        actor, critic = policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net
        modules = {"policy": [*actor, policy.action_net], "value": [*critic, policy.value_net]}
        found = []
        for name, parts in layers.items():
            linear = [module for module in modules[name] if isinstance(module, torch.nn.Linear)]
            for (weights, biases), layer in zip(parts, linear, strict=True):
                found += [(weights, layer.weight), (biases, layer.bias)]
        return [*found, (self.learner.log_std(array), policy.log_std)]
