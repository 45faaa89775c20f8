"""A world's actions as a Gymnasium space."""

from typing import Any

import numpy as np
from gymnasium import spaces

from hotlap.worlds import World


def action_space(world: World) -> spaces.Space[Any]:
    """A choice of so many, or any point within the bounds."""
    if len(world.action_choices):
        return spaces.Discrete(len(world.action_choices))
    return spaces.Box(*world.action_bounds, dtype=np.float32)
