"""Races as a PettingZoo parallel environment: every car of one grid is an agent."""

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from pettingzoo import ParallelEnv

from hotlap.actions import checked_action
from hotlap.errors import ActionError, ConfigError, EnvironmentStateError
from hotlap.race.config import checked_cars
from hotlap.race.world import RaceWorld
from hotlap.racer.world import ACTION_SHAPE_MESSAGE
from hotlap.worlds import CLOSED_MESSAGE, NOT_RESET_MESSAGE, Array, registered

Agent = str
StepResult = tuple[dict[Agent, Array], dict[Agent, float], dict[Agent, bool], dict[Agent, bool], dict[Agent, Any]]


class RaceParallelEnv(ParallelEnv[Agent, Array, Array]):  # type: ignore[misc] # pettingzoo has no types
    """One grid whose cars `car_0` to `car_7` are agents; one that finished or retired leaves the agents.

    The options are those of `hotlap/Race-v0`, without opponents and slot.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "hotlap_race_v0", "render_modes": [], "is_parallelizable": True}
    render_mode = None

    def __init__(self, cars: int = 8, **rules: Any) -> None:
        for name in ("opponents", "learners", "slot"):
            if name in rules:
                raise ConfigError(f"{name} is no option here: every car of the grid is an agent.")
        self.world = RaceWorld(checked_cars(cars), cars=cars, learners=cars, opponents=(), threads=1, **rules)
        self.possible_agents = [f"car_{number}" for number in range(cars)]
        self.agents: list[Agent] = []
        self._action_spaces = {
            agent: spaces.Box(*self.world.action_bounds, dtype=np.float32) for agent in self.possible_agents
        }
        self._observation_spaces = {
            agent: spaces.Box(*self.world.observation_bounds, dtype=np.float32) for agent in self.possible_agents
        }
        self._generator: np.random.Generator | None = None
        self._closed = False

    def observation_space(self, agent: Agent) -> spaces.Box:
        """The same for every car."""
        return self._observation_spaces[agent]

    def action_space(self, agent: Agent) -> spaces.Box:
        """Steer, throttle, brake."""
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Agent, Array], dict[Agent, Any]]:
        """Begin a race from drawn slots; options may name the track, others are ignored as PettingZoo wants it."""
        if self._closed:
            raise EnvironmentStateError(CLOSED_MESSAGE)
        if self._generator is None or seed is not None:
            self._generator = np_random(seed)[0]
        self.agents = list(self.possible_agents)
        known = {key: value for key, value in (options or {}).items() if key == "track"}
        self.world.begin(self.world.count - 1, self._generator, known)
        return self._observations(), self._infos(self.world.reset_columns())

    def step(self, actions: dict[Agent, Array]) -> StepResult:
        """One tick of every car that still races."""
        if self._closed or (not self.agents and self._generator is None):
            raise EnvironmentStateError(CLOSED_MESSAGE if self._closed else NOT_RESET_MESSAGE)
        if not self.agents:
            return {}, {}, {}, {}, {}
        self.world.advance(self._rows(actions))
        out = self.world.out
        terminated = {agent: bool(out.terminated[self._number(agent)]) for agent in self.agents}
        truncated = {agent: bool(out.truncated[self._number(agent)]) for agent in self.agents}
        rewards = {agent: float(self.world.reward[self._number(agent)]) for agent in self.agents}
        observations, infos = self._observations(), self._infos(self.world.step_columns())
        self.agents = [agent for agent in self.agents if not terminated[agent] and not truncated[agent]]
        return observations, rewards, terminated, truncated, infos

    def close(self) -> None:
        """Refuse to drive from here on; a second time does nothing."""
        self._closed, self.agents = True, []

    def render(self) -> None:
        """Nothing is drawn."""

    def _rows(self, actions: dict[Agent, Array]) -> Array:
        """The actions by row; cars that are off the road need none."""
        rows = np.zeros((self.world.count, 3))
        for agent in self.agents:
            if agent not in actions:
                raise ActionError(f"no action for {agent}: give one for each of {', '.join(self.agents)}.")
            rows[self._number(agent)] = checked_action(actions[agent], ACTION_SHAPE_MESSAGE)
        return rows

    def _number(self, agent: Agent) -> int:
        return self.possible_agents.index(agent)

    def _observations(self) -> dict[Agent, Array]:
        seen = self.world.observation.astype(np.float32)
        return {agent: seen[self._number(agent)].copy() for agent in self.agents}

    def _infos(self, columns: dict[str, Array]) -> dict[Agent, Any]:
        return {
            agent: {key: column[self._number(agent)].item() for key, column in columns.items()} for agent in self.agents
        }


def parallel_env(world: str = "race", **options: Any) -> RaceParallelEnv:
    """A world in which all cars are agents, as a PettingZoo parallel environment; the options are the world's."""
    env: RaceParallelEnv = registered(world).part("parallel_env")(**options)
    return env
