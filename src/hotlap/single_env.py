"""What the Gymnasium environments of all worlds have in common: one car that begins, is drawn and is closed."""

from typing import Any, ClassVar, NoReturn

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError, EnvironmentStateError
from hotlap.worlds import CLOSED_MESSAGE, NOT_RESET_MESSAGE, registered

Observation = NDArray[np.float32]
StepResult = tuple[Observation, float, bool, bool, dict[str, Any]]


class SingleEnv(gym.Env[Observation, Any]):
    """One car of the world a subclass names; the subclass makes `world`, begins episodes and steps."""

    world_name: ClassVar[str]
    world: Any

    def __init__(self, render_mode: str | None) -> None:
        self.render_mode = checked_render_mode(render_mode, self.metadata["render_modes"])
        self._running = self._closed = False
        self._renderer: Any = None

    def render(self) -> NDArray[np.uint8] | None:
        """The car from above, (height, width, 3), when made with `render_mode="rgb_array"`."""
        if self._closed:
            self._refuse()
        if self.render_mode is None:
            gym.logger.warn('render() draws only when the environment is made with render_mode="rgb_array".')
            return None
        if self._renderer is None:
            self._renderer = registered(self.world_name).part("renderer")(self.world)
        picture: NDArray[np.uint8] = self._renderer.draw(0)
        return picture

    def close(self) -> None:
        """Let go of everything; a second time does nothing."""
        self._closed, self._running, self._renderer = True, False, None

    def _refuse(self) -> NoReturn:
        """A call at the wrong moment: before the first reset, or after close."""
        raise EnvironmentStateError(CLOSED_MESSAGE if self._closed else NOT_RESET_MESSAGE)


def checked_render_mode(render_mode: str | None, known: list[str]) -> str | None:
    """None or a mode that is there."""
    if render_mode is not None and render_mode not in known:
        raise ConfigError(f"render_mode must be None or one of {', '.join(known)}, not {render_mode!r}.")
    return render_mode
