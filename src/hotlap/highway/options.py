"""How a highway world is made: its road, vehicles and missions, each checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError, did_you_mean
from hotlap.highway.config import HighwayConfig
from hotlap.highway.missions import MODE_NAMES
from hotlap.highway.physics import MOST_VEHICLES
from hotlap.highway.sensors import FIELDS, OBSERVATION_SIZE
from hotlap.settings import is_whole

Array = NDArray[Any]
ConfigChoice = HighwayConfig | Mapping[str, Any] | None
VehicleChoice = int | tuple[int, int]
UNSIGNED = ("speed", "lane_limit", "target_speed", "target_gap")


@dataclass(frozen=True)
class HighwayOptions:
    """What a highway world takes beside the number of its roads."""

    config: ConfigChoice = None
    """The road, the weights of the reward, the limits of an episode."""
    vehicles: VehicleChoice = 20
    """How many are around, 0 to 40, or a pair to draw from for each episode."""
    missions: str = "mixed"
    """What the ego is asked to do: "mixed" or one mode."""
    supervisor: bool = True
    """Whether the rules that make any action safe are on."""
    discrete: bool = False
    """Whether an action is a choice among five instead of three numbers."""


def checked_vehicles(wanted: Any, most: int = MOST_VEHICLES) -> tuple[int, int]:
    """The fewest and the most vehicles around the ego: a number is both."""
    pair = (wanted, wanted) if is_whole(wanted) else wanted
    if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(is_whole(number) for number in pair)):
        raise ConfigError(f"vehicles must be a whole number or a pair (fewest, most), not {wanted!r}.")
    if not 0 <= pair[0] <= pair[1] <= most:
        raise ConfigError(f"vehicles must be from 0 to {most}, the fewest first, not {wanted!r}.")
    return int(pair[0]), int(pair[1])


def checked_missions(wanted: Any) -> str:
    """The word "mixed" or the name of one mode."""
    known = ("mixed", *MODE_NAMES)
    if not isinstance(wanted, str) or wanted not in known:
        raise ConfigError(f'no missions "{wanted}".{did_you_mean(str(wanted), known)} Known: {", ".join(known)}.')
    return str(wanted)


def observation_bounds() -> tuple[Array, Array]:
    """Lowest and highest value of each observation."""
    unsigned = [
        name in UNSIGNED or name.startswith("mission_") or name.endswith(("_exists", "_length_ahead"))
        for name in FIELDS
    ]
    return np.where(unsigned, 0.0, -1.0).astype(np.float32), np.ones(OBSERVATION_SIZE, np.float32)
