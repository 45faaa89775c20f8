"""What TensorBoard is told about the racing: parts of the reward every step, completion and lap times every rollout."""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.world import RacerWorld
from hotlap.training.metrics import Metrics, Summary, columns_of, filled, part_sums

LOG = logging.getLogger(__name__)
REWARD_PARTS = ("progress", "speed", "wall", "offTrack", "backward", "stillness")
RECENT_EPISODES = 100
EPISODES, MEAN_LAP = "racer/episodes_this_rollout", "racer/mean_lap_time_sec"
FIRST_LAP = "racer/first_lap_time_sec"


LAP_ROW = ("tick", "car", "lap", "step", "ended", "ticks", "is_clean")


@dataclass(frozen=True)
class RacerSummary(Summary):
    """Parts of the reward, and what may have ended in some ticks."""

    cars: int
    laps: NDArray[np.int64]
    """A row of LAP_ROW for each car and tick with another lap than the tick before, or the end of an episode."""


class RacerMetricsCallback(Metrics):
    """Logs the racing of any SB3 model on `RacerEnv` or on a native batch of cars.

    Every step, the mean of each part of the reward goes to `reward/<part>`. At the end of a rollout, what was
    finished goes to `racer/completion_rate`, `racer/episodes_this_rollout`, `racer/mean_lap_time_sec`,
    `racer/best_lap_time_sec` and, for the first lap of an episode, `racer/first_lap_time_sec`; nothing is logged where
    nothing was finished. An algorithm that writes its log less often than it drives rollouts finds all of them
    together in it: every episode and lap counts once. Lap times are counted in steps, 60 to the second; several laps
    at once, which nobody saw begin, are not timed.
    """

    def __init__(self, verbose: int = 0) -> None:
        super().__init__(verbose)
        self.completions: list[float] = []
        self.lap_times_s: list[float] = []
        """Of flying laps."""
        self.first_lap_times_s: list[float] = []
        """Of laps that an episode began with."""
        self.recorded: dict[str, int] = {}
        """How many entries of each list the log has been told of and not yet written."""
        self.recent_completions: deque[bool] = deque(maxlen=RECENT_EPISODES)
        self.best_clean_lap_s: float | None = None
        self.laps = np.zeros(0, np.int64)
        """The lap each car is on."""
        self.lap_began = np.zeros(0, np.int64)
        """The step of its episode at which that lap began."""

    @property
    def recent_completion(self) -> float | None:
        """The share of the last hundred episodes that completed a lap."""
        return float(np.mean(self.recent_completions)) if self.recent_completions else None

    def summary(self, seen: Mapping[str, Any]) -> RacerSummary:
        """Parts of the reward, in one step or in many of a compiled world, and laps and episodes that ended."""
        columns: Mapping[str, Any] | None = seen.get("columns")
        if columns is None:
            columns = columns_of(seen["infos"], (*REWARD_PARTS, "lap", "stepCount"))
        dones = np.atleast_2d(np.asarray(seen["dones"]))
        return RacerSummary(
            samples=dones.size,
            part_sums=part_sums(columns, REWARD_PARTS),
            cars=dones.shape[1],
            laps=self._lap_rows(columns, dones, seen.get("infos")),
        )

    def count(self, summaries: Sequence[RacerSummary]) -> None:
        """Parts of the reward, laps and episodes."""
        self.record_parts(summaries)
        cars = sum(each.cars for each in summaries)
        if len(self.laps) != cars:
            self.laps, self.lap_began = np.ones(cars, np.int64), np.zeros(cars, np.int64)
        self._count_laps(laps_of_all(summaries))

    def watched(self, world: RacerWorld) -> Mapping[str, NDArray[Any]]:
        """Parts of the reward, laps, and how they were driven."""
        kept = {key: world.step_views[key] for key in (*REWARD_PARTS, "lap", "stepCount")}
        return {**kept, "lapTicks": world.out.last_lap_ticks, "lapClean": world.out.lap_clean}

    def _lap_rows(self, columns: Mapping[str, Any], dones: Any, infos: Any) -> NDArray[np.int64]:
        """What may have ended; who does not know the laps before the first tick takes all that are beyond the first."""
        if "lap" not in columns or "stepCount" not in columns:
            return np.zeros((0, len(LAP_ROW)), np.int64)
        laps, steps = np.atleast_2d(columns["lap"]), np.atleast_2d(columns["stepCount"])
        known = self.laps if len(self.laps) == laps.shape[1] else np.ones(laps.shape[1], np.int64)
        before = np.concatenate([known[None], np.where(dones, 1, laps)[:-1]])
        ended, higher = np.nonzero((laps > before) | dones), laps > before
        if "lapTicks" in columns:
            timed = columns["lapTicks"][ended], columns["lapClean"][ended]
        else:
            found = [infos[car] if higher[tick, car] else {} for tick, car in zip(*ended, strict=True)]
            timed = [each.get("lapTicks", 0) for each in found], [each.get("lapClean", False) for each in found]
        return np.array([*ended, laps[ended], steps[ended], np.asarray(dones)[ended], *timed], np.int64).T

    def _count_laps(self, rows: list[list[int]]) -> None:
        """Time the laps that ended, tick by tick, and forget the cars whose episode did."""
        for _tick, car, lap, step, ended, ticks, is_clean in rows:
            if lap > self.laps[car]:
                self._end_lap(car, lap, step)
                if is_clean:
                    self._note_clean_lap(ticks / TICKS_PER_SECOND)
            if ended:
                self.completions.append(float(lap > 1))
                self.recent_completions.append(lap > 1)
                self.laps[car], self.lap_began[car] = 1, 0

    def _end_lap(self, car: int, lap: int, step: int) -> None:
        """Time a lap that somebody saw begin."""
        if lap == self.laps[car] + 1:
            times_s = self.first_lap_times_s if lap == 2 else self.lap_times_s
            times_s.append(float(step - self.lap_began[car]) / TICKS_PER_SECOND)
        self.laps[car], self.lap_began[car] = lap, step

    def _note_clean_lap(self, lap_s: float) -> None:
        """The best lap of the whole training that never left the road nor touched a wall."""
        self.best_clean_lap_s = lap_s if self.best_clean_lap_s is None else min(lap_s, self.best_clean_lap_s)

    def _on_rollout_end(self) -> None:
        self._forget_written()
        if self.completions:
            self.logger.record("racer/completion_rate", float(np.mean(self.completions)))
            self.logger.record(EPISODES, len(self.completions))
        if self.lap_times_s:
            self.logger.record(MEAN_LAP, float(np.mean(self.lap_times_s)))
            self.logger.record("racer/best_lap_time_sec", float(np.min(self.lap_times_s)))
        if self.first_lap_times_s:
            self.logger.record(FIRST_LAP, float(np.mean(self.first_lap_times_s)))
        if self.verbose and self.lap_times_s:
            LOG.info("laps %d, best %.3f s", len(self.lap_times_s), min(self.lap_times_s))
        self.recorded = {key: len(entries) for key, entries in self._lists().items() if entries}

    def _lists(self) -> dict[str, list[Any]]:
        """What is counted, by a tag that each has in the log."""
        return {EPISODES: self.completions, MEAN_LAP: self.lap_times_s, FIRST_LAP: self.first_lap_times_s}

    def _forget_written(self) -> None:
        """Whatever the log was told and no longer holds, it has written."""
        for key, entries in self._lists().items():
            if key not in self.logger.name_to_value:
                del entries[: self.recorded.pop(key, 0)]

    def _on_training_end(self) -> None:
        if self.recorded.keys() & self.logger.name_to_value.keys():
            self.logger.dump(self.num_timesteps)

    def facts(self) -> dict[str, float | None]:
        """For the learning curve: the recent completion and the best clean lap so far."""
        return {"completion": self.recent_completion, "best_lap_s": self.best_clean_lap_s}

    def words(self) -> list[str]:
        """For the progress bar."""
        words = [] if self.recent_completion is None else [f"completion {self.recent_completion:.0%}"]
        return words if self.best_clean_lap_s is None else [*words, f"best clean lap {self.best_clean_lap_s:.3f} s"]

    def tensors(self) -> dict[str, Any]:
        """The laps that are being timed."""
        return {"laps": self.laps.copy(), "lap_began": self.lap_began.copy()}

    def put_tensors(self, tensors: Mapping[str, Any], cars: int) -> None:
        """Go on timing them; a run that has not begun has none."""
        timed = np.empty(len(tensors["laps"]) and cars, np.int64)
        self.laps = filled(timed.copy(), tensors["laps"], "laps")
        self.lap_began = filled(timed, tensors["lap_began"], "lap_began")

    def counters(self) -> dict[str, Any]:
        """What was completed lately, and the best lap."""
        recent = {"completions": list(self.recent_completions), "best_clean_lap_s": self.best_clean_lap_s}
        return (
            recent
            | {"unwritten": {key: list(entries) for key, entries in self._lists().items()}}
            | {"recorded": dict(self.recorded)}
        )

    def put_counters(self, counters: Mapping[str, Any]) -> None:
        """Remember them again."""
        self.recent_completions.clear()
        self.recent_completions.extend(bool(completed) for completed in counters["completions"])
        for key, entries in self._lists().items():
            entries[:] = [float(entry) for entry in counters["unwritten"][key]]
        self.recorded = {key: int(count) for key, count in counters["recorded"].items() if key in self._lists()}
        best = counters["best_clean_lap_s"]
        self.best_clean_lap_s = None if best is None else float(best)


def laps_of_all(summaries: Sequence[RacerSummary]) -> list[list[int]]:
    """The rows of all cars in the order in which they came, cars numbered on from one summary to the next."""
    first, rows = 0, []
    for each in summaries:
        rows.append(each.laps + np.array([0, first, *[0] * (len(LAP_ROW) - 2)]))
        first += each.cars
    joined = np.concatenate(rows)
    in_order: list[list[int]] = joined[np.lexsort((joined[:, 1], joined[:, 0]))].tolist()
    return in_order
