"""Circuits for the classic car, which is large beside a real road."""

from functools import lru_cache

import numpy as np

from hotlap.racer.tracks.track import Track, build_track

CLASSIC_HALF_WIDTH_U = 22.0
"""What the middle half-width of a circuit becomes: that of the tracks made for the classic car."""


@lru_cache(maxsize=64)
def drawn_for_classic_car(track: Track) -> Track:
    """A circuit of true scale at the scale of the classic car; other tracks stay as they are."""
    if track.scale != 1.0:
        return track
    scale = CLASSIC_HALF_WIDTH_U / float(np.median(track.control_points[:, 2]))
    return build_track(
        track.control_points * scale,
        track_id=track.track_id,
        name=track.name,
        par_ticks=track.par_ticks,
        scale=scale,
    )
