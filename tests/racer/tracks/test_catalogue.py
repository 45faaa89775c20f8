"""Asking for tracks by name."""

from pathlib import Path

import pytest

from hotlap.errors import TrackError, UnknownTrackError
from hotlap.racer.tracks import load_track, track_ids, write_track_file


def test_three_tracks_are_built_in():
    assert track_ids() == ("track-01", "track-02", "track-03")


def test_unknown_track_names_the_nearest_and_where_to_look():
    with pytest.raises(
        UnknownTrackError, match=r'no track "trak-01". Did you mean "track-01"\? Run "hotlap tracks list"'
    ):
        load_track("trak-01")


def test_unknown_track_without_a_near_name_says_where_to_look():
    with pytest.raises(UnknownTrackError, match=r'no track "zzz". Run "hotlap tracks list"'):
        load_track("zzz")


@pytest.mark.parametrize("file", ["generated-7-hard.json", "generated.json", "generated:7.json"])
def test_file_may_be_called_generated(file, tmp_path, monkeypatch):
    """`hotlap tracks generate 7 --difficulty hard` writes the first of these."""
    monkeypatch.chdir(tmp_path)
    write_track_file(load_track("track-01"), Path(file))
    assert load_track(file).length_u == load_track("track-01").length_u


@pytest.mark.parametrize("track", [None, 7, 1.5, b"track-01", ["track-01"]], ids=repr)
def test_what_is_no_name_is_refused(track):
    with pytest.raises(UnknownTrackError, match="A track is a name, a path or a Track"):
        load_track(track)


@pytest.mark.parametrize("name", [Path("lap.txt"), "tracks/lap", "./lap.yaml"])
def test_path_with_another_ending_is_refused(name):
    with pytest.raises(TrackError, match=r"ends in .json or .csv"):
        load_track(name)
