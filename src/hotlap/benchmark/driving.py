"""Cars that drive as a training run would have them: half by what they see, half at random but smoothly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
MEMORY = 0.9
"""How much of the last random action is left in the next: a change of mind takes about ten ticks."""

PUSHING_ON = np.array([0.0, 0.6, -0.3])
"""Random cars lean towards the throttle, or they would stand around."""
LOWEST = np.array([-1.0, 0.0, 0.0])


def follow_rays(observation: Array) -> Array:
    """Away from the nearer wall, slower before a wall ahead: a sensible driver of the classic layout."""
    right, ahead, left = observation[:, 0:4].sum(axis=1), observation[:, 4], observation[:, 5:9].sum(axis=1)
    return np.stack([1.5 * (right - left), np.where(ahead > 0.3, 1.0, 0.2), np.where(ahead < 0.2, 0.6, 0.0)], axis=1)


def follow_road(observation: Array) -> Array:
    """Back to the centre line and along it, slower when askew: a sensible driver of the full layout."""
    offset, askew = observation[:, 1], observation[:, 2]
    return np.stack([2.0 * offset + 3.0 * askew, 1.0 - np.abs(askew), np.zeros(len(offset))], axis=1)


FOLLOW = {"classic": follow_rays, "full": follow_road}


class MixedDrivers:
    """Actions for a batch; the same seed and the same observations give the same actions."""

    def __init__(self, count: int, layout: str, seed: int = 0) -> None:
        self._follow = FOLLOW[layout]
        self._rng = np.random.default_rng(seed)
        self._mood = np.zeros((count // 2, 3))
        self._actions = np.zeros((count, 3))

    def actions(self, observation: Array) -> Array:
        """Sensible actions for every other car, smooth random ones for those between, so that cores share fairly."""
        self._mood = MEMORY * self._mood + (1.0 - MEMORY) * self._rng.uniform(-3.0, 3.0, self._mood.shape)
        self._actions[0::2] = self._follow(observation[0::2])
        self._actions[1::2] = self._mood + PUSHING_ON
        return self._actions.clip(LOWEST, 1.0).astype(np.float32)
