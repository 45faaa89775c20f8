"""Races of one driver from the last slot against line drivers of mixed pace, many at once, and what came of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hotlap.policies.levels import LevelDriver
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.race_policy import FileDriver
from hotlap.progress import tracked
from hotlap.race.opponents import RaceDriver
from hotlap.race.world import RaceWorld
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.tracks import Track

HELD_OUT = ("line-78", "line-81", "line-83", "line-86", "line-89", "line-91", "line-93")
"""Opponents of an evaluation: paces that no training has."""
RACES = 8
SLOWEST_AVERAGE_UPS, SLOWEST_WITH_GRIP_MPS = 20.0, 12.0
"""Whoever drives at least so fast has time for all laps."""


def ticks_for(track: Track, laps: int, *, with_grip: bool) -> int:
    """How long a race over so many laps may take."""
    slowest_ups = SLOWEST_WITH_GRIP_MPS if with_grip else SLOWEST_AVERAGE_UPS
    return round(laps * track.length_u / slowest_ups * TICKS_PER_SECOND)


@dataclass(frozen=True)
class RaceFigures:
    """What a driver did on one track."""

    track: str
    races: int
    wins: int
    places: tuple[int, ...]
    """Where it finished, one for each race."""
    finished: int
    overtakes: int
    contacts: int
    faults: int
    km: float
    slower: int
    """Opponents whose best lap was slower than the driver's, over all races."""
    passed: int
    """Those of them that it was ahead of at the end: all of them started in front of it."""


@dataclass(frozen=True)
class RaceLimits:
    """How far a race of an evaluation goes."""

    laps: int = 3
    steps: int = 0
    """Ticks it may take; 0 for what slow cars need."""
    level: int = 0
    """Of the driver, 1 to 5; 0 for the driver itself."""


def race_on(policy: OnnxPolicy, tracks: Sequence[Any], cars: Any, limits: RaceLimits) -> tuple[RaceFigures, ...]:
    """Race a driver from the last slot, several times on each track with other orders of the opponents."""
    layout, laps = policy.layout.removeprefix("race-"), limits.laps
    options = {"laps": laps, "slot": "last", "observation": layout, "car": cars, "opponents": HELD_OUT}
    world = RaceWorld(RACES * len(tracks), tuple(tracks), cars=len(HELD_OUT) + 1, **options)
    for number in range(world.count):
        track, race = divmod(number, RACES)
        world.begin(number, np.random.default_rng(race), {"track": track})
    driver: RaceDriver = FileDriver(policy, world.batch)
    driver = LevelDriver(driver, limits.level, driver.name, world.batch) if limits.level else driver
    done = np.zeros(world.count, bool)
    enough = [limits.steps or ticks_for(each, laps, with_grip=bool(world.cars)) for each in world.tracks]
    found: dict[int, RaceFigures] = {}
    for tick in tracked(range(1, max(enough) + 1), max(enough), "ticks", f"{world.count} races"):
        world.advance(driver.act(world.observation, world.batch, world.rows))
        done |= world.terminated | world.truncated
        for track in range(len(enough)):
            own = slice(track * RACES, (track + 1) * RACES)
            if track not in found and (tick == enough[track] or done[own].all()):
                found[track] = _figures(world, own, done[own])
        if len(found) == len(enough):
            break
    return tuple(found[track] for track in range(len(enough)))


def _figures(world: RaceWorld, races: slice, done: Any) -> RaceFigures:
    rows, contenders = world.rows[races], world.contenders
    places = tuple(int(place) for place in contenders.place[rows])
    slots_u = contenders.slot[rows] * world.batch.rules.row_u
    slower, passed = _slower_and_passed(world, races)
    return RaceFigures(
        track=world.tracks[int(world.fleet.track[rows[0]])].track_id,
        races=len(rows),
        wins=sum(place == 1 for place in places),
        places=places,
        finished=int(np.sum(done)),
        overtakes=int(contenders.overtakes[rows].sum()),
        contacts=int(contenders.contacts[rows].sum()),
        faults=int(contenders.faults[rows].sum()),
        km=float(np.sum(np.maximum(contenders.distance_u[rows] + slots_u, 0.0))) / 1000.0,
        slower=slower,
        passed=passed,
    )


def _slower_and_passed(world: RaceWorld, races: slice) -> tuple[int, int]:
    """How many opponents had no lap as fast as the driver's best, and how many of those it was ahead of at the end."""
    lap_ticks, place = (
        column.reshape(-1, world.cars_of_grid)[races] for column in (world.fleet.best_lap_ticks, world.contenders.place)
    )
    slower = (lap_ticks[:, :1] > 0) & ((lap_ticks[:, 1:] > lap_ticks[:, :1]) | (lap_ticks[:, 1:] <= 0))
    return int(slower.sum()), int((slower & (place[:, 1:] > place[:, :1])).sum())
