"""What `hotlap tracks show TRACK --car CAR` does: the facts of the track, and how fast the car can be on it."""

import json
from pathlib import Path
from typing import Any

from hotlap.errors import TrackError
from hotlap.policies.grip_reference import grip_reference_lap
from hotlap.policies.limit import LimitLap, limit_lap
from hotlap.policies.reference import reference_lap
from hotlap.racer.cars.catalogue import CLASSIC
from hotlap.racer.tracks import load_track
from hotlap.racer.tracks.track_tools import print_facts, refuse_outputs, track_facts
from hotlap.units import KMH_PER_MPS


def show_laps(
    track: str | Path, car: str, *, picture: Path | None = None, as_json: bool = False, force: bool = False
) -> None:
    """Print a track's facts with the limit and the reference of a car, and draw the limit where a path is given."""
    refuse_outputs(None, picture, force=force)
    found = load_track(track)
    limit = limit_lap(found, car)
    laps = lap_facts(limit)
    if picture is not None:
        from hotlap.policies.lap_picture import save_lap_picture  # noqa: PLC0415 - matplotlib takes half a second

        save_lap_picture(limit, picture, _told(limit, laps), force=force)
    if as_json:
        print(json.dumps(track_facts(found) | laps | {"picture": None if picture is None else str(picture)}, indent=2))
        return
    print_facts(track_facts(found))
    print(f"car         {limit.car_id}")
    print(f"limit       {_told(limit, laps)}")
    if laps["reference_lap_s"] is not None:
        above = 100.0 * (laps["reference_lap_s"] / limit.seconds - 1.0)
        print(f"reference   {laps['reference_lap_s']:.3f} s, really driven, {above:.1f} % above the limit")
    if picture is not None:
        print(f"picture     {picture}")


def lap_facts(limit: LimitLap) -> dict[str, Any]:
    """The laps of a car on a track, as plain values."""
    return {"car": limit.car_id, "limit_lap_s": limit.seconds, "reference_lap_s": _reference_s(limit)}


def _reference_s(limit: LimitLap) -> float | None:
    """The reference in seconds; None where no driver gets round cleanly."""
    try:
        if limit.car is None:
            return reference_lap(limit.track).seconds
        return grip_reference_lap(limit.track, limit.car).seconds
    except TrackError:
        return None


def _told(limit: LimitLap, laps: dict[str, Any]) -> str:
    if limit.car_id == CLASSIC:
        return f"{limit.seconds:.3f} s, flat out on the shortest line"
    slow, fast = limit.speed_ups.min() * KMH_PER_MPS, limit.speed_ups.max() * KMH_PER_MPS
    return f"{laps['limit_lap_s']:.2f} s, quasi-steady on the fastest line, {slow:.0f} to {fast:.0f} km/h"
