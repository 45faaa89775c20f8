"""Closed tracks for the racer: built-in, from files, generated; their geometry, checks and pictures."""

from hotlap.racer.tracks.catalogue import circuit_ids, load_track, track_ids
from hotlap.racer.tracks.circuit_generator import generate_circuit
from hotlap.racer.tracks.classic_scale import drawn_for_classic_car
from hotlap.racer.tracks.generate import DIFFICULTIES, generate_track
from hotlap.racer.tracks.importing import import_circuit
from hotlap.racer.tracks.track import Track, build_track
from hotlap.racer.tracks.track_files import read_track_file, write_track_file

__all__ = [
    "DIFFICULTIES",
    "Track",
    "build_track",
    "circuit_ids",
    "drawn_for_classic_car",
    "generate_circuit",
    "generate_track",
    "import_circuit",
    "load_track",
    "read_track_file",
    "track_ids",
    "write_track_file",
]
