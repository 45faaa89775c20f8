"""What a session drives: a single car with JSON replies as the original's, or a batch of cars with binary ones."""

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from hotlap.actions import Action
from hotlap.bridge.batch_messages import (
    LAP_CLEAN,
    LAP_FINISHED,
    TERMINATED,
    TRUNCATED,
    BatchShape,
    StepArrays,
    new_step,
    pack_reset,
    unpack_actions,
)
from hotlap.bridge.json_text import StepResult
from hotlap.bridge.requests import WorldRules
from hotlap.errors import BridgeError
from hotlap.racer.world import RacerWorld

CARS_AT_ONCE = 32
"""How many cars begin an episode before others have their turn: about a millisecond of work."""
CAR_STEPS_AT_ONCE = 512
"""How many cars are driven by a tick before others have theirs: about as much."""
LAP_KEYS = ("lapTicks", "lapClean")
FIRST = itemgetter(0)
one_at_a_time = threading.Lock()


def build_world(count: int, rules: WorldRules, **options: Any) -> RacerWorld:
    """A world for some rules; the tables of its tracks are shared with every other world on them."""
    driven: dict[str, Any] = {"observation": rules.observation, "car": rules.car, "assists": rules.assists}
    return RacerWorld(count, rules.tracks, rules.config, **driven, **options)


@cache
def preparation(car: str, track: str) -> threading.Thread:
    """Compiles the kernels of a car and lays out a track for it, once, in a thread that nobody else waits for."""

    def build() -> None:
        with one_at_a_time:
            RacerWorld(1, track, car=car)

    thread = threading.Thread(target=build, name=f"prepare {car} on {track}", daemon=True)
    thread.start()
    return thread


def preparing(rules: WorldRules) -> list[threading.Thread]:
    """What must be waited for before a world with these rules can be built in a moment."""
    threads = [preparation(rules.car, track) for track in dict.fromkeys(rules.tracks)]
    return [thread for thread in threads if thread.is_alive()]


@cache
def step_info_type(names: tuple[str, ...]) -> type[msgspec.Struct]:
    """A step's info: the world's keys in their order, and those of a lap, left out where none was finished."""
    lap = [(name, Any, msgspec.UNSET) for name in LAP_KEYS]
    return msgspec.defstruct("StepInfo", [*names, *lap])


def views(columns: Iterable[NDArray[Any]]) -> list[Any]:
    """The same memory as Python sees it: reading or writing one number takes two thirds of the time."""
    return [memoryview(column) for column in columns]  # type: ignore[arg-type]


class SingleCar:
    """One car, reset and stepped by JSON messages. Its generator is that of the car it replaces."""

    def __init__(self, rules: WorldRules, previous: "SingleCar | None" = None) -> None:
        self.rules = rules
        self.world = build_world(1, rules, threads=1)
        self.generator: np.random.Generator = np.random.default_rng() if previous is None else previous.generator
        world = self.world
        self._actions = views(world.batch.actions)
        self._observation, *self._facts, self._lap_complete = views(
            (world.out.observation, world.reward, world.terminated, world.truncated, world.out.lap_complete)
        )
        self._info = step_info_type(tuple(world.step_views))
        self._info_numbers = views(world.step_views.values())

    def begin(self, seed: int | None, options: Mapping[str, Any]) -> None:
        """Start an episode; a seed gives a new generator."""
        generator = self.generator if seed is None else np.random.default_rng(seed)
        self.world.begin(0, generator, options)
        self.generator = generator

    def drive(self, action: Action, *, lap_info: bool) -> StepResult:
        """One tick and what came of it; a client that knows of it is told of a finished lap."""
        steer, throttle, brake = self._actions
        steer[0], throttle[0], brake[0] = action
        self.world.batch.step()
        reward, terminated, truncated = self._facts
        info = self._info(*map(FIRST, self._info_numbers))
        if lap_info and self._lap_complete[0]:
            info = msgspec.structs.replace(info, **self.world.extra_info(0))
        return StepResult(self._observation.tolist(), reward[0], terminated[0], truncated[0], info)

    def observation(self) -> list[float]:
        """What the driver sees, in full precision."""
        seen: list[float] = self.world.out.observation.tolist()
        return seen

    def reset_info(self) -> dict[str, Any]:
        """The five keys of a reset's info."""
        return {key: column.item() for key, column in self.world.reset_views.items()}


class BatchOfCars:
    """Many cars, stepped by one binary message and begun again as soon as they are done.

    What takes long is a generator: it stops after every few cars, so that a server can turn to others.
    """

    def __init__(
        self, count: int, rules: WorldRules, options: Mapping[str, Any], crowded: Callable[[], bool] = lambda: False
    ) -> None:
        unfit = sorted(set(options) - {"start", "action_delay"})
        if unfit:
            raise BridgeError(f"options of a batch are start and action_delay; {unfit[0]} belongs into batch_reset")
        self.world = build_world(count, rules, **options)
        self.shape = BatchShape.of_world(self.world)
        self.crowded = crowded
        self.generators: list[np.random.Generator] = []
        self.running = False

    def reset(self, seed: int | None, options: Sequence[Mapping[str, Any]]) -> Generator[None, None, bytes]:
        """A new episode for every car; car i is seeded with seed + i. One set of options for all, or one each."""
        world, count = self.world, self.world.count
        if len(options) not in (1, count):
            raise BridgeError(f"options must be one object or a list of {count}, one per car, not {len(options)}")
        each = options if len(options) == count else list(options) * count
        self.running = False  # refused half-way, it waits for another reset
        if seed is not None:
            self.generators = []
        for car in range(count):
            if car == len(self.generators):
                self.generators.append(np.random.default_rng(None if seed is None else seed + car))
            world.begin(car, self.generators[car], each[car])
            if car % CARS_AT_ONCE == 0:
                yield
        self.running = True
        return pack_reset(self.shape, world)

    def step(self, payload: bytes) -> Generator[None, None, bytearray]:
        """One tick of every car; those that are done begin again, and their last observations are in the reply."""
        world = self.world
        world.take_actions(unpack_actions(self.shape, payload))
        yield from self._drive()
        done = np.flatnonzero(world.terminated | world.truncated)
        message, arrays = new_step(self.shape, len(done))
        self._write_facts(arrays)
        arrays.done_car[:] = done
        arrays.last_observation[:] = world.observation[done]
        for begun, car in enumerate(done.tolist(), 1):
            world.begin(car, self.generators[car])
            if begun % CARS_AT_ONCE == 0:
                yield
        arrays.observation[:] = world.observation
        return message

    def _drive(self) -> Generator[None, None, None]:
        """One tick of every car: in slices where others wait, else on all cores at once."""
        batch = self.world.batch
        if not self.crowded():
            batch.step()
            return
        for first in range(0, batch.count, CAR_STEPS_AT_ONCE):
            batch.step_part(first, min(first + CAR_STEPS_AT_ONCE, batch.count))
            yield

    def _write_facts(self, arrays: StepArrays) -> None:
        """Reward, info and flags of the tick just driven, before anybody begins again."""
        world, out = self.world, self.world.out
        arrays.reward[:] = world.reward
        for row, column in zip(arrays.columns, (*world.step_views.values(), out.last_lap_ticks), strict=True):
            row[:] = column
        arrays.flags[:] = (
            out.terminated * np.uint8(TERMINATED)
            | out.truncated * np.uint8(TRUNCATED)
            | out.lap_complete * np.uint8(LAP_FINISHED)
            | out.lap_clean * np.uint8(LAP_CLEAN)
        )
