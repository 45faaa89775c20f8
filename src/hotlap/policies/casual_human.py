"""Somebody who plays now and then: keys, not a wheel; a quarter second late; eyes a second ahead; a slip now and then.

Not a recording of anybody: a model with the habits below. It makes a yardstick that never tires and never changes.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hotlap.policies.line_follower import wrapped
from hotlap.policies.policy import Array, FloatArray
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.tracks import Track
from hotlap.racer.world import RacerWorld

STEER, THROTTLE, BRAKE = 0, 1, 2
ROAD_SPACING_U = 2.0


@dataclass(frozen=True)
class Habits:
    """What makes the human casual."""

    reaction_s: float = 0.25
    """Time from seeing to pressing; 0.2 is quick, 0.3 is tired."""
    look_s: float = 1.0
    """How far ahead the eyes rest on the middle of the road, in seconds of travel."""
    nearest_look_u: float = 30.0
    """They never rest nearer than this."""
    own_turn_felt: float = 0.8
    """Share of the car's turning since what was seen that is allowed for; 1 would be a perfect feeling for it."""
    worth_a_key_rad: float = 0.25
    """Directions less wrong than this are left alone."""
    shortest_press_s: float = 0.05
    """A steering key is held, or left, at least this long."""
    comfortable_turn_rps: float = 1.0
    """Bends are taken at a speed at which the road turns no faster than this."""
    speed_per_half_width: float = 4.75
    """Comfortable speed in u/s for each unit of the road's half-width."""
    seconds_between_slips: float = 8.0
    """How often, on average, the mind wanders."""
    slip_s: float = 0.3
    """For how long the keys then stay as they are."""


class View(NamedTuple):
    """What the eyes take in, one element per car."""

    wrong_rad: FloatArray
    """Angle from the car's direction of motion to the spot looked at, positive to the left."""
    heading_rad: FloatArray
    speed_ups: FloatArray
    comfortable_ups: FloatArray


class CasualHuman:
    """A casual human in every car, each with a generator of its own; the same seed drives the same way."""

    layout = "classic"

    def __init__(self, seed: int = 0, habits: Habits | None = None) -> None:
        self.name = "casual human"
        self.seed = seed
        self.habits = habits or Habits()
        self._late_ticks = round(self.habits.reaction_s * TICKS_PER_SECOND)
        self._press_ticks = round(self.habits.shortest_press_s * TICKS_PER_SECOND)
        self._newcomers: set[int] = set()
        self._make_seats(0)

    def _make_seats(self, count: int) -> None:
        """Room for so many cars, all with a newcomer in it."""
        self._dice = [np.random.default_rng([self.seed, car]) for car in range(count)]
        self._keys = np.zeros((count, 3))
        self._ticks = np.zeros(count, np.int64)
        self._since_press = np.zeros(count, np.int64)
        self._slip_at = np.zeros(count, np.int64)
        self._memory = np.zeros((self._late_ticks + 1, len(View._fields), count))
        self._newcomers = set(range(count))

    def reset(self, cars: Array) -> None:
        """Sit down anew in these cars: no key pressed, nothing seen yet."""
        self._newcomers.update(int(car) for car in cars)

    def act(self, observation: Array, world: RacerWorld) -> Array:  # noqa: ARG002 - it looks out of the window
        """Press and release keys for what was seen a moment ago."""
        if len(self._keys) != world.count:
            self._make_seats(world.count)
        self._sit_down()
        now = look_ahead(world, self.habits)
        seen = self._remember(now)
        awake = self._awake()
        self._press_steering(seen, now, awake)
        self._press_pedals(seen, awake)
        self._ticks += 1
        return self._keys.copy()

    def _sit_down(self) -> None:
        for car in sorted(self._newcomers):
            self._keys[car] = 0.0
            self._ticks[car] = self._since_press[car] = 0
            self._slip_at[car] = self._ticks_to_slip(car)
        self._newcomers.clear()

    def _remember(self, now: View) -> View:
        """Put the view away, and take out the one from a reaction time ago; a fresh driver has only the first."""
        slot = self._ticks % len(self._memory)
        cars = np.arange(len(slot))
        view, fresh = np.stack(now), self._ticks == 0
        if fresh.any():
            self._memory[:, :, fresh] = view[np.newaxis, :, fresh]
        self._memory[slot, :, cars] = view.T
        return View(*self._memory[(slot + 1) % len(self._memory), :, cars].T)

    def _awake(self) -> Array:
        """Whose mind is on the road this tick."""
        slip_ticks = round(self.habits.slip_s * TICKS_PER_SECOND)
        for car in np.flatnonzero(self._ticks >= self._slip_at + slip_ticks).tolist():
            self._slip_at[car] = self._ticks[car] + self._ticks_to_slip(car)
        return self._ticks < self._slip_at

    def _ticks_to_slip(self, car: int) -> int:
        mean = self.habits.seconds_between_slips * TICKS_PER_SECOND
        return 1 + int(self._dice[car].exponential(mean))

    def _press_steering(self, seen: View, now: View, awake: Array) -> None:
        """Left, right or neither, for the error seen then less the turning felt since."""
        felt = self.habits.own_turn_felt * wrapped(now.heading_rad - seen.heading_rad)
        wrong = wrapped(seen.wrong_rad - felt)
        wanted = np.where(np.abs(wrong) < self.habits.worth_a_key_rad, 0.0, -np.sign(wrong))
        changes = awake & (wanted != self._keys[:, STEER]) & (self._since_press >= self._press_ticks)
        self._keys[changes, STEER] = wanted[changes]
        self._since_press = np.where(changes, 0, self._since_press + 1)

    def _press_pedals(self, seen: View, awake: Array) -> None:
        """Throttle while it feels slow enough, brake when it feels much too fast."""
        slow = seen.speed_ups < seen.comfortable_ups
        much_too_fast = seen.speed_ups > 1.2 * seen.comfortable_ups
        self._keys[awake, THROTTLE] = slow[awake]
        self._keys[awake, BRAKE] = much_too_fast[awake]


def look_ahead(world: RacerWorld, habits: Habits) -> View:
    """Where the spot that the eyes rest on lies, and how fast the way there may comfortably be driven."""
    fleet = world.fleet
    view = np.empty((len(View._fields), world.count))
    motion = np.where(fleet.speed_ups > 1.0, np.arctan2(fleet.vy_ups, fleet.vx_ups), fleet.heading_rad)
    for number, track in enumerate(world.tracks):
        cars = np.flatnonzero(fleet.track == number)
        road = _road(track)
        speed, arc = fleet.speed_ups[cars], fleet.arc_u[cars]
        look = np.maximum(speed * habits.look_s, habits.nearest_look_u)
        spot = road.index_at(arc + look)
        aim = np.arctan2(road.y_u[spot] - fleet.y_u[cars], road.x_u[spot] - fleet.x_u[cars])
        view[0, cars] = wrapped(aim - motion[cars])
        view[3, cars] = _comfortable(road, arc, look, habits)
    view[1], view[2] = fleet.heading_rad, fleet.speed_ups
    return View(*view)


class _Road(NamedTuple):
    """The middle of a road at even arcs."""

    x_u: FloatArray
    y_u: FloatArray
    turned_rad: FloatArray
    """Absolute turning since the start line; one more element closes the lap."""
    half_width_u: FloatArray
    length_u: float

    def index_at(self, arc_u: FloatArray) -> Array:
        return (arc_u / self.length_u * len(self.x_u)).astype(np.intp) % len(self.x_u)


@lru_cache(maxsize=32)
def _road(track: Track) -> _Road:
    count = round(track.length_u / ROAD_SPACING_U)
    arcs = np.arange(count) / count * track.length_u
    position, tangent = track.position_at(arcs), track.tangent_at(arcs)
    heading = np.arctan2(tangent[:, 1], tangent[:, 0])
    turns = np.abs(wrapped(np.roll(heading, -1) - heading))
    return _Road(
        x_u=position[:, 0],
        y_u=position[:, 1],
        turned_rad=np.concatenate([[0.0], np.cumsum(turns)]),
        half_width_u=track.half_width_at(arcs),
        length_u=track.length_u,
    )


def _comfortable(road: _Road, arc_u: FloatArray, look_u: FloatArray, habits: Habits) -> FloatArray:
    """Speed at which the road between here and the spot looked at turns comfortably slowly and feels wide enough."""
    count = len(road.x_u)
    here = road.index_at(arc_u)
    steps = np.maximum((look_u / road.length_u * count).astype(np.intp), 1)
    there = here + steps
    turned = road.turned_rad[there % count] + (there // count) * road.turned_rad[count] - road.turned_rad[here]
    by_bend = habits.comfortable_turn_rps * look_u / np.maximum(turned, 1e-6)
    width = np.minimum(road.half_width_u[here], road.half_width_u[there % count])
    comfortable: FloatArray = np.minimum(by_bend, width * habits.speed_per_half_width)
    return comfortable
