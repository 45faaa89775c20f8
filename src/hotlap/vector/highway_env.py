"""Many roads as a Gymnasium VectorEnv: what `gym.make_vec("hotlap/Highway-v0", num_envs=n)` makes."""

from typing import Any

from hotlap.highway.env import HighwayEnv
from hotlap.highway.world import HighwayWorld
from hotlap.vector.pictured_env import PicturedVectorEnv


class HighwayVectorEnv(PicturedVectorEnv):
    """`num_envs` roads that know nothing of each other; the rules are HighwayEnv's.

    They are config, vehicles, missions, supervisor and discrete; `threads` limits how many cores are used.
    """

    metadata: dict[str, Any] = HighwayEnv.metadata
    world_name = "highway"
    world: HighwayWorld
