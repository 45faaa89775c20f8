"""Drivers that tailgate, brake hard, cut in and mean no good: still no crash is the guarded ego's fault."""

import numpy as np
import pytest

from hotlap.benchmark.highway_safety import DRIVERS, IMPOLITE, cases, drive_everything
from hotlap.errors import ConfigError
from hotlap.highway.config import HighwayConfig
from hotlap.highway.physics import ADVERSARY, CUTTER, HARD_BRAKER, POLITE, TAILGATER
from hotlap.highway.world import HighwayWorld
from hotlap.policies.highway_expert import HighwayExpert


def test_shares_of_impolite_drivers_are_kept():
    world = HighwayWorld(50, {"traffic": IMPOLITE}, 40)
    for road in range(50):
        world.begin(road, np.random.default_rng(road))
    manners = world.vehicles.manner.reshape(50, -1)[:, 1:]
    for kind in (TAILGATER, HARD_BRAKER, CUTTER, ADVERSARY):
        assert (manners == kind).mean() == pytest.approx(0.125, abs=0.03)
    assert (manners == POLITE).mean() == pytest.approx(0.5, abs=0.05)


def test_traffic_is_polite_unless_told_otherwise():
    world = HighwayWorld(20, vehicles=40)
    for road in range(20):
        world.begin(road, np.random.default_rng(road))
    assert (world.vehicles.manner == POLITE).all()


@pytest.mark.parametrize("wrong", [{"cutters": 1.5}, {"cutters": -0.1}, {"cutters": 0.6, "tailgaters": 0.6}])
def test_shares_that_cannot_be_are_refused(wrong):
    with pytest.raises(ConfigError, match="together at most 1"):
        HighwayConfig.load({"traffic": wrong})


def test_others_cut_in_and_never_touch_each_other():
    world, expert = HighwayWorld(30, {"traffic": {"cutters": 0.5, "adversaries": 0.5}}, 40), HighwayExpert()
    for road in range(30):
        world.begin(road, np.random.default_rng(200 + road))
    unsafe = 0
    for _ in range(300):
        world.advance(expert.act(world.observation))
        unsafe += int((world.vehicles.cut_in > 0).sum())
    assert unsafe > 0
    lanes = world.vehicles.lane.reshape(30, -1)[:, 1:]
    x, half = world.vehicles.x_m.reshape(30, -1)[:, 1:], 0.5 * world.vehicles.length_m.reshape(30, -1)[:, 1:]
    for road in range(30):
        for lane in range(5):
            there = np.flatnonzero(lanes[road] == lane)
            order = there[np.argsort(x[road, there])]
            gaps = np.diff(x[road, order]) - half[road, order[1:]] - half[road, order[:-1]]
            assert (gaps > 0.0).all()


def test_no_crash_with_impolite_traffic_is_the_guarded_egos_fault():
    found = drive_everything(300.0, seed=3, roads=64, chosen=cases(["expert"], impolite=True))
    assert {figures.driver for figures in found} == {*DRIVERS, "expert"}
    assert [figures for figures in found if figures.ego_fault] == []
