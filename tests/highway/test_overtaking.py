"""When an overtake begins, and when there is nothing left to overtake."""

import pytest

from highway.roads import drive, road_with
from hotlap.highway.mission_rules import (
    LEFT_ITS_LANE,
    NO_REASON,
    OVERTAKE,
    PASS_WITHIN_S,
    REFUSED,
    TOO_FAST,
    begin_overtake,
    seconds_to_pass,
)

LEFT = -1


def begun(batch) -> int:
    """Ask to pass the vehicle ahead on the left and come back."""
    lane = int(batch.vehicles.lane[0])
    return begin_overtake(batch.vehicles, 0, batch.roads, 0, LEFT, lane, batch.rules)


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
    limit_mps, theirs_mps = 66.25 * 0.44704, 0.7 * 62.5 * 0.44704
    way_m = 40.0 + 4.8 + theirs_mps
    assert seconds_to_pass(batch.vehicles, 0, 1, 2, 1, batch.rules) == pytest.approx(way_m / (limit_mps - theirs_mps))
    assert way_m / (limit_mps - theirs_mps) < PASS_WITHIN_S


def test_overtake_ends_when_the_vehicle_goes_to_another_lane_by_itself():
    batch = with_one_ahead(0.7, 19.0)
    begun(batch)
    drive(batch, 0.0)
    assert batch.out.mission_ended[0] == 0
    batch.vehicles.lane[1] = batch.vehicles.target_lane[1] = 3
    drive(batch, 0.0)
    assert (batch.out.mission_ended[0], batch.out.ended_reason[0]) == (REFUSED, LEFT_ITS_LANE)
