"""What a learner gives and what the world gets: the same numbers, a choice among a few, or other controls mixed."""

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnvWrapper

from hotlap.vector.sb3 import WorldVecEnv
from hotlap.worlds import Array, World


class Mixing(NamedTuple):
    """Other controls for a learner than the world has: mixed and clipped, they are the world's."""

    weights: Array
    """A row for each control of the learner: how much of it goes into each control of the world."""
    low: Array
    """Lowest value of each control of the learner."""
    high: Array


class Controls(NamedTuple):
    """How what a model gives becomes an action within the bounds of its world."""

    low: Array
    high: Array
    choices: Array
    """The actions to choose from, one a row; no row where the model gives numbers."""
    mixing: Mixing | None = None

    def decoded(self, given: Array) -> Array:
        """Actions of the world for what a model gives."""
        if len(self.choices):
            action: Array = self.choices[given]
            return action
        return np.clip(given if self.mixing is None else given @ self.mixing.weights, self.low, self.high)


def controls_of(world: World, mixing: Mixing | None = None) -> Controls:
    """What a world takes from a model."""
    return Controls(*world.action_bounds, choices=world.action_choices, mixing=mixing)


class MixedVecEnv(VecEnvWrapper):
    """The cars of a world under the controls of a learner."""

    def __init__(self, env: WorldVecEnv, mixing: Mixing) -> None:
        super().__init__(env, action_space=spaces.Box(mixing.low, mixing.high, dtype=np.float32))
        self.mixing = mixing
        self.controls = controls_of(env.world, mixing)

    def reset(self) -> Any:
        """Begin an episode for every car."""
        return self.venv.reset()

    def step_async(self, actions: Array) -> None:
        """Mix, and keep them for the step."""
        self.venv.step_async(self.controls.decoded(actions))

    def step_wait(self) -> Any:
        """One tick of every car."""
        return self.venv.step_wait()
