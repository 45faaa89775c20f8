"""The highway world as the rest of the house sees it: roads, how episodes begin, missions, and the info keys."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap import episodes
from hotlap.actions import checked_actions, checked_choices
from hotlap.batch_world import BatchWorld
from hotlap.errors import ConfigError, MissionError, StateError
from hotlap.highway.batch import HighwayBatch
from hotlap.highway.config import HighwayConfig
from hotlap.highway.fleet import NOBODY, PLANNED_MISSIONS, Roads, StepOutputs, Vehicles
from hotlap.highway.mission_rules import (
    HOLD,
    NO_REASON,
    OUTCOME_NAMES,
    REASON_NAMES,
    set_mission,
)
from hotlap.highway.missions import DEFAULT_GAP_S, MODE_NAMES, Mission
from hotlap.highway.options import (
    ConfigChoice,
    HighwayOptions,
    VehicleChoice,
    checked_missions,
    checked_vehicles,
    observation_bounds,
)
from hotlap.highway.physics import DECISION_S, SIZES, TEMPERAMENTS, TOP_SPEED_MPS
from hotlap.settings import is_whole
from hotlap.state import Limits, check_columns
from hotlap.worlds import BATCH_OPTIONS, check_world_options, checked_options

Array = NDArray[Any]
ACTION_SHAPE_MESSAGE = "action must be a 3-element array [throttle, brake, lane request]"
CHOICE_MESSAGE = "action must be a whole number: 0 faster, 1 slower, 2 keep, 3 left, 4 right"
ACTION_LOW = np.array([0.0, 0.0, -1.0], np.float32)
ACTION_HIGH = np.array([1.0, 1.0, 1.0], np.float32)
CHOICES = np.array([[0.5, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], np.float32)
"""What faster, slower, keep, left and right mean as throttle, brake and lane request."""
RESET_OPTIONS = ("lane", "speed_mps", "vehicles", "missions", "mission")
DIRECTIONS = {"left": -1, None: 0, "right": 1}
UNSAID = MIXED = -1


def step_views(vehicles: Vehicles, slots: int, roads: Roads, out: StepOutputs) -> dict[str, Array]:
    """The keys of a step's info: the parts of the reward first, then facts."""
    return {
        "tracking": out.tracking,
        "lane_keeping": out.lane_keeping,
        "distance": out.distance,
        "comfort": out.comfort,
        "legality": out.legality,
        "mission_reward": out.mission,
        "crash": out.crash,
        "jerk_mps3": roads.jerk_mps3,
        "gap_ahead_m": out.gap_ahead_m,
        "is_free": out.is_free.view(np.bool_),
        "speed_error_mps": out.speed_error_mps,
        "rules": out.rules,
        "changes_begun": out.changes_begun,
        "unsafe_changes": out.unsafe_changes,
        "mission_ended": out.mission_ended,
        "crashed": roads.crashed.view(np.bool_),
        "ego_fault": roads.ego_fault.view(np.bool_),
        **reset_views(vehicles, slots, roads),
    }


def reset_views(vehicles: Vehicles, slots: int, roads: Roads) -> dict[str, Array]:
    """The keys of a reset's info."""
    return {
        "decision": roads.decision,
        "x_m": vehicles.x_m[::slots],
        "speed_mps": vehicles.speed_mps[::slots],
        "accel_mps2": vehicles.accel_mps2[::slots],
        "lane": vehicles.lane[::slots],
        "mission_mode": roads.mission_mode,
        "mission_lane": roads.mission_lane,
        "mission_speed_mps": roads.mission_speed_mps,
        "mission_number": roads.mission_number,
    }


def state_limits(lanes: int, slots: int) -> Limits:
    """What the columns of a road can hold; the lane after the last is the shoulder."""
    return {
        **episodes.LIMITS,
        "order": (0, slots - 1),
        "vehicle_count": (0, slots - 1),
        "lane": (NOBODY, lanes),
        "target_lane": (NOBODY, lanes),
        "progress": (0.0, 1.0),
        "dice": (0.0, np.nextafter(1.0, 0.0)),
        "kind": (0, len(SIZES) - 1),
        "temperament": (0, len(TEMPERAMENTS) - 1),
        "side": (-1, 1),
        "mission_mode": (0, len(MODE_NAMES) - 1),
        "plan_mode": (MIXED, len(MODE_NAMES) - 1),
        "planned": (0, PLANNED_MISSIONS),
        "mission_lane": (NOBODY, lanes),
        "mission_return": (NOBODY, lanes - 1),
        "mission_vehicle": (NOBODY, slots - 1),
        "mission_direction": (-1, 1),
    }


def check_vehicles(columns: Mapping[str, Array], lanes: int, slots: int) -> None:
    """Every slot once in the order of its road, the ego on the road, nobody between lanes that are not neighbours."""
    order, lane, target = columns["order"], columns["lane"], columns["target_lane"]
    if (np.sort(order.reshape(-1, slots), axis=1) != np.arange(slots)).any():
        raise StateError(f"order must list each of the slots 0 to {slots - 1} of a road once.")
    if (lane[::slots] < 0).any():
        raise StateError(f"the ego must be in one of the lanes 0 to {lanes - 1}, or on the shoulder, {lanes}.")
    if (np.maximum(lane, target).reshape(-1, slots)[:, 1:] == lanes).any():
        raise StateError(f"only the ego may be on the shoulder, lane {lanes}.")
    if (np.abs(lane - target) > 1).any() or ((lane < 0) != (target < 0)).any():
        raise StateError("a vehicle's target_lane must be its lane or the one beside it.")


def _or_unsaid(value: float | None) -> float:
    return UNSAID if value is None else value


class HighwayWorld(BatchWorld):
    """Roads with traffic; every ego gets missions by plan, one after the other, or those that are given to it."""

    name = "highway"
    batch: HighwayBatch

    def __init__(
        self,
        count: int,
        config: ConfigChoice = None,
        vehicles: VehicleChoice = 20,
        *,
        threads: int | None = None,
        stagger: bool = False,
        **others: Any,
    ) -> None:
        """Beside the config and the vehicles, options are those of `HighwayOptions`."""
        check_world_options(self.name, others, BATCH_OPTIONS)
        self.given = given = HighwayOptions(config, vehicles, **others)
        self.count, self.threads, self.stagger = count, threads, bool(stagger)
        self.config = HighwayConfig.load(config)
        self.vehicle_range = checked_vehicles(vehicles)
        self.missions = checked_missions(given.missions)
        self.supervisor, self.discrete = bool(given.supervisor), bool(given.discrete)
        self.observation_bounds = observation_bounds()
        self.action_bounds = (ACTION_LOW, ACTION_HIGH)
        self.action_choices = CHOICES if self.discrete else CHOICES[:0]
        slots = 1 + self.vehicle_range[1]
        switches = {"supervised": self.supervisor, "stagger": self.stagger}
        self.batch = HighwayBatch(count, slots, self.config, **switches, threads=threads)
        self.vehicles, self.roads, self.out = self.batch.vehicles, self.batch.roads, self.batch.out
        self.rollout = self.batch.rollout
        self.observation, self.reward = self.batch.observation, self.out.reward
        self.terminated, self.truncated = self.out.terminated.view(np.bool_), self.out.truncated.view(np.bool_)
        self.step_views = step_views(self.vehicles, slots, self.roads, self.out)
        self.reset_views = reset_views(self.vehicles, slots, self.roads)

    def options(self) -> dict[str, Any]:
        """What makes the same world again."""
        loaded = replace(self.given, config=self.config)
        return {**vars(loaded), "threads": self.threads, "stagger": self.stagger}

    def begin(self, car: int, rng: np.random.Generator, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; options may name lane, speed_mps, vehicles, missions, or one mission to be given."""
        given = self._checked_options(options)
        mission = given.get("mission")
        if mission is not None:
            self._check_lanes(mission)
        self.write_starts(slice(car, car + 1), given)
        self.batch.dice[car] = rng.random(self.batch.dice.shape[1])
        self.batch.begin(car)
        if mission is not None:
            lane, speed = (
                column[car * self.batch.slots].item() for column in (self.vehicles.lane, self.vehicles.speed_mps)
            )
            set_mission(self.roads, car, HOLD, lane, speed, DEFAULT_GAP_S)
            self.give(car, mission)

    def write_starts(self, roads: slice, given: Mapping[str, Any]) -> None:
        """How the next episodes of some roads begin; what is not given is drawn."""
        vehicles = checked_vehicles(given.get("vehicles", self.vehicle_range), self.vehicle_range[1])
        missions = checked_missions(given.get("missions", self.missions))
        mode = MIXED if missions == "mixed" else MODE_NAMES.index(missions)
        starts = self.batch.starts
        starts.lane[roads], starts.speed_mps[roads] = given.get("lane", UNSAID), given.get("speed_mps", UNSAID)
        starts.fewest[roads], starts.most[roads] = vehicles
        planned = (PLANNED_MISSIONS, mode) if given.get("mission") is None else (0, MIXED)
        starts.planned[roads], starts.plan_mode[roads] = planned

    def _checked_options(self, options: Mapping[str, Any] | None) -> Mapping[str, Any]:
        given = checked_options(options, RESET_OPTIONS)
        lane, speed, lanes = given.get("lane", 0), given.get("speed_mps", 0.0), self.config.road.lanes
        if not (is_whole(lane) and 0 <= lane <= lanes):
            raise ConfigError(f"lane must be a whole number from 0 (leftmost) to {lanes} (the shoulder), not {lane!r}.")
        if isinstance(speed, bool) or not isinstance(speed, int | float) or not 0.0 <= speed <= TOP_SPEED_MPS:
            raise ConfigError(f"speed_mps must be from 0 to {TOP_SPEED_MPS:g}, not {speed!r}.")
        if given.get("mission") is not None and not isinstance(given["mission"], Mission):
            raise ConfigError(f"mission must be a hotlap.highway.missions.Mission, not {given['mission']!r}.")
        return given

    def give(self, car: int, mission: Mission) -> None:
        """Give an ego a mission that takes the place of its plan and of the one it has; a wrong one changes nothing."""
        self._check_lanes(mission)
        orders = self.batch.orders
        orders.mode[car] = MODE_NAMES.index(mission.mode.value)
        orders.lane[car] = _or_unsaid(mission.target_lane)
        orders.speed_mps[car] = _or_unsaid(mission.target_speed_mps)
        orders.gap_s[car] = _or_unsaid(mission.gap_s)
        orders.direction[car] = DIRECTIONS[mission.direction]
        orders.return_lane[car] = _or_unsaid(mission.return_lane)
        reason = self.batch.give(car)
        if reason != NO_REASON:
            raise MissionError(f"an overtake cannot begin: {REASON_NAMES[reason]}.")

    def _check_lanes(self, mission: Mission) -> None:
        lanes = self.config.road.lanes
        if mission.mode == "stop" and mission.target_lane == lanes:
            return
        for lane in (mission.target_lane, mission.return_lane):
            if lane is not None and not (is_whole(lane) and 0 <= lane < lanes):
                raise MissionError(
                    f"this road has the lanes 0 to {lanes - 1}, and the shoulder, {lanes}, to stop on; "
                    f"a mission cannot name lane {lane!r}."
                )

    def advance(self, actions: Array, lost: Array | None = None) -> None:
        """One decision of every road with raw actions of shape (count, 3), or with choices of shape (count,).

        `lost` marks roads whose driver gave no decision: after three in a row the supervisor stops on the shoulder.
        """
        self._take(actions, lost)
        self.batch.step()

    def advance_and_reset(self, actions: Array) -> None:
        """The same, and where an episode ended the next begins: `rollout` says how it ended."""
        self._take(actions)
        self.batch.step_and_reset()

    def _take(self, actions: Array, lost: Array | None = None) -> None:
        actions = self._chosen(actions) if self.discrete else self._checked(actions)
        self.batch.set_actions(actions if lost is None else np.where(lost[:, None], np.nan, actions))

    def _checked(self, actions: Array) -> Array:
        return checked_actions(actions, self.count, ACTION_SHAPE_MESSAGE)

    def _chosen(self, actions: Array) -> Array:
        return CHOICES[checked_choices(actions, (self.count,), len(CHOICES), CHOICE_MESSAGE)]

    def state_columns(self) -> dict[str, Array]:
        """The live arrays of vehicles, roads, episodes and dice, by name."""
        others = {**self.batch.episodes._asdict(), "dice": self.batch.scratch.dice}
        return {**self.vehicles._asdict(), **self.roads._asdict(), **others}

    def check_state(self, columns: Mapping[str, Array]) -> None:
        """Refuse a state with a column that is missing, of another kind or out of range, or with vehicles astray."""
        lanes, slots = self.config.road.lanes, self.batch.slots
        check_columns(self.state_columns(), columns, state_limits(lanes, slots))
        check_vehicles(columns, lanes, slots)

    def noteworthy(self) -> Array:
        """Roads on which a mission just ended."""
        ended: Array = self.out.mission_ended != 0
        return ended

    def extra_info(self, car: int) -> dict[str, Any]:
        """A mission that ended: its mode, its outcome with the reason, and how long it took."""
        if not self.out.mission_ended[car]:
            return {}
        return {
            "ended_mode": MODE_NAMES[self.out.ended_mode[car]],
            "outcome": OUTCOME_NAMES[self.out.mission_ended[car]],
            "reason": REASON_NAMES[self.out.ended_reason[car]],
            "duration_s": float(self.out.ended_decisions[car] * DECISION_S),
        }
