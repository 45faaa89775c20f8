"""A world by its name as a Gymnasium VectorEnv that can draw itself: what `gym.make_vec` makes of our ids."""

from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from hotlap.errors import EnvironmentStateError
from hotlap.single_env import checked_render_mode
from hotlap.vector.gymnasium_env import WorldVectorEnv
from hotlap.worlds import BATCH_OPTIONS, CLOSED_MESSAGE, check_world_options, make_world, registered


class PicturedVectorEnv(WorldVectorEnv):
    """`num_envs` cars of the world a subclass names; the rules are those of its single environment.

    `threads` limits how many cores are used.
    """

    world_name: ClassVar[str]

    def __init__(
        self,
        num_envs: int,
        *,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **rules: Any,
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        check_world_options(self.world_name, rules, (*BATCH_OPTIONS, "render_mode", "autoreset_mode"))
        super().__init__(make_world(self.world_name, num_envs, **rules), autoreset_mode)
        self._renderer: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_renderer": None}

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """One picture per car, (height, width, 3), when made with `render_mode="rgb_array"`."""
        if self.closed:
            raise EnvironmentStateError(CLOSED_MESSAGE)
        if self.render_mode is None:
            return None
        if self._renderer is None:
            self._renderer = registered(self.world_name).part("renderer")(self.world)
        return tuple(self._renderer.draw(car) for car in range(self.num_envs))
