"""The geometry of the built-in tracks as it was once recorded; run this file to record it anew."""

from pathlib import Path

import numpy as np

from hotlap.racer.tracks import Track, load_track, track_ids

REPOSITORY = Path(__file__).parents[3]
OWN_FOLDER = REPOSITORY / "tests" / "golden" / "geometry"
SHARED_FOLDER = REPOSITORY.parent / "shared" / "golden" / "racer" / "geom"

NAMES_IN_THE_RECORDING = {
    "control_points": "control_points",
    "centre": "centerline",
    "tangent": "tangent",
    "inner_wall": "inner_boundary",
    "outer_wall": "outer_boundary",
    "inner_road_edge": "inner_road_edge",
    "outer_road_edge": "outer_road_edge",
    "gate_left": "checkpoint_left",
    "gate_right": "checkpoint_right",
    "gate_centre": "checkpoint_center",
    "gate_direction": "checkpoint_dir",
    "gate_arcs_u": "checkpoint_arc",
}


def arrays_of(track: Track) -> dict[str, np.ndarray]:
    """Every array of a built track, under the names of the recording."""
    arrays = {recorded: getattr(track, name) for name, recorded in NAMES_IN_THE_RECORDING.items()}
    arrays["arc_table"] = np.column_stack([track.arc_lengths_u, track.arc_parameters])
    arrays["total_length"] = np.array([track.length_u])
    arrays["start"] = np.array([[track.start_x_u, track.start_y_u, track.start_heading_rad]])
    return arrays


def record() -> None:
    OWN_FOLDER.mkdir(parents=True, exist_ok=True)
    for track_id in track_ids():
        np.savez_compressed(OWN_FOLDER / f"{track_id}.npz", **arrays_of(load_track(track_id)))


if __name__ == "__main__":
    record()
