"""Reference laps for the browser, by car: the built-in tracks and circuits have theirs in the package."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import TrackError
from hotlap.racer.cars import car_ids
from hotlap.racer.cars.catalogue import CLASSIC
from hotlap.racer.tracks import Track, circuit_ids, load_track, track_ids

REFERENCES_FILE = "references.json"
GRIP_REFERENCES_FILE = "grip-references.json"
DECIMALS = 2
GRIP_TICKS = 6
"""A lap of minutes is shown from tenth to tenth of a second."""


def cars_on(track: Track) -> tuple[str, ...]:
    """The cars that drive a track in the browser: on a circuit of true scale those with grip, else the classic one."""
    return car_ids() if track.scale == 1.0 else (CLASSIC,)


def reference_documents(track: Track) -> dict[str, dict[str, Any]]:
    """The reference laps of a track by car; without those that nobody drives cleanly, or that would take minutes."""
    if track.scale == 1.0:
        laps = packaged_references(GRIP_REFERENCES_FILE)
        return {car: laps[f"{shape_of(track)}-{car}"] for car in cars_on(track) if f"{shape_of(track)}-{car}" in laps}
    packaged = packaged_references(REFERENCES_FILE).get(shape_of(track))
    try:
        lap = packaged or driven_reference(track)
    except TrackError:
        return {}
    return {CLASSIC: {"every_ticks": 1, **lap}}


def driven_reference(track: Track) -> dict[str, Any]:
    """The reference lap, driven now: a second or two."""
    from hotlap.policies.reference import reference_lap  # noqa: PLC0415 - built-in tracks need no driver

    lap = reference_lap(track)
    columns = {"x_u": lap.line[:, 0], "y_u": lap.line[:, 1], "arc_u": lap.distance_u, "speed_ups": lap.speed_ups}
    return {"ticks": lap.ticks, "standing_ticks": lap.standing_ticks, **_rounded(columns)}


def driven_grip_reference(track: Track, car: str) -> dict[str, Any]:
    """The reference lap of a car with grip on a built-in circuit, driven now."""
    from hotlap.policies.grip_reference import grip_reference_lap  # noqa: PLC0415 - pages have it packaged

    lap = grip_reference_lap(track, car)
    line, speed = lap.line[::GRIP_TICKS], lap.speed_mps[::GRIP_TICKS]
    columns = {"x_u": line[:, 0], "y_u": line[:, 1], "speed_ups": speed}
    return {"every_ticks": GRIP_TICKS, "ticks": lap.ticks, "standing_ticks": None, **_rounded(columns)}


def _rounded(columns: Mapping[str, NDArray[np.float64]]) -> dict[str, list[float]]:
    return {name: np.round(column, DECIMALS).tolist() for name, column in columns.items()}


@cache
def packaged_references(name: str) -> Mapping[str, dict[str, Any]]:
    """The laps that come with the package, by the shape of the track, of cars with grip by the car too."""
    content = (files("hotlap.export") / "data" / name).read_bytes()
    laps: dict[str, dict[str, Any]] = json.loads(content)
    return laps


def built_references() -> bytes:
    """The file that comes with the package, driven afresh."""
    tracks = [load_track(track_id) for track_id in track_ids()]
    lines = [f"{json.dumps(shape_of(track))}: {json.dumps(driven_reference(track))}" for track in tracks]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def built_grip_references() -> bytes:
    """The same for every car with grip on every built-in circuit."""
    laps = {
        f"{shape_of(track)}-{car}": driven_grip_reference(track, car)
        for track in map(load_track, circuit_ids())
        for car in car_ids()
    }
    return ("{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(lap)}" for key, lap in laps.items()) + "\n}\n").encode()


def shape_of(track: Track) -> str:
    """A name for the shape of a track: two of the same shape have the same reference."""
    return hashlib.sha256(track.control_points.tobytes()).hexdigest()[:16]
