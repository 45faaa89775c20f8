"""The same words in another situation: lanes, limits, the mission so far, traffic, and a road of another width."""

import pytest

from hotlap.errors import MissionError
from hotlap.highway.missions import Mission, Mode
from hotlap.highway.orders import RefusalKind, Refused, Situation, Traffic, Understood, as_sentence, interpret
from hotlap.highway.physics import MPH


def understood(text: str, situation: Situation) -> Mission:
    result = interpret(text, situation)
    assert isinstance(result, Understood), result
    return result.mission


def refused(text: str, situation: Situation) -> Refused:
    result = interpret(text, situation)
    assert isinstance(result, Refused), result
    return result


def test_faster_starts_from_the_speed_that_was_asked_for():
    cruising = Situation(speed_mph=52, mission=Mission(Mode.CRUISE, target_speed_mps=60 * MPH))
    assert understood("faster by five", cruising).target_speed_mph == pytest.approx(65)


def test_gap_grows_from_the_gap_that_was_asked_for():
    following = Situation(mission=Mission(Mode.CRUISE, gap_s=3.0))
    assert understood("increase the gap", following).gap_s == pytest.approx(3.5)


def test_going_back_needs_a_lane_to_go_back_to():
    passing = Situation(lane=1, mission=Mission(Mode.OVERTAKE, target_lane=1, direction="left", return_lane=2))
    mission = understood("go back", passing)
    assert (mission.mode, mission.target_lane, mission.direction) == (Mode.LANE_CHANGE, 2, "right")
    assert refused("go back", Situation(lane=1)).kind is RefusalKind.NOT_UNDERSTOOD


@pytest.mark.parametrize(
    ("text", "mission"),
    [
        ("don't move left", Mission(Mode.LANE_CHANGE, target_lane=1, direction="left")),
        ("don't change lanes", Mission(Mode.LANE_CHANGE, target_lane=1, direction="left")),
        ("do not overtake", Mission(Mode.OVERTAKE, target_lane=1, direction="left", return_lane=2)),
        ("don't stop", Mission(Mode.STOP, target_speed_mps=0.0)),
    ],
)
def test_forbidding_what_the_car_is_doing_calls_it_off(text, mission):
    result = interpret(text, Situation(mission=mission))
    assert isinstance(result, Understood)
    assert result.cancels
    assert result.mission.mode is Mode.HOLD


def test_forbidding_something_else_leaves_the_mission_alone():
    moving_left = Situation(mission=Mission(Mode.LANE_CHANGE, target_lane=1, direction="left"))
    assert refused("don't move right", moving_left).kind is RefusalKind.NOT_AN_ORDER


def test_lane_change_into_somebody_is_refused():
    beside = Situation(traffic=Traffic(left_occupied=True))
    assert refused("move left", beside).kind is RefusalKind.UNSAFE
    assert understood("move right", beside).target_lane == 3


def test_overtake_takes_the_free_side():
    beside = Situation(traffic=Traffic(ahead="truck", left_occupied=True))
    assert understood("pass this truck", beside).direction == "right"
    assert refused("pass this truck on the left", beside).kind is RefusalKind.UNSAFE


def test_overtake_between_two_neighbours_is_refused():
    boxed_in = Situation(traffic=Traffic(ahead="truck", left_occupied=True, right_occupied=True))
    assert refused("pass this truck", boxed_in).kind is RefusalKind.UNSAFE


def test_overtake_needs_the_vehicle_that_was_named():
    behind_a_sedan = Situation(traffic=Traffic(ahead="sedan"))
    assert "sedan" in refused("pass this truck", behind_a_sedan).reason
    assert understood("pass this car", behind_a_sedan).mode is Mode.OVERTAKE
    assert refused("overtake", Situation(traffic=Traffic())).kind is RefusalKind.IMPOSSIBLE


def test_matching_takes_the_speed_of_the_vehicle_ahead_but_not_above_the_limit():
    slow = Situation(traffic=Traffic(ahead="suv", ahead_speed_mph=51))
    assert understood("match the car ahead", slow).target_speed_mph == pytest.approx(51)
    racing = Situation(traffic=Traffic(ahead="suv", ahead_speed_mph=88))
    assert understood("match the car ahead", racing).target_speed_mph == pytest.approx(70)
    assert refused("match the car ahead", Situation(traffic=Traffic())).kind is RefusalKind.IMPOSSIBLE


def test_roads_of_other_widths_have_other_lanes():
    narrow = Situation(lane=0, lanes=2)
    assert understood("rightmost lane", narrow).target_lane == 1
    assert refused("two lanes right", narrow).kind is RefusalKind.IMPOSSIBLE
    assert understood("stop in the right lane", Situation(lane=2, lanes=6)).target_lane == 5


def test_middle_of_an_even_road_is_the_nearer_middle_lane():
    assert understood("middle lane", Situation(lane=0, lanes=6)).target_lane == 2
    assert understood("middle lane", Situation(lane=5, lanes=6)).target_lane == 3


def test_speed_above_the_lanes_limit_is_understood_with_a_note():
    result = interpret("cruise at 65", Situation(lane=3))
    assert isinstance(result, Understood)
    assert result.note is not None
    assert "58.75 mph" in result.note
    assert "58.75 mph" in as_sentence(result)


def test_other_limits_are_kept():
    town = Situation(limits_mph=(40.0, 40.0, 40.0, 35.0, 30.0))
    assert refused("cruise at 45", town).kind is RefusalKind.UNSAFE
    assert understood("drive the limit", town).target_speed_mph == pytest.approx(40)


@pytest.mark.parametrize(
    "wrong",
    [
        {"lane": 6},
        {"lane": -1},
        {"speed_mph": -1},
        {"speed_mph": float("nan")},
        {"speed_mph": 200},
        {"lanes": 1},
        {"lanes": 7},
        {"limits_mph": (60.0,)},
        {"limits_mph": (60.0, 60.0, float("nan"), 60.0, 60.0)},
    ],
)
def test_situation_that_cannot_be_is_an_error(wrong):
    with pytest.raises(MissionError):
        Situation(**wrong)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cruise at 60, keep two seconds", "Cruise at 60 mph, 2 seconds behind the vehicle ahead."),
        ("move left", "Move to lane 2, to the left."),
        ("pass this truck", "Overtake on the left through lane 2, then to lane 3."),
        ("pass this truck and stay there", "Overtake on the left through lane 2, and stay there."),
        ("pull over", "Stop on the shoulder."),
        ("stop", "Stop."),
        ("stay in this lane", "Stay in lane 3."),
        ("go to lane 5", "Move to lane 5, to the right."),
        ("keep going", "Hold lane and speed."),
        ("never mind", "Cancelled: hold lane and speed."),
    ],
)
def test_mission_is_read_out_in_one_sentence(text, sentence):
    assert as_sentence(interpret(text, Situation())) == sentence


def test_mission_remembers_who_said_what_and_when():
    result = interpret("  move left ", Situation(), source="voice", time_s=12.5)
    assert isinstance(result, Understood)
    assert (result.mission.source, result.mission.text, result.mission.time_s) == ("voice", "move left", 12.5)


def test_speeds_are_meant_and_answered_in_the_units_of_the_situation():
    metric = Situation(units="km/h")
    heard = interpret("cruise at 90", metric)
    assert heard.mission.target_speed_mps == pytest.approx(25.0)
    assert as_sentence(heard, "km/h") == "Cruise at 90 km/h."
    assert interpret("cruise at 60 mph", metric).mission.target_speed_mph == pytest.approx(60.0)
    assert interpret("10 faster", metric).mission.target_speed_mps == pytest.approx(58.0 * MPH + 10.0 / 3.6)
    assert refused("cruise at 130", metric).reason == "The highest limit here is 113 km/h, and that is above it."


def test_lanes_are_counted_from_one_in_words():
    assert understood("lane 1", Situation()).target_lane == 0
    assert refused("lane 0", Situation()).reason == refused("lane 6", Situation()).reason
    assert refused("lane 6", Situation()).reason == "The lanes are 1 (leftmost) to 5; there is no such lane."
    on_shoulder = Situation(lane=5)
    assert refused("one lane to the right", on_shoulder).reason == "There is no lane to the right of the shoulder."
