"""Drives a submitted drive again with the native kernel: a lap counts if it is real, clean and the one it claims."""

from collections.abc import Iterator
from typing import NamedTuple

from hotlap.errors import LapError
from hotlap.racer.batch import RacerBatch
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.starts import Start
from hotlap.racer.tracks import Track
from hotlap.store.drives import RecordedDrive


class FinishedLap(NamedTuple):
    """One lap of a drive."""

    number: int
    """1 is the lap from the grid."""
    ticks: int
    clean: bool
    last_tick: int
    """Number of the drive's tick that finished it."""


def replayed(track: Track, drive: RecordedDrive, layout: str = "classic") -> Iterator[tuple[int, RacerBatch]]:
    """A drive once more, from rest on the grid: the car before the first tick (-1), and after each."""
    batch = RacerBatch(1, [track], layout=layout, threads=1)
    batch.place(0, 0, Start(track.start_x_u, track.start_y_u, track.start_heading_rad, 0.0, 0), delay=0)
    yield -1, batch
    respawns, actions = set(drive.respawns), batch.actions
    for tick, (steer, throttle, brake) in enumerate(drive.actions().tolist()):
        if tick in respawns:
            batch.respawn(0)
        actions.steer[0], actions.throttle[0], actions.brake[0] = steer, throttle, brake
        batch.step()
        yield tick, batch


def laps_of(track: Track, drive: RecordedDrive) -> list[FinishedLap]:
    """Every lap that a drive finishes on a track."""
    laps: list[FinishedLap] = []
    for tick, batch in replayed(track, drive):
        out = batch.out
        if tick >= 0 and out.lap_complete[0]:
            laps.append(FinishedLap(len(laps) + 1, int(out.last_lap_ticks[0]), bool(out.lap_clean[0]), tick))
    return laps


def check_lap(track: Track, drive: RecordedDrive, claimed_ticks: int) -> FinishedLap:
    """The lap that a drive ends with, when it is clean and takes the ticks it claims; otherwise a LapError."""
    laps = laps_of(track, drive)
    if not laps or laps[-1].last_tick != drive.ticks - 1:
        raise LapError(f"this drive does not end with a finished lap of {track.track_id}.")
    lap = laps[-1]
    if lap.ticks != claimed_ticks:
        raise LapError(f"the lap takes {_time(lap.ticks)}, not the {_time(claimed_ticks)} it claims.")
    if not lap.clean:
        raise LapError("the lap is not clean: the car left the road, touched a wall or was put back.")
    return lap


def _time(ticks: int) -> str:
    return f"{ticks / TICKS_PER_SECOND:.3f} s"
