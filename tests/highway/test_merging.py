"""How the expert keeps a gap and gets into another lane: speeds, and orders in the densest traffic there is."""

import numpy as np
import pytest

from hotlap.evaluation.highway.order_evaluation import OrderEvaluation
from hotlap.evaluation.highway.order_sentences import SpokenOrder, spoken
from hotlap.highway.distances import is_safe, stopping_m
from hotlap.highway.expert_view import LaneView, View
from hotlap.highway.following import follow_accel_mps2, keep_gap_mps2, speed_for_gap_mps
from hotlap.highway.merging import (
    FALL_BACK_MPS,
    OTHERS_BRAKE_MPS2,
    OTHERS_HEADWAY_S,
    has_safe_gaps,
    room_ahead_m,
    room_behind_m,
    speed_to_merge_mps,
)
from hotlap.highway.mission_rules import CRUISE, SLOWEST_TO_LANE_MPS, goal_speed_mps, set_mission
from hotlap.highway.missions import Ending, Mission
from hotlap.highway.sensors import RANGE_M
from hotlap.highway.supervisor import RESPONSE_S
from hotlap.highway.world import HighwayWorld
from hotlap.policies.highway_expert import HighwayExpert

NOBODY = LaneView(exists=True, gap_ahead_m=RANGE_M, ahead_mps=20.0, gap_behind_m=RANGE_M, behind_mps=20.0)
TIMED_OUT_BEFORE = (
    *(1374389634745, 1374389634759, 1374389634762, 1374389634778, 1374389634785, 1374389635738),
    *(1374389635768, 1374389635773, 1374389635781, 1374389635798, 1374389635808),
)
"""Orders to change lanes among 40 vehicles, of 146, that the expert did not carry out as long as it sought no gap."""


def driver(speed_mps=20.0, limit_mps=28.0):
    return View(
        speed_mps=speed_mps,
        accel_mps2=0.0,
        limit_mps=limit_mps,
        offset=0.0,
        drift=0.0,
        stops=False,
        target_speed_mps=20.0,
        headway_s=2.0,
        lanes_to_go=-1.0,
    )


def lane(gap_ahead_m, gap_behind_m, pace_mps):
    return LaneView(True, gap_ahead_m, pace_mps, gap_behind_m, pace_mps)


def test_empty_lane_leaves_the_speed_of_the_mission():
    assert speed_to_merge_mps(driver(), NOBODY, NOBODY, 20.0) == 20.0


def test_crawling_ego_speeds_up_before_it_changes_lanes():
    assert speed_to_merge_mps(driver(speed_mps=0.0), NOBODY, NOBODY, 0.0) == SLOWEST_TO_LANE_MPS


def test_ego_in_the_middle_of_a_gap_drives_as_fast_as_the_gap():
    behind = room_behind_m(25.0, 25.0)
    assert speed_to_merge_mps(driver(), NOBODY, lane(room_ahead_m(25.0), behind, 25.0), 20.0) == pytest.approx(25.0)


def test_ego_too_far_back_in_a_gap_drives_faster_and_too_far_forward_slower():
    too_far_back = lane(60.0, 5.0, 24.0)
    assert 24.0 < speed_to_merge_mps(driver(), NOBODY, too_far_back, 20.0) <= 28.0
    assert speed_to_merge_mps(driver(), NOBODY, lane(5.0, 60.0, 24.0), 20.0) < 24.0


def test_ego_falls_back_from_a_gap_that_is_too_short():
    assert speed_to_merge_mps(driver(), NOBODY, lane(10.0, 10.0, 25.0), 20.0) == 25.0 - FALL_BACK_MPS


def test_ego_falls_back_when_the_vehicle_ahead_or_the_limit_keeps_it_from_a_gap():
    gap, held_up = lane(60.0, 5.0, 25.0), LaneView(True, 15.0, 25.0, RANGE_M, 25.0)
    assert speed_to_merge_mps(driver(), held_up, gap, 20.0) == 25.0 - FALL_BACK_MPS
    assert speed_to_merge_mps(driver(limit_mps=25.0), NOBODY, gap, 20.0) == 25.0 - FALL_BACK_MPS


@pytest.mark.parametrize("pace_mps", [10.0, 18.0, 26.0, 33.0])
def test_gap_with_room_is_safe_for_the_supervisor_and_makes_nobody_brake_too_hard(pace_mps):
    behind = room_behind_m(pace_mps, pace_mps)
    assert has_safe_gaps(driver(pace_mps), lane(room_ahead_m(pace_mps), behind, pace_mps))
    assert is_safe(behind, stopping_m(pace_mps) + RESPONSE_S * pace_mps, pace_mps)
    assert follow_accel_mps2(pace_mps, behind, pace_mps, OTHERS_HEADWAY_S) > -OTHERS_BRAKE_MPS2


def test_speed_for_a_gap_is_the_one_by_which_a_mission_is_goal():
    world = HighwayWorld(1, vehicles=20)
    for seed in range(40):
        world.begin(0, np.random.default_rng(seed), {"lane": 2, "speed_mps": 24.0, "mission": Mission()})
        front = int(np.argmax(world.vehicles.lane[1:] == 2)) + 1
        for gap_s in (1.0, 2.5, 6.0):
            set_mission(world.roads, 0, CRUISE, 2, 40.0, gap_s)
            goal = goal_speed_mps(world.vehicles, 0, front, world.roads, 0, world.batch.rules)
            gap = world.vehicles.x_m[front] - world.vehicles.x_m[0]
            gap -= 0.5 * (world.vehicles.length_m[front] + world.vehicles.length_m[0])
            wanted = speed_for_gap_mps(24.0, gap, world.vehicles.speed_mps[front], gap_s)
            limit = goal_speed_mps(world.vehicles, 0, -1, world.roads, 0, world.batch.rules)
            assert goal == pytest.approx(min(max(wanted, 0.0), limit))


@pytest.mark.parametrize("headway_s", [1.0, 2.0, 6.0])
def test_gap_that_is_asked_for_is_kept_at_an_even_speed(headway_s):
    assert keep_gap_mps2(25.0, 25.0 * headway_s, 25.0, headway_s) == pytest.approx(0.0)
    assert keep_gap_mps2(25.0, 20.0 * headway_s, 25.0, headway_s) < 0.0


@pytest.mark.parametrize("headway_s", [1.2, 1.8, 2.4])
def test_gap_that_is_a_little_off_is_mended_firmly_enough_to_be_learned(headway_s):
    assert keep_gap_mps2(25.0, 1.05 * headway_s * 25.0, 25.0, headway_s) > 0.8
    assert keep_gap_mps2(25.0, 0.95 * headway_s * 25.0, 25.0, headway_s) < -0.8


def test_expert_finds_a_gap_in_the_densest_traffic():
    orders = [(spoken("lane", seed), seed) for seed in TIMED_OUT_BEFORE]
    endings = [each.ending for each in OrderEvaluation(HighwayExpert(), orders, 40).results()]
    assert endings.count(Ending.DONE) >= 7


def test_expert_told_to_change_lanes_while_it_stops_does_so_first():
    order = SpokenOrder("change_of_mind", ("come to a stop", "change lanes to the right"), 3.0)
    seed = 1374389634792
    [result] = OrderEvaluation(HighwayExpert(), [(order, seed)], 8).results()
    assert result.ending is Ending.DONE


def test_expert_opens_a_long_gap_though_others_move_into_it():
    seeds = (1374389634762, 1374389634797, 1374389635804)
    orders = [(spoken("gap", seed), seed) for seed in seeds]
    endings = [each.ending for each in OrderEvaluation(HighwayExpert(), orders, 40).results()]
    assert endings == [Ending.DONE] * len(orders)
