"""What a driver is compared with on a track: the reference lap, the casual human, and the original game's driver."""

import hashlib
import json
from collections.abc import Hashable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from hotlap.errors import TrackError
from hotlap.evaluation.racer.drives import Drives
from hotlap.evaluation.racer.figures import (
    DriveLimits,
    Figures,
    FloatArray,
    OriginalDriver,
    ReferenceFigures,
    Targets,
    Trace,
)
from hotlap.policies import CasualHuman, reference_lap
from hotlap.policies.grip_reference import grip_reference_lap
from hotlap.policies.kept_laps import kept_lap, sources_hash
from hotlap.racer.cars import CLASSIC
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


class ReferenceDrive(NamedTuple):
    """The reference lap of a track and a car: its figures, and every tick of it."""

    figures: ReferenceFigures
    line: FloatArray
    """(ticks, 2)"""
    distance_u: FloatArray
    """(ticks,) along the track."""
    speed_ups: FloatArray


def find_reference(track: Track, car: str = CLASSIC) -> ReferenceDrive | None:
    """The reference lap, or None on a track nobody gets round cleanly."""
    try:
        return _classic_reference(track) if car == CLASSIC else _grip_reference(track, car)
    except TrackError:
        return None


def _classic_reference(track: Track) -> ReferenceDrive:
    lap = reference_lap(track)
    figures = ReferenceFigures(
        lap_s=lap.seconds,
        standing_lap_s=lap.standing_ticks / TICKS_PER_SECOND,
        shortest_path_s=lap.shortest_path_u / PHYSICS.max_speed_ups,
    )
    return ReferenceDrive(figures, lap.line, lap.distance_u, lap.speed_ups)


def _grip_reference(track: Track, car: str) -> ReferenceDrive:
    lap = grip_reference_lap(track, car)
    return ReferenceDrive(ReferenceFigures(lap.seconds), lap.line, lap.distance_m, lap.speed_mps)


def human_drive(track: Track, limits: DriveLimits) -> HumanDrive:
    """The casual human's figures on a track, without delay; driven once for each track and limits, and kept."""
    key = (hashlib.sha256(track.control_points.tobytes()).digest(), limits)
    if key not in _human_drives:
        kind = f"human-{limits.laps}-{limits.steps or 0}-{sources_hash(Path(__file__).parent)}"
        kept = kept_lap(kind, track, None, lambda: _as_columns(_driven_by_human(track, limits)))
        _human_drives[key] = _from_columns(kept)
    return _human_drives[key]


def _driven_by_human(track: Track, limits: DriveLimits) -> HumanDrive:
    drives = Drives(CasualHuman(HUMAN_SEED), track, [0], limits)
    reference = find_reference(track)
    figures = drives.figures(0, Targets(None if reference is None else reference.figures.lap_s))
    return HumanDrive(figures, drives.trace(0))


def _as_columns(drive: HumanDrive) -> dict[str, Any]:
    """For a file: every tick as it is, the figures as JSON."""
    ticks = {name: value for name, value in vars(drive.trace).items() if value is not None}
    return {**ticks, "figures": json.dumps(asdict(drive.figures))}


def _from_columns(columns: Mapping[str, Any]) -> HumanDrive:
    figures = json.loads(str(columns["figures"]))
    ticks = {name: value for name, value in columns.items() if name != "figures"}
    ends = {name: tuple(ticks[name].tolist()) for name in ("lap_ends", "lap_clean")}
    return HumanDrive(
        Figures(**{**figures, "gates_failed": tuple(figures["gates_failed"])}), Trace(**{**ticks, **ends})
    )
