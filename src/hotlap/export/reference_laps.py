"""Reference laps for the browser: the built-in tracks have theirs in the package, others are driven when asked for."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hotlap.errors import TrackError
from hotlap.racer.tracks import Track, load_track, track_ids

REFERENCES_FILE = "references.json"
DECIMALS = 2


def reference_document(track: Track) -> dict[str, Any] | None:
    """The reference lap of a track, tick by tick; None where no reference driver gets round cleanly."""
    packaged = packaged_references().get(shape_of(track))
    if packaged is not None:
        return packaged
    try:
        return driven_reference(track)
    except TrackError:
        return None


def driven_reference(track: Track) -> dict[str, Any]:
    """The reference lap, driven now: a second or two."""
    from hotlap.policies.reference import reference_lap  # noqa: PLC0415 - built-in tracks need no driver

    lap = reference_lap(track)
    columns = {"x_u": lap.line[:, 0], "y_u": lap.line[:, 1], "arc_u": lap.distance_u, "speed_ups": lap.speed_ups}
    rounded = {name: np.round(column, DECIMALS).tolist() for name, column in columns.items()}
    return {"ticks": lap.ticks, "standing_ticks": lap.standing_ticks, **rounded}


@cache
def packaged_references() -> Mapping[str, dict[str, Any]]:
    """The laps that come with the package, by the shape of the track."""
    content = (files("hotlap.export") / "data" / REFERENCES_FILE).read_bytes()
    laps: dict[str, dict[str, Any]] = json.loads(content)
    return laps


def built_references() -> bytes:
    """The file that comes with the package, driven afresh."""
    tracks = [load_track(track_id) for track_id in track_ids()]
    lines = [f"{json.dumps(shape_of(track))}: {json.dumps(driven_reference(track))}" for track in tracks]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def shape_of(track: Track) -> str:
    """A name for the shape of a track: two of the same shape have the same reference."""
    return hashlib.sha256(track.control_points.tobytes()).hexdigest()[:16]
