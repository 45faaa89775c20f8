"""SB3's PPO with hotlap's learner inside: the same settings, callbacks, logs, weights and files, several times faster.

The torch policy and its optimiser stay the truth between two rollouts, so that everything that reads or writes them
finds what it expects; the learner takes the weights over for a rollout or an update, and gives them back.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.learning.lessons import PpoRules
from hotlap.learning.network import NetworkShape
from hotlap.learning.ppo import PpoLearner, UpdateFigures
from hotlap.learning.statistics import Scaler, Scaling

Floats = NDArray[np.float32]
ACTIVATIONS: dict[Any, str] = {torch.nn.ReLU: "relu", torch.nn.Tanh: "tanh", torch.nn.ELU: "elu"}
MOMENTS = {"exp_avg": "first_moments", "exp_avg_sq": "second_moments"}


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
        self.ends = self.learner.room_for(self.n_steps * self.n_envs)
        """What the cars saw last whose episodes were cut off in this rollout."""
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
        """Drive all cars for some ticks, with the policy as it is."""
        callback.on_rollout_start()
        self.take_weights()
        self.learner.begin_rollout(self.num_timesteps)
        normalizer = env if isinstance(env, VecNormalize) else None
        driver = _Driver(env, normalizer)
        ends: list[tuple[int, int]] = []
        starts = self.learner.rollout.starts.reshape(-1, self.n_envs)
        low, high = self.learner.bounds
        for tick in range(n_rollout_steps):
            rollout_buffer.observations[tick], starts[tick] = self._last_obs, self._last_episode_starts
            actions = self.learner.act(tick)
            new_obs, rewards, dones, infos = driver.step(np.clip(actions, low, high))
            self.num_timesteps += self.n_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            rollout_buffer.rewards[tick] = rewards
            self._note_ends(tick, dones, infos, driver, ends)
            self._last_obs, self._last_episode_starts = new_obs, dones
        driver.give_statistics()
        starts[n_rollout_steps] = self._last_episode_starts
        self._judge(ends)
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _note_ends(self, tick: int, dones: Any, infos: Any, driver: "_Driver", ends: list[tuple[int, int]]) -> None:
        """Keep the statistics of episodes that ended, and what was seen last in those that were only cut off."""
        seen = self.ends.observations.reshape(-1, self.learner.shape.inputs)
        finished: Any = self.ep_info_buffer
        for car in np.flatnonzero(dones).tolist():
            info = infos[car]
            if "episode" in info:
                finished.append(info["episode"])
            if info.get("TimeLimit.truncated") and info.get("terminal_observation") is not None:
                seen[len(ends)] = driver.scaled(info["terminal_observation"]).reshape(-1)
                ends.append((tick, car))

    def _judge(self, ends: list[tuple[int, int]]) -> None:
        """Values, and with them advantages; an episode that was cut off would have gone on as its last value says."""
        learner = self.learner
        learner.after.observations[:] = np.asarray(self._last_obs).reshape(-1)
        learner.judge(self.ends, len(ends))
        for (tick, car), value in zip(ends, self.ends.values, strict=False):
            self.rollout_buffer.rewards[tick, car] += self.gamma * value
        learner.finish_rollout()

    def train(self) -> None:
        """Update the policy with the rollout."""
        self._update_learning_rate(self.policy.optimizer)
        schedule: Any = self.clip_range
        clip_range = float(schedule(self._current_progress_remaining))
        rate = float(self.lr_schedule(self._current_progress_remaining))
        self.take_weights()
        self.take_moments()
        figures = self.learner.update(self.num_timesteps, rate, clip_range, learns_spread=self._learns_spread())
        self.give_back()
        self._n_updates += self.n_epochs
        self._log(figures, clip_range)

    def _learns_spread(self) -> bool:
        policy: Any = self.policy
        return bool(policy.log_std.requires_grad)

    def _log(self, figures: UpdateFigures, clip_range: float) -> None:
        """What SB3 logs of an update."""
        log_std = self.learner.log_std(self.learner.weights.parameters)
        entropy = float(np.sum(log_std + 0.5 * np.log(2.0 * np.pi * np.e)))
        buffer = self.rollout_buffer
        self.logger.record("train/entropy_loss", -entropy)
        self.logger.record("train/policy_gradient_loss", figures.policy_loss)
        self.logger.record("train/value_loss", figures.value_loss)
        self.logger.record("train/approx_kl", figures.approximate_kl)
        self.logger.record("train/clip_fraction", figures.clip_fraction)
        loss = figures.policy_loss + self.vf_coef * figures.value_loss - self.ent_coef * entropy
        self.logger.record("train/loss", loss)
        self.logger.record(
            "train/explained_variance", explained_variance(buffer.values.ravel(), buffer.returns.ravel())
        )
        self.logger.record("train/std", float(np.exp(log_std).mean()))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clip_range)

    def imitate(self, seen: Floats, shown: Floats, rate: float, epochs: int) -> float:
        """Draw the policy towards a teacher's actions; the mean squared distance on the way."""
        samples = self.learner.room_for(len(seen))
        samples.observations[:], samples.actions[:] = seen.reshape(-1), shown.reshape(-1)
        self.take_weights()
        self.take_moments()
        distance = self.learner.imitate(samples, len(seen), self.num_timesteps, rate, epochs)
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


class _Driver:
    """The cars, and what they see and get scaled as SB3's VecNormalize would, whose statistics it takes and gives."""

    def __init__(self, env: Any, normalizer: Any) -> None:
        self.env: Any = env if normalizer is None else normalizer.venv
        self.normalizer = normalizer
        self.scaler: Scaler | None = None
        if normalizer is not None:
            inputs = normalizer.observation_space.shape[0]
            clips = normalizer.clip_obs, normalizer.clip_reward
            scaling = Scaling(env.num_envs, inputs, normalizer.gamma, normalizer.epsilon, *clips)
            self.scaler = Scaler(env.num_envs, inputs, scaling)
            self._take_statistics(self.scaler, normalizer)

    def _take_statistics(self, scaler: Scaler, normalizer: Any) -> None:
        known, observed, returned = scaler.statistics, normalizer.obs_rms, normalizer.ret_rms
        known.mean[:-1], known.mean[-1] = observed.mean, returned.mean
        known.variance[:-1], known.variance[-1] = observed.var, returned.var
        known.seen[:] = observed.count, returned.count
        known.returns[:] = normalizer.returns

    def give_statistics(self) -> None:
        """What was learned of observations and returns, back to VecNormalize."""
        if self.scaler is None:
            return
        known, normalizer = self.scaler.statistics, self.normalizer
        observed, returned = normalizer.obs_rms, normalizer.ret_rms
        observed.mean, observed.var, observed.count = known.mean[:-1].copy(), known.variance[:-1].copy(), known.seen[0]
        returned.mean, returned.var, returned.count = known.mean[-1].copy(), known.variance[-1].copy(), known.seen[1]
        normalizer.returns[:] = known.returns

    def step(self, actions: Floats) -> Any:
        """One tick of all cars: what they see and get, scaled, whose episodes ended, and infos."""
        observations, rewards, dones, infos = self.env.step(actions)
        if self.scaler is None:
            return observations, rewards, dones, infos
        self.normalizer.old_obs, self.normalizer.old_reward = observations, rewards
        return *self.scaler.scale(observations, rewards, dones), dones, infos

    def scaled(self, observation: Floats) -> Floats:
        """What a car saw, scaled."""
        return observation if self.scaler is None else self.scaler.scaled(observation)
