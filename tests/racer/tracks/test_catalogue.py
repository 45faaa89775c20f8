"""Asking for tracks by name."""

from pathlib import Path

import pytest

from hotlap.errors import TrackError, UnknownTrackError
from hotlap.racer.tracks import load_track, track_ids


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


@pytest.mark.parametrize("name", [Path("lap.txt"), "tracks/lap", "./lap.yaml"])
def test_path_with_another_ending_is_refused(name):
    with pytest.raises(TrackError, match=r"ends in .json or .csv"):
        load_track(name)
