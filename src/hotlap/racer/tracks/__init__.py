"""Closed tracks for the racer: built-in, from files, generated; their geometry, checks and pictures."""

from hotlap.racer.tracks.catalogue import load_track, track_ids
from hotlap.racer.tracks.track import Track, build_track

__all__ = ["Track", "build_track", "load_track", "track_ids"]
