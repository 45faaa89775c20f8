"""How long between two things that come again and again while training: so many steps, or so many seconds."""

import math
import re
from dataclasses import dataclass

from hotlap.errors import ConfigError

_STEPS = re.compile(r"[0-9][0-9_]*")
_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]*)?)s")


@dataclass(frozen=True)
class Interval:
    """A number of steps or of seconds; endless where neither is said."""

    steps: float = math.inf
    seconds: float = math.inf

    def is_over(self, steps: int, seconds: float) -> bool:
        """Whether this many steps or this much time since the last is enough."""
        return steps >= self.steps or seconds >= self.seconds


def parse_interval(text: str, name: str) -> Interval:
    """`200000` or `200_000` is steps, `60s` is seconds, 0 of either is never."""
    if _STEPS.fullmatch(text):
        return Interval(steps=int(text.replace("_", "")) or math.inf)
    seconds = _SECONDS.fullmatch(text)
    if seconds:
        return Interval(seconds=float(seconds[1]) or math.inf)
    raise ConfigError(
        f"{name} must be steps such as 200000, or seconds such as 60s, not {text!r}. 0 saves only the best and the end."
    )
