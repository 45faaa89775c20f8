"""Where tracks come from: built-in data files, for now."""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path

from hotlap.errors import UnknownTrackError, did_you_mean
from hotlap.racer.tracks.track import Track, build_track

BUILT_IN_IDS = ("track-01", "track-02", "track-03")


def track_ids() -> tuple[str, ...]:
    """The built-in tracks, easiest first."""
    return BUILT_IN_IDS


def load_track(name_or_path: str | Path | Track) -> Track:
    """The track of that name."""
    if isinstance(name_or_path, Track):
        return name_or_path
    if str(name_or_path) not in BUILT_IN_IDS:
        hint = did_you_mean(str(name_or_path), BUILT_IN_IDS)
        raise UnknownTrackError(f'no track "{name_or_path}".{hint} Run "hotlap tracks list".')
    return _built_in(str(name_or_path))


@cache
def _built_in(track_id: str) -> Track:
    text = (files("hotlap.racer.tracks") / "data" / f"{track_id}.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return build_track(data["points"], track_id=data["id"], name=data["name"], par_ticks=tuple(data["par_ticks"]))
