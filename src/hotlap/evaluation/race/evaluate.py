"""Races of one driver from the last slot against line drivers of mixed pace, many at once, and what came of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hotlap.policies.levels import LevelDriver
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.race_policy import FileDriver
from hotlap.race.opponents import RaceDriver
from hotlap.race.world import RaceWorld
from hotlap.racer.physics import TICKS_PER_SECOND

HELD_OUT = ("line-78", "line-81", "line-83", "line-86", "line-89", "line-91", "line-93")
"""Opponents of an evaluation: paces that no training has."""
RACES = 8
SLOWEST_AVERAGE_UPS, SLOWEST_WITH_GRIP_MPS = 20.0, 12.0


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


@dataclass(frozen=True)
class RaceLimits:
    """How far a race of an evaluation goes."""

    laps: int = 3
    steps: int = 0
    """Ticks it may take; 0 for what slow cars need."""
    level: int = 0
    """Of the driver, 1 to 5; 0 for the driver itself."""


def race_on(policy: OnnxPolicy, track: Any, cars: Any, limits: RaceLimits) -> RaceFigures:
    """Race a driver from the last slot, several times with other orders of the opponents."""
    layout, laps = policy.layout.removeprefix("race-"), limits.laps
    options = {"laps": laps, "slot": "last", "observation": layout, "car": cars, "opponents": HELD_OUT}
    world = RaceWorld(RACES, track, cars=len(HELD_OUT) + 1, **options)
    for race in range(RACES):
        world.begin(race, np.random.default_rng(race))
    driver: RaceDriver = FileDriver(policy, world.batch)
    driver = LevelDriver(driver, limits.level, driver.name, world.batch) if limits.level else driver
    done = np.zeros(RACES, bool)
    slowest_ups = SLOWEST_WITH_GRIP_MPS if world.cars else SLOWEST_AVERAGE_UPS
    enough = round(laps * world.tracks[0].length_u / slowest_ups * TICKS_PER_SECOND)
    for _ in range(limits.steps or enough):
        world.advance(driver.act(world.observation, world.batch, world.rows))
        done |= world.terminated | world.truncated
        if done.all():
            break
    return _figures(world, done)


def _figures(world: RaceWorld, done: Any) -> RaceFigures:
    rows, contenders = world.rows, world.contenders
    places = tuple(int(place) for place in contenders.place[rows])
    slots_u = contenders.slot[rows] * world.batch.rules.row_u
    return RaceFigures(
        track=world.tracks[0].track_id,
        races=len(rows),
        wins=sum(place == 1 for place in places),
        places=places,
        finished=int(np.sum(done)),
        overtakes=int(contenders.overtakes[rows].sum()),
        contacts=int(contenders.contacts[rows].sum()),
        faults=int(contenders.faults[rows].sum()),
        km=float(np.sum(np.maximum(contenders.distance_u[rows] + slots_u, 0.0))) / 1000.0,
    )
