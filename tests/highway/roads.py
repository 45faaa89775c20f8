"""Roads for the tests: put together by hand, or by dice."""

import numpy as np

from hotlap.highway.batch import HighwayBatch
from hotlap.highway.config import HighwayConfig
from hotlap.highway.mission_rules import CRUISE, set_mission
from hotlap.highway.physics import SEDAN, STEADY
from hotlap.highway.road import sort_order
from hotlap.highway.starts import put_driver


def begin(batch: HighwayBatch, road: int, ego: tuple[int, float], vehicles: int, plan: tuple[int, int]) -> None:
    """Begin an episode with the ego in a lane at a speed; the plan is how many missions, and of which mode."""
    starts = batch.starts
    starts.lane[road], starts.speed_mps[road] = ego
    starts.fewest[road] = starts.most[road] = vehicles
    starts.planned[road], starts.plan_mode[road] = plan
    batch.begin(road)


def road_with(others, *, ego=(2, 25.0), config=None, supervised=True, slots=None) -> HighwayBatch:
    """One road with the ego at 0 m and others at (lane, x_m, speed_mps), steady sedans, on a cruise at its speed."""
    slots = slots or len(others) + 1
    batch = HighwayBatch(1, slots, HighwayConfig.load(config), supervised=supervised, threads=1)
    begin(batch, 0, ego, 0, (0, -1))
    for slot, (lane, x_m, speed_mps) in enumerate(others, 1):
        put_driver(batch.vehicles, slot, STEADY, SEDAN)
        batch.vehicles.lane[slot] = batch.vehicles.target_lane[slot] = lane
        batch.vehicles.x_m[slot], batch.vehicles.speed_mps[slot] = x_m, speed_mps
        batch.vehicles.side[slot] = -1
    batch.roads.vehicle_count[0] = len(others)
    set_mission(batch.roads, 0, CRUISE, ego[0], ego[1], 1.5)
    sort_order(batch.vehicles, 0, slots)
    batch.observe(0, 1)
    return batch


def roads_by_dice(count, vehicles, seed, *, lanes=5, supervised=True, threads=1) -> HighwayBatch:
    """Several roads, each begun by its own dice."""
    config = HighwayConfig.load({"road": {"lanes": lanes}})
    batch = HighwayBatch(count, vehicles + 1, config, supervised=supervised, threads=threads)
    for road in range(count):
        rng = np.random.default_rng([seed, road])
        batch.dice[road] = rng.random(batch.dice.shape[1])
        begin(batch, road, (int(rng.integers(lanes)), float(rng.uniform(10.0, 30.0))), vehicles, (32, -1))
    return batch


def drive(batch, throttle, brake=0.0, lane=0.0, decisions=1) -> None:
    """The same action on every road for some decisions."""
    batch.actions.throttle[:], batch.actions.brake[:], batch.actions.lane[:] = throttle, brake, lane
    for _ in range(decisions):
        batch.step()


def rows(batch, name) -> np.ndarray:
    """A column of the vehicles with one row per road."""
    return getattr(batch.vehicles, name).reshape(batch.count, batch.slots)
