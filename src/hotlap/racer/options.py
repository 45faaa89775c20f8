"""How a racing world is made: its tracks, cars, rules and starts, each checked and loaded."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError, did_you_mean
from hotlap.racer.batch import GRIP_LAYOUTS, layout_size
from hotlap.racer.cars import CLASSIC, Car, load_car
from hotlap.racer.config import RacerConfig
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.sensors import CURVATURE_SCALE_U, LOOKAHEADS_U, YAW_SCALE_RPS
from hotlap.racer.tracks import Track, drawn_for_classic_car, load_track
from hotlap.settings import is_whole

Array = NDArray[Any]
TrackChoice = str | Path | Track | Sequence[str | Path | Track]
CarChoice = str | Path | Car | Sequence[str | Path | Car]
ConfigChoice = RacerConfig | Mapping[str, Any] | str | Path | None
ASSISTS = {"off": (0, 0), "traction-control": (1, 0), "anti-lock": (0, 1), "on": (1, 1)}
"""By name: whether traction control and anti-lock help."""
SIGNED_CLASSIC = (10, 11)
FAR = 1000.0


@dataclass(frozen=True)
class RacerOptions:
    """What a racing world takes beside the number of its cars."""

    track: TrackChoice = "track-01"
    """A track by its name, as a path or as a Track, or several: each episode draws one."""
    config: ConfigChoice = None
    """Rewards and limits of an episode."""
    observation: str | None = None
    """What the driver sees, by the name of its layout."""
    action_delay: int | str = 0
    """Ticks between deciding and acting: 0, 1 or "random"."""
    start: str = "grid"
    """Where an episode begins: "grid", "gate" or "random"."""
    car: CarChoice = CLASSIC
    """The classic car, or one or more with grip: each episode draws one."""
    assists: str = "off"
    """What helps the driver of a car with grip."""


def load_tracks(choice: TrackChoice, cars: Sequence[Car]) -> list[Track]:
    """The tracks of a choice, at the scale of the cars."""
    chosen = list(choice) if isinstance(choice, Iterable) and not isinstance(choice, str | bytes) else [choice]
    if not chosen:
        raise ConfigError("a racer world needs at least one track.")
    tracks = [load_track(item) for item in chosen]
    return tracks if cars else [drawn_for_classic_car(item) for item in tracks]


def load_cars(choice: CarChoice) -> list[Car]:
    """The cars with grip of a choice; none for the classic car, which drives alone."""
    chosen = list(choice) if isinstance(choice, Iterable) and not isinstance(choice, str | bytes | Car) else [choice]
    if chosen == [CLASSIC]:
        return []
    if not chosen or CLASSIC in chosen:
        raise ConfigError(f'car must be "{CLASSIC}", or one or more cars with grip, not {choice!r}.')
    return [load_car(item) for item in chosen]


def checked_layout(layout: str | None, cars: Sequence[Car]) -> str:
    """The observation layout, by default that of the car; one for another kind of car is refused."""
    if layout is None:
        return GRIP_LAYOUTS[0] if cars else "classic"
    layout_size(str(layout))
    if (layout in GRIP_LAYOUTS) != bool(cars):
        kind, fit = ("cars with grip see", GRIP_LAYOUTS) if cars else ("the classic car sees", ("classic", "full"))
        raise ConfigError(f'observation "{layout}" does not fit: {kind} {" or ".join(fit)}.')
    return layout


def checked_assists(assists: Any) -> tuple[int, int]:
    """Traction control and anti-lock, on or off, by the name of the choice."""
    if not isinstance(assists, str) or assists not in ASSISTS:
        hint = did_you_mean(str(assists), ASSISTS)
        raise ConfigError(f"assists cannot be {assists!r}.{hint} Known: {', '.join(ASSISTS)}.")
    return ASSISTS[assists]


def check_delay(delay: int | str) -> int | str:
    """0 or 1 ticks between deciding and acting, or "random": drawn for each episode."""
    if (isinstance(delay, str) and delay == "random") or (is_whole(delay) and delay in (0, 1)):
        return delay
    raise ConfigError(f'action_delay must be 0, 1 or "random", not {delay!r}.')


def observation_bounds(layout: str) -> tuple[Array, Array]:
    """Lowest and highest value of each observation, whatever the track."""
    size = layout_size(str(layout))
    if layout == "full":
        return _full_bounds()
    if layout in GRIP_LAYOUTS:
        return np.full(size, -FAR, np.float32), np.full(size, FAR, np.float32)
    low = np.zeros(size, np.float32)
    low[list(SIGNED_CLASSIC)] = -1.0
    return low, np.ones(size, np.float32)


def _full_bounds() -> tuple[Array, Array]:
    """In the order of `write_full`; distances end at FAR, which no car between walls reaches."""
    spin = math.pi * TICKS_PER_SECOND / YAW_SCALE_RPS
    bend = math.pi / LOOKAHEADS_U[0] * CURVATURE_SCALE_U
    car = [(0, 1), (-FAR, FAR), (-1, 1), (-1, 1), (-FAR, FAR), (-FAR, FAR), (-math.pi / 2, math.pi / 2), (-spin, spin)]
    inputs = [(-1, 1), (0, 1), (0, 1)]
    ahead = [(-bend, bend), (0, FAR), (-FAR, FAR), (-FAR, FAR)] * len(LOOKAHEADS_U)
    low, high = np.array(car + inputs + ahead, np.float32).T
    return low.copy(), high.copy()
