"""The native batch of cars as RLlib's environment runners drive it."""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
from gymnasium.wrappers.vector import NormalizeReward

from hotlap.training.config import config_from_document
from hotlap.training.disciplines import discipline_of
from hotlap.vector.gymnasium_env import StepResult, WorldVectorEnv
from hotlap.worlds import Array, make_world


class WithoutInfos(gym.vector.VectorWrapper):
    """Hands out no infos: RLlib would make a dictionary of each car's at every step, and looks at none."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin anew."""
        observation, _ = self.env.reset(seed=seed, options=options)
        return observation, {}

    def step(self, actions: Array) -> StepResult:
        """One tick."""
        *outcome, _ = self.env.step(actions)
        return *outcome, {}


def make_environment(context: Mapping[str, Any]) -> gym.vector.VectorEnv[Any, Any, Any]:
    """The cars of one runner in the world of a run, with rewards scaled as its settings say."""
    config = config_from_document(context["config"])
    options = discipline_of(config).world_options(config, discrete=False)
    env: Any = WithoutInfos(WorldVectorEnv(make_world(config.world, context["num_envs"], threads=1, **options)))
    return NormalizeReward(env, gamma=config.ppo.gamma) if config.normalize else env
