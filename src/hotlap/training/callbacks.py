"""What TensorBoard is told about the racing: parts of the reward every step, completion and lap times every rollout."""

import logging
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.world import RacerWorld
from hotlap.training.metrics import Metrics, columns_of, filled

LOG = logging.getLogger(__name__)
REWARD_PARTS = ("progress", "speed", "wall", "offTrack", "backward", "stillness")
RECENT_EPISODES = 100
EPISODES, MEAN_LAP = "racer/episodes_this_rollout", "racer/mean_lap_time_sec"
FIRST_LAP = "racer/first_lap_time_sec"


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

    def _on_step(self) -> bool:
        columns = self._columns()
        self.record_parts({part: columns[part] for part in REWARD_PARTS if part in columns})
        if "lap" in columns and "stepCount" in columns:
            self._count_laps(columns, np.atleast_2d(np.asarray(self.locals["dones"])))
        return True

    def _columns(self) -> Mapping[str, Any]:
        """What happened, by key: in one step, or in many of a compiled world."""
        if self.locals.get("columns") is not None:
            columns: Mapping[str, Any] = self.locals["columns"]
            return columns
        return columns_of(self.locals["infos"], (*REWARD_PARTS, "lap", "stepCount"))

    def watched(self, world: RacerWorld) -> Mapping[str, NDArray[Any]]:
        """Parts of the reward, laps, and how they were driven."""
        kept = {key: world.step_views[key] for key in (*REWARD_PARTS, "lap", "stepCount")}
        return {**kept, "lapTicks": world.out.last_lap_ticks, "lapClean": world.out.lap_clean}

    def _count_laps(self, columns: Mapping[str, Any], dones: Any) -> None:
        """Time the laps that ended, tick by tick, and forget the cars whose episode did."""
        laps, steps = np.atleast_2d(columns["lap"]), np.atleast_2d(columns["stepCount"])
        if len(self.laps) != laps.shape[1]:
            self.laps, self.lap_began = np.ones(laps.shape[1], np.int64), np.zeros(laps.shape[1], np.int64)
        before = np.concatenate([self.laps[None], np.where(dones, 1, laps)[:-1]])
        for tick, car in np.argwhere((laps > before) | dones).tolist():
            if laps[tick, car] > self.laps[car]:
                self._end_lap(car, int(laps[tick, car]), int(steps[tick, car]))
                self._note_clean_lap(self._lap_info(tick, car, columns))
            if dones[tick, car]:
                self.completions.append(float(laps[tick, car] > 1))
                self.recent_completions.append(bool(laps[tick, car] > 1))
                self.laps[car], self.lap_began[car] = 1, 0

    def _end_lap(self, car: int, lap: int, step: int) -> None:
        """Time a lap that somebody saw begin."""
        if lap == self.laps[car] + 1:
            times_s = self.first_lap_times_s if lap == 2 else self.lap_times_s
            times_s.append(float(step - self.lap_began[car]) / TICKS_PER_SECOND)
        self.laps[car], self.lap_began[car] = lap, step

    def _lap_info(self, tick: int, car: int, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is said about a lap that ended."""
        if "lapTicks" in columns:
            return {key: columns[key][tick, car] for key in ("lapTicks", "lapClean")}
        info: Mapping[str, Any] = self.locals["infos"][car]
        return info

    def _note_clean_lap(self, info: Mapping[str, Any]) -> None:
        """The best lap of the whole training that never left the road nor touched a wall."""
        if info.get("lapClean"):
            lap_s = float(info["lapTicks"]) / TICKS_PER_SECOND
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
