"""Missions in the world: how they begin, when they are done, and that the reward follows them."""

import numpy as np
import pytest

from highway.roads import drive, road_with
from hotlap import HighwayEnv
from hotlap.errors import MissionError
from hotlap.highway.config import RewardWeights
from hotlap.highway.missions import MODE_NAMES, Mission, Mode
from hotlap.highway.physics import DECISION_S, MPH
from hotlap.highway.world import HighwayWorld


def env_with(mission, lane=2, speed_mps=25.0, vehicles=0, **rules) -> HighwayEnv:
    env = HighwayEnv(vehicles=vehicles, **rules)
    env.reset(seed=0, options={"lane": lane, "speed_mps": speed_mps, "mission": mission})
    return env


def until_ended(env, action_of, most=600) -> dict:
    """The info of the step in which the mission ends."""
    for _ in range(most):
        _, _, terminated, _, info = env.step(action_of(env))
        assert not terminated
        if info["mission_ended"]:
            return info
    raise AssertionError("the mission never ended")


def towards(target_mps):
    """A driver that holds a speed, and asks for the lane of its mission."""

    def act(env):
        speed = env.world.vehicles.speed_mps[0]
        push = float(np.clip(0.6 * (target_mps - speed), -3.0, 3.0))
        lane = np.sign(env.world.roads.mission_lane[0] - env.world.vehicles.target_lane[0])
        return [max(push, 0.0) / 3.6, max(-push, 0.0) / 8.0, float(lane)]

    return act


def total_reward(speed_mph, supervisor) -> float:
    env = env_with(Mission(Mode.CRUISE, target_speed_mps=60 * MPH), speed_mps=60 * MPH, supervisor=supervisor)
    return sum(env.step(towards(speed_mph * MPH)(env))[1] for _ in range(300))


@pytest.mark.parametrize("supervisor", [True, False])
def test_sixty_beats_fifty_and_ninety_on_a_mission_of_sixty(supervisor):
    fifty, sixty, ninety = (total_reward(speed, supervisor) for speed in (50, 60, 90))
    assert sixty > fifty
    assert sixty > ninety


def counted_errors(env, driver, seconds) -> list[tuple[float, float]]:
    """When the speed error counted, and what it was."""
    found = []
    for decision in range(round(seconds / DECISION_S)):
        info = env.step(driver(env))[4]
        if info["is_free"]:
            found.append(((decision + 1) * DECISION_S, info["speed_error_mps"]))
    return found


def test_speed_error_counts_once_the_speed_of_the_order_is_reached_and_not_on_the_way_there():
    for begins_at in (5.0, 28.0):
        env = env_with(Mission(Mode.CRUISE, target_speed_mps=20.0), speed_mps=begins_at)
        counted = counted_errors(env, towards(20.0), 20.0)
        assert counted[0][0] > 3.0
        assert all(abs(error) <= 1.5 * MPH for _, error in counted)
        assert abs(counted[-1][1]) < 0.01


def test_speed_error_counts_from_when_a_driver_who_never_gets_there_should_have_been_there():
    env = env_with(Mission(Mode.CRUISE, target_speed_mps=25.0), speed_mps=20.0)
    counted = counted_errors(env, towards(20.0), 20.0)
    # Five seconds, and twice the time of 5 m/s at 2.5 m/s².
    assert counted[0] == pytest.approx((9.2, -5.0), abs=0.21)


def test_speed_error_does_not_count_while_catching_up_after_somebody_was_in_the_way():
    batch = road_with([(2, 60.0, 15.0)], ego=(2, 15.0))
    batch.roads.mission_speed_mps[0] = 25.0
    drive(batch, 0.1, decisions=50)
    assert not batch.out.is_free[0]
    batch.vehicles.x_m[1] += 200.0
    drive(batch, 0.1, decisions=20)
    assert not batch.out.is_free[0]
    drive(batch, 0.1, decisions=200)
    assert batch.out.is_free[0]


def test_speed_error_does_not_count_while_the_lane_of_the_order_is_not_reached():
    env = env_with(Mission(Mode.CRUISE, target_lane=1, target_speed_mps=25.0), speed_mps=15.0)
    waiting = towards(15.0)
    assert counted_errors(env, lambda env: [*waiting(env)[:2], 0.0], 30.0) == []


def test_standing_still_earns_less_than_driving_on_a_cruise():
    assert total_reward(0, True) < total_reward(50, True) < total_reward(58, True)


def test_what_a_mission_does_not_say_stays_as_it_was():
    env = env_with(Mission(Mode.CRUISE, target_speed_mps=27.0, gap_s=3.0))
    env.world.give(0, Mission(Mode.LANE_CHANGE, target_lane=1))
    assert env.world.roads.mission_speed_mps[0] == 27.0
    assert env.world.roads.mission_gap_s[0] == 3.0


def test_cruise_is_done_when_the_speed_has_been_held():
    info = until_ended(env_with(Mission(Mode.CRUISE, target_speed_mps=27.0), speed_mps=20.0), towards(27.0))
    assert (info["ended_mode"], info["outcome"]) == ("cruise", "done")
    assert info["duration_s"] >= 5.0


def test_cruise_that_is_ignored_times_out():
    info = until_ended(env_with(Mission(Mode.CRUISE, target_speed_mps=27.0), speed_mps=15.0), towards(15.0))
    assert (info["outcome"], info["duration_s"]) == ("timed_out", pytest.approx(60.0))


@pytest.mark.parametrize("target", [1, 3, 0, 4])
def test_lane_change_is_done_when_settled_in_the_lane(target):
    env = env_with(Mission(Mode.LANE_CHANGE, target_lane=target))
    info = until_ended(env, towards(25.0))
    assert (info["ended_mode"], info["outcome"], info["lane"]) == ("lane_change", "done", target)
    assert info["duration_s"] < 4.0 * abs(target - 2)


def test_stop_is_done_when_standing_in_the_lane():
    env = env_with(Mission(Mode.STOP, target_lane=4))
    info = until_ended(env, lambda e: towards(12.0 if e.world.vehicles.lane[0] != 4 else 0.0)(e))
    assert (info["outcome"], info["lane"]) == ("done", 4)
    assert info["speed_mps"] <= 0.1


def overtaking_scene() -> HighwayEnv:
    """A slow vehicle 40 m ahead in the ego's lane."""
    env = HighwayEnv(vehicles=1)
    env.reset(seed=0, options={"lane": 2, "speed_mps": 25.0})
    vehicles = env.world.vehicles
    vehicles.lane[1] = vehicles.target_lane[1] = 2
    vehicles.x_m[1], vehicles.speed_mps[1], vehicles.pace[1] = 40.0, 18.0, 0.65
    vehicles.politeness[1] = 0.0
    env.world.look()
    return env


def test_overtake_leads_past_the_vehicle_and_back():
    env = overtaking_scene()
    env.world.give(0, Mission(Mode.OVERTAKE, direction="left", return_lane=2))
    assert env.world.roads.mission_lane[0] == 1
    info = until_ended(env, towards(27.0))
    assert (info["outcome"], info["lane"]) == ("done", 2)
    assert env.world.vehicles.x_m[0] > env.world.vehicles.x_m[1] + 10.0


def test_overtake_without_a_vehicle_ahead_is_refused_and_the_mission_stays():
    env = env_with(Mission(Mode.CRUISE, target_speed_mps=27.0))
    with pytest.raises(MissionError, match="no vehicle ahead"):
        env.world.give(0, Mission(Mode.OVERTAKE, direction="left"))
    assert env.world.roads.mission_mode[0] == MODE_NAMES.index("cruise")


def test_overtake_beyond_the_edge_is_refused():
    env = overtaking_scene()
    env.world.vehicles.lane[:2] = env.world.vehicles.target_lane[:2] = 0
    with pytest.raises(MissionError, match="no such lane"):
        env.world.give(0, Mission(Mode.OVERTAKE, direction="left"))


def test_after_a_given_mission_the_ego_holds():
    env = env_with(Mission(Mode.LANE_CHANGE, target_lane=1))
    info = until_ended(env, towards(25.0))
    assert info["mission_mode"] == MODE_NAMES.index("hold")


def test_missions_given_every_tick_do_no_harm():
    env = HighwayEnv(vehicles=30)
    env.reset(seed=2)
    rng = np.random.default_rng(0)
    for _ in range(300):
        mode = [Mode.HOLD, Mode.CRUISE, Mode.LANE_CHANGE, Mode.STOP][rng.integers(4)]
        env.world.give(0, Mission(mode, target_lane=int(rng.integers(5)), target_speed_mps=float(rng.uniform(0, 40))))
        assert not env.step(rng.uniform([0, 0, -1], [1, 0.3, 1]))[2]


def test_plan_brings_every_mode_and_one_mode_when_asked():
    world = HighwayWorld(64)
    only = HighwayWorld(64, missions="lane_change")
    for road in range(64):
        world.begin(road, np.random.default_rng(road))
        only.begin(road, np.random.default_rng(road))
    assert set(world.roads.mission_mode.tolist()) == set(range(5))
    assert set(only.roads.mission_mode.tolist()) == {MODE_NAMES.index("lane_change")}
    assert (only.roads.mission_lane != only.vehicles.lane.reshape(64, -1)[:, 0]).all()


def test_done_mission_of_the_plan_is_paid_and_followed_by_the_next():
    env = HighwayEnv(vehicles=0, missions="lane_change")
    env.reset(seed=0)
    info = until_ended(env, towards(25.0))
    assert info["mission_reward"] == RewardWeights().mission_done
    assert info["mission_number"] == 2


def some_order(rng: np.random.Generator) -> Mission:
    """Any mission, as somebody who cannot make up their mind gives them."""
    mode = Mode(str(rng.choice(MODE_NAMES)))
    lane, speed_mps = int(rng.integers(5)), float(rng.uniform(0.0, 40.0))
    return Mission(mode, target_lane=None if mode is Mode.OVERTAKE else lane, target_speed_mps=speed_mps)


def test_new_mission_in_every_decision_never_makes_the_car_crash_by_its_fault():
    """Full throttle and a lane request in every decision besides; an overtake of nobody is refused, nothing breaks."""
    env, rng = HighwayEnv(vehicles=40), np.random.default_rng(4)
    env.reset(seed=4)
    refused = 0
    for _ in range(6_000):
        try:
            env.world.give(0, some_order(rng))
        except MissionError:
            refused += 1
        observation, reward, terminated, truncated, info = env.step([1.0, 0.0, float(rng.choice([-1.0, 1.0]))])
        assert np.isfinite(observation).all()
        assert np.isfinite(reward)
        assert not info["ego_fault"]
        if terminated or truncated:
            env.reset()
    assert 0 < refused < 3_000
