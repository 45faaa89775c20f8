"""The racing world as the rest of the house sees it: a fleet, its tracks, how episodes begin, and the info keys."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap import episodes
from hotlap.errors import ActionError, ConfigError, did_you_mean
from hotlap.racer.batch import GRIP_LAYOUTS, RacerBatch, layout_size
from hotlap.racer.cars import CLASSIC, Car, load_car
from hotlap.racer.config import RacerConfig
from hotlap.racer.fleet import FleetState, StepOutputs
from hotlap.racer.physics import GATE_COUNT, ROAD, SHOULDER, TICKS_PER_SECOND
from hotlap.racer.sensors import CURVATURE_SCALE_U, LOOKAHEADS_U, YAW_SCALE_RPS
from hotlap.racer.starts import START_KINDS, check_gate, check_start_kind
from hotlap.racer.tracks import Track, drawn_for_classic_car, load_track
from hotlap.settings import is_whole
from hotlap.state import USUAL_LIMITS, Limits, check_columns, write_columns
from hotlap.worlds import as_array, checked_options

Array = NDArray[Any]
TrackChoice = str | Path | Track | Sequence[str | Path | Track]
CarChoice = str | Path | Car | Sequence[str | Path | Car]
ASSISTS = {"off": (0, 0), "traction-control": (1, 0), "anti-lock": (0, 1), "on": (1, 1)}
"""By name: whether traction control and anti-lock help."""
ACTION_SHAPE_MESSAGE = "action must be a 3-element array [steer, throttle, brake]"
ACTION_VALUE_MESSAGE = "action elements must be finite numbers"
RESET_OPTIONS = ("start", "gate", "track", "action_delay")
ACTION_LOW = np.array([-1.0, 0.0, 0.0], np.float32)
ACTION_HIGH = np.array([1.0, 1.0, 1.0], np.float32)
SIGNED_CLASSIC = (10, 11)
FAR = 1000.0
FARTHEST_U, FARTHEST_RAD = 1e6, 1e5
"""No car gets so far, nor turns so often."""


def observation_bounds(layout: str) -> tuple[Array, Array]:
    """Lowest and highest value of each observation, whatever the track."""
    size = layout_size(str(layout))
    if layout == "full":
        return _full_bounds()
    if layout in GRIP_LAYOUTS:
        return np.full(size, -FAR, np.float32), np.full(size, FAR, np.float32)
    low = np.zeros(size, np.float32)
    low[list(SIGNED_CLASSIC)] = -1.0
    return low, np.ones(size, np.float32)


def _full_bounds() -> tuple[Array, Array]:
    """In the order of `write_full`; distances end at FAR, which no car between walls reaches."""
    spin = math.pi * TICKS_PER_SECOND / YAW_SCALE_RPS
    bend = math.pi / LOOKAHEADS_U[0] * CURVATURE_SCALE_U
    car = [(0, 1), (-FAR, FAR), (-1, 1), (-1, 1), (-FAR, FAR), (-FAR, FAR), (-math.pi / 2, math.pi / 2), (-spin, spin)]
    inputs = [(-1, 1), (0, 1), (0, 1)]
    ahead = [(-bend, bend), (0, FAR), (-FAR, FAR), (-FAR, FAR)] * len(LOOKAHEADS_U)
    low, high = np.array(car + inputs + ahead, np.float32).T
    return low.copy(), high.copy()


def check_delay(delay: int | str) -> int | str:
    """0 or 1 ticks between deciding and acting, or "random": drawn for each episode."""
    if (isinstance(delay, str) and delay == "random") or (is_whole(delay) and delay in (0, 1)):
        return delay
    raise ConfigError(f'action_delay must be 0, 1 or "random", not {delay!r}.')


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


def load_cars(choice: CarChoice) -> list[Car]:
    """The cars with grip of a choice; none for the classic car, which drives alone."""
    chosen = list(choice) if isinstance(choice, Iterable) and not isinstance(choice, str | bytes | Car) else [choice]
    if chosen == [CLASSIC]:
        return []
    if not chosen or CLASSIC in chosen:
        raise ConfigError(f'car must be "{CLASSIC}", or one or more cars with grip, not {choice!r}.')
    return [load_car(item) for item in chosen]


def checked_layout(layout: str | None, cars: Sequence[Car]) -> str:
    """The observation layout, by default that of the car; one for another kind of car is refused."""
    if layout is None:
        return GRIP_LAYOUTS[0] if cars else "classic"
    layout_size(str(layout))
    if (layout in GRIP_LAYOUTS) != bool(cars):
        kind, fit = ("cars with grip see", GRIP_LAYOUTS) if cars else ("the classic car sees", ("classic", "full"))
        raise ConfigError(f'observation "{layout}" does not fit: {kind} {" or ".join(fit)}.')
    return layout


def checked_assists(assists: Any) -> tuple[int, int]:
    """Traction control and anti-lock, on or off, by the name of the choice."""
    if not isinstance(assists, str) or assists not in ASSISTS:
        hint = did_you_mean(str(assists), ASSISTS)
        raise ConfigError(f"assists cannot be {assists!r}.{hint} Known: {', '.join(ASSISTS)}.")
    return ASSISTS[assists]


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


class RacerWorld:
    """Cars on closed tracks; with several tracks, or several cars with grip, each episode draws one."""

    name = "racer"
    action_choices = np.zeros((0, 3), np.float32)

    def __init__(
        self,
        count: int,
        track: TrackChoice = "track-01",
        config: RacerConfig | Mapping[str, Any] | str | Path | None = None,
        observation: str | None = None,
        action_delay: int | str = 0,
        start: str = "grid",
        threads: int | None = None,
        stagger: bool = False,
        car: CarChoice = CLASSIC,
        assists: str = "off",
    ) -> None:
        chosen = list(track) if isinstance(track, Iterable) and not isinstance(track, str | bytes) else [track]
        if not chosen:
            raise ConfigError("a racer world needs at least one track.")
        self.count = count
        self.cars = load_cars(car)
        self.layout = checked_layout(observation, self.cars)
        self.config = RacerConfig.load(config)
        self.start = check_start_kind(start)
        self.action_delay = check_delay(action_delay)
        self.observation_bounds = observation_bounds(self.layout)
        self.action_bounds = (ACTION_LOW, ACTION_HIGH)
        tracks = [load_track(item) for item in chosen]
        if not self.cars:
            tracks = [drawn_for_classic_car(item) for item in tracks]
        self.batch = RacerBatch(count, tracks, self.config, self.layout, threads, stagger=bool(stagger), cars=self.cars)
        self.grip = self.batch.grip
        self.grip.traction_control[:], self.grip.anti_lock[:] = checked_assists(assists)
        self.grip.car_count[:] = len(self.cars)
        self.fleet, self.out, self.tracks = self.batch.fleet, self.batch.out, self.batch.tracks
        self.rollout = self.batch.rollout
        self.observation, self.reward = self.batch.observation, self.out.reward
        self.terminated, self.truncated = self.out.terminated.view(np.bool_), self.out.truncated.view(np.bool_)
        self.step_views, self.reset_views = step_views(self.fleet, self.out), reset_views(self.fleet)

    def begin(self, car: int, rng: np.random.Generator, options: Mapping[str, Any] | None = None) -> None:
        """Put one car at its start; options may name start, gate, track (its number in the set) and action_delay."""
        self._write_starts(slice(car, car + 1), check_options(options))
        self.batch.draws[car] = rng.random(self.batch.draws.shape[1])
        self.batch.begin(car)

    def _write_starts(self, cars: slice, given: Mapping[str, Any]) -> None:
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

    def reset(self, seed: int, first_car: int = 0) -> None:
        """Begin the first episode of every car; starts from here on are a function of seed, car and episode."""
        episodes.write_streams(self.batch.episodes, seed, first_car)
        self._write_starts(slice(None), {})
        self.batch.reset()

    def advance(self, actions: Array) -> None:
        """One tick of every car with raw actions of shape (count, 3), clamped by the rules of the world."""
        self.take_actions(actions)
        self.batch.step()

    def take_actions(self, actions: Array) -> None:
        """Check raw actions of shape (count, 3) and keep them for the next tick."""
        self.batch.set_actions(self._checked(actions))

    def advance_and_reset(self, actions: Array) -> None:
        """The same, and where an episode ended the next begins: `rollout` says how it ended."""
        self.take_actions(actions)
        self.batch.step_and_reset()

    def _checked(self, actions: Array) -> Array:
        actions = as_array(actions, ACTION_SHAPE_MESSAGE)
        if actions.dtype.kind not in "fiu":
            raise ActionError(ACTION_VALUE_MESSAGE)
        if actions.shape != (self.count, 3):
            raise ActionError(f"{ACTION_SHAPE_MESSAGE} for each of {self.count} cars, not shape {actions.shape}")
        if not np.isfinite(actions).all():
            raise ActionError(ACTION_VALUE_MESSAGE)
        return actions

    def state_columns(self) -> dict[str, Array]:
        """The live arrays of the fleet and of its episodes, by name."""
        grip = self.grip._asdict() if self.cars else {}
        return {**self.fleet._asdict(), **self.batch.episodes._asdict(), **grip}

    def put_state(self, columns: Mapping[str, Array]) -> None:
        """Write the columns of a state back, if every one of them can be."""
        check_columns(self.state_columns(), columns, state_limits(len(self.tracks), len(self.cars)))
        write_columns(self.state_columns(), columns)
        self.look()

    def look(self) -> None:
        """Place every car on its track again and write what its driver sees."""
        self.batch.observe(0, self.count)

    def step_columns(self) -> dict[str, Array]:
        """The thirteen keys of a step's info, in `step_views`."""
        return {key: column.copy() for key, column in self.step_views.items()}

    def reset_columns(self) -> dict[str, Array]:
        """The five keys of a reset's info, in `reset_views`."""
        return {key: column.copy() for key, column in self.reset_views.items()}

    def noteworthy(self) -> Array:
        """Cars that just finished a lap."""
        return self.out.lap_complete.view(np.bool_)

    def extra_info(self, car: int) -> dict[str, Any]:
        """A finished lap: how many ticks, and whether it was clean."""
        if not self.out.lap_complete[car]:
            return {}
        return {"lapTicks": int(self.out.last_lap_ticks[car]), "lapClean": bool(self.out.lap_clean[car])}
