"""Real laps for the board: the reference driver's wishes, written down as a person's inputs and driven exactly so."""

from functools import cache

import numpy as np

from hotlap.policies.reference import ReferenceDriver
from hotlap.racer.world import RacerWorld
from hotlap.store.drives import RecordedDrive, encode_actions


@cache
def clean_drive(track: str = "track-01", laps: int = 1) -> tuple[RecordedDrive, int]:
    """A drive that ends with a clean lap, and that lap's ticks."""
    drive, ticks, clean = _drive(track, laps, range(0))
    assert clean, "the reference driver went off the road"
    return drive, ticks


@cache
def wide_drive(track: str = "track-01") -> tuple[RecordedDrive, int]:
    """A drive that ends with a lap over the grass, and that lap's ticks: for a while the wheel is held to the left."""
    drive, ticks, clean = _drive(track, 1, range(100, 125))
    assert not clean, "the lap is clean after all"
    return drive, ticks


@cache
def slow_drive(track: str = "track-01") -> tuple[RecordedDrive, int]:
    """A lap of somebody who gives a third of the throttle, and its ticks."""
    drive, ticks, _ = _drive(track, 1, range(0), throttle=0.35)
    return drive, ticks


def _drive(track: str, laps: int, slip: range, throttle: float = 1.0) -> tuple[RecordedDrive, int, bool]:
    world = RacerWorld(1, track)
    world.begin(0, np.random.default_rng(0))
    driver = ReferenceDriver(track)
    inputs = bytearray()
    while world.fleet.lap[0] <= laps:
        wanted = driver.act(world.observation, world)
        wanted[:, 0] = -1.0 if world.fleet.tick[0] in slip else wanted[:, 0]
        wanted[:, 1] *= throttle
        written = encode_actions(wanted)
        inputs += written
        world.advance(RecordedDrive(written).actions())
    return RecordedDrive(bytes(inputs)), int(world.out.last_lap_ticks[0]), bool(world.out.lap_clean[0])
