"""The episodes of an evaluation of the highway, step by step."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from hotlap.evaluation.highway.driving import Episodes
from hotlap.evaluation.highway.evaluate import AT_ONCE, MakeDriver
from hotlap.evaluation.highway.setup import HighwaySetup
from hotlap.evaluation.steps import EpisodeSteps, Recording, RecordingDriver

ENV_ID = "hotlap/Highway-v0"


def record_episodes(name: str, make: MakeDriver, setup: HighwaySetup) -> Recording:
    """Every step of every episode at every density, without the supervisor.

    An episode begins again in `HighwayEnv(vehicles=N)` of its own density with its seed: the traffic follows from both.
    """
    options = {"vehicles": max(setup.vehicles), "missions": setup.missions, "supervisor": False}
    return Recording(name, ENV_ID, options, _driven(make, setup))


def _driven(make: MakeDriver, setup: HighwaySetup) -> Iterator[EpisodeSteps]:
    seeds = setup.seeds()
    for vehicles in setup.vehicles:
        for first in range(0, len(seeds), AT_ONCE):
            yield from _block(make, seeds[first : first + AT_ONCE], vehicles, setup.missions)


def _block(make: MakeDriver, seeds: Sequence[int], vehicles: int, missions: str) -> Iterator[EpisodeSteps]:
    driver = RecordingDriver(make(seeds))
    drive = Episodes(driver, seeds, vehicles, supervised=False, missions=missions)
    decisions = drive.sums["decisions"].astype(np.int64)
    for seed, episode in zip(seeds, driver.episodes(decisions), strict=True):
        yield replace(episode, seed=seed, options={"vehicles": vehicles})
