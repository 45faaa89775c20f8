"""What a driver is compared with on a track: the reference lap, the casual human, and the original game's driver."""

import hashlib
from collections.abc import Hashable
from typing import NamedTuple

from hotlap.errors import TrackError
from hotlap.evaluation.racer.drives import Drives
from hotlap.evaluation.racer.figures import DriveLimits, Figures, OriginalDriver, ReferenceFigures, Trace
from hotlap.policies import CasualHuman, ReferenceLap, reference_lap
from hotlap.racer.physics import PHYSICS, TICKS_PER_SECOND
from hotlap.racer.tracks import Track

HUMAN_SEED = 0

# The driver shipped with the original game: two million steps of PPO, about two hours. On track-02 it parks.
ORIGINAL_DRIVER = {
    "track-01": OriginalDriver(finishes=True, standing_lap_s=9.083, flying_best_s=7.333),
    "track-02": OriginalDriver(finishes=False),
    "track-03": OriginalDriver(finishes=True, standing_lap_s=19.517, flying_best_s=17.817),
}


class HumanDrive(NamedTuple):
    """The casual human on a track."""

    figures: Figures
    trace: Trace


_human_drives: dict[Hashable, HumanDrive] = {}


def find_reference(track: Track) -> ReferenceLap | None:
    """The reference lap, or None on a track nobody gets round cleanly."""
    try:
        return reference_lap(track)
    except TrackError:
        return None


def reference_figures(lap: ReferenceLap | None) -> ReferenceFigures | None:
    """The reference lap in seconds."""
    if lap is None:
        return None
    return ReferenceFigures(
        lap_s=lap.seconds,
        standing_lap_s=lap.standing_ticks / TICKS_PER_SECOND,
        shortest_path_s=lap.shortest_path_u / PHYSICS.max_speed_ups,
    )


def human_drive(track: Track, limits: DriveLimits) -> HumanDrive:
    """The casual human's figures on a track, without delay; driven once per process, track and limits."""
    key = (hashlib.sha256(track.control_points.tobytes()).digest(), limits)
    if key not in _human_drives:
        drives = Drives(CasualHuman(HUMAN_SEED), track, [0], limits)
        reference = find_reference(track)
        figures = drives.figures(0, None if reference is None else reference.seconds)
        _human_drives[key] = HumanDrive(figures, drives.trace(0))
    return _human_drives[key]
