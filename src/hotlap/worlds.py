"""What the house may know about a world: many cars advanced together, facts in columns; and where worlds register."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError, did_you_mean
from hotlap.settings import is_whole

if TYPE_CHECKING:  # it brings the compiler, which `hotlap --help` does without
    from hotlap.episodes import Rollout

Array = NDArray[Any]
FINGERPRINT_DIGITS = 16
ROUNDED_TO = 1e-5
"""What a fingerprint keeps of a drive: another machine's last digits make no other world."""
LARGEST_WEIGHT = 1e9
"""How much a part of a reward may count, in either direction."""
NOT_RESET_MESSAGE = "step() called before reset()"
CLOSED_MESSAGE = "Environment is closed"
"""What every environment says of a step too early or too late."""
BATCH_OPTIONS = ("threads", "stagger")
"""What every batch takes: the most cores it may use (None: all), and whether first episodes are cut off at random."""


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
    rollout: "Rollout"
    """What `reset` and `advance_and_reset` hand to a learner."""
    reason_against_gpu: str
    """Why this one needs the cores, where it does."""

    def begin(self, car: int, rng: np.random.Generator, options: Mapping[str, Any] | None = None) -> None:
        """Start a new episode for one car; every random number comes from `rng`."""

    def advance(self, actions: Array) -> None:
        """One tick of every car. The actions are checked first: a wrong one raises and nothing moves."""

    def reset(self, seed: int, first_car: int = 0) -> None:
        """Start the first episode of every car. From here on episodes are a function of seed, car and episode."""

    def advance_and_reset(self, actions: Array) -> None:
        """One tick of every car; where an episode ended, the next begins and `rollout` says how the last one ended."""

    def state_columns(self) -> dict[str, Array]:
        """All that cars carry from tick to tick, the live arrays themselves: to save them."""

    def put_state(self, columns: Mapping[str, Array]) -> None:
        """Write saved columns back and show the drivers; a `StateError` when one cannot be, and nothing is changed."""

    def look(self) -> None:
        """Recompute what the drivers see, after the state was changed by hand."""

    def step_columns(self) -> dict[str, Array]:
        """What a step's info dictionaries say, as one new array per key."""

    def reset_columns(self) -> dict[str, Array]:
        """What a reset's info dictionaries say, as one new array per key."""

    def noteworthy(self) -> Array:
        """Which cars' infos deserve to be complete dictionaries this tick, apart from those that are done."""

    def extra_info(self, car: int) -> dict[str, Any]:
        """What a noteworthy tick says beyond the columns."""


class ObservationSpec(NamedTuple):
    """What a world shows its drivers: how many numbers each layout has, and the physics they are trained in."""

    layouts: Mapping[str, int]
    physics_fingerprint: Callable[[str], str]
    """Of drivers that see a layout."""


@dataclass(frozen=True)
class Registration:
    """Everything the rest of the house asks of a world. Parts are `module:name`, imported when first asked for."""

    name: str
    batch: str
    """Makes a batch of cars: called with their number and the world's options, it gives a `World`."""
    observation: str = ""
    """Its `ObservationSpec`."""
    options: str = ""
    """What a batch takes beside `count` and BATCH_OPTIONS: a dataclass with a field for each option."""
    renderer: str = ""
    """Draws a car: called with a batch, it gives an object with `draw(car)`."""
    env: str = ""
    """Its Gymnasium environment."""
    vector_env: str = ""
    """Its Gymnasium vector environment."""
    parallel_env: str = ""
    """Its PettingZoo environment, where all cars are agents."""
    env_ids: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The Gymnasium ids of the environment, each with the options it stands for."""
    on_gpu: bool = False
    """Whether all that a tick needs is in its kernel, a thread for each car, road or grid: it drives on a GPU too."""
    training: str = ""
    """How it is trained: a `hotlap.training.world_training.WorldTraining`."""
    evaluation: str = ""
    """How its drivers are evaluated, here or on a cluster: a `hotlap.evaluation.world_evaluation.WorldEvaluation`."""
    browser: str = ""
    """How a page runs it and is told about its runs: a `hotlap.export.world_browser.WorldBrowser`."""

    def part(self, name: str) -> Any:
        """A part by the name of its field."""
        if not getattr(self, name):
            has = ", ".join(each.name for each in fields(self) if getattr(self, each.name))
            raise ConfigError(f"the world {self.name} is registered without {name}, which this needs. It has: {has}.")
        module, attribute = getattr(self, name).split(":")
        return getattr(import_module(module), attribute)


WORLDS: dict[str, Registration] = {}


def register_world(registration: Registration) -> None:
    """Make a world known to the whole house; a name stands for one world only."""
    if registration.name in WORLDS:
        raise ConfigError(f'there is a world "{registration.name}" already. Choose another name.')
    WORLDS[registration.name] = registration


def registered(name: str) -> Registration:
    """The registration of a world by its name or one of its Gymnasium ids, or an error with the nearest."""
    homes = {**{key: each for each in WORLDS.values() for key in each.env_ids}, **WORLDS}
    if name not in homes:
        known = (*WORLDS, *(key for key in homes if key not in WORLDS))
        raise ConfigError(f'no world "{name}".{did_you_mean(str(name), known)} Known: {", ".join(known)}.')
    return homes[name]


register_world(
    Registration(
        name="racer",
        batch="hotlap.racer.world:RacerWorld",
        observation="hotlap.racer.fingerprint:OBSERVATION_SPEC",
        options="hotlap.racer.options:RacerOptions",
        renderer="hotlap.racer.render:Renderer",
        env="hotlap.racer.env:RacerEnv",
        vector_env="hotlap.vector.racer_env:RacerVectorEnv",
        env_ids={"hotlap/Racer-v0": {}},
        on_gpu=True,
        training="hotlap.training.racing:TRAINING",
        evaluation="hotlap.evaluation.racer.evaluation:EVALUATION",
        browser="hotlap.export.racer_browser:BROWSER",
    )
)
register_world(
    Registration(
        name="race",
        batch="hotlap.race.world:RaceWorld",
        observation="hotlap.race.fingerprint:OBSERVATION_SPEC",
        options="hotlap.race.options:RaceOptions",
        env="hotlap.race.env:RaceEnv",
        vector_env="hotlap.vector.race_env:RaceVectorEnv",
        parallel_env="hotlap.vector.parallel_env:RaceParallelEnv",
        env_ids={"hotlap/Race-v0": {}},
        on_gpu=True,
        training="hotlap.training.race:TRAINING",
        evaluation="hotlap.evaluation.race.evaluation:EVALUATION",
        browser="hotlap.export.race_browser:BROWSER",
    )
)
register_world(
    Registration(
        name="highway",
        batch="hotlap.highway.world:HighwayWorld",
        observation="hotlap.highway.fingerprint:OBSERVATION_SPEC",
        options="hotlap.highway.options:HighwayOptions",
        renderer="hotlap.highway.render:Renderer",
        env="hotlap.highway.env:HighwayEnv",
        vector_env="hotlap.vector.highway_env:HighwayVectorEnv",
        env_ids={"hotlap/Highway-v0": {}, "hotlap/HighwayDiscrete-v0": {"discrete": True}},
        on_gpu=True,
        training="hotlap.training.highway:TRAINING",
        evaluation="hotlap.evaluation.highway.evaluation:EVALUATION",
        browser="hotlap.export.highway_browser:BROWSER",
    )
)


def check_known(names: Iterable[str], known: Sequence[str], what: str) -> None:
    """Refuse a name that is none of the known ones."""
    for name in names:
        if name not in known:
            raise ConfigError(
                f'no {what} "{name!s:.80}".{did_you_mean(str(name)[:80], known)} Known: {", ".join(known)}.'
            )


def checked_options(options: Any, known: Sequence[str]) -> Mapping[str, Any]:
    """Options of a reset by their names, unknown ones refused."""
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"reset options must be a mapping of names to values, not {type(options).__name__}.")
    check_known(options or {}, known, "reset option")
    return options or {}


def check_world_options(world: str, given: Iterable[str], own: Sequence[str]) -> None:
    """Refuse options that neither a world knows nor the one who makes it, whose own are named."""
    registration = registered(world)
    if registration.options:
        known = [each.name for each in fields(registration.part("options"))]
        check_known(given, [*known, *own], f"{registration.name} option")


def make_world(name: str, count: int, **options: Any) -> World:
    """A batch of `count` cars in a world, by its name or one of its Gymnasium ids."""
    registration = registered(name)
    if not is_whole(count) or count < 1:
        raise ConfigError(f"a batch needs a whole number of cars, at least 1, not {count!r}.")
    threads = options.get("threads")
    if threads is not None and not (is_whole(threads) and threads >= 1):
        raise ConfigError(f"threads must be a whole number, at least 1, or None for all cores, not {threads!r}.")
    check_world_options(name, options, BATCH_OPTIONS)
    make: Callable[..., World] = registration.part("batch")
    return make(int(count), **{**registration.env_ids.get(name, {}), **options})


def fingerprint_of(name: str, facts: Mapping[str, Any]) -> str:
    """A world's name and sixteen hexadecimal digits that change with any of the facts about it."""
    return f"{name}:{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:FINGERPRINT_DIGITS]}"


def rounded(columns: Iterable[Array]) -> list[list[Any]]:
    """Columns as whole multiples of a small number, so that another machine's last digits make no other world."""
    return [np.rint(column / ROUNDED_TO).astype(np.int64).tolist() for column in columns]
