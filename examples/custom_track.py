"""A track of your own, from eight points to a trained driver: `python examples/custom_track.py`."""

from pathlib import Path

import hotlap
from hotlap.racer.tracks import build_track, write_track_file

# x, y and half-width of the road in game units, in driving order; the first point is the start line.
POINTS = [
    (-200, 100, 22),
    (0, 140, 22),
    (200, 100, 22),
    (280, -20, 20),
    (160, -140, 18),
    (0, -80, 18),
    (-160, -140, 18),
    (-280, -20, 20),
]


def train_on_bean(folder: Path, **settings: object) -> Path:
    """Write the track, train on it, and return the run."""
    track = folder / "bean.json"
    write_track_file(build_track(POINTS, track_id="bean", name="Bean"), track)
    return hotlap.train(name="bean", root=folder / "runs", racer={"tracks": [str(track)]}, **settings).run


if __name__ == "__main__":
    run = train_on_bean(Path())
    print(f"trained: {run}. Race it with: hotlap play {run}")
