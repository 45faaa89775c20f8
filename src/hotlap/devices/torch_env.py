"""Any world as torch tensors that are the kernels' own memory, with automatic resets, on the cores or on a GPU."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hotlap.devices.gpu_memory import GpuMemory
from hotlap.devices.host_memory import HostMemory
from hotlap.errors import ConfigError, EnvironmentStateError
from hotlap.worlds import (
    BATCH_OPTIONS,
    CLOSED_MESSAGE,
    NOT_RESET_MESSAGE,
    World,
    check_world_options,
    make_world,
    registered,
)

Array = NDArray[Any]
StepResult = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]
FINAL = ("final_observation", "final_return", "final_length", "final_count")


class TorchEnv:
    """Cars that begin their next episode in the step in which the last one ended.

    Starts are a function of the seed, the car's number and its episode. What `step` returns are views of memory that
    the next step overwrites: clone what is to be kept. Where an episode ended, the observation is the first of the
    next one, and `info` has the last of the old one as `final_observation`, with `final_return`, `final_length` and
    `final_count` (laps or missions). On a GPU nothing is checked or copied to the host within a step; an action that
    is no number counts as 0 there.
    """

    def __init__(self, world: World, device: str | torch.device = "cpu", seed: int = 0) -> None:
        self.world, self.num_envs, self.seed = world, world.count, seed
        self.device = checked_device(device)
        if self.device.type == "cuda" and not registered(world.name).on_gpu:
            raise ConfigError(f'the world {world.name} drives on the cores only. Use device="cpu".')
        if self.device.type == "cuda" and world.reason_against_gpu:
            raise ConfigError(f'{world.reason_against_gpu} Or use device="cpu".')
        self.memory: Any = (HostMemory if self.device.type == "cpu" else GpuMemory)(world, self.device)
        rollout, size = self.memory.group("rollout"), world.observation.shape[1]
        self.observation = rollout["observation"].view(self.num_envs, size)
        self.reward = rollout["reward"]
        self.outputs: Mapping[str, torch.Tensor] = self.memory.group("out")
        """What the last step says about every car, opponents included, by the names of the world's `StepOutputs`."""
        self.info = {name: rollout[name] for name in FINAL}
        self.info["final_observation"] = self.info["final_observation"].view(self.num_envs, size)
        self._result: StepResult = (self.observation, self.reward, *self.memory.flags(), self.info)
        self._running = self._closed = False

    def reset(self, seed: int | None = None) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Begin the first episode of every car, of a new seed or again of the old one."""
        if self._closed:
            raise EnvironmentStateError(CLOSED_MESSAGE)
        self.seed = self.seed if seed is None else seed
        self.world.reset(self.seed)
        self.memory.take_over()
        self._running = True
        return self.observation, self.info

    def step(self, actions: torch.Tensor) -> StepResult:
        """One tick of every car with actions of shape (cars, 3), or choices of shape (cars,)."""
        if not self._running:
            raise EnvironmentStateError(CLOSED_MESSAGE if self._closed else NOT_RESET_MESSAGE)
        self.memory.step(actions)
        return self._result

    def columns(self, wanted: Mapping[str, Array]) -> dict[str, torch.Tensor]:
        """The tensors for some of the world's own columns, by the same names."""
        return {name: self.memory.column(array) for name, array in wanted.items()}

    def state(self) -> dict[str, Array]:
        """A copy of all that the cars carry, on the host."""
        return self.memory.state()  # type: ignore[no-any-return]

    def put_state(self, columns: Mapping[str, Array]) -> None:
        """Go on from a state; one that cannot be is refused and changes nothing."""
        self.world.put_state(columns)
        self.world.rollout.observation[:] = self.world.observation.ravel().astype(np.float32)
        self.memory.take_over()
        self._running = not self._closed

    def close(self) -> None:
        """Let go of the memory; a second time does nothing."""
        if not self._closed:
            self.memory.close()
        self._closed, self._running = True, False


def checked_device(device: str | torch.device) -> torch.device:
    """The cores or a GPU that is there."""
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ConfigError(f'device must be "cpu" or "cuda", not {device!r}.') from error
    if found.type not in ("cpu", "cuda"):
        raise ConfigError(f'device must be "cpu" or "cuda", not {str(found)!r}.')
    if found.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError('torch finds no NVIDIA GPU here. Use device="cpu", or install a driver and a CUDA torch.')
    return found


def make_torch_env(world: str, count: int, device: str = "cpu", *, seed: int = 0, **options: Any) -> TorchEnv:
    """`count` cars in the named world as tensors on a device; the options are the world's."""
    check_world_options(world, options, (*BATCH_OPTIONS, "device", "seed"))
    return TorchEnv(make_world(world, count, **options), device, seed)
