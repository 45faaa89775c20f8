"""Tracks for the browser: lines to draw and a reference lap as JSON, tables for the physics as bytes (docs/web.md)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.export.reference_laps import cars_on, reference_documents
from hotlap.racer.grip_physics import GRIP_PHYSICS
from hotlap.racer.physics import PHYSICS
from hotlap.racer.tables import build_tables
from hotlap.racer.tracks import Track

FORMAT = 1
ALIGNMENT = 8
DRAWN_DECIMALS = 3
OUTLINE_POINTS = 120
LINES = ("centre", "inner_wall", "outer_wall", "inner_road_edge", "outer_road_edge")
Array = NDArray[Any]


@dataclass(frozen=True)
class TrackData:
    """One track as a page is given it."""

    track: Track
    document: dict[str, Any]
    """`data/tracks/ID.json`."""
    tables: bytes
    """`data/tracks/ID.bin`."""

    @property
    def key(self) -> str:
        """What URLs call it."""
        return track_key(self.track)

    def summary(self) -> dict[str, Any]:
        """Its entry in `data/tracks.json`."""
        track, references = self.track, self.document["references"]
        every = max(len(track.centre) // OUTLINE_POINTS, 1)
        return {
            "id": self.key,
            "name": track.name,
            "length_u": track.length_u,
            "direction": direction(track),
            "cars": list(cars_on(track)),
            "reference_ticks": {car: lap["ticks"] for car, lap in references.items()},
            "outline": drawn(track.centre[::every], 1),
            "half_width_u": round(float(track.control_points[:, 2].mean()), 2),
        }


def track_data(track: Track) -> TrackData:
    """Everything a page needs of a track."""
    tables, fields = packed_tables(track)
    arcs_u = np.arange(len(track.centre)) / len(track.centre) * track.length_u
    document = {
        "format": FORMAT,
        "id": track_key(track),
        "name": track.name,
        "length_u": track.length_u,
        "direction": direction(track),
        "true_scale": track.scale == 1.0,
        "start": {"x_u": track.start_x_u, "y_u": track.start_y_u, "heading_rad": track.start_heading_rad},
        "tables": {"bytes": len(tables), "sha256": hashlib.sha256(tables).hexdigest(), "fields": fields},
        "lines": {name: drawn(getattr(track, name)) for name in LINES},
        "widths": {
            "half_width_u": drawn(track.half_width_at(arcs_u)),
            "shoulder_width_u": (GRIP_PHYSICS if track.scale == 1.0 else PHYSICS).shoulder_width_u,
        },
        "gates": {
            "left": track.gate_left.tolist(),
            "right": track.gate_right.tolist(),
            "centre": track.gate_centre.tolist(),
            "direction": track.gate_direction.tolist(),
            "arc_u": track.gate_arcs_u.tolist(),
        },
        "references": reference_documents(track),
    }
    return TrackData(track, document, tables)


def tracks_document(tracks: Sequence[TrackData]) -> dict[str, Any]:
    """What `data/tracks.json` says."""
    return {"format": FORMAT, "tracks": [track.summary() for track in tracks]}


def packed_tables(track: Track) -> tuple[bytes, dict[str, dict[str, Any]]]:
    """The tables of one track end to end, each at a multiple of eight, and where each one is."""
    content, fields = bytearray(), {}
    for name, column in build_tables([track])._asdict().items():
        fields[name] = {"offset": len(content), "dtype": column.dtype.name, "count": len(column)}
        content += np.ascontiguousarray(column, column.dtype.newbyteorder("<")).tobytes()
        content += bytes(-len(content) % ALIGNMENT)
    return bytes(content), fields


def track_key(track: Track) -> str:
    """The track's id with only letters, digits and dashes: it is part of URLs and of file names."""
    letters = [letter if letter.isascii() and letter.isalnum() else "-" for letter in track.track_id]
    return "".join(letters).strip("-") or "track"


def direction(track: Track) -> str:
    """Which way round it is driven."""
    return "counter-clockwise" if track.inner_is_left else "clockwise"


def drawn(numbers: Array, decimals: int = DRAWN_DECIMALS) -> list[Any]:
    """Numbers for drawing, rounded: a thousandth of a unit is far below a pixel."""
    rounded: list[Any] = np.round(numbers, decimals).tolist()
    return rounded
