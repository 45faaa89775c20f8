"""Races as the rest of the house sees them: learners in some seats of every grid, opponents in the others."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.actions import checked_actions
from hotlap.batch_world import BatchWorld
from hotlap.episodes import Rollout
from hotlap.errors import ConfigError
from hotlap.kernel import zeros
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.config import RaceConfig, checked_cars, checked_laps, checked_start
from hotlap.race.grid import DRAWN_SLOT, RACING, RETIRED
from hotlap.race.opponents import Opponents, memory_of, seated_drivers
from hotlap.race.options import DEFAULT_OPPONENTS, RaceOptions
from hotlap.racer.cars import CLASSIC
from hotlap.racer.options import FAR, TrackChoice, checked_assists, checked_layout, load_cars, load_tracks
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.world import ACTION_HIGH, ACTION_LOW, ACTION_SHAPE_MESSAGE, reset_views, state_limits, step_views
from hotlap.settings import is_whole
from hotlap.state import Limits, check_columns
from hotlap.worlds import BATCH_OPTIONS, check_world_options, checked_options

Array = NDArray[Any]
RESET_OPTIONS = ("track", "slot")
STATUSES = ("racing", "finished", "retired")
"""What results call RACING, FINISHED and RETIRED."""


class RaceWorld(BatchWorld):
    """Grids of cars; `count` learners, the first so many seats of each grid are theirs and the others have drivers."""

    name = "race"
    batch: RaceBatch
    action_choices = np.zeros((0, 3), np.float32)

    def __init__(
        self,
        count: int,
        track: TrackChoice = "track-01",
        config: RaceConfig | Mapping[str, Any] | None = None,
        *,
        threads: int | None = None,
        stagger: bool = False,
        **others: Any,
    ) -> None:
        """Beside the track and the config, options are those of `RaceOptions`."""
        check_world_options(self.name, others, BATCH_OPTIONS)
        self.given = given = RaceOptions(track, config, **others)
        self.cars_of_grid = checked_cars(given.cars)
        self.learners = _checked_learners(given.learners, self.cars_of_grid)
        if count % self.learners:
            raise ConfigError(f"{count} learners do not fill grids of {self.learners} learners each.")
        self.count, self.threads, self.stagger = count, threads, bool(stagger)
        self.cars = load_cars(given.car)
        self.layout = checked_layout(given.observation, self.cars)
        self.config = RaceConfig.load(config)
        laps, start = checked_laps(given.laps), checked_start(given.start)
        settings = RaceSettings(self.cars_of_grid, laps, start, self.layout, self.config, self.stagger)
        self.batch = RaceBatch(count // self.learners, load_tracks(track, self.cars), settings, threads, self.cars)
        self.grip = self.batch.alone.grip
        self.grip.traction_control[:], self.grip.anti_lock[:] = checked_assists(given.assists)
        self.grip.car_count[:] = len(self.cars)
        self.rows = np.arange(self.batch.count).reshape(-1, self.cars_of_grid)[:, : self.learners].ravel()
        """Where the learners sit."""
        self.slot = self._checked_slot(given.slot)
        self.fleet, self.out, self.tracks = self.batch.fleet, self.batch.out, self.batch.tracks
        self.contenders, self.facts = self.batch.contenders, self.batch.facts
        self._make_views()
        seats = self.cars_of_grid - self.learners
        chosen = _fitting(given.opponents, seats)
        self.drivers = seated_drivers(chosen, seats, self.batch)
        self.opponents = Opponents(self.batch, self.drivers, self.learners)
        if self.drivers:
            cars = self.cars_of_grid
            self.reason_against_gpu = f"opponents drive on the cores only: let all {cars} cars learn (learners={cars})."

    def _make_views(self) -> None:
        """What learners see and get, and what they are told: their rows out of all."""
        count, size = self.count, self.batch.observation_size
        self.observation_bounds = (np.full(size, -FAR, np.float32), np.full(size, FAR, np.float32))
        self.action_bounds = (ACTION_LOW, ACTION_HIGH)
        self.observation = np.zeros((count, size))
        self.reward = np.zeros(count)
        self.terminated, self.truncated = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
        self.rollout = self.batch.rollout
        if self.learners < self.cars_of_grid:
            self.rollout = zeros(Rollout, count, observation=size, final_observation=size)
        self._actions = np.zeros((self.batch.count, 3))
        self._all_views = {**step_views(self.fleet, self.out), **self._race_views()}
        self._all_reset_views = {**reset_views(self.fleet), "place": self.contenders.place}

    def options(self) -> dict[str, Any]:
        """What makes the same world again: tracks, cars and config as they were loaded."""
        loaded = replace(self.given, track=self.tracks, config=self.config, car=self.cars or CLASSIC)
        return {**vars(loaded), "threads": self.threads, "stagger": self.stagger}

    def _race_views(self) -> dict[str, Array]:
        """What a step's info says of the race, beside what it says of the drive."""
        contenders, facts = self.contenders, self.facts
        return {
            "place": contenders.place,
            "gapAhead": facts.gap_ahead_u,
            "gapBehind": facts.gap_behind_u,
            "gapAheadSeconds": facts.gap_ahead_s,
            "gapBehindSeconds": facts.gap_behind_s,
            "contactWith": facts.contact_with,
            "impulse": facts.impulse,
            "fault": facts.fault.view(np.bool_),
            "overtakes": contenders.overtakes,
            "overtaken": contenders.overtaken,
            "contacts": contenders.contacts,
            "faults": contenders.faults,
            "putBack": facts.put_back.view(np.bool_),
            "raceDistance": contenders.distance_u,
        }

    def _checked_slot(self, slot: Any) -> int:
        """The slot of the first learner of a grid, counted from 0, "last", or "drawn"."""
        if isinstance(slot, str) and slot == "last":
            return self.cars_of_grid - 1
        if isinstance(slot, str) and slot == "drawn":
            return DRAWN_SLOT
        if not is_whole(slot) or not 0 <= slot < self.cars_of_grid:
            raise ConfigError(f'slot must be from 0 to {self.cars_of_grid - 1}, "last" or "drawn", not {slot!r}.')
        return int(slot)

    def begin(self, car: int, rng: np.random.Generator, options: Mapping[str, Any] | None = None) -> None:
        """Begin the race of a learner's grid; where several learn on one grid, the last of them begins it for all."""
        given = checked_options(options, RESET_OPTIONS)
        grid, seat = divmod(car, self.learners)
        if seat < self.learners - 1:
            return
        first, last = grid * self.cars_of_grid, (grid + 1) * self.cars_of_grid
        self.write_starts(slice(first, last), given)
        draws = self.batch.alone.draws
        draws[first:last] = rng.random((self.cars_of_grid, draws.shape[1]))
        self.batch.begin(grid)
        self.opponents.forget(first, last)
        self._gather()

    def write_starts(self, cars: slice, given: Mapping[str, Any]) -> None:
        """On which tracks the next races of some cars are, and from which slots."""
        starts, track = self.batch.alone.starts, given.get("track")
        if track is not None and not (is_whole(track) and 0 <= track < len(self.tracks)):
            raise ConfigError(f"track must be from 0 to {len(self.tracks) - 1} of this world's set, not {track!r}.")
        starts.first_track[cars], starts.track_count[cars] = (0, len(self.tracks)) if track is None else (int(track), 1)
        wanted = self.batch.slots.wanted
        wanted[cars] = DRAWN_SLOT
        wanted[cars][:: self.cars_of_grid] = self._checked_slot(given["slot"]) if "slot" in given else self.slot

    def reset(self, seed: int, first_car: int = 0) -> None:
        """Begin the first race of every grid; starts from here on are a function of seed, car and episode."""
        super().reset(seed, first_car // self.learners * self.cars_of_grid)
        self.opponents.forget(0, self.batch.count)
        self._gather()
        self._gather_rollout()

    def advance(self, actions: Array) -> None:
        """One tick of every car with raw actions of the learners, of shape (count, 3)."""
        self.take_actions(actions)
        self.batch.step()
        self._gather()

    def advance_and_reset(self, actions: Array) -> None:
        """The same, and where a race ended the next begins: `rollout` says how it ended."""
        self.take_actions(actions)
        self.batch.step_and_reset()
        self._gather()
        self._gather_rollout()
        for grid in np.flatnonzero(self.batch.rollout.ended[:: self.cars_of_grid]).tolist():
            self.opponents.forget(grid * self.cars_of_grid, (grid + 1) * self.cars_of_grid)

    def take_actions(self, actions: Array) -> None:
        """Check raw actions of the learners, ask the opponents for theirs, and keep all for the next tick."""
        self._actions[self.rows] = checked_actions(actions, self.count, ACTION_SHAPE_MESSAGE)
        self.opponents.write_actions(self._actions)
        self.batch.set_actions(self._actions)

    def _gather(self) -> None:
        """What the learners see and get, out of all rows; several learners of one grid end together."""
        rows, out = self.rows, self.out
        np.take(self.batch.observation, rows, axis=0, out=self.observation)
        np.take(out.reward, rows, out=self.reward)
        self.terminated[:], self.truncated[:] = out.terminated[rows] != 0, out.truncated[rows] != 0
        if self.learners > 1:
            done = (self.terminated | self.truncated).reshape(-1, self.learners).all(axis=1)
            self.terminated &= np.repeat(done, self.learners)

    def _gather_rollout(self) -> None:
        if self.rollout is self.batch.rollout:
            return
        for name, column in self.batch.rollout._asdict().items():
            getattr(self.rollout, name).reshape(self.count, -1)[:] = column.reshape(self.batch.count, -1)[self.rows]

    def state_columns(self) -> dict[str, Array]:
        """The live arrays of the fleet, of its races, of its episodes and of drivers that remember, by name."""
        grip = self.grip._asdict() if self.cars else {}
        batch = self.batch
        race = {**batch.contenders._asdict(), **batch.pairs._asdict(), **batch.grids._asdict()}
        return {**self.fleet._asdict(), **batch.alone.episodes._asdict(), **grip, **race, **memory_of(self.drivers)}

    def check_state(self, columns: Mapping[str, Array]) -> None:
        """Refuse a state with a column that is missing, of another kind or out of range."""
        check_columns(self.state_columns(), columns, self.state_limits())

    def state_limits(self) -> Limits:
        """What the columns of a state can hold."""
        slots = self.cars_of_grid
        race = {"status": (RACING, RETIRED), "slot": (0, slots - 1), "place": (1, slots)}
        return {**state_limits(len(self.tracks), len(self.cars)), **race}

    def look(self) -> None:
        """Place every car on its track again and write what its driver sees."""
        self.batch.look()
        self._gather()

    @property
    def step_views(self) -> dict[str, Array]:  # type: ignore[override]
        """The keys of a step's info of the learners: those of a drive, and those of the race."""
        if self.learners == self.cars_of_grid:
            return self._all_views
        return {key: column[self.rows] for key, column in self._all_views.items()}

    @property
    def reset_views(self) -> dict[str, Array]:  # type: ignore[override]
        """The keys of a reset's info of the learners."""
        return {key: column[self.rows] for key, column in self._all_reset_views.items()}

    def noteworthy(self) -> Array:
        """Cars that just finished a lap."""
        finished: Array = self.out.lap_complete[self.rows] != 0
        return finished

    def extra_info(self, car: int) -> dict[str, Any]:
        """A finished lap: how many ticks, and whether it was clean."""
        row = int(self.rows[car])
        if not self.out.lap_complete[row]:
            return {}
        return {"lapTicks": int(self.out.last_lap_ticks[row]), "lapClean": bool(self.out.lap_clean[row])}

    def results(self, grid: int = 0) -> list[dict[str, Any]]:
        """How a race stands or ended: every car of a grid by its place."""
        first = grid * self.cars_of_grid
        rows = sorted(range(first, first + self.cars_of_grid), key=lambda row: int(self.contenders.place[row]))
        return [self._result(row, row - first) for row in rows]

    def _result(self, row: int, seat: int) -> dict[str, Any]:
        contenders, drivers = self.contenders, self.opponents.drivers
        driver = "learner" if seat < self.learners else drivers[seat - self.learners].name
        status = STATUSES[contenders.status[row]]
        finish_s = int(contenders.finish_tick[row]) / TICKS_PER_SECOND if status == "finished" else None
        counts = {
            name: int(getattr(contenders, name)[row]) for name in ("overtakes", "overtaken", "contacts", "faults")
        }
        return {
            "place": int(contenders.place[row]),
            "car": seat,
            "driver": driver,
            "status": status,
            "slot": int(contenders.slot[row]),
            "laps": int(self.fleet.lap[row]) - 1,
            "finish_s": finish_s,
            **counts,
            **({"parked": self.opponents.parked[row]} if row in self.opponents.parked else {}),
        }


def _checked_learners(learners: Any, cars: int) -> int:
    if not is_whole(learners) or not 1 <= learners <= cars:
        raise ConfigError(f"learners must be from 1 to the {cars} cars of a grid, not {learners!r}.")
    return int(learners)


def _fitting(opponents: Any, seats: int) -> Any:
    """The usual opponents as far as there are seats; those that were chosen as they are."""
    return opponents[:seats] if opponents is DEFAULT_OPPONENTS else opponents
