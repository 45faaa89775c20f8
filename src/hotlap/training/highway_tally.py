"""Counting what happens on roads while they are driven: missions by mode, crashes, interventions, speed errors."""

import statistics
from collections.abc import Mapping
from typing import Any

import numpy as np

from hotlap.highway.missions import MODE_NAMES
from hotlap.highway.physics import DECISION_S, MPH
from hotlap.units import SECONDS_PER_HOUR

FACTS = ("speed_mps", "rules", "crashed", "ego_fault", "is_free", "speed_error_mps")

COUNTED = ("metres", "error_sum_mps", "decisions", "crashes", "ego_faults", "interventions", "free_decisions")


class Tally:
    """Adds up decisions of many roads; `figures` says what came of them."""

    def __init__(self) -> None:
        self.durations_s: dict[str, list[float]] = {mode: [] for mode in MODE_NAMES}
        """How long missions took that were done."""
        self.failures = dict.fromkeys(MODE_NAMES, 0)
        self.metres = self.error_sum_mps = 0.0
        self.decisions = self.crashes = self.ego_faults = self.interventions = self.free_decisions = 0

    def count(self, columns: Mapping[str, Any]) -> None:
        """One decision of some roads, by the columns of FACTS."""
        free = np.asarray(columns["is_free"], np.bool_)
        self.decisions += free.size
        self.metres += DECISION_S * float(np.sum(columns["speed_mps"]))
        self.crashes += int(np.sum(columns["crashed"]))
        self.ego_faults += int(np.sum(columns["ego_fault"]))
        self.interventions += int(np.count_nonzero(columns["rules"]))
        self.free_decisions += int(np.count_nonzero(free))
        self.error_sum_mps += float(np.sum(np.abs(np.asarray(columns["speed_error_mps"])[free])))

    def add(self, other: "Tally") -> None:
        """What another counted of decisions."""
        for name in COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def note_mission(self, info: Mapping[str, Any]) -> bool | None:
        """A mission that ended, and whether it was done; None for a refused one, which is nobody's failure."""
        if info["outcome"] == "refused":
            return None
        done = bool(info["outcome"] == "done")
        if done:
            self.durations_s[info["ended_mode"]].append(float(info["duration_s"]))
        else:
            self.failures[info["ended_mode"]] += 1
        return done

    def success_of(self, mode: str) -> float | None:
        """The share of the missions of a mode that were done."""
        ended = len(self.durations_s[mode]) + self.failures[mode]
        return len(self.durations_s[mode]) / ended if ended else None

    def figures(self) -> dict[str, float]:
        """What came of it, by name; what there was none of is left out."""
        found: dict[str, float] = {}
        for mode, durations in self.durations_s.items():
            share = self.success_of(mode)
            if share is not None:
                found[f"{mode}/success_rate"] = share
                found[f"{mode}/episodes"] = len(durations) + self.failures[mode]
            if durations:
                found[f"{mode}/time_to_success_s"] = statistics.median(durations)
        if self.metres > 0.0:
            found["crashes_per_1000_km"] = 1e6 * self.crashes / self.metres
            found["ego_fault_crashes_per_1000_km"] = 1e6 * self.ego_faults / self.metres
        if self.decisions:
            found["interventions_per_hour"] = self.interventions / (self.decisions * DECISION_S / SECONDS_PER_HOUR)
        if self.free_decisions:
            found["speed_error_mph"] = self.error_sum_mps / self.free_decisions / MPH
        return found
