"""Many racing cars as a Gymnasium VectorEnv: what `gym.make_vec("hotlap/Racer-v0", num_envs=n)` makes."""

from typing import Any

from hotlap.racer.env import RacerEnv
from hotlap.racer.world import RacerWorld
from hotlap.vector.pictured_env import PicturedVectorEnv


class RacerVectorEnv(PicturedVectorEnv):
    """`num_envs` cars that never meet; the rules are RacerEnv's: track, config, observation, action_delay, start.

    With several tracks every episode draws its own. `threads` limits how many cores are used.
    """

    metadata: dict[str, Any] = RacerEnv.metadata
    world_name = "racer"
    world: RacerWorld
