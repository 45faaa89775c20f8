"""What the house may know about a world: many cars advanced together, facts in columns; and the registry."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ActionError, ConfigError, did_you_mean

Array = NDArray[Any]
FINGERPRINT_DIGITS = 16
NOT_RESET_MESSAGE = "step() called before reset()"
CLOSED_MESSAGE = "Environment is closed"
"""What every environment says of a step too early or too late."""


class World(Protocol):
    """A batch of cars in one kind of world. It owns its arrays and overwrites them: adapters hand out copies."""

    name: str
    count: int
    observation_bounds: tuple[Array, Array]
    action_bounds: tuple[Array, Array]
    action_choices: Array
    """The actions there are to choose from, one a row; no row where an action is any point within the bounds."""
    observation: Array
    reward: Array
    terminated: Array
    truncated: Array

    def begin(self, car: int, rng: np.random.Generator, options: Mapping[str, Any] | None = None) -> None:
        """Start a new episode for one car; every random number comes from `rng`."""

    def advance(self, actions: Array) -> None:
        """One tick of every car. The actions are checked first: a wrong one raises and nothing moves."""

    def state_columns(self) -> dict[str, Array]:
        """All that cars carry from tick to tick, the live arrays themselves: to save them, and to write them back."""

    def look(self) -> None:
        """Recompute what the drivers see, after the state was written back."""

    def step_columns(self) -> dict[str, Array]:
        """What a step's info dictionaries say, as one new array per key."""

    def reset_columns(self) -> dict[str, Array]:
        """What a reset's info dictionaries say, as one new array per key."""

    def noteworthy(self) -> Array:
        """Which cars' infos deserve to be complete dictionaries this tick, apart from those that are done."""

    def extra_info(self, car: int) -> dict[str, Any]:
        """What a noteworthy tick says beyond the columns."""


# name -> module and function that makes a batch: a new world is one new row.
WORLDS: dict[str, tuple[str, str]] = {
    "racer": ("hotlap.racer.world", "RacerWorld"),
    "highway": ("hotlap.highway.world", "HighwayWorld"),
}


def is_whole(number: Any) -> bool:
    """Whether a value is an integer, of Python or numpy; True and False are none."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def as_array(actions: Any, message: str) -> Array:
    """Actions as one array; rows of different lengths make none and are refused with the message."""
    try:
        return np.asarray(actions)
    except ValueError as error:
        raise ActionError(message) from error


def checked_options(options: Any, known: Sequence[str]) -> Mapping[str, Any]:
    """Options of a reset by their names, unknown ones refused."""
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"reset options must be a mapping of names to values, not {type(options).__name__}.")
    for key in options or {}:
        if key not in known:
            raise ConfigError(f'no reset option "{key}".{did_you_mean(str(key), known)} Known: {", ".join(known)}.')
    return options or {}


def make_world(name: str, count: int, **options: Any) -> World:
    """A batch of `count` cars in the named world."""
    if name not in WORLDS:
        raise ConfigError(f'no world "{name}".{did_you_mean(name, WORLDS)} Known: {", ".join(WORLDS)}.')
    if not is_whole(count) or count < 1:
        raise ConfigError(f"a batch needs a whole number of cars, at least 1, not {count!r}.")
    threads = options.get("threads")
    if threads is not None and not (is_whole(threads) and threads >= 1):
        raise ConfigError(f"threads must be a whole number, at least 1, or None for all cores, not {threads!r}.")
    module, factory = WORLDS[name]
    make: Callable[..., World] = getattr(import_module(module), factory)
    return make(int(count), **options)


def fingerprint_of(name: str, facts: Mapping[str, Any]) -> str:
    """A world's name and sixteen hexadecimal digits that change with any of the facts about it."""
    return f"{name}:{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:FINGERPRINT_DIGITS]}"


def rounded(columns: Iterable[Array], to: float) -> list[list[Any]]:
    """Columns as whole multiples of a small number, so that another machine's last digits make no other world."""
    return [np.rint(column / to).astype(np.int64).tolist() for column in columns]
