"""The native batch of cars as RLlib's environment runners drive it."""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import batch_space

from hotlap.scaleout.rllib.scaling import ScaledVectorEnv
from hotlap.training.config import config_from_document
from hotlap.training.world_training import training_of
from hotlap.vector.controls import Mixing, controls_of
from hotlap.vector.gymnasium_env import StepResult, WorldVectorEnv
from hotlap.worlds import Array, make_world


class LearnersVectorEnv(gym.vector.VectorWrapper):
    """The cars under a learner's controls, without infos: RLlib would make a dictionary of each car's at every step."""

    def __init__(self, env: WorldVectorEnv, mixing: Mixing | None) -> None:
        super().__init__(env)
        self.controls = controls_of(env.world, mixing)
        if mixing is not None:
            self.single_action_space = gym.spaces.Box(mixing.low, mixing.high, dtype=np.float32)
            self.action_space = batch_space(self.single_action_space, env.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin anew."""
        observation, _ = self.env.reset(seed=seed, options=options)
        return observation, {}

    def step(self, actions: Array) -> StepResult:
        """One tick."""
        *outcome, _ = self.env.step(self.controls.decoded(actions))
        return *outcome, {}


def make_environment(context: Mapping[str, Any]) -> gym.vector.VectorEnv[Any, Any, Any]:
    """The cars of one runner in the world of a run, controlled and scaled as its settings say."""
    config = config_from_document(context["config"])
    training = training_of(config)
    options = training.world_options(config, discrete=False)
    world = make_world(config.world, context["num_envs"], threads=1, **options)
    env = LearnersVectorEnv(WorldVectorEnv(world), training.mixing(config))
    return ScaledVectorEnv(env, config.ppo.gamma) if config.normalize else env


def scaling_of(env: Any) -> ScaledVectorEnv:
    """What scales within the wrappers that RLlib puts around it."""
    while not isinstance(env, ScaledVectorEnv):
        env = env.env
    return env
