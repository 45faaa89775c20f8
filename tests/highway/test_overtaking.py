"""When an overtake begins, and when there is nothing left to overtake."""

import pytest

from highway.roads import drive, road_with
from hotlap.highway.mission_rules import (
    IN_THE_WAY,
    LEFT_ITS_LANE,
    NO_REASON,
    OVERTAKE,
    PASS_WITHIN_S,
    PASSING_MPS,
    REFUSED,
    TIMED_OUT,
    TOO_FAST,
    begin_overtake,
    lanes_off,
    leads_away,
    seconds_to_pass,
)
from hotlap.highway.physics import EASY_ACCEL_MPS2

LEFT = -1


def begun(batch) -> int:
    """Ask to pass the vehicle ahead on the left and come back."""
    lane = int(batch.vehicles.lane[0])
    return begin_overtake(batch.vehicles, 0, batch.roads, 0, LEFT, lane, -1.0, 1.5, batch.rules)


def with_one_ahead(pace: float, speed_mps: float):
    batch = road_with([(2, 40.0, speed_mps)], ego=(2, 25.0))
    batch.vehicles.pace[1] = pace
    return batch


def test_slow_vehicle_can_be_overtaken():
    batch = with_one_ahead(0.7, 19.0)
    assert begun(batch) == NO_REASON
    assert batch.roads.mission_mode[0] == OVERTAKE


@pytest.mark.parametrize(("pace", "speed_mps"), [(1.06, 19.0), (0.7, 29.0)])
def test_vehicle_as_fast_as_the_passing_lane_allows_is_not_overtaken(pace, speed_mps):
    batch = with_one_ahead(pace, speed_mps)
    assert begun(batch) == TOO_FAST
    assert batch.roads.mission_mode[0] != OVERTAKE


def test_time_to_pass_is_the_way_over_the_difference_of_speeds():
    batch = with_one_ahead(0.7, 19.0)
    theirs_mps = 0.7 * 62.5 * 0.44704
    way_m = 40.0 + 4.8 + theirs_mps
    seconds = seconds_to_pass(batch.vehicles, 0, 1, theirs_mps, theirs_mps + PASSING_MPS)
    assert seconds == pytest.approx(way_m / PASSING_MPS)
    assert seconds < PASS_WITHIN_S


def test_time_to_pass_counts_the_way_lost_while_the_ego_speeds_up():
    batch = with_one_ahead(0.7, 19.0)
    theirs_mps = 0.7 * 62.5 * 0.44704
    speed_mps = theirs_mps + PASSING_MPS
    quick = seconds_to_pass(batch.vehicles, 0, 1, theirs_mps, speed_mps)
    batch.vehicles.speed_mps[0] = speed_mps - 10.0
    slow = seconds_to_pass(batch.vehicles, 0, 1, theirs_mps, speed_mps)
    assert slow - quick == pytest.approx(0.5 * 10.0**2 / EASY_ACCEL_MPS2 / PASSING_MPS)


def test_standing_ego_does_not_begin_to_overtake_who_is_hardly_slower_than_the_limit():
    batch = with_one_ahead(0.9, 25.0)
    batch.vehicles.x_m[1] = 20.0
    assert begun(batch) == NO_REASON
    batch.vehicles.speed_mps[0] = 0.0
    assert begun(batch) == TOO_FAST


def test_overtake_is_driven_faster_than_the_vehicle_will_be_when_nothing_holds_it_up():
    batch = with_one_ahead(0.7, 10.0)
    begun(batch)
    assert batch.roads.mission_speed_mps[0] == pytest.approx(0.7 * 62.5 * 0.44704 + PASSING_MPS)


def test_ego_may_pass_in_a_lane_further_out_and_is_off_its_lane_again_once_it_is_past():
    batch = with_one_ahead(0.7, 19.0)
    begun(batch)
    batch.vehicles.lane[0] = batch.vehicles.target_lane[0] = 0
    assert lanes_off(batch.vehicles, 0, batch.roads, 0) == 0.0
    assert not leads_away(batch.roads, 0, LEFT, 0)
    batch.vehicles.lane[0] = batch.vehicles.target_lane[0] = 2
    assert lanes_off(batch.vehicles, 0, batch.roads, 0) == 1.0
    assert leads_away(batch.roads, 0, -LEFT, 3)
    batch.roads.mission_passed[0], batch.roads.mission_lane[0] = 1, 2
    batch.vehicles.lane[0] = batch.vehicles.target_lane[0] = 0
    assert lanes_off(batch.vehicles, 0, batch.roads, 0) == 2.0
    assert leads_away(batch.roads, 0, LEFT, 0)


def test_every_metre_gained_on_the_vehicle_pays_until_it_is_passed():
    batch = with_one_ahead(0.7, 19.0)
    begun(batch)
    drive(batch, 0.0)
    gained = 0.2 * (batch.vehicles.speed_mps[0] - batch.vehicles.speed_mps[1])
    assert gained > 1.0
    assert batch.out.mission[0] == pytest.approx(batch.rules.passing * gained)
    batch.roads.mission_passed[0] = 1
    drive(batch, 0.0)
    assert batch.out.mission[0] == 0.0


def test_overtake_ends_when_the_vehicle_goes_to_another_lane_by_itself():
    batch = with_one_ahead(0.7, 19.0)
    begun(batch)
    drive(batch, 0.0)
    assert batch.out.mission_ended[0] == 0
    batch.vehicles.lane[1] = batch.vehicles.target_lane[1] = 3
    drive(batch, 0.0)
    assert (batch.out.mission_ended[0], batch.out.ended_reason[0]) == (REFUSED, LEFT_ITS_LANE)


def behind_another(gap_m: float, their_mps: float):
    """The ego in the lane to pass in, its time nearly over, behind a vehicle that is not the one to be overtaken."""
    batch = road_with([(2, 30.0, 19.0), (1, gap_m + 4.8, their_mps)], ego=(2, 25.0))
    batch.vehicles.pace[1] = 0.7
    begun(batch)
    batch.vehicles.lane[0] = batch.vehicles.target_lane[0] = 1
    batch.roads.mission_decisions[0] = int(batch.roads.mission_limit_s[0] / 0.2)
    drive(batch, 0.0)
    return int(batch.out.mission_ended[0]), int(batch.out.ended_reason[0])


def test_overtake_is_impossible_when_its_time_ends_behind_somebody_slower_in_the_lane_to_pass_in():
    assert behind_another(40.0, 20.0) == (REFUSED, IN_THE_WAY)


def test_overtake_that_nobody_held_up_has_only_taken_too_long():
    assert behind_another(140.0, 20.0) == (TIMED_OUT, NO_REASON)
    assert behind_another(40.0, 31.0) == (TIMED_OUT, NO_REASON)
