"""Everything a run needs to go on as if it had never stopped, as tensors and plain JSON.

Taken between two rollouts: weights, optimisers, normaliser, replay, dice, cars, counters. Put back, the next step is
the one that would have come.
"""

import random
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
from hotlap.vector.sb3 import WorldVecEnv

Tensors = dict[str, NDArray[Any]]
REPLAY_ARRAYS = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")
COUNTERS = ("num_timesteps", "_episode_num", "_n_updates")


class TrainingState:
    """The live parts of a run, and their picture on disk."""

    def __init__(
        self, model: BaseAlgorithm, env: WorldVecEnv, normalizer: VecNormalize | None, algorithm: Algorithm
    ) -> None:
        self.model: Any = model
        self.env = env
        self.normalizer = normalizer
        self.algorithm = algorithm

    def tensors(self) -> dict[str, Tensors]:
        """Every array of the run, by file."""
        groups = {
            "policy": self._weights(),
            "optimizer": self._optimizer_tensors(),
            "rng": self._dice(),
            "environment": self._environment(),
        }
        if self.normalizer is not None:
            groups["normalizer"] = self._statistics(self.normalizer)
        if self.algorithm.replays:
            groups["replay"] = self._replay()
        return groups

    def counters(self) -> dict[str, Any]:
        """Every number of the run."""
        model = self.model
        counters: dict[str, Any] = {name: int(getattr(model, name)) for name in COUNTERS}
        counters["episodes"] = [dict(episode) for episode in model.ep_info_buffer or ()]
        counters["python_random"] = _plain(random.getstate())
        if self.algorithm.replays:
            counters["replay"] = {"pos": int(model.replay_buffer.pos), "full": bool(model.replay_buffer.full)}
        return counters

    def restore(self, groups: Mapping[str, Mapping[str, NDArray[Any]]], counters: Mapping[str, Any]) -> None:
        """Put a picture back into freshly made parts of the same shape."""
        try:
            self._restore(groups, counters)
        except (KeyError, ValueError, RuntimeError, TypeError) as error:
            raise CheckpointError(
                f"the checkpoint does not fit this run: {error}. Resume with the run's own settings."
            ) from error

    def _restore(self, groups: Mapping[str, Mapping[str, NDArray[Any]]], counters: Mapping[str, Any]) -> None:
        self._put_weights(groups["policy"])
        self._put_optimizers(groups["optimizer"])
        self._put_environment(groups["environment"])
        if self.normalizer is not None:
            self._put_statistics(self.normalizer, groups["normalizer"])
        if self.algorithm.replays:
            self._put_replay(groups["replay"], counters["replay"])
        for name in COUNTERS:
            setattr(self.model, name, counters[name])
        self.model.ep_info_buffer = deque(counters["episodes"], maxlen=self.model._stats_window_size)
        self.model.ep_success_buffer = deque(maxlen=self.model._stats_window_size)
        random.setstate(_tuples(counters["python_random"]))
        self._put_dice(groups["rng"])

    def _weights(self) -> Tensors:
        weights = {name: _array(tensor) for name, tensor in self.model.policy.state_dict().items()}
        if getattr(self.model, "log_ent_coef", None) is not None:
            weights["log_ent_coef"] = _array(self.model.log_ent_coef)
        return weights

    def _put_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}
        temperature = tensors.pop("log_ent_coef", None)
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
            state: dict[int, dict[str, torch.Tensor]] = {}
            for key, array in tensors.items():
                owner, number, moment = key.split(".")
                if owner == name:
                    state.setdefault(int(number), {})[moment] = torch.from_numpy(np.array(array))
            optimizer.load_state_dict({**optimizer.state_dict(), "state": state})

    def _dice(self) -> Tensors:
        """torch's, numpy's and every car's random state."""
        _, keys, place, has_gauss, cached = np.random.get_state()  # noqa: NPY002 - SB3 draws from the global one
        dice = {
            "torch": _array(torch.get_rng_state()),
            "numpy_keys": np.asarray(keys),
            "numpy_place": np.array([place, has_gauss], np.int64),
            "numpy_cached": np.array([cached]),
            "cars": np.stack([_packed(generator) for generator in self.env.generators]),
        }
        dice["action_space"] = _packed(self.model.action_space.np_random)
        return dice

    def _put_dice(self, dice: Mapping[str, NDArray[Any]]) -> None:
        place, has_gauss = (int(number) for number in dice["numpy_place"])
        keys = np.array(dice["numpy_keys"], np.uint32)
        np.random.set_state(("MT19937", keys, place, has_gauss, float(dice["numpy_cached"][0])))  # noqa: NPY002
        self.env.generators = [_unpacked(row) for row in dice["cars"]]
        self.model.action_space._np_random = _unpacked(dice["action_space"])
        torch.set_rng_state(torch.from_numpy(np.array(dice["torch"])))

    def _environment(self) -> Tensors:
        """Every car as it stands, and what the learner saw last."""
        model, env = self.model, self.env
        tensors = {f"fleet.{name}": column.copy() for name, column in env.world.state_columns().items()}
        tensors["episode_returns"] = env.episode_returns.copy()
        tensors["episode_lengths"] = env.episode_lengths.copy()
        tensors["last_obs"] = np.array(model._last_obs)
        tensors["last_episode_starts"] = np.array(model._last_episode_starts)
        if model._last_original_obs is not None:
            tensors["last_original_obs"] = np.array(model._last_original_obs)
        return tensors

    def _put_environment(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        model, env = self.model, self.env
        for name, column in env.world.state_columns().items():
            column[...] = tensors[f"fleet.{name}"]
        env.world.look()
        env.episode_returns[:] = tensors["episode_returns"]
        env.episode_lengths[:] = tensors["episode_lengths"]
        model._last_obs = np.array(tensors["last_obs"])
        model._last_episode_starts = np.array(tensors["last_episode_starts"])
        if "last_original_obs" in tensors:
            model._last_original_obs = np.array(tensors["last_original_obs"])

    @staticmethod
    def _statistics(normalizer: VecNormalize) -> Tensors:
        tensors = {"returns": normalizer.returns.copy()}
        for name, statistics in _running_statistics(normalizer):
            tensors[f"{name}_mean"] = np.array(statistics.mean, np.float64)
            tensors[f"{name}_var"] = np.array(statistics.var, np.float64)
            tensors[f"{name}_count"] = np.array(statistics.count, np.float64)
        for name in ("old_obs", "old_reward"):
            if getattr(normalizer, name, None) is not None:
                tensors[name] = np.array(getattr(normalizer, name))
        return tensors

    @staticmethod
    def _put_statistics(normalizer: VecNormalize, tensors: Mapping[str, NDArray[Any]]) -> None:
        normalizer.returns = np.array(tensors["returns"])
        for name, statistics in _running_statistics(normalizer):
            statistics.mean = np.array(tensors[f"{name}_mean"])
            statistics.var = np.array(tensors[f"{name}_var"])
            statistics.count = float(tensors[f"{name}_count"])
        for name in ("old_obs", "old_reward"):
            if name in tensors:
                setattr(normalizer, name, np.array(tensors[name]))

    def _replay(self) -> Tensors:
        buffer = self.model.replay_buffer
        filled = buffer.buffer_size if buffer.full else buffer.pos
        return {name: getattr(buffer, name)[:filled] for name in REPLAY_ARRAYS}

    def _put_replay(self, tensors: Mapping[str, NDArray[Any]], place: Mapping[str, Any]) -> None:
        buffer = self.model.replay_buffer
        for name in REPLAY_ARRAYS:
            getattr(buffer, name)[: len(tensors[name])] = tensors[name]
        buffer.pos, buffer.full = int(place["pos"]), bool(place["full"])


def _running_statistics(normalizer: VecNormalize) -> tuple[tuple[str, Any], ...]:
    return ("obs", normalizer.obs_rms), ("ret", normalizer.ret_rms)


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    return tensor.detach().cpu().numpy().copy()


def _packed(generator: np.random.Generator) -> NDArray[np.uint64]:
    """A PCG64 generator as six words."""
    state: Any = generator.bit_generator.state
    words = []
    for number in (state["state"]["state"], state["state"]["inc"]):
        words += [number >> 64, number & (2**64 - 1)]
    return np.array([*words, state["has_uint32"], state["uinteger"]], np.uint64)


def _unpacked(words: NDArray[Any]) -> np.random.Generator:
    high, low, inc_high, inc_low, has_uint32, uinteger = (int(word) for word in words)
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": (high << 64) | low, "inc": (inc_high << 64) | inc_low},
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }
    return np.random.Generator(bits)


def _plain(value: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    """Lists as tuples again."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
