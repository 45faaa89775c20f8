"""The laps of an evaluation of the racer, tick by tick."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hotlap.errors import ConfigError
from hotlap.evaluation.racer.drives import GRID, STARTS, Drives
from hotlap.evaluation.racer.evaluate import DELAYS
from hotlap.evaluation.racer.figures import DriveLimits
from hotlap.evaluation.sources import DriverSource
from hotlap.evaluation.steps import EpisodeSteps, Recording, RecordingDriver
from hotlap.racer.tracks import Track, load_track

ENV_ID = "hotlap/Racer-v0"


def record_laps(source: DriverSource, names: Sequence[str], cars: Sequence[str], limits: DriveLimits) -> Recording:
    """Every tick of the laps from every start of every track, with and without delay."""
    if len(cars) > 1:
        raise ConfigError(f"traces are of one car, and this driver has {', '.join(cars)}. Name one with --car.")
    tracks = [load_track(name) for name in names]
    longest = max(limits.ticks_on(track, cars[0]) for track in tracks)
    options = {
        "track": list(names),
        "config": {"episode": {"maxSteps": longest}},
        "observation": source.make(tracks[0]).layout,
        "car": cars[0],
    }
    driven = (
        episode for number in range(len(tracks)) for episode in _driven(source, tracks, number, (cars[0], limits))
    )
    return Recording(source.name, ENV_ID, options, driven)


def _driven(
    source: DriverSource, tracks: Sequence[Track], number: int, how: tuple[str, DriveLimits]
) -> Iterator[EpisodeSteps]:
    """All starts on one track."""
    car, limits = how
    driver = RecordingDriver(source.make(tracks[number]))
    drives = Drives(driver, tracks[number], DELAYS, limits, car)
    for index, episode in enumerate(driver.episodes(drives.driven_ticks)):
        delay, start = DELAYS[index // STARTS], index % STARTS
        place = {"start": "grid"} if start == GRID else {"start": "gate", "gate": start}
        yield replace(episode, options={**place, "track": number, "action_delay": delay})
