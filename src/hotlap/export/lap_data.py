"""The laps that people drove, out of the board and into a Minari data set: driven again, tick by tick."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import LapError
from hotlap.evaluation.minari_data import check_data_set, write_data_set
from hotlap.evaluation.racer.recorded_laps import ENV_ID
from hotlap.evaluation.steps import EpisodeSteps, Recording, RecordingDriver
from hotlap.export.reference_laps import shape_of
from hotlap.racer.config import EpisodeLimits, RacerConfig
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.racer.tracks import Track, load_track
from hotlap.racer.world import RacerWorld
from hotlap.store.database import DATABASE_FILE, Database
from hotlap.store.driven_by import MACHINE
from hotlap.store.drives import MOST_TICKS, RecordedDrive
from hotlap.store.laps import Course, LapBoard

LIMITS = EpisodeLimits(maxSteps=MOST_TICKS, stillnessTimeoutTicks=MOST_TICKS)
"""A person may stand still for as long as they like."""
FROM_THE_GRID = {"start": "grid", "action_delay": 0}
Lap = tuple[int, RecordedDrive]
"""The number of a track, and a drive on it."""


def write_laps(folder: Path, tracks: Sequence[str], layout: str, root: Path, *, force: bool = False) -> str:
    """Write every lap of the board that no machine drove; what was written, in words."""
    check_data_set(folder, force=force)
    laps = driven_by_people(root / DATABASE_FILE, [load_track(name) for name in tracks])
    if not laps:
        raise LapError(
            f"no laps of people on {', '.join(tracks)} are on the board of {root}/. "
            'Drive some with "hotlap play", or write those of a driver with "hotlap evaluate DRIVER --traces".'
        )
    limits = {name: getattr(LIMITS, name) for name in ("maxSteps", "stillnessTimeoutTicks")}
    options = {"track": list(tracks), "config": {"episode": limits}, "observation": layout}
    driven = (driven_again(tracks[number], number, drive, layout) for number, drive in laps)
    return write_data_set(folder, Recording("people", ENV_ID, options, driven), force=force)


def driven_by_people(database: Path, tracks: Sequence[Track]) -> list[Lap]:
    """The drives of the laps on the board, the fastest of each track first."""
    if not database.is_file():
        return []
    store = Database(database)
    try:
        return list(_laps(LapBoard(store), tracks))
    finally:
        store.close()


def _laps(board: LapBoard, tracks: Sequence[Track]) -> Iterator[Lap]:
    for number, track in enumerate(tracks):
        course = Course(track.track_id, shape_of(track), physics_fingerprint())
        for lap in board.fastest(course):
            found = board.find(lap.id)
            if found is not None and lap.driven_by != MACHINE:
                yield number, found[1]


class _Replay:
    """Does what a drive did, from one of its ticks on."""

    def __init__(self, actions: NDArray[np.float64], layout: str, name: str = "people") -> None:
        self.name, self.layout = name, layout
        self._actions = iter(actions)

    def reset(self, cars: Any) -> None:
        """There is nothing to forget."""

    def act(self, observation: Any, world: Any) -> NDArray[np.float64]:  # noqa: ARG002 - it only repeats
        """The next inputs."""
        return np.array([next(self._actions)])


def driven_again(track: str, number: int, drive: RecordedDrive, layout: str) -> EpisodeSteps:
    """A drive from the grid to the end of its lap; one with respawns from the last of them on."""
    world = RacerWorld(1, track, RacerConfig(episode=LIMITS), observation=layout, threads=1)
    world.begin(0, np.random.default_rng(0), FROM_THE_GRID)
    actions, first = drive.actions(), max(drive.respawns, default=0)
    for tick in range(first):
        _respawned(world, drive, tick)
        world.advance(actions[None, tick])
    _respawned(world, drive, first)
    driver = RecordingDriver(_Replay(actions[first:], layout))
    for _ in range(first, drive.ticks):
        world.advance(driver.act(world.observation, world))
    episode = next(driver.episodes(np.array([drive.ticks - first])))
    return replace(episode, options={} if drive.respawns else {**FROM_THE_GRID, "track": number})


def _respawned(world: RacerWorld, drive: RecordedDrive, tick: int) -> None:
    if tick in drive.respawns:
        world.batch.respawn(0)
        world.look()
