"""The racing world as the rest of the house sees it: a fleet, its tracks, how episodes begin, and the info keys."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap import episodes
from hotlap.actions import checked_actions
from hotlap.batch_world import BatchWorld
from hotlap.errors import ConfigError
from hotlap.racer.batch import RacerBatch
from hotlap.racer.cars import CLASSIC
from hotlap.racer.config import RacerConfig
from hotlap.racer.fleet import FleetState, StepOutputs
from hotlap.racer.options import (
    ConfigChoice,
    RacerOptions,
    TrackChoice,
    check_delay,
    checked_assists,
    checked_layout,
    load_cars,
    load_tracks,
    observation_bounds,
)
from hotlap.racer.physics import GATE_COUNT, ROAD, SHOULDER
from hotlap.racer.starts import START_KINDS, check_gate, check_start_kind
from hotlap.settings import is_whole
from hotlap.state import USUAL_LIMITS, Limits, check_columns
from hotlap.worlds import BATCH_OPTIONS, check_world_options, checked_options

Array = NDArray[Any]
ACTION_SHAPE_MESSAGE = "action must be a 3-element array [steer, throttle, brake]"
RESET_OPTIONS = ("start", "gate", "track", "action_delay")
ACTION_LOW = np.array([-1.0, 0.0, 0.0], np.float32)
ACTION_HIGH = np.array([1.0, 1.0, 1.0], np.float32)
FARTHEST_U, FARTHEST_RAD = 1e6, 1e5
"""No car gets so far, nor turns so often."""


def state_limits(tracks: int, cars: int) -> Limits:
    """What the columns of a fleet can hold; the angles are within what it takes moments to wrap."""
    inputs = dict.fromkeys(("throttle", "brake", "held_throttle", "held_brake"), (0.0, 1.0))
    return {
        **episodes.LIMITS,
        **inputs,
        **dict.fromkeys(("steer", "held_steer"), (-1.0, 1.0)),
        **dict.fromkeys(("heading_rad", "front_angle_rad", "slip_rad"), (-FARTHEST_RAD, FARTHEST_RAD)),
        **dict.fromkeys(("x_u", "y_u"), (-FARTHEST_U, FARTHEST_U)),
        **dict.fromkeys(("arc_u", "centre_distance_u"), (0.0, FARTHEST_U)),
        "surface": (ROAD, SHOULDER),
        "track": (0, tracks - 1),
        "gate": (0, GATE_COUNT - 1),
        "finish_gate": (0, GATE_COUNT - 1),
        "best_lap_ticks": (-1, USUAL_LIMITS["i"][1]),
        "delay": (0, 1),
        **dict.fromkeys(("car", "first_car"), (0, max(cars - 1, 0))),
        "car_count": (0, cars),
        **dict.fromkeys(("traction_control", "anti_lock", "grip_used_front", "grip_used_rear"), (0, 1)),
    }


def check_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Reset options with known names only."""
    return checked_options(options, RESET_OPTIONS)


def step_views(fleet: FleetState, out: StepOutputs) -> dict[str, Array]:
    """The thirteen keys of a step's info. `speed` is the reward's part; the car's speed is `rawSpeed`."""
    return {
        "progress": out.progress,
        "speed": out.speed,
        "wall": out.wall,
        "offTrack": out.off_track,
        "backward": out.backward,
        "stillness": out.stillness,
        "tick": fleet.tick,
        "rawSpeed": fleet.speed_ups,
        "lap": fleet.lap,
        "checkpoint": fleet.gate,
        "stepCount": fleet.tick,
        "wallContact": out.wall_contact.view(np.bool_),
        "stillnessCounter": fleet.still_ticks,
    }


def reset_views(fleet: FleetState) -> dict[str, Array]:
    """The five keys of a reset's info. Here `speed` is the car's."""
    return {
        "tick": fleet.tick,
        "speed": fleet.speed_ups,
        "lap": fleet.lap,
        "checkpoint": fleet.gate,
        "stepCount": fleet.tick,
    }


class RacerWorld(BatchWorld):
    """Cars on closed tracks; with several tracks, or several cars with grip, each episode draws one."""

    name = "racer"
    batch: RacerBatch
    action_choices = np.zeros((0, 3), np.float32)

    def __init__(
        self,
        count: int,
        track: TrackChoice = "track-01",
        config: ConfigChoice = None,
        *,
        threads: int | None = None,
        stagger: bool = False,
        **others: Any,
    ) -> None:
        """Beside the track and the config, options are those of `RacerOptions`."""
        check_world_options(self.name, others, BATCH_OPTIONS)
        self.given = given = RacerOptions(track, config, **others)
        self.count, self.threads, self.stagger = count, threads, bool(stagger)
        self.cars = load_cars(given.car)
        self.layout = checked_layout(given.observation, self.cars)
        self.config = RacerConfig.load(config)
        self.start = check_start_kind(given.start)
        self.action_delay = check_delay(given.action_delay)
        self.observation_bounds = observation_bounds(self.layout)
        self.action_bounds = (ACTION_LOW, ACTION_HIGH)
        tracks = load_tracks(track, self.cars)
        self.batch = RacerBatch(count, tracks, self.config, self.layout, threads, stagger=self.stagger, cars=self.cars)
        self.grip = self.batch.grip
        self.grip.traction_control[:], self.grip.anti_lock[:] = checked_assists(given.assists)
        self.grip.car_count[:] = len(self.cars)
        self.fleet, self.out, self.tracks = self.batch.fleet, self.batch.out, self.batch.tracks
        self.rollout = self.batch.rollout
        self.observation, self.reward = self.batch.observation, self.out.reward
        self.terminated, self.truncated = self.out.terminated.view(np.bool_), self.out.truncated.view(np.bool_)
        self.step_views, self.reset_views = step_views(self.fleet, self.out), reset_views(self.fleet)

    def options(self) -> dict[str, Any]:
        """What makes the same world again: tracks, cars and config as they were loaded."""
        loaded = replace(self.given, track=self.tracks, config=self.config, car=self.cars or CLASSIC)
        return {**vars(loaded), "threads": self.threads, "stagger": self.stagger}

    def begin(self, car: int, rng: np.random.Generator, options: Mapping[str, Any] | None = None) -> None:
        """Put one car at its start; options may name start, gate, track (its number in the set) and action_delay."""
        self.write_starts(slice(car, car + 1), check_options(options))
        self.batch.draws[car] = rng.random(self.batch.draws.shape[1])
        self.batch.begin(car)

    def write_starts(self, cars: slice, given: Mapping[str, Any]) -> None:
        """How the next episodes of some cars begin; what is not given is drawn."""
        kind, gate = check_start_kind(given.get("start", self.start)), check_gate(given.get("gate"))
        delay, track = (
            check_delay(given.get("action_delay", self.action_delay)),
            self._checked_track(given.get("track")),
        )
        starts = self.batch.starts
        starts.kind[cars] = START_KINDS.index(kind)
        starts.first_track[cars], starts.track_count[cars] = (0, len(self.tracks)) if track is None else (track, 1)
        starts.first_gate[cars], starts.gate_count[cars] = (0, GATE_COUNT) if gate is None else (gate, 1)
        starts.first_delay[cars], starts.delay_count[cars] = (0, 2) if delay == "random" else (int(delay), 1)

    def _checked_track(self, wanted: Any) -> int | None:
        if wanted is not None and not (is_whole(wanted) and 0 <= wanted < len(self.tracks)):
            raise ConfigError(
                f"track must be a number from 0 to {len(self.tracks) - 1} of this world's set, not {wanted!r}."
            )
        return None if wanted is None else int(wanted)

    def advance(self, actions: Array) -> None:
        """One tick of every car with raw actions of shape (count, 3), clamped by the rules of the world."""
        self.take_actions(actions)
        self.batch.step()

    def take_actions(self, actions: Array) -> None:
        """Check raw actions of shape (count, 3) and keep them for the next tick."""
        self.batch.set_actions(checked_actions(actions, self.count, ACTION_SHAPE_MESSAGE))

    def advance_and_reset(self, actions: Array) -> None:
        """The same, and where an episode ended the next begins: `rollout` says how it ended."""
        self.take_actions(actions)
        self.batch.step_and_reset()

    def state_columns(self) -> dict[str, Array]:
        """The live arrays of the fleet and of its episodes, by name."""
        grip = self.grip._asdict() if self.cars else {}
        return {**self.fleet._asdict(), **self.batch.episodes._asdict(), **grip}

    def check_state(self, columns: Mapping[str, Array]) -> None:
        """Refuse a state with a column that is missing, of another kind or out of range."""
        check_columns(self.state_columns(), columns, state_limits(len(self.tracks), len(self.cars)))

    def noteworthy(self) -> Array:
        """Cars that just finished a lap."""
        return self.out.lap_complete.view(np.bool_)

    def extra_info(self, car: int) -> dict[str, Any]:
        """A finished lap: how many ticks, and whether it was clean."""
        if not self.out.lap_complete[car]:
            return {}
        return {"lapTicks": int(self.out.last_lap_ticks[car]), "lapClean": bool(self.out.lap_clean[car])}
