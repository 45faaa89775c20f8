"""Orders as sentences over the whole grammar, drawn from seeds: what the order evaluation says to a driver."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Draw = np.random.Generator
KINDS = (
    "speed",
    "speed_change",
    "gap",
    "speed_and_gap",
    "lane",
    "lanes",
    "overtake",
    "stop",
    "pull_over",
    "change_of_mind",
)
"""The kinds of orders, in the order of the tables."""
SPEEDS = (
    "cruise at {mph}",
    "set the ACC to {mph} mph",
    "regulate the speed to {mph} mph",
    "drive at {kmh} km/h",
    "go {mps} metres per second",
    "please bring the speed to {mph} miles per hour",
)
CHANGES = (
    "go {less} mph faster",
    "reduce current speed by {less} mph",
    "add {less} mph to the speed",
    "subtract {little} metres per second from our speed",
    "{percent} percent slower please",
    "a bit slower",
    "slow down by {little} m/s",
)
GAPS = (
    "keep {gap} seconds",
    "set the gap to {gap} seconds",
    "leave {gap} seconds to the car ahead",
    "increase the gap by {metres} metres",
    "keep a gap of {cars} car lengths",
    "set the following distance to {far} metres",
)
BOTH = (
    "cruise at {mph}, keep {gap} seconds",
    "set the speed to {mph} mph and the gap to {gap} seconds",
    "ACC at {mph} mph with {gap} seconds of headway",
)
LANE = ("move {side}", "change lanes to the {side}", "one lane {side}", "perform a {side} lane change")
LANES = ("two lanes {side}", "go to the {side}most lane", "move to lane {lane}", "take the {pace} lane", "middle lane")
OVERTAKES = (
    "overtake",
    "surpass the vehicle ahead",
    "pass the car in front on the {side}",
    "navigate past the vehicle ahead and come back",
    "get around the car ahead and stay there",
)
STOPS = ("stop", "come to a stop", "stop in the {side} lane", "stop in lane {lane}", "bring the car to a halt")
PULLS_OVER = ("pull over", "stop in the emergency lane", "stop on the shoulder", "pull over to the side of the road")
CALLS_OFF = ("cancel", "never mind", "forget it")


@dataclass(frozen=True)
class SpokenOrder:
    """What is said: one sentence, or a second one some seconds after it that changes the first."""

    kind: str
    texts: tuple[str, ...]
    after_s: float = 0.0
    """When the second sentence follows."""


def spoken(kind: str, seed: int) -> SpokenOrder:
    """The order of a kind that belongs to a seed."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    if kind != "change_of_mind":
        return SpokenOrder(kind, (_filled(_choice(TEMPLATES[kind], rng), rng),))
    first = _choice(("speed", "lane", "overtake", "stop"), rng)
    second = _choice(("speed", "gap", "lane", "stop", "pull_over", "off"), rng)
    texts = tuple(_filled(_choice(TEMPLATES[each], rng), rng) for each in (first, second))
    return SpokenOrder(kind, texts, float(rng.uniform(1.0, 8.0)))


def _choice(options: tuple[str, ...], rng: Draw) -> str:
    return options[int(rng.integers(len(options)))]


def _filled(template: str, rng: Draw) -> str:
    """The sentence with numbers, sides and lanes in it."""
    values = {name: draw(rng) for name, draw in VALUES.items()}
    return template.format(**values)


VALUES: dict[str, Callable[[Draw], object]] = {
    "mph": lambda rng: int(rng.integers(15, 71)),
    "kmh": lambda rng: int(rng.integers(30, 111)),
    "mps": lambda rng: int(rng.integers(8, 31)),
    "less": lambda rng: int(rng.integers(2, 13)),
    "little": lambda rng: int(rng.integers(1, 6)),
    "percent": lambda rng: int(rng.integers(5, 31)),
    "gap": lambda rng: f"{rng.uniform(1.0, 6.0):.1f}",
    "metres": lambda rng: int(rng.integers(5, 41)),
    "cars": lambda rng: int(rng.integers(8, 21)),
    "far": lambda rng: int(rng.integers(40, 121)),
    "side": lambda rng: _choice(("left", "right"), rng),
    "lane": lambda rng: int(rng.integers(0, 5)) + 1,
    "pace": lambda rng: _choice(("fast", "slow"), rng),
}
TEMPLATES = {
    "speed": SPEEDS,
    "speed_change": CHANGES,
    "gap": GAPS,
    "speed_and_gap": BOTH,
    "lane": LANE,
    "lanes": LANES,
    "overtake": OVERTAKES,
    "stop": STOPS,
    "pull_over": PULLS_OVER,
    "off": CALLS_OFF,
}
