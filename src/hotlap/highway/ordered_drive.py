"""A drive by orders: one ego in seeded traffic, given missions in plain English, with the supervisor on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from hotlap.errors import HotlapError, MissionError
from hotlap.highway.mission_rules import PASS_WITHIN_M
from hotlap.highway.missions import MAX_GAP_S, MIN_GAP_S, MODE_NAMES, Direction, Ending, Mission, Mode, Outcome
from hotlap.highway.orders import Refused, Situation, Traffic, Understood, interpret
from hotlap.highway.orders.results import RefusalKind
from hotlap.highway.orders.situation import MAX_SPEED_MPH, Kind
from hotlap.highway.physics import DECISION_S, MPH
from hotlap.highway.road import gap_m, lane_limit_mps, nearest_ahead
from hotlap.highway.scene import Scene
from hotlap.highway.supervisor import RULE_NAMES
from hotlap.highway.world import Array, HighwayWorld

Decide = Callable[[Array, HighwayWorld], Array]
"""A driver: actions (n, 3) for the observations of n roads."""
KINDS = get_args(Kind)
SIDES: dict[int, Direction | None] = {-1: "left", 0: None, 1: "right"}
ONLY_ROAD = 0


@dataclass(frozen=True)
class Moment:
    """The car after one decision."""

    time_s: float
    lane: int
    speed_mph: float
    target_mph: float
    gap_s: float | None
    """To the vehicle ahead; None when nobody is near or the car hardly moves."""
    mode: str
    rules: tuple[str, ...]
    """What the supervisor had to change in this decision."""


def mission_of(world: HighwayWorld, road: int) -> Mission:
    """The mission that a road's ego is driving, as the page reads it too."""
    roads = world.roads
    back = int(roads.mission_return[road])
    return Mission(
        Mode(MODE_NAMES[roads.mission_mode[road]]),
        int(roads.mission_lane[road]),
        float(roads.mission_speed_mps[road]),
        min(max(float(roads.mission_gap_s[road]), MIN_GAP_S), MAX_GAP_S),
        SIDES[int(roads.mission_direction[road])],
        None if back < 0 else back,
    )


def situation_of(world: HighwayWorld, road: int) -> Situation:
    """Where a road's ego is, what it was told and who is around: what its next order is held against."""
    vehicles, ego = world.vehicles, road * world.batch.slots
    lanes, lane = world.config.road.lanes, int(vehicles.target_lane[ego])
    limits = tuple(lane_limit_mps(each, world.batch.rules) / MPH for each in range(lanes))
    speed_mph = min(float(vehicles.speed_mps[ego]) / MPH, MAX_SPEED_MPH)
    return Situation(lane, speed_mph, lanes, limits, mission_of(world, road), _traffic(world, road, lane))


def _traffic(world: HighwayWorld, road: int, lane: int) -> Traffic:
    vehicles, ego = world.vehicles, road * world.batch.slots
    front = nearest_ahead(vehicles, ego, world.batch.slots, ego, lane, False)
    beside = bool(world.out.left_taken[road]), bool(world.out.right_taken[road])
    if front < 0 or gap_m(vehicles, ego, front) > PASS_WITHIN_M:
        return Traffic(None, None, *beside)
    kind, speed_mph = KINDS[int(vehicles.kind[front])], float(vehicles.speed_mps[front]) / MPH
    return Traffic(kind, speed_mph, *beside)


class OrderedDrive:
    """One car and its driver; orders are given to it one after the other."""

    def __init__(self, decide: Decide, scene: Scene) -> None:
        self.scene, self._decide = scene, decide
        self.world = HighwayWorld(1, vehicles=scene.vehicles, supervisor=True, threads=1)
        start = {"lane": scene.lane_number, "speed_mps": scene.speed_mph * MPH, "mission": Mission()}
        self._check_start()
        self.world.begin(ONLY_ROAD, np.random.default_rng(scene.seed), start)
        self.time_s = 0.0

    def _check_start(self) -> None:
        """The car can be where it is said to be: MissionError otherwise."""
        self.scene.check()
        Situation(self.scene.lane_number, self.scene.speed_mph, self.world.config.road.lanes)

    def situation(self) -> Situation:
        """Where the car is and who is around: what an order is held against."""
        return situation_of(self.world, ONLY_ROAD)

    def order(self, text: str) -> Understood | Refused:
        """Give the car an order; what is refused changes nothing."""
        result = interpret(text, self.situation(), time_s=self.time_s)
        if isinstance(result, Refused):
            return result
        try:
            self.world.give(ONLY_ROAD, result.mission)
        except MissionError as problem:
            return Refused(RefusalKind.IMPOSSIBLE, f"{str(problem)[0].upper()}{str(problem)[1:]}")
        return result

    def drive(self) -> Iterator[Moment]:
        """Decide and move until the mission ends, the car crashed, or the time is over."""
        world = self.world
        for _ in range(round(self.scene.seconds / DECISION_S)):
            self._advance()
            self.time_s += DECISION_S
            yield self._moment()
            if world.out.mission_ended[ONLY_ROAD] or world.roads.crashed[ONLY_ROAD]:
                return

    def _advance(self) -> None:
        """One decision; a driver that fails or gives no numbers leaves the car to the supervisor."""
        world = self.world
        try:
            actions = np.asarray(self._decide(world.observation, world), np.float64)
        except (HotlapError, ArithmeticError, RuntimeError, ValueError):
            actions = np.full((1, 3), np.nan)
        lost = np.array([not np.isfinite(actions).all()])
        world.advance(np.nan_to_num(actions, posinf=0.0, neginf=0.0), lost)

    def _moment(self) -> Moment:
        views = {name: column[ONLY_ROAD] for name, column in self.world.step_views.items()}
        speed_mps, gap_m_ahead = float(views["speed_mps"]), float(views["gap_ahead_m"])
        near = speed_mps > 1.0 and gap_m_ahead < PASS_WITHIN_M
        used = int(views["rules"])
        return Moment(
            time_s=self.time_s,
            lane=int(views["lane"]),
            speed_mph=speed_mps / MPH,
            target_mph=float(views["mission_speed_mps"]) / MPH,
            gap_s=gap_m_ahead / speed_mps if near else None,
            mode=MODE_NAMES[int(views["mission_mode"])],
            rules=tuple(name for bit, name in enumerate(RULE_NAMES) if used >> bit & 1),
        )

    def outcome(self, mission: Mission) -> Outcome:
        """How a mission stands now that driving has stopped."""
        speed_mps = float(self.world.step_views["speed_mps"][ONLY_ROAD])
        asked = mission.target_speed_mps
        error = None if asked is None else speed_mps - asked
        info: dict[str, Any] = self.world.extra_info(ONLY_ROAD)
        if self.world.roads.crashed[ONLY_ROAD]:
            fault = "its own" if self.world.roads.ego_fault[ONLY_ROAD] else "another driver's"
            return Outcome(
                mission, Ending.CRASHED, f"it crashed, by {fault} fault", self.time_s - mission.time_s, error
            )
        if not info:
            return Outcome(mission, Ending.CANCELLED, "the drive was over", self.time_s - mission.time_s, error)
        return Outcome(mission, Ending(info["outcome"]), info["reason"], float(info["duration_s"]), error)

    def interventions(self) -> dict[str, int]:
        """Decisions of the drive so far that each rule of the supervisor changed."""
        counts = self.world.batch.interventions[ONLY_ROAD].tolist()
        return {name: count for name, count in zip(RULE_NAMES, counts, strict=True) if count}
