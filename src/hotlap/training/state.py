"""Everything a run needs to resume bit for bit, as tensors and plain JSON.

Taken between two rollouts: weights, optimisers, normaliser, replay, random state, cars, counters, pending log.
Put back, the next step is the one that would have come.
"""

import logging
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.errors import CheckpointError
from hotlap.training.algorithms import Algorithm
from hotlap.training.gpu_ppo import GpuPPO
from hotlap.training.metrics import Metrics, filled
from hotlap.training.ppo import HotlapPPO
from hotlap.training.random_state import Tensors, global_random_state, packed, restore_global_random_state, unpacked
from hotlap.vector.sb3 import WorldVecEnv

LOG = logging.getLogger(__name__)
Groups = Mapping[str, Mapping[str, NDArray[Any]]]
REPLAY_ARRAYS = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")
COUNTERS = ("num_timesteps", "_episode_num", "_n_updates")
TEMPERATURE = "log_ent_coef"
DEVICE_NAMES = {"cpu": "the cores", "cuda": "a GPU"}
UNFIT = (LookupError, ValueError, RuntimeError, TypeError, AttributeError, ArithmeticError)


class TrainingState:
    """The live parts of a run, and their picture on disk."""

    def __init__(
        self,
        model: BaseAlgorithm,
        env: WorldVecEnv,
        normalizer: VecNormalize | None,
        algorithm: Algorithm,
        metrics: Metrics,
    ) -> None:
        self.model: Any = model
        self.env = env
        self.normalizer = normalizer
        self.algorithm = algorithm
        self.metrics = metrics
        self.evaluated_step = 0
        """The step of the last evaluation."""

    @property
    def device(self) -> str:
        """Where the model drives and learns."""
        return "cuda" if isinstance(self.model, GpuPPO) else "cpu"

    def tensors(self) -> dict[str, Tensors]:
        """Every array of the run, by file; the replay's are the live ones, all others copies."""
        if isinstance(self.model, HotlapPPO):
            self.model.settle()
        cars = {"cars": packed(self.env.generators), "action_space": packed([self.model.action_space.np_random])}
        groups = {
            "policy": self.weights(),
            "optimizer": self._optimizer_tensors(),
            "rng": global_random_state() | cars,
            "environment": self._environment(),
        }
        if self.normalizer is not None:
            groups["normalizer"] = _statistics(self.normalizer)
        if self.algorithm.replays:
            groups["replay"] = self._replay()
        return groups

    def counters(self) -> dict[str, Any]:
        """Every number of the run."""
        model = self.model
        counters: dict[str, Any] = {name: int(getattr(model, name)) for name in COUNTERS}
        counters["evaluated_step"] = self.evaluated_step
        counters["device"] = self.device
        counters["episodes"] = [dict(episode) for episode in model.ep_info_buffer or ()]
        counters |= self.metrics.counters() | {name: getattr(model, name) for name in self.algorithm.numbers}
        counters["log"] = model.logger.pending()
        if self.algorithm.replays:
            counters["replay"] = {"pos": int(model.replay_buffer.pos), "full": bool(model.replay_buffer.full)}
        return counters

    def begin_with(self, weights: Mapping[str, NDArray[Any]], statistics: Mapping[str, NDArray[Any]]) -> None:
        """Take over weights and what is known of observations and returns; what is not given stays as it is."""
        ours = self.weights()
        self._put_weights({name: weights.get(name, array) for name, array in ours.items()})
        if self.normalizer is not None:
            _put_running_statistics(self.normalizer, statistics)

    def restore(self, groups: Groups, counters: Mapping[str, Any]) -> None:
        """Put a picture back into freshly made parts of the same shape."""
        if isinstance(self.model, GpuPPO):
            self.model.leave_device()
        if isinstance(self.model, HotlapPPO):
            self.model.bring_home = None
        try:
            self._put_weights(groups["policy"])
            self._put_optimizers(groups["optimizer"])
            self._put_environment(groups["environment"])
            if self.normalizer is not None:
                _put_statistics(self.normalizer, groups["normalizer"])
            if self.algorithm.replays:
                self._put_replay(groups["replay"], counters["replay"])
            self._put_counters(counters)
            self._put_random_state(groups["rng"])
        except UNFIT as error:
            raise CheckpointError(
                f"the checkpoint does not fit this run: {error!r:.300}. Resume with the settings the run was made with."
            ) from error

    def _put_counters(self, counters: Mapping[str, Any]) -> None:
        model = self.model
        for name in COUNTERS:
            setattr(model, name, _count(counters[name], name))
        for name, kind in self.algorithm.numbers.items():
            setattr(model, name, float(counters[name]) if kind is float else _count(counters[name], name))
        self.evaluated_step = _count(counters["evaluated_step"], "evaluated_step")
        episodes = [{**episode, "r": float(episode["r"]), "l": int(episode["l"])} for episode in counters["episodes"]]
        model.ep_info_buffer = deque(episodes, maxlen=model._stats_window_size)
        model.ep_success_buffer = deque(maxlen=model._stats_window_size)
        self.metrics.put_counters(counters)
        if counters.get("device", "cpu") != self.device:
            LOG.warning(
                "the run learned on %s before and goes on on %s: it is no longer the same to the bit.",
                *(DEVICE_NAMES[name] for name in (counters.get("device", "cpu"), self.device)),
            )
        model.logger.put_pending(counters["log"])

    def weights(self) -> Tensors:
        """Copies of every weight of the networks, by torch's names."""
        weights = {name: _array(tensor) for name, tensor in self.model.policy.state_dict().items()}
        if getattr(self.model, TEMPERATURE, None) is not None:
            weights[TEMPERATURE] = _array(self.model.log_ent_coef)
        return weights

    def _put_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}
        temperature = tensors.pop(TEMPERATURE, None)
        self.model.policy.load_state_dict(tensors)
        if temperature is not None:
            with torch.no_grad():
                self.model.log_ent_coef.copy_(temperature)

    def _optimizer_tensors(self) -> Tensors:
        """Adam's moments and step counts; the rest of an optimiser follows from the settings."""
        found = {}
        for name, optimizer in self.algorithm.optimizers(self.model).items():
            for number, moments in optimizer.state_dict()["state"].items():
                for key, tensor in moments.items():
                    found[f"{name}.{number}.{key}"] = _array(torch.as_tensor(tensor))
        return found

    def _put_optimizers(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        for name, optimizer in self.algorithm.optimizers(self.model).items():
            weights = optimizer.param_groups[0]["params"]
            state: dict[int, dict[str, torch.Tensor]] = {}
            for key, array in tensors.items():
                owner, number, moment = key.split(".")
                if owner != name:
                    continue
                if array.shape not in ((), tuple(weights[int(number)].shape)):
                    raise ValueError(f"{key} has shape {array.shape}")
                state.setdefault(int(number), {})[moment] = torch.from_numpy(np.array(array))
            optimizer.load_state_dict({**optimizer.state_dict(), "state": state})

    def _put_random_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        if len(state["cars"]) != self.env.num_envs:
            raise ValueError(f"random state of {len(state['cars'])} cars")
        if not np.array_equal(packed(self.env.generators), state["cars"]):  # making generators takes ten times as long
            self.env.generators = unpacked(state["cars"])
        [self.model.action_space._np_random] = unpacked(state["action_space"])
        restore_global_random_state(state)

    def _environment(self) -> Tensors:
        """Every car as it stands, what the learner saw last, and the laps that are being timed."""
        model, env = self.model, self.env
        tensors = {f"fleet.{name}": column.copy() for name, column in env.world.state_columns().items()}
        tensors["episode_returns"] = env.episode_returns.copy()
        tensors["episode_lengths"] = env.episode_lengths.copy()
        tensors |= self.metrics.tensors()
        tensors["last_obs"] = np.array(model._last_obs)
        tensors["last_episode_starts"] = np.array(model._last_episode_starts)
        if model._last_original_obs is not None:
            tensors["last_original_obs"] = np.array(model._last_original_obs)
        return tensors

    def _put_environment(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        model, env = self.model, self.env
        env.world.put_state({name: tensors[f"fleet.{name}"] for name in env.world.state_columns()})
        filled(env.episode_returns, tensors["episode_returns"], "episode_returns")
        filled(env.episode_lengths, tensors["episode_lengths"], "episode_lengths")
        self.metrics.put_tensors(tensors, getattr(model, "watched_cars", env.num_envs))
        seen = np.empty_like(env.world.observation, np.float32)
        model._last_obs = filled(seen.copy(), tensors["last_obs"], "last_obs")
        model._last_episode_starts = filled(np.empty(env.num_envs, np.bool_), tensors["last_episode_starts"], "starts")
        if "last_original_obs" in tensors:
            model._last_original_obs = filled(seen, tensors["last_original_obs"], "last_original_obs")

    def _replay(self) -> Tensors:
        buffer = self.model.replay_buffer
        rows = buffer.buffer_size if buffer.full else buffer.pos
        return {name: getattr(buffer, name)[:rows] for name in REPLAY_ARRAYS}

    def _put_replay(self, tensors: Mapping[str, NDArray[Any]], place: Mapping[str, Any]) -> None:
        buffer = self.model.replay_buffer
        pos, full = _count(place["pos"], "pos"), bool(place["full"])
        rows = buffer.buffer_size if full else pos
        if pos >= buffer.buffer_size:
            raise ValueError(f"place {pos} in a replay of {buffer.buffer_size}")
        for name in REPLAY_ARRAYS:
            filled(getattr(buffer, name)[:rows], tensors[name], name)
        buffer.pos, buffer.full = pos, full


def _statistics(normalizer: VecNormalize) -> Tensors:
    tensors = {"returns": normalizer.returns.copy()}
    for name, statistics in _running_statistics(normalizer):
        tensors[f"{name}_mean"] = np.array(statistics.mean, np.float64)
        tensors[f"{name}_var"] = np.array(statistics.var, np.float64)
        tensors[f"{name}_count"] = np.array(statistics.count, np.float64)
    for name in ("old_obs", "old_reward"):
        tensors[name] = np.array(getattr(normalizer, name))
    return tensors


def _put_statistics(normalizer: VecNormalize, tensors: Mapping[str, NDArray[Any]]) -> None:
    filled(normalizer.returns, tensors["returns"], "returns")
    if not {"obs_mean", "ret_mean"} <= set(tensors):
        raise KeyError("obs_mean and ret_mean")
    _put_running_statistics(normalizer, tensors)
    for name in ("old_obs", "old_reward"):
        setattr(normalizer, name, np.array(tensors[name]))


def _put_running_statistics(normalizer: VecNormalize, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Of the observations and of the returns, where they are given."""
    for name, statistics in _running_statistics(normalizer):
        if f"{name}_mean" in tensors:
            statistics.mean = filled(np.array(statistics.mean, np.float64), tensors[f"{name}_mean"], f"{name}_mean")
            statistics.var = filled(np.array(statistics.var, np.float64), tensors[f"{name}_var"], f"{name}_var")
            statistics.count = float(tensors[f"{name}_count"])


def _running_statistics(normalizer: VecNormalize) -> tuple[tuple[str, Any], ...]:
    return ("obs", normalizer.obs_rms), ("ret", normalizer.ret_rms)


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    return tensor.detach().cpu().numpy().copy()


def _count(value: Any, name: str) -> int:
    """A whole number that is not negative."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{name} is {value!r:.40}")
    return value
