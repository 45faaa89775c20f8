"""Missions: what they may hold, how they end, and that the world counts modes and endings in the same way."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from hotlap.errors import MissionError
from hotlap.evaluation import request
from hotlap.evaluation.highway import setup
from hotlap.highway.mission_rules import OUTCOME_NAMES
from hotlap.highway.missions import MODE_NAMES, Ending, Mission, Mode, Outcome
from hotlap.highway.physics import MPH


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
        {"target_lane": 1.5},
        {"target_lane": True},
        {"return_lane": "left"},
        {"target_speed_mps": "fast"},
        {"gap_s": [2.0]},
        {"direction": "up"},
        {"direction": ["left"]},
    ],
    ids=str,
)
def test_mission_out_of_range_cannot_be_made(wrong):
    with pytest.raises(MissionError, match=next(iter(wrong))):
        Mission(Mode.CRUISE, **wrong)


@pytest.mark.parametrize(
    ("mode", "words"),
    [("crusie", 'no mission "crusie". Did you mean "cruise"?'), (None, "Known: hold"), ([], "Known:")],
)
def test_unknown_mission_cannot_be_made(mode, words):
    with pytest.raises(MissionError) as refusal:
        Mission(mode)
    assert words in str(refusal.value)


def test_mode_may_be_given_by_its_name():
    assert Mission("lane_change").mode is Mode.LANE_CHANGE


def test_mission_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Mission().mode = Mode.STOP


def test_speed_is_told_in_mph():
    assert Mission(Mode.CRUISE, target_speed_mps=26.8224).target_speed_mph == pytest.approx(60)
    assert Mission().target_speed_mph is None


def test_world_counts_modes_in_the_same_order():
    assert tuple(Mode) == MODE_NAMES


def test_world_knows_every_ending():
    # A crash ends the whole episode, and with it the mission.
    assert set(Ending) == set(OUTCOME_NAMES) - {"running"} | {"crashed"}


def test_outcome_tells_what_was_asked_and_how_it_ended():
    asked = Mission(Mode.CRUISE, target_speed_mps=60 * MPH, text="cruise at 60")
    ended = Outcome(asked, Ending.TIMED_OUT, "It was not done within 60 seconds.", 60.0, speed_error_mps=-2.5)
    assert (ended.mission.text, str(ended.ending), ended.duration_s) == ("cruise at 60", "timed_out", 60.0)


def test_kinds_of_mission_have_one_name_each_in_one_order():
    assert tuple(Mode) == MODE_NAMES


def test_options_that_choose_missions_name_every_kind_in_their_help():
    for source in (request, setup):
        text = Path(source.__file__).read_text(encoding="utf-8")
        assert f"only one mode: {', '.join(MODE_NAMES)}." in text
