"""Many races as a Gymnasium VectorEnv: what `gym.make_vec("hotlap/Race-v0", num_envs=n)` makes."""

from typing import Any

from hotlap.race.env import RaceEnv
from hotlap.race.world import RaceWorld
from hotlap.vector.pictured_env import PicturedVectorEnv


class RaceVectorEnv(PicturedVectorEnv):
    """`num_envs` races with one learner each; the rules are RaceEnv's. `threads` limits how many cores are used."""

    metadata: dict[str, Any] = RaceEnv.metadata
    world_name = "race"
    world: RaceWorld
