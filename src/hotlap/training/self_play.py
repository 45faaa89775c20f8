"""Self-play: in half of the grids only the newest policy drives; in the others past selves race beside line drivers."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from torch.nn import Linear

from hotlap.errors import ConfigError
from hotlap.policies.race_drivers import race_driver
from hotlap.race.batch import RaceBatch
from hotlap.race.opponents import RaceDriver
from hotlap.race.senses import OTHERS_SIZE
from hotlap.race.world import RaceWorld
from hotlap.racer.batch import layout_size
from hotlap.racer.world import ACTION_HIGH, ACTION_LOW
from hotlap.training.config import TrainConfig

Array = NDArray[Any]
Floats = NDArray[np.float32]
PAST_SELF = "past"
"""What a seat of a past self is called."""
SELVES = 4
"""How many past selves race: those of the last steps, each of twice the steps of the one before."""
NEWEST = 0
ACTIVATIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "relu": lambda x: np.maximum(x, np.float32(0.0)),
    "tanh": np.tanh,
    "elu": lambda x: np.where(x > 0.0, x, np.expm1(np.minimum(x, np.float32(0.0)))),
}


class Selves:
    """The newest policy and past ones, in arrays that are part of the world's state: a resumed run has the same."""

    def __init__(self, config: TrainConfig) -> None:
        inputs = layout_size(config.racer.observation) + OTHERS_SIZE
        self.sizes = (inputs, *config.network.hidden, len(ACTION_LOW))
        self.activation = ACTIVATIONS[config.network.activation]
        self.first_step = config.checkpoint.first_past
        weights = sum(outer * (inner + 1) for inner, outer in pairwise(self.sizes))
        self.weights = np.zeros((1 + SELVES, weights), np.float32)
        self.mean, self.scale = np.zeros((1 + SELVES, inputs)), np.ones((1 + SELVES, inputs))
        self.clip = np.full(1, 1e6)
        self.steps = np.zeros(1 + SELVES, np.int64)
        """The step each is of; 0 where there is none yet."""

    def memory(self) -> dict[str, Array]:
        """All of it by name."""
        return {
            "selves_weights": self.weights,
            "selves_mean": self.mean,
            "selves_scale": self.scale,
            "selves_clip": self.clip,
            "selves_steps": self.steps,
        }

    def take(self, step: int, weights: Floats, normalizer: Any) -> None:
        """The newest policy; it is also kept as a past one at the first step and each time at twice as many."""
        self.weights[NEWEST], self.steps[NEWEST] = weights, step
        if normalizer is not None:
            seen = normalizer.obs_rms
            self.mean[NEWEST], self.scale[NEWEST] = seen.mean, 1.0 / np.sqrt(seen.var + normalizer.epsilon)
            self.clip[0] = normalizer.clip_obs
        if 0 < self._next_step() <= step:
            for column in (self.weights, self.mean, self.scale, self.steps):
                column[2:] = column[1:-1].copy()
                column[1] = column[NEWEST]

    def _next_step(self) -> int:
        due = self.first_step
        while 0 < due <= self.steps[1]:
            due *= 2
        return due

    def past(self, number: int) -> int:
        """Which self has a number; the newest where there is no past yet."""
        count = int(np.count_nonzero(self.steps[1:]))
        return 1 + number % count if count else NEWEST

    def act(self, which: int, observation: Array) -> Floats:
        """What one of them does, without the noise of learning."""
        scaled = np.clip((observation - self.mean[which]) * self.scale[which], -self.clip[0], self.clip[0])
        values, place = scaled.astype(np.float32), 0
        for number, (inner, outer) in enumerate(pairwise(self.sizes)):
            matrix = self.weights[which, place : place + inner * outer].reshape(outer, inner)
            values = values @ matrix.T + self.weights[which, place + inner * outer : place + (inner + 1) * outer]
            place += (inner + 1) * outer
            values = self.activation(values) if number < len(self.sizes) - 2 else values
        return np.asarray(np.clip(values, ACTION_LOW, ACTION_HIGH))


class SelfPlaySeat:
    """A seat of every grid: the newest policy in half of the grids, in the others a past self or another driver."""

    def __init__(self, selves: Selves, seat: int, other: str) -> None:
        self.name, self.selves, self.seat = other, selves, seat
        self._other: RaceDriver | None = None

    def memory(self) -> dict[str, Array]:
        """The policies."""
        return self.selves.memory()

    def act(self, observation: Array, race: RaceBatch, rows: Array) -> Array:
        """What each car's driver does."""
        grid = rows // race.cars
        mixed = grid % 2 == 1
        actions = np.zeros((len(rows), len(ACTION_LOW)), np.float32)
        actions[~mixed] = self.selves.act(NEWEST, observation[~mixed])
        if self.name != PAST_SELF:
            self._other = self._other or race_driver(self.name, race)
            actions[mixed] = self._other.act(observation[mixed], race, rows[mixed])
            return actions
        which = np.array([self.selves.past(number) for number in (grid // 2 + self.seat).tolist()])
        for past in np.unique(which[mixed]).tolist():
            own = mixed & (which == past)
            actions[own] = self.selves.act(past, observation[own])
        return actions


def training_opponents(config: TrainConfig) -> tuple[Any, ...]:
    """The drivers of the other seats: as they are named, unless past selves are among them."""
    race = config.race
    if race.learners >= race.cars or PAST_SELF not in race.opponents:
        return race.opponents if race.learners < race.cars else ()
    if config.algorithm != "ppo":
        raise ConfigError(f"past selves race only where ppo learns, not {config.algorithm}: name other race.opponents.")
    selves, seats = Selves(config), race.cars - race.learners
    return tuple(SelfPlaySeat(selves, seat, race.opponents[seat % len(race.opponents)]) for seat in range(seats))


class SelfPlay(BaseCallback):
    """Shows the selves of a world the policy before every rollout."""

    whole_rollouts = True
    needs_samples = False

    def __init__(self, selves: Selves) -> None:
        super().__init__()
        self.selves = selves

    def _on_rollout_start(self) -> None:
        policy: Any = self.model.policy
        layers = [layer for layer in (*policy.mlp_extractor.policy_net, policy.action_net) if isinstance(layer, Linear)]
        parts = [part.detach().numpy().ravel() for layer in layers for part in (layer.weight, layer.bias)]
        self.selves.take(self.num_timesteps, np.concatenate(parts), self.model.get_vec_normalize_env())

    def _on_step(self) -> bool:
        return True


def self_play(world: RaceWorld) -> list[BaseCallback]:
    """What shows the policy to the past selves of a world; nothing where it has none."""
    seats = [driver for driver in world.opponents.drivers if isinstance(driver, SelfPlaySeat)]
    return [SelfPlay(seats[0].selves)] if seats else []
