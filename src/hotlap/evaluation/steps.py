"""Every step of a drive as a learner sees it: what was seen, done and paid, for imitation and offline learning."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.policies import Policy

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class EpisodeSteps:
    """One episode of n steps."""

    observations: Array
    """(n + 1, size), float32: before each step, and after the last."""
    actions: Array
    """(n, 3), in the precision they were driven with, within the bounds of the world."""
    rewards: Array
    terminations: Array
    truncations: Array
    """The last step is one of both: a drive that was over, as after its laps, counts as truncated."""
    infos: Mapping[str, Array]
    """What a reset's info says, (n + 1,) each; on the highway the mission is in it."""
    seed: int | None = None
    """`env.reset(seed=…)` with it begins the same episode."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What `env.reset(options=…)` took."""

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self.rewards)


class Recording(NamedTuple):
    """Episodes and the environment they were driven in; they are driven when they are asked for."""

    driver: str
    env_id: str
    env_options: Mapping[str, Any]
    episodes: Iterator[EpisodeSteps]


class RecordingDriver:
    """Drives as another driver does, and keeps what it saw, did and was paid."""

    def __init__(self, driver: Policy) -> None:
        self.driver, self.name, self.layout = driver, driver.name, driver.layout
        self._moments: list[dict[str, Array]] = []
        self._steps: list[dict[str, Array]] = []
        self._world: Any = None

    def reset(self, cars: Array) -> None:
        """New episodes begin."""
        self.driver.reset(cars)

    def act(self, observation: Array, world: Any) -> Array:
        """What the driver does, clamped as the world clamps it."""
        self._note(world)
        actions: Array = np.clip(self.driver.act(observation, world), *world.action_bounds)
        self._steps.append({"actions": actions.copy()})
        return actions

    def _note(self, world: Any) -> None:
        """What the last step came to, and what the cars look like now."""
        self._world = world
        if self._steps:
            flags = {"terminations": world.terminated.copy(), "truncations": world.truncated.copy()}
            self._steps[-1].update(rewards=world.reward.copy(), **flags)
        infos = {name: column.copy() for name, column in world.reset_views.items()}
        self._moments.append({"observations": world.observation.astype(np.float32), **infos})

    def episodes(self, lengths: Array) -> Iterator[EpisodeSteps]:
        """The first steps of every car, so many of each; asked for once, when the drive is over."""
        self._note(self._world)
        moments, steps = (_stacked(rows) for rows in (self._moments, self._steps))
        seen = moments.pop("observations")
        for car, length in enumerate(np.asarray(lengths).tolist()):
            own: dict[str, Any] = {name: column[:length, car] for name, column in steps.items()}
            own["truncations"] = own["truncations"].copy()
            own["truncations"][-1] |= not own["terminations"][-1]
            infos = {name: column[: length + 1, car] for name, column in moments.items()}
            yield EpisodeSteps(seen[: length + 1, car], **own, infos=infos)


def _stacked(rows: list[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}
