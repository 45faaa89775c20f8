"""How near a car is to a contact of its own fault: what riskPenalty is paid for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.config import RaceConfig
from hotlap.race.risk import BESIDE_S, FOLLOWS_S, risk_behind, risk_beside, risk_of
from hotlap.racer.tracks import load_track
from race.grids import put_by_pole

WIDTH_U = 1.3
BEHIND, AHEAD = 0, 1
RISK_ONLY = RaceConfig.load(
    {"race": {"placeBonus": 0.0, "faultPenalty": 0.0, "contactPenalty": 0.0, "riskPenalty": -1}}
)


def two_cars(gap_u: float, left_u: float, speeds_ups: tuple[float, float], turn_rad: float = 0.0) -> RaceBatch:
    """One car, and another so far ahead of it and to its left; the first is turned against the road."""
    race = RaceBatch(1, [load_track("track-01")], RaceSettings(cars=2, config=RISK_ONLY), threads=1)
    race.reset()
    put_by_pole(race, BEHIND, 2.0, 0.0, turn_rad, speeds_ups[0])
    put_by_pole(race, AHEAD, 2.0 + gap_u, left_u, 0.0, speeds_ups[1])
    race.look()
    return race


@given(st.floats(0.01, 60.0), st.floats(0.01, 80.0), st.floats(-10.0, 10.0), st.floats(-60.0, 60.0))
def test_risk_behind_another_is_a_share_and_grows_as_the_gap_shrinks(room_u, closing_ups, aside_u, drift_ups):
    risk = risk_behind(room_u, closing_ups, aside_u, drift_ups, WIDTH_U)
    assert 0.0 <= risk <= 1.0
    assert risk_behind(0.5 * room_u, closing_ups, aside_u, 0.0, WIDTH_U) >= risk_behind(
        room_u, closing_ups, aside_u, 0.0, WIDTH_U
    )
    if room_u / closing_ups >= FOLLOWS_S:
        assert risk == 0.0


def test_there_is_no_risk_behind_a_faster_car_or_in_another_lane():
    assert risk_behind(1.0, -5.0, 0.0, 0.0, WIDTH_U) == 0.0
    assert risk_behind(1.0, 20.0, 2.0 * WIDTH_U, 0.0, WIDTH_U) == 0.0
    assert risk_behind(2.0, 20.0, 2.0 * WIDTH_U, -2.0 * WIDTH_U / 0.1, WIDTH_U) > 0.0  # it moves across


def test_risk_beside_another_is_of_whoever_moves_towards_it():
    assert risk_beside(0.1, 10.0, 10.0) == pytest.approx(1.0 - 0.01 / BESIDE_S)
    assert risk_beside(0.1, 10.0, 1.0) == 0.0  # the other does
    assert risk_beside(0.1, -10.0, 10.0) == 0.0
    assert risk_beside(10.0, 10.0, 10.0) == 0.0


def test_only_the_car_behind_is_at_risk_and_pays_for_it():
    race = two_cars(6.0, 0.0, (120.0, 80.0))
    assert risk_of(race.race, BEHIND) > 0.1
    assert risk_of(race.race, AHEAD) == 0.0
    race.step()
    assert race.facts.race_reward[BEHIND] < -0.1
    assert race.facts.race_reward[AHEAD] == 0.0


def test_a_car_that_turns_into_another_beside_it_is_at_risk():
    race = two_cars(0.0, 2.5, (100.0, 100.0), turn_rad=0.2)
    assert risk_of(race.race, BEHIND) > 0.5
    assert risk_of(race.race, AHEAD) == 0.0
