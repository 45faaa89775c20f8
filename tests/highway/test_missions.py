"""Missions: what they may hold, when they are done, and how they end."""

from dataclasses import FrozenInstanceError, replace

import pytest

from hotlap.errors import MissionError
from hotlap.highway.missions import (
    MPS_PER_MPH,
    TIME_LIMITS_S,
    Ending,
    Mission,
    Mode,
    Progress,
    cancelled,
    is_done,
    outcome,
    speed_error_mps,
)

DRIVING = Progress(time_s=10.0, lane=2, lateral_offset_m=0.0, speed_mps=26.0, limit_mps=28.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"target_lane": -1},
        {"return_lane": -2},
        {"target_speed_mps": -0.1},
        {"target_speed_mps": 41.0},
        {"target_speed_mps": float("nan")},
        {"gap_s": 0.5},
        {"gap_s": 11.0},
    ],
)
def test_mission_out_of_range_cannot_be_made(wrong):
    with pytest.raises(MissionError, match=next(iter(wrong))):
        Mission(Mode.CRUISE, **wrong)


def test_mission_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Mission().mode = Mode.STOP


def test_speed_is_told_in_mph():
    assert Mission(Mode.CRUISE, target_speed_mps=26.8224).target_speed_mph == pytest.approx(60)
    assert Mission().target_speed_mph is None


def test_every_mode_but_hold_has_a_time_limit():
    assert {mode for mode, limit in TIME_LIMITS_S.items() if limit is None} == {Mode.HOLD}
    assert set(TIME_LIMITS_S) == set(Mode)


def test_hold_is_never_done():
    assert not is_done(Mission(), DRIVING)


def test_cruise_is_done_near_its_speed():
    cruise = Mission(Mode.CRUISE, target_speed_mps=26.5)
    assert is_done(cruise, DRIVING)
    assert not is_done(cruise, replace(DRIVING, speed_mps=24.0))


def test_cruise_above_the_lanes_limit_is_done_at_the_limit():
    cruise = Mission(Mode.CRUISE, target_speed_mps=31.0)
    assert not is_done(cruise, DRIVING)
    assert is_done(cruise, replace(DRIVING, speed_mps=28.0))
    assert speed_error_mps(cruise, replace(DRIVING, speed_mps=28.0)) == 0.0


def test_cruise_behind_a_slower_vehicle_is_done():
    assert is_done(Mission(Mode.CRUISE, target_speed_mps=28.0), replace(DRIVING, speed_mps=20.0, following=True))


def test_lane_change_is_done_in_the_middle_of_the_lane():
    change = Mission(Mode.LANE_CHANGE, target_lane=1, direction="left")
    assert not is_done(change, DRIVING)
    assert not is_done(change, replace(DRIVING, lane=1, lateral_offset_m=0.9))
    assert is_done(change, replace(DRIVING, lane=1, lateral_offset_m=-0.2))


def test_overtake_is_done_past_the_vehicle_and_back():
    overtake = Mission(Mode.OVERTAKE, target_lane=1, direction="left", return_lane=2)
    assert not is_done(overtake, DRIVING)
    assert not is_done(overtake, replace(DRIVING, lane=1, passed=True))
    assert is_done(overtake, replace(DRIVING, passed=True))
    assert is_done(replace(overtake, return_lane=None), replace(DRIVING, lane=1, passed=True))


def test_stop_is_done_standing_in_the_lane_that_was_named():
    standing = replace(DRIVING, speed_mps=0.0)
    assert not is_done(Mission(Mode.STOP), DRIVING)
    assert is_done(Mission(Mode.STOP), standing)
    assert not is_done(Mission(Mode.STOP, target_lane=4), standing)


def test_outcome_of_a_mission_done_has_its_figures():
    ended = outcome(
        Mission(Mode.CRUISE, target_speed_mps=60 * MPS_PER_MPH, time_s=4.0), replace(DRIVING, speed_mps=27.0)
    )
    assert ended is not None
    assert (ended.ending, ended.reason, ended.duration_s) == (Ending.DONE, "", 6.0)
    assert ended.speed_error_mps == pytest.approx(27.0 - 60 * MPS_PER_MPH)


def test_mission_goes_on_until_its_time_is_up():
    change = Mission(Mode.LANE_CHANGE, target_lane=1, direction="left")
    assert outcome(change, replace(DRIVING, time_s=29.9)) is None
    late = outcome(change, replace(DRIVING, time_s=30.0))
    assert late is not None
    assert late.ending is Ending.TIMED_OUT
    assert "30 seconds" in late.reason


def test_done_counts_at_the_last_moment():
    change = Mission(Mode.LANE_CHANGE, target_lane=2)
    ended = outcome(change, replace(DRIVING, time_s=30.0))
    assert ended is not None
    assert ended.ending is Ending.DONE


def test_hold_never_times_out():
    assert outcome(Mission(), replace(DRIVING, time_s=1e6)) is None


def test_cancelled_mission_says_what_took_its_place():
    ended = cancelled(Mission(Mode.STOP, time_s=8.0), DRIVING, "cruise at 60")
    assert (ended.ending, ended.duration_s) == (Ending.CANCELLED, 2.0)
    assert "cruise at 60" in ended.reason
