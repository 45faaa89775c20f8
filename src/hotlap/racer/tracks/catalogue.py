"""Where tracks come from: built-in data files, seeds, and files of the user."""

import re
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from hotlap.errors import TrackError, UnknownTrackError, did_you_mean
from hotlap.racer.tracks.circuit_generator import STYLES, generate_circuit
from hotlap.racer.tracks.generate import DIFFICULTIES, LARGEST_SEED, generate_track
from hotlap.racer.tracks.importing import import_circuit
from hotlap.racer.tracks.track import Track
from hotlap.racer.tracks.track_files import read_track_file

FILE_SUFFIXES = (".json", ".csv")


@cache
def track_ids() -> tuple[str, ...]:
    """The built-in tracks in game units, easiest first."""
    return _ids_in("data")


@cache
def circuit_ids() -> tuple[str, ...]:
    """The built-in circuits at true scale."""
    return _ids_in("data", "circuits")


def _ids_in(*folders: str) -> tuple[str, ...]:
    folder = files("hotlap.racer.tracks").joinpath(*folders)
    return tuple(sorted(file.name.removesuffix(".json") for file in folder.iterdir() if file.name.endswith(".json")))


def load_track(name_or_path: str | Path | Track) -> Track:
    """The track of that name: "track-01", "generated:7:hard", "generated:7:circuit", or a path of a .json or .csv file.

    A CSV file is imported at true scale. A Track is handed back as it is.
    """
    if isinstance(name_or_path, Track):
        return name_or_path
    if not isinstance(name_or_path, str | Path):
        raise UnknownTrackError(f'no track {name_or_path!r}. A track is a name, a path or a Track, like "track-01".')

    name = str(name_or_path)
    is_file = name.lower().endswith(FILE_SUFFIXES)
    if name in track_ids():
        return _built_in(name, "data")
    if name in circuit_ids():
        return _built_in(name, "data", "circuits")
    if name.startswith("generated") and not is_file:
        return _from_seed(name)
    if isinstance(name_or_path, Path) or is_file or "/" in name or "\\" in name:
        return _from_file(Path(name))
    raise UnknownTrackError(
        f'no track "{name}".{did_you_mean(name, track_ids() + circuit_ids())} Run "hotlap tracks list".'
    )


@cache
def _built_in(track_id: str, *folders: str) -> Track:
    with as_file(files("hotlap.racer.tracks").joinpath(*folders, f"{track_id}.json")) as path:
        return read_track_file(path, track_id)


def _from_seed(name: str) -> Track:
    """The generated track of "generated:SEED", "generated:SEED:DIFFICULTY" or "generated:SEED:STYLE"."""
    kinds = (*DIFFICULTIES, *STYLES)
    parts = re.fullmatch(r"generated:([0-9]{1,19})(?::([a-z]+))?", name)
    if parts is None or int(parts[1]) > LARGEST_SEED or (parts[2] or "medium") not in kinds:
        hint = did_you_mean(parts[2], kinds) if parts and parts[2] else ""
        form = f"generated:SEED or generated:SEED:{'|'.join(kinds)}"
        raise UnknownTrackError(f'no track "{name}".{hint} Write {form}, like "generated:7:hard".')
    if parts[2] in STYLES:
        return generate_circuit(int(parts[1]), parts[2])
    return generate_track(int(parts[1]), parts[2] or "medium")


def _from_file(path: Path) -> Track:
    if path.suffix.lower() == ".csv":
        return import_circuit(path).track
    if path.suffix.lower() == ".json":
        return read_track_file(path)
    raise TrackError(f'{path}: a track file ends in .json or .csv. Run "hotlap tracks list" for the built-in tracks.')
