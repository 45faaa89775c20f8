"""Many racing cars as a Gymnasium VectorEnv: what `gym.make_vec("hotlap/Racer-v0", num_envs=n)` makes."""

from importlib import import_module
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from hotlap.errors import EnvironmentStateError
from hotlap.racer.env import RacerEnv, checked_render_mode
from hotlap.racer.world import RacerWorld
from hotlap.vector.gymnasium_env import WorldVectorEnv
from hotlap.worlds import make_world


class RacerVectorEnv(WorldVectorEnv):
    """`num_envs` cars that never meet; the rules are RacerEnv's: track, config, observation, action_delay, start.

    With several tracks every episode draws its own. `threads` limits how many cores are used.
    """

    metadata: dict[str, Any] = RacerEnv.metadata
    world: RacerWorld

    def __init__(
        self,
        num_envs: int,
        *,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **rules: Any,
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        super().__init__(make_world("racer", num_envs, **rules), autoreset_mode)
        self._renderer: Any = None

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """One picture per car, (height, width, 3), when made with `render_mode="rgb_array"`."""
        if self.closed:
            raise EnvironmentStateError("Environment is closed")
        if self.render_mode is None:
            return None
        if self._renderer is None:
            self._renderer = import_module("hotlap.racer.render").Renderer(self.world)
        return tuple(self._renderer.draw(car) for car in range(self.num_envs))
