"""Laps that count and laps that do not: real drives, tampered ones, and drives that are none."""

import base64
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotlap.errors import LapError
from hotlap.racer.tracks import load_track
from hotlap.store.drives import MOST_RESPAWNS, MOST_TICKS, RecordedDrive, drive_from_json, encode_actions
from hotlap.store.referee import check_lap, laps_of
from store.driven_laps import clean_drive, wide_drive

TRACK = load_track("track-01")


def test_clean_lap_is_confirmed():
    drive, ticks = clean_drive()
    lap = check_lap(TRACK, drive, ticks)
    assert (lap.number, lap.ticks, lap.clean) == (1, drive.ticks, True)


def test_flying_lap_is_the_one_the_drive_ends_with():
    drive, ticks = clean_drive(laps=2)
    lap = check_lap(TRACK, drive, ticks)
    assert (lap.number, lap.ticks) == (2, ticks)
    assert ticks < clean_drive()[1]


@pytest.mark.parametrize("claimed", [1, 487, 489])
def test_other_time_than_the_driven_one_is_refused(claimed):
    drive, ticks = clean_drive()
    assert ticks == 488
    with pytest.raises(LapError, match="not the"):
        check_lap(TRACK, drive, claimed)


def test_drive_that_stops_before_the_line_is_refused():
    drive, ticks = clean_drive()
    with pytest.raises(LapError, match="does not end with a finished lap"):
        check_lap(TRACK, RecordedDrive(drive.inputs[:-3]), ticks - 1)


def test_drive_that_goes_on_after_the_line_is_refused():
    drive, ticks = clean_drive()
    with pytest.raises(LapError, match="does not end with a finished lap"):
        check_lap(TRACK, RecordedDrive(drive.inputs + bytes(3)), ticks)


def test_drive_of_another_track_is_refused():
    drive, ticks = clean_drive()
    with pytest.raises(LapError, match="does not end"):
        check_lap(load_track("track-02"), drive, ticks)


def test_removed_ticks_make_another_drive():
    drive, ticks = clean_drive()
    shorter = RecordedDrive(drive.inputs[:300] + drive.inputs[360:])
    with pytest.raises(LapError):
        check_lap(TRACK, shorter, ticks - 20)


def test_lap_over_the_grass_is_real_but_not_clean():
    drive, ticks = wide_drive()
    assert [(lap.ticks, lap.clean) for lap in laps_of(TRACK, drive)] == [(ticks, False)]
    with pytest.raises(LapError, match="not clean"):
        check_lap(TRACK, drive, ticks)


def test_respawned_lap_is_not_clean_and_the_clock_went_on():
    drive, ticks = clean_drive()
    plain = laps_of(TRACK, drive)
    respawned = laps_of(TRACK, replace(drive, respawns=(0,)))
    assert plain[0].clean
    assert not respawned[0].clean
    assert respawned[0].ticks == ticks + 30


def test_actions_are_exact_quotients_of_the_bytes():
    drive = RecordedDrive(bytes([0x81, 0, 255, 127, 51, 1, 0, 0, 0]))
    np.testing.assert_array_equal(drive.actions(), [[-1.0, 0.0, 1.0], [1.0, 51 / 255, 1 / 255], [0.0, 0.0, 0.0]])


@given(st.lists(st.tuples(st.integers(-127, 127), st.integers(0, 255), st.integers(0, 255)), min_size=1, max_size=50))
def test_written_down_inputs_read_back_the_same(ticks):
    inputs = b"".join(bytes([steer & 255, throttle, brake]) for steer, throttle, brake in ticks)
    assert encode_actions(RecordedDrive(inputs).actions()) == inputs
    assert drive_from_json(**RecordedDrive(inputs).as_json()).inputs == inputs


BAD_DRIVES = {
    "empty": ("", ()),
    "no base64": ("###!", ()),
    "half a tick": (base64.b64encode(bytes(4)).decode(), ()),
    "steer of -128": (base64.b64encode(b"\x80\0\0").decode(), ()),
    "too long": (base64.b64encode(bytes(3 * MOST_TICKS + 3)).decode(), ()),
    "respawn before the start": (base64.b64encode(bytes(30)).decode(), (-1,)),
    "respawn after the end": (base64.b64encode(bytes(30)).decode(), (10,)),
    "respawns that fall": (base64.b64encode(bytes(30)).decode(), (5, 5)),
    "too many respawns": (base64.b64encode(bytes(3000)).decode(), tuple(range(MOST_RESPAWNS + 1))),
}


@pytest.mark.parametrize(("inputs", "respawns"), BAD_DRIVES.values(), ids=BAD_DRIVES)
def test_what_cannot_be_a_drive_is_refused(inputs, respawns):
    with pytest.raises(LapError):
        drive_from_json(inputs, respawns)
