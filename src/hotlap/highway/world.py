"""The highway world as the rest of the house sees it: roads, how episodes begin, missions, and the info keys."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap import episodes
from hotlap.errors import ActionError, ConfigError, MissionError, StateError, did_you_mean
from hotlap.highway.batch import HighwayBatch
from hotlap.highway.config import HighwayConfig
from hotlap.highway.fleet import NOBODY, PLANNED_MISSIONS, Roads, StepOutputs, Vehicles
from hotlap.highway.mission_rules import (
    HOLD,
    MODE_NAMES,
    NO_REASON,
    OUTCOME_NAMES,
    REASON_NAMES,
    set_mission,
)
from hotlap.highway.missions import DEFAULT_GAP_S, Mission
from hotlap.highway.physics import DECISION_S, MOST_VEHICLES, SIZES, TEMPERAMENTS, TOP_SPEED_MPS
from hotlap.highway.sensors import FIELDS, OBSERVATION_SIZE
from hotlap.settings import is_whole
from hotlap.state import Limits, check_columns, write_columns
from hotlap.worlds import as_array, checked_options

Array = NDArray[Any]
ACTION_SHAPE_MESSAGE = "action must be a 3-element array [throttle, brake, lane request]"
ACTION_VALUE_MESSAGE = "action elements must be finite numbers"
CHOICE_MESSAGE = "action must be a whole number: 0 faster, 1 slower, 2 keep, 3 left, 4 right"
ACTION_LOW = np.array([0.0, 0.0, -1.0], np.float32)
ACTION_HIGH = np.array([1.0, 1.0, 1.0], np.float32)
CHOICES = np.array([[0.5, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], np.float32)
"""What faster, slower, keep, left and right mean as throttle, brake and lane request."""
RESET_OPTIONS = ("lane", "speed_mps", "vehicles", "missions", "mission")
DIRECTIONS = {"left": -1, None: 0, "right": 1}
UNSAID = MIXED = -1
UNSIGNED = ("speed", "lane_limit", "target_speed", "target_gap")


def observation_bounds() -> tuple[Array, Array]:
    """Lowest and highest value of each observation."""
    unsigned = [
        name in UNSIGNED or name.startswith("mission_") or name.endswith(("_exists", "_length_ahead"))
        for name in FIELDS
    ]
    return np.where(unsigned, 0.0, -1.0).astype(np.float32), np.ones(OBSERVATION_SIZE, np.float32)


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
    """What the columns of a road can hold."""
    return {
        **episodes.LIMITS,
        "order": (0, slots - 1),
        "vehicle_count": (0, slots - 1),
        "lane": (NOBODY, lanes - 1),
        "target_lane": (NOBODY, lanes - 1),
        "progress": (0.0, 1.0),
        "dice": (0.0, np.nextafter(1.0, 0.0)),
        "kind": (0, len(SIZES) - 1),
        "temperament": (0, len(TEMPERAMENTS) - 1),
        "side": (-1, 1),
        "mission_mode": (0, len(MODE_NAMES) - 1),
        "plan_mode": (MIXED, len(MODE_NAMES) - 1),
        "planned": (0, PLANNED_MISSIONS),
        "mission_lane": (NOBODY, lanes - 1),
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
        raise StateError(f"the ego must be in one of the lanes 0 to {lanes - 1}.")
    if (np.abs(lane - target) > 1).any() or ((lane < 0) != (target < 0)).any():
        raise StateError("a vehicle's target_lane must be its lane or the one beside it.")


def checked_vehicles(wanted: Any, most: int = MOST_VEHICLES) -> tuple[int, int]:
    """The fewest and the most vehicles around the ego: a number is both."""
    pair = (wanted, wanted) if is_whole(wanted) else wanted
    if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(is_whole(number) for number in pair)):
        raise ConfigError(f"vehicles must be a whole number or a pair (fewest, most), not {wanted!r}.")
    if not 0 <= pair[0] <= pair[1] <= most:
        raise ConfigError(f"vehicles must be from 0 to {most}, the fewest first, not {wanted!r}.")
    return int(pair[0]), int(pair[1])


def checked_missions(wanted: Any) -> str:
    """The word "mixed" or the name of one mode."""
    known = ("mixed", *MODE_NAMES)
    if not isinstance(wanted, str) or wanted not in known:
        raise ConfigError(f'no missions "{wanted}".{did_you_mean(str(wanted), known)} Known: {", ".join(known)}.')
    return str(wanted)


def _or_unsaid(value: float | None) -> float:
    return UNSAID if value is None else value


class HighwayWorld:
    """Roads with traffic; every ego gets missions by plan, one after the other, or those that are given to it."""

    name = "highway"

    def __init__(
        self,
        count: int,
        config: HighwayConfig | Mapping[str, Any] | None = None,
        vehicles: int | tuple[int, int] = 20,
        missions: str = "mixed",
        supervisor: bool = True,
        discrete: bool = False,
        threads: int | None = None,
        stagger: bool = False,
    ) -> None:
        self.count = count
        self.config = HighwayConfig.load(config)
        self.vehicle_range = checked_vehicles(vehicles)
        self.missions = checked_missions(missions)
        self.supervisor, self.discrete = bool(supervisor), bool(discrete)
        self.observation_bounds = observation_bounds()
        self.action_bounds = (ACTION_LOW, ACTION_HIGH)
        self.action_choices = CHOICES if discrete else CHOICES[:0]
        slots = 1 + self.vehicle_range[1]
        switches = {"supervised": self.supervisor, "stagger": bool(stagger)}
        self.batch = HighwayBatch(count, slots, self.config, **switches, threads=threads)
        self.vehicles, self.roads, self.out = self.batch.vehicles, self.batch.roads, self.batch.out
        self.rollout = self.batch.rollout
        self.observation, self.reward = self.batch.observation, self.out.reward
        self.terminated, self.truncated = self.out.terminated.view(np.bool_), self.out.truncated.view(np.bool_)
        self.step_views = step_views(self.vehicles, slots, self.roads, self.out)
        self.reset_views = reset_views(self.vehicles, slots, self.roads)

    def begin(self, car: int, rng: np.random.Generator, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; options may name lane, speed_mps, vehicles, missions, or one mission to be given."""
        given = self._checked_options(options)
        mission = given.get("mission")
        if mission is not None:
            self._check_lanes(mission)
        self._write_starts(slice(car, car + 1), given)
        self.batch.dice[car] = rng.random(self.batch.dice.shape[1])
        self.batch.begin(car)
        if mission is not None:
            lane, speed = (
                column[car * self.batch.slots].item() for column in (self.vehicles.lane, self.vehicles.speed_mps)
            )
            set_mission(self.roads, car, HOLD, lane, speed, DEFAULT_GAP_S)
            self.give(car, mission)

    def _write_starts(self, roads: slice, given: Mapping[str, Any]) -> None:
        """How the next episodes of some roads begin; what is not given is drawn."""
        vehicles = checked_vehicles(given.get("vehicles", self.vehicle_range), self.vehicle_range[1])
        missions = checked_missions(given.get("missions", self.missions))
        mode = MIXED if missions == "mixed" else MODE_NAMES.index(missions)
        starts = self.batch.starts
        starts.lane[roads], starts.speed_mps[roads] = given.get("lane", UNSAID), given.get("speed_mps", UNSAID)
        starts.fewest[roads], starts.most[roads] = vehicles
        planned = (PLANNED_MISSIONS, mode) if given.get("mission") is None else (0, MIXED)
        starts.planned[roads], starts.plan_mode[roads] = planned

    def reset(self, seed: int, first_car: int = 0) -> None:
        """Begin the first episode of every road; starts from here on are a function of seed, road and episode."""
        episodes.write_streams(self.batch.episodes, seed, first_car)
        self._write_starts(slice(None), {})
        self.batch.reset()

    def _checked_options(self, options: Mapping[str, Any] | None) -> Mapping[str, Any]:
        given = checked_options(options, RESET_OPTIONS)
        lane, speed, lanes = given.get("lane", 0), given.get("speed_mps", 0.0), self.config.road.lanes
        if not (is_whole(lane) and 0 <= lane < lanes):
            raise ConfigError(f"lane must be a whole number from 0, the leftmost, to {lanes - 1}, not {lane!r}.")
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
        for lane in (mission.target_lane, mission.return_lane):
            if lane is not None and not (is_whole(lane) and 0 <= lane < lanes):
                raise MissionError(f"this road has the lanes 0 to {lanes - 1}; a mission cannot name lane {lane!r}.")

    def advance(self, actions: Array) -> None:
        """One decision of every road with raw actions of shape (count, 3), or with choices of shape (count,)."""
        self._take(actions)
        self.batch.step()

    def advance_and_reset(self, actions: Array) -> None:
        """The same, and where an episode ended the next begins: `rollout` says how it ended."""
        self._take(actions)
        self.batch.step_and_reset()

    def _take(self, actions: Array) -> None:
        actions = as_array(actions, ACTION_SHAPE_MESSAGE)
        self.batch.set_actions(self._chosen(actions) if self.discrete else self._checked(actions))

    def _checked(self, actions: Array) -> Array:
        if actions.dtype.kind not in "fiu":
            raise ActionError(ACTION_VALUE_MESSAGE)
        if actions.shape != (self.count, 3):
            raise ActionError(f"{ACTION_SHAPE_MESSAGE} for each of {self.count} roads, not shape {actions.shape}")
        if not np.isfinite(actions).all():
            raise ActionError(ACTION_VALUE_MESSAGE)
        return actions

    def _chosen(self, actions: Array) -> Array:
        if actions.dtype.kind not in "iu" or actions.shape != (self.count,):
            raise ActionError(f"{CHOICE_MESSAGE}, for each of {self.count} roads")
        if not ((actions >= 0) & (actions < len(CHOICES))).all():
            raise ActionError(CHOICE_MESSAGE)
        return CHOICES[actions]

    def state_columns(self) -> dict[str, Array]:
        """The live arrays of vehicles, roads, episodes and dice, by name."""
        others = {**self.batch.episodes._asdict(), "dice": self.batch.scratch.dice}
        return {**self.vehicles._asdict(), **self.roads._asdict(), **others}

    def put_state(self, columns: Mapping[str, Array]) -> None:
        """Write the columns of a state back, if every one of them can be."""
        lanes, slots = self.config.road.lanes, self.batch.slots
        check_columns(self.state_columns(), columns, state_limits(lanes, slots))
        check_vehicles(columns, lanes, slots)
        write_columns(self.state_columns(), columns)
        self.look()

    def look(self) -> None:
        """Write again what every driver sees."""
        self.batch.observe(0, self.count)

    def step_columns(self) -> dict[str, Array]:
        """The keys of a step's info, in `step_views`."""
        return {key: column.copy() for key, column in self.step_views.items()}

    def reset_columns(self) -> dict[str, Array]:
        """The keys of a reset's info, in `reset_views`."""
        return {key: column.copy() for key, column in self.reset_views.items()}

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
