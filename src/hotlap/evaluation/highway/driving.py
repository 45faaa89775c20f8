"""Drive a policy through episodes of one density, all of them side by side, and keep what happened in each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.evaluation.highway.episodes import Episode, MissionEnd
from hotlap.highway.missions import MODE_NAMES, Ending, Mode
from hotlap.highway.physics import DECISION_S, EPISODE_DECISIONS, MPH
from hotlap.highway.supervisor import RULE_NAMES
from hotlap.highway.world import HighwayWorld
from hotlap.policies import Policy
from hotlap.progress import tracked

FloatArray = NDArray[np.float64]
FOLLOWING_S = 3.0
"""Who is nearer than this is followed."""
SLOWEST_FOLLOWING_MPS = 3.0
"""A time gap means nothing at walking pace."""


@dataclass(frozen=True, eq=False)
class Strip:
    """One episode over time, for the picture; every array (decisions,)."""

    time_s: FloatArray
    speed_mph: FloatArray
    target_mph: FloatArray
    lane: NDArray[np.int32]
    mission_lane: NDArray[np.int32]
    intervened: NDArray[np.bool_]
    crashed: bool


class Episodes:
    """Episodes from their seeds, each on a road of its own; driven on construction."""

    def __init__(
        self, policy: Policy, seeds: Sequence[int], vehicles: int, *, supervised: bool, missions: str = "mixed"
    ) -> None:
        self.seeds, self.vehicles, self.supervised = list(seeds), vehicles, supervised
        count = len(self.seeds)
        self._world = HighwayWorld(count, vehicles=vehicles, missions=missions, supervisor=supervised)
        for road, seed in enumerate(self.seeds):
            self._world.begin(road, np.random.default_rng(seed))
        self.missions: list[list[MissionEnd]] = [[] for _ in range(count)]
        self.sums = {name: np.zeros(count) for name in _SUMS}
        self._accel_mps2 = self._world.step_views["accel_mps2"].copy()
        self._strip: list[FloatArray] = []
        policy.reset(np.arange(count))
        self._drive(policy)

    def _drive(self, policy: Policy) -> None:
        world = self._world
        driving = np.ones(world.count, np.bool_)
        for _ in tracked(range(EPISODE_DECISIONS), EPISODE_DECISIONS, "decisions", f"{world.count} roads"):
            world.advance(policy.act(world.observation, world))
            self._note(driving)
            self._note_missions(driving)
            driving &= ~(world.terminated | world.truncated)
            if not driving.any():
                return

    def _note(self, driving: NDArray[np.bool_]) -> None:
        """Add one decision to the books of the roads that are still driven."""
        views = self._world.step_views
        speed, gap_m, accel = views["speed_mps"], views["gap_ahead_m"], views["accel_mps2"]
        gap_s = gap_m / np.maximum(speed, SLOWEST_FOLLOWING_MPS)
        follows = (gap_s < FOLLOWING_S) & (speed > SLOWEST_FOLLOWING_MPS)
        jerk = (accel - self._accel_mps2) / DECISION_S
        facts = {
            "decisions": np.ones(len(speed)),
            "intervened": views["rules"] != 0,
            "free": views["is_free"],
            "speed_error_mps": np.where(views["is_free"], np.abs(views["speed_error_mps"]), 0.0),
            "following": follows,
            "gap_s": np.where(follows, gap_s, 0.0),
            "jerk_squares": jerk * jerk,
            "off_lane": views["lane"] != views["mission_lane"],
            "reward": self._world.reward,
        }
        for name, column in facts.items():
            self.sums[name] += np.where(driving, column, 0.0)
        self._accel_mps2 = accel.copy()
        if driving[0]:
            names = ("speed_mps", "mission_speed_mps", "lane", "mission_lane", "rules")
            self._strip.append(np.array([float(views[name][0]) for name in names]))

    def _note_missions(self, driving: NDArray[np.bool_]) -> None:
        world = self._world
        for road in np.flatnonzero(driving & world.noteworthy()).tolist():
            info = world.extra_info(road)
            if info:
                end = MissionEnd(
                    Mode(info["ended_mode"]), Ending(info["outcome"]), round(info["duration_s"], 3), info["reason"]
                )
                self.missions[road].append(end)
        for road in np.flatnonzero(driving & world.step_views["crashed"] & (world.out.mission_ended == 0)).tolist():
            duration_s = round(float(world.roads.mission_decisions[road]) * DECISION_S, 3)
            mode = Mode(MODE_NAMES[world.roads.mission_mode[road]])
            self.missions[road].append(MissionEnd(mode, Ending.CRASHED, duration_s))

    def records(self) -> list[Episode]:
        """Every episode, in the order of its seeds."""
        return [self._record(road) for road in range(len(self.seeds))]

    def _record(self, road: int) -> Episode:
        world = self._world
        sums: dict[str, Any] = {name: int(self.sums[name][road]) for name in _COUNTS}
        sums |= {name: float(self.sums[name][road]) for name in _AMOUNTS}
        return Episode(
            seed=self.seeds[road],
            vehicles=self.vehicles,
            supervised=self.supervised,
            metres=float(world.step_views["x_m"][road]),
            crashed=bool(world.roads.crashed[road]),
            ego_fault=bool(world.roads.ego_fault[road]),
            rules=dict(zip(RULE_NAMES, world.batch.interventions[road].tolist(), strict=True)),
            missions=self.missions[road],
            **sums,
        )

    def strip(self) -> Strip:
        """The first episode over time."""
        speed, target, lane, mission_lane, rules = np.array(self._strip).T
        return Strip(
            time_s=np.arange(1, len(speed) + 1) * np.float64(DECISION_S),
            speed_mph=speed / MPH,
            target_mph=target / MPH,
            lane=lane.astype(np.int32),
            mission_lane=mission_lane.astype(np.int32),
            intervened=rules != 0.0,
            crashed=bool(self._world.roads.crashed[0]),
        )


def driven_again(record: Episode, make: Callable[[Sequence[int]], Policy], missions: str = "mixed") -> Episode:
    """The same episode once more, alone, from its seed and its driver: it comes out the same."""
    seeds = [record.seed]
    drive = Episodes(make(seeds), seeds, record.vehicles, supervised=record.supervised, missions=missions)
    return drive.records()[0]


_COUNTS = ("decisions", "intervened", "free", "following", "off_lane")
_AMOUNTS = ("speed_error_mps", "gap_s", "jerk_squares", "reward")
_SUMS = (*_COUNTS, *_AMOUNTS)
