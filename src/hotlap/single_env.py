"""What the Gymnasium environments of all worlds have in common: one car that begins, steps, is kept and is drawn."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, NoReturn

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from hotlap.actions import Action
from hotlap.errors import ConfigError, EnvironmentStateError, StateError
from hotlap.worlds import CLOSED_MESSAGE, NOT_RESET_MESSAGE, check_world_options, registered

Observation = NDArray[np.float32]
RENDER_MODES = ["rgb_array"]
StepResult = tuple[Observation, float, bool, bool, dict[str, Any]]


class Snapshot(NamedTuple):
    """An environment at one moment of an episode: the state of its world and of its random numbers."""

    columns: dict[str, NDArray[Any]]
    """By name, as `state_columns` of the world has them."""
    generator: Mapping[str, Any]
    """The state of `np_random`."""


class SingleEnv(gym.Env[Observation, Any]):
    """One car of the world a subclass names; the subclass makes `world` and checks its actions.

    `snapshot` and `restore` go back to a moment, as often as wanted: what follows is the same to the bit, starts of
    later episodes included. Pickles and deep copies drive on in the same way, in this process or another.
    """

    world_name: ClassVar[str]
    own_options: ClassVar[tuple[str, ...]] = ("render_mode",)
    """What it takes beside the options of its world."""
    world: Any

    def __init__(self, render_mode: str | None, options: dict[str, Any]) -> None:
        check_world_options(self.world_name, options, self.own_options)
        self.render_mode = checked_render_mode(render_mode)
        self._running = self._closed = False
        self._renderer: Any = None

    def checked_action(self, action: Any) -> Action:
        """The three numbers an action stands for; a wrong one raises."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; what options may name for this one is the world's."""
        if self._closed:
            self._refuse()
        super().reset(seed=seed)
        self.world.begin(0, self.np_random, options)
        self._running = True
        return self._seen(), {key: column.item() for key, column in self.world.reset_views.items()}

    def step(self, action: Any) -> StepResult:
        """One step. A wrong action raises and nothing moves."""
        if not self._running:
            self._refuse()
        world = self.world
        first, second, third = world.batch.actions
        first[0], second[0], third[0] = self.checked_action(action)
        world.batch.step()
        info = {key: column.item() for key, column in world.step_views.items()}
        info.update(world.extra_info(0))
        return self._seen(), world.reward.item(), world.terminated.item(), world.truncated.item(), info

    def _seen(self) -> Observation:
        seen: Observation = self.world.observation[0].astype(np.float32)
        return seen

    def snapshot(self) -> Snapshot:
        """This moment of the episode, to come back to; it can be pickled."""
        if not self._running:
            self._refuse()
        return Snapshot(self.world.copied_state(), self.np_random.bit_generator.state)

    def restore(self, snapshot: Snapshot) -> Observation:
        """Go back to a moment of this environment or of one made with the same options; what the driver sees there.

        A snapshot of another world, or one that was changed to what cannot be, is refused and nothing moves.
        """
        if self._closed:
            self._refuse()
        if not isinstance(snapshot, Snapshot):
            raise StateError(f"restore() takes what snapshot() gave, not {type(snapshot).__name__}.")
        generator = np.random.Generator(np.random.PCG64(0))
        try:
            generator.bit_generator.state = snapshot.generator
        except (KeyError, TypeError, ValueError) as error:
            raise StateError(f"the random numbers of the snapshot cannot be used: {error!s:.80}.") from error
        self.world.put_state(snapshot.columns)
        self.np_random = generator
        self._running = True
        return self._seen()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_renderer": None}

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


def checked_render_mode(render_mode: str | None) -> str | None:
    """None or a mode that is there."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ConfigError(f"render_mode must be None or {', '.join(RENDER_MODES)}, not {render_mode!r}.")
    return render_mode
