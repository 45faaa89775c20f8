"""Simple drivers of the highway to compare with: one that does nothing, one at random, one that only looks ahead."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hotlap.highway.physics import EPISODE_DECISIONS, HARD_BRAKE_MPS2, MAX_ACCEL_MPS2, TOP_SPEED_MPS
from hotlap.highway.sensors import FIELDS, LANES_SCALE, TARGET_GAP_S, gap_seen_m
from hotlap.policies.policy import Array, FloatArray

ACTION_KEY = 7
"""Sets a random driver's numbers apart from those of the episode with the same seed."""
BRAKES_IN = 0.1
"""The share of decisions in which a random driver brakes."""
SPEED_S, GAP_S = 1.0, 2.0
"""So quickly the cruise heuristic corrects its speed, and its gap."""


class ZeroDriver:
    """Touches nothing: it rolls on at the speed it has."""

    name, layout = "zero", "highway"

    def reset(self, cars: Array) -> None:
        """Nothing is remembered."""

    def act(self, observation: Array, world: Any = None) -> Array:  # noqa: ARG002
        """No throttle, no brake, no lane."""
        return np.zeros((len(observation), 3))


class RandomDriver:
    """Everything at random at every decision; a car's actions follow from the seed of its episode alone."""

    name, layout = "random", "highway"

    def __init__(self, seeds: Sequence[int] = (0,)) -> None:
        draws = [np.random.default_rng([seed, ACTION_KEY]).random((EPISODE_DECISIONS, 4)) for seed in seeds]
        throttle, brake, brakes, lane = np.moveaxis(np.array(draws), -1, 0)
        brake = np.where(brakes < BRAKES_IN, brake, 0.0)
        self._actions: FloatArray = np.stack([throttle, brake, 2.0 * lane - 1.0], axis=-1)
        self._decision = 0

    def reset(self, cars: Array) -> None:  # noqa: ARG002
        """The same actions again."""
        self._decision = 0

    def act(self, observation: Array, world: Any = None) -> Array:  # noqa: ARG002
        """Throttle from 0 to 1 and lane request from -1 to 1 evenly, and now and then the brake: else it would park."""
        actions = self._actions[:, self._decision % EPISODE_DECISIONS]
        self._decision += 1
        return np.resize(actions, (len(observation), 3))


class CruiseHeuristic:
    """Holds the mission's speed and gap, and asks for the mission's lane without looking who is there."""

    name, layout = "cruise", "highway"

    def reset(self, cars: Array) -> None:
        """Nothing is remembered."""

    def act(self, observation: Array, world: Any = None) -> Array:  # noqa: ARG002
        """In proportion to what is missing of speed and gap."""
        seen: dict[str, Any] = {name: np.asarray(observation, np.float64)[:, k] for k, name in enumerate(FIELDS)}
        speed = seen["speed"] * TOP_SPEED_MPS
        wanted = np.minimum(seen["target_speed"], seen["lane_limit"]) * TOP_SPEED_MPS
        spare = gap_seen_m(seen["own_gap_ahead"]) - seen["target_gap"] * TARGET_GAP_S * speed
        follows = seen["own_gap_ahead"] < 1.0
        wanted = np.where(follows, np.minimum(wanted, speed + spare / GAP_S), wanted)
        accel = np.clip((wanted - speed) / SPEED_S, -HARD_BRAKE_MPS2, MAX_ACCEL_MPS2)
        to_go = seen["target_lane_offset"] * LANES_SCALE
        lane = np.where(np.abs(to_go) > 0.5, np.sign(to_go), 0.0)
        return np.column_stack(
            [np.clip(accel / MAX_ACCEL_MPS2, 0.0, 1.0), np.clip(-accel / HARD_BRAKE_MPS2, 0.0, 1.0), lane]
        )
